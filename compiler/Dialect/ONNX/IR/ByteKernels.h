// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions of bytes a target has kernels for: others become floats before calls are made.

#ifndef CAMEO_DIALECT_ONNX_IR_BYTEKERNELS_H
#define CAMEO_DIALECT_ONNX_IR_BYTEKERNELS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/ChannelBlocks.h"

namespace cameo::onnx {

/// The zero point of a whole tensor of bytes, 0 where `value` is null; nullopt unless it is a
/// constant.
std::optional<int64_t> getZeroPoint(mlir::Value value);
/// Whether kernels multiply bytes in a convolution of this shape, by constant weights.
bool canConvolveBytes(mlir::Value x, mlir::Value w, mlir::Value y, int64_t group,
                      const llvm::FailureOr<llvm::SmallVector<WindowAxis>> &window,
                      const ChannelBlocks &blocks);
/// Whether there is one for this operator: of an unsigned image and signed weights, whose zero
/// point is 0.
bool hasByteKernel(ConvIntegerOp op, const llvm::FailureOr<llvm::SmallVector<WindowAxis>> &window,
                   const ChannelBlocks &blocks);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_BYTEKERNELS_H
