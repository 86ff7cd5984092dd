// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_FUSION_MARKNUMBERS_H
#define CAMEO_FUSION_MARKNUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Marks the conversions of floats to integers of 8 and 16 bits whose operands cannot be NaN, by
/// what constants and integers they come from: those take fewer steps. One of a rounded number,
/// maybe plus a zero point, becomes an s_quantize.
void markNumbers(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_FUSION_MARKNUMBERS_H
