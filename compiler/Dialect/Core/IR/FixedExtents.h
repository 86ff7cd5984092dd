// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents as people are shown them: a dim that is known to be 4 is 4, not its name.

#ifndef CAMEO_DIALECT_CORE_IR_FIXEDEXTENTS_H
#define CAMEO_DIALECT_CORE_IR_FIXEDEXTENTS_H

#include "Dialect/Core/IR/ExtentFacts.h"

namespace cameo::core {

/// `extent` with every symbol that has only one value replaced by that.
ExtentAttr replaceFixed(ExtentAttr extent, const ExtentFacts &facts);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_FIXEDEXTENTS_H
