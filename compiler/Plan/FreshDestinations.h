// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What writes the first part of a fresh tensor makes the tensor: nothing has its memory before, so
// that it may be that of an operand. The first part of a concatenation is there already then.

#ifndef CAMEO_PLAN_FRESHDESTINATIONS_H
#define CAMEO_PLAN_FRESHDESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Drops each prog.empty that one kernel or call alone has as a destination, and the tie to it.
void dropFreshDestinations(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_PLAN_FRESHDESTINATIONS_H
