// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a heap all memory is given beforehand, so every value's size must have a bound.

#ifndef CAMEO_EMIT_CHECKBOUNDS_H
#define CAMEO_EMIT_CHECKBOUNDS_H

#include "Emit/Program.h"

namespace cameo {

/// Fails with a diagnostic for each dim that has no bound, naming the values it is a dim of and the
/// flag that would bound it.
mlir::LogicalResult checkBounds(const Program &program);

} // namespace cameo

#endif // CAMEO_EMIT_CHECKBOUNDS_H
