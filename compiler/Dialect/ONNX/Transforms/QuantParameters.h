// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points as they meet the elements that they are of. Null ones stay null.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"

namespace cameo {

/// Whether a scale, or zero point, is one for a whole tensor.
bool isOneParameter(mlir::Value parameter);

/// One for all, of rank 0; the run checks that it is one where its extents do not say so.
mlir::Value alignOne(OnnxBuilder &b, mlir::Value parameter);
/// One for all, or one for each place along an axis, behind which `behind` others follow.
mlir::Value alignPlaces(OnnxBuilder &b, mlir::Value parameter, int64_t behind);
/// One for all, or one for each row, or each column, of `matrices`; a vector has one.
mlir::Value alignRows(OnnxBuilder &b, mlir::Value parameter, mlir::Value matrices);
mlir::Value alignColumns(OnnxBuilder &b, mlir::Value parameter, mlir::Value matrices);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H
