// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators that only move elements do, as strided copies: enough to run them on constants.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_MOVEMENT_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_MOVEMENT_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/Transforms/StridedRows.h"

namespace cameo {

/// For each index i of `extents`, element `from + i * fromStrides` of operand `operand` becomes
/// element `to + i * toStrides` of a result.
struct StridedCopy {
  unsigned operand = 0;
  llvm::SmallVector<int64_t> extents;
  int64_t from = 0, to = 0;
  Strides fromStrides, toStrides;
};

using StridedCopies = llvm::SmallVector<StridedCopy>;

/// The copies that make up result `result`, all of whose extents are constants; nullopt when an
/// operand that tells where to copy is not a constant, or tells of a place that is not there.
std::optional<StridedCopies> getCopies(onnx::TransposeOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::SliceOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::SplitOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::ConcatOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::ExpandOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::TileOp op, unsigned result);
std::optional<StridedCopies> getCopies(onnx::GatherOp op, unsigned result);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_MOVEMENT_H
