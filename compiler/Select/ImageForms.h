// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels and calls can work on images whose channels lie in blocks (#cameo.blocked), and how
// their operands lie then. Whether they do is decided elsewhere (Trunks.h).

#ifndef CAMEO_SELECT_IMAGEFORMS_H
#define CAMEO_SELECT_IMAGEFORMS_H

#include "Dialect/Prog/IR/ChannelBlocks.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Kernels/Ranges.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace cameo {

/// How one operand, or one result, lies.
struct ImageUse {
  /// The axes that lie in blocks, innermost last; none: a tensor that is dense but for a halo.
  llvm::SmallVector<int64_t, 2> axes;
  /// How many elements around its last axes are read; none where there is no halo.
  llvm::SmallVector<int64_t, 2> halo;
  /// How long a block of each of the axes is; none: all are as long as the target's.
  llvm::SmallVector<int64_t, 2> blocks;
  /// The value that is read in the halo.
  int64_t fill = 0;
  /// Whether a call's result is an image of its own in blocks, from which a kernel copies it to
  /// where it is to be, since blocks do not fit there.
  bool isCopied = false;

  /// Whether the axes lie as others have them too, who need no repack between them.
  bool isInTargetBlocks() const { return !axes.empty() && blocks.empty(); }
};

/// The dim of an iteration that walks the channels of an image, a constant number of them. By
/// blocks it walks these, and a dim `lane` of its own walks their lanes.
struct ChannelDim {
  unsigned dim;
  int64_t count, block;
  unsigned lane;

  /// Whether no block has lanes beyond the last channel.
  bool isWhole() const { return count % block == 0; }
  /// The extents of an iteration by blocks, whose dims in front of `lane` have `extents`.
  mlir::ArrayAttr getBlockedExtents(llvm::ArrayRef<core::ExtentAttr> extents) const;
};

/// An op on images in blocks.
struct ImageForm {
  /// How operands lie, those of the op and of its functors; the others are dense.
  llvm::MapVector<mlir::OpOperand *, ImageUse> operands;
  /// One for each result, with any halo.
  llvm::SmallVector<ImageUse, 2> results;
  ChannelDim channels;
  /// The elements that it computes, axis by axis, of which `channels.count` ones are channels.
  llvm::SmallVector<core::ExtentAttr> elements;
  /// The multiply-adds that each of them takes, and how many of them share what a dense kernel
  /// gathers for these.
  int64_t depth = 0, sharing = 1;
  /// How a convolution is computed, once that is chosen.
  std::optional<RangedChoice> choice;
  /// Whether it has no kernel for dense tensors.
  bool isRequired = false;
  /// Whether a call's store becomes a kernel behind it, since it cannot be computed by blocks; the
  /// call then makes a new image.
  bool isDetached = false;

  /// Whether its results can be images of their own.
  bool isImage() const { return elements.size() == 4 && channels.dim == 1; }
};

/// Nullopt for an op that works on dense tensors only.
std::optional<ImageForm> getImageForm(mlir::Operation *op, const ChannelBlocks &blocks);
/// Separates what a call cannot do by blocks from it: copies of results, or all of its store. The
/// op that has a form without those, which may be another one.
mlir::Operation *detach(mlir::Operation *op, const ImageForm &form);
/// Makes of a kernel or call one in that form, whose operands and results have their layouts by
/// now. The op that has the results then.
mlir::Operation *applyImageForm(mlir::Operation *op, const ImageForm &form);

/// The channels that a call of `gather` takes of an image, by constant numbers within it; nullopt
/// where it gathers something else, or computes something.
std::optional<llvm::SmallVector<int64_t>> getGatheredChannels(prog::CallOp call);

} // namespace cameo

#endif // CAMEO_SELECT_IMAGEFORMS_H
