// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operators work on tensors whose channels lie in blocks (#cameo.blocked): what the Layout
// stage decides from, and what its verifier holds every operator to. A record says it for all
// operands and results at once.

#ifndef CAMEO_DIALECT_ONNX_IR_CHANNELUSES_H
#define CAMEO_DIALECT_ONNX_IR_CHANNELUSES_H

#include "Dialect/ONNX/IR/Window.h"

#include <optional>

namespace cameo::onnx {

/// The blocks that the kernels of a target understand.
struct ChannelBlocks {
  /// Channels in a block; 0: its convolutions know none.
  int64_t block;
  /// Convolutions of at most so many input channels read them plane by plane.
  int64_t maxPlanes;
};

/// The blocks of the side that computes on the target of the module around `op`; zeros without a
/// target.
ChannelBlocks getChannelBlocks(mlir::Operation *op);

/// One operand, or one result.
struct ChannelUse {
  /// The axes that lie in blocks, innermost last; none: a tensor that is dense but for a halo.
  llvm::SmallVector<int64_t, 2> axes;
  /// How many elements around its last axes are read; none where there is no halo.
  llvm::SmallVector<int64_t, 2> halo;
  /// How long a block of each of the axes is; none: all are as long as the target's.
  llvm::SmallVector<int64_t, 2> blocks;
  /// The value that is read in the halo.
  int64_t fill = 0;

  /// Whether the axes lie as others have them too, who need no repack between them.
  bool isInTargetBlocks() const { return !axes.empty() && blocks.empty(); }

  /// The same, spelled out.
  llvm::SmallVector<int64_t, 2> getBlocks(const ChannelBlocks &target) const {
    return blocks.empty() ? llvm::SmallVector<int64_t, 2>(axes.size(), target.block) : blocks;
  }
};

struct ChannelUses {
  /// One per operand of the operation, and one per result. Results may have any halo.
  llvm::SmallVector<ChannelUse, 4> operands, results;
  /// The multiply-adds that an element of result 0 takes.
  int64_t depth = 0;
  /// Whether it has no kernel for dense tensors.
  bool isRequired = false;
};

/// The channels of an image that can be in blocks: a tensor of rank 4 that has a constant number of
/// them, at least two.
std::optional<int64_t> getBlockableChannels(mlir::Value image);

/// A scalar function with broadcasting: what has the channels of the result has them in blocks,
/// what has one channel is dense.
std::optional<ChannelUses> getElementwiseChannelUses(mlir::Operation *op);
/// Operators that treat the channels of operand 0 alike, and have a number per channel in each
/// other operand. Results behind the first must be unused.
std::optional<ChannelUses> getChannelwiseUses(mlir::Operation *op);
/// Concat along the channels, where each input begins with a block.
std::optional<ChannelUses> getConcatChannelUses(mlir::Operation *op, int64_t axis,
                                                const ChannelBlocks &target);
/// Conv, plain or depthwise, of floats; `b` may be null. The weights must be constants, since the
/// compiler packs them.
std::optional<ChannelUses>
getConvChannelUses(mlir::Value x, mlir::Value w, mlir::Value b, mlir::Value y, int64_t group,
                   const llvm::FailureOr<llvm::SmallVector<WindowAxis>> &window,
                   const ChannelBlocks &target);
/// The zero point of a whole tensor of bytes, 0 where `value` is null; nullopt unless it is a
/// constant.
std::optional<int64_t> getZeroPoint(mlir::Value value);
/// Whether the target multiplies bytes in a convolution of this shape, by constant weights.
bool canConvolveBytes(mlir::Value x, mlir::Value w, mlir::Value y, int64_t group,
                      const llvm::FailureOr<llvm::SmallVector<WindowAxis>> &window,
                      const ChannelBlocks &target);
/// ConvInteger, of an unsigned image and signed weights, whose zero point is 0: the form that
/// kernels have. A tap on padding reads the image's zero point, which is in the halo.
std::optional<ChannelUses>
getConvIntegerChannelUses(mlir::Operation *op, int64_t group,
                          const llvm::FailureOr<llvm::SmallVector<WindowAxis>> &window,
                          const ChannelBlocks &target);
/// A product of floats with a constant matrix, whose columns are its channels: all rows of a block
/// of columns lie together. `transB`: the matrix has a row per column of the product.
std::optional<ChannelUses> getProductChannelUses(mlir::Operation *op, bool transB,
                                                 const ChannelBlocks &target);

/// A recurrent layer of floats: the constant matrix of its inputs, operand 1, as that of a product.
std::optional<ChannelUses> getRecurrentChannelUses(mlir::Operation *op);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_CHANNELUSES_H
