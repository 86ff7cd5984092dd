// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_FUSION_JOINBOUNDS_H
#define CAMEO_FUSION_JOINBOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Makes one clamp of a maximum and a minimum around each other, of constants of which none is NaN
/// and the lower is the maximum's: that takes fewer steps.
void joinBounds(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_FUSION_JOINBOUNDS_H
