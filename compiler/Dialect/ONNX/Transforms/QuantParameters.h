// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points as they meet the elements that they are of. Null ones stay null.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"

#include <vector>

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

/// The numbers of a scale of f32, one or one for each place: of a constant, or of products of such.
/// Nothing for one that is computed by anything else.
std::optional<std::vector<float>> readScale(mlir::Value scale);
/// The codes of a dequantised constant bias, i32 of at most one axis, that has the scale of the
/// sums that it is added to, left * right but for rounding. Null for any other bias, and where it
/// may leave 32 bits with sums up to `mostSum`.
mlir::Value getBiasCodes(mlir::Value bias, mlir::Value left, mlir::Value right, int64_t mostSum);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_QUANTPARAMETERS_H
