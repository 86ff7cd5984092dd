// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large an extent becomes that a loop carries.

#ifndef CAMEO_DIALECT_CORE_IR_CARRIEDBOUND_H
#define CAMEO_DIALECT_CORE_IR_CARRIEDBOUND_H

#include "Dialect/Core/IR/CoreDialect.h"

namespace cameo::core {

/// The most that a symbol can be that starts as `init` and is at most `next` behind each of at most
/// `trip` iterations, null for any number of them; null where nothing bounds it.
ExtentAttr getCarriedBound(SymbolAttr symbol, ExtentAttr init, ExtentAttr next, ExtentAttr trip);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_CARRIEDBOUND_H
