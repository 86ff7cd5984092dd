// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values by the names that the model has for them: how users speak of them in flags and in plans.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_VALUENAMES_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_VALUENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// The model's name of a value; "" where it has none.
llvm::StringRef getOnnxName(mlir::Value value);
/// Every name of a function's values, once, in their order.
llvm::SmallVector<llvm::StringRef> getOnnxNames(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_VALUENAMES_H
