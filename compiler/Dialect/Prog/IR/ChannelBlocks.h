// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of channels that the kernels of a target understand (#cameo.blocked), as far as it has
// to be known before calls are chosen.

#ifndef CAMEO_DIALECT_PROG_IR_CHANNELBLOCKS_H
#define CAMEO_DIALECT_PROG_IR_CHANNELBLOCKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace cameo {

struct ChannelBlocks {
  /// Channels in a block; 0: convolutions know none.
  int64_t block = 0;
  /// Convolutions of at most so many input channels read them plane by plane.
  int64_t maxPlanes = 0;

  /// The blocks of the side that computes on the target of the module around `op`; zeros without a
  /// target.
  static ChannelBlocks lookup(mlir::Operation *op);
};

/// The channels that a list of constants names, of `count`, which it may count from the back;
/// nullopt unless each is one of them.
std::optional<llvm::SmallVector<int64_t>> getListedChannels(mlir::ElementsAttr list, int64_t count);

/// Bytes whose products kernels add up at once, and the blocks of images that have no more
/// channels.
constexpr int64_t kQuad = 4;

/// The channels of a convolution of bytes.
struct ByteChannels {
  int64_t groups, groupInputs, outputs;
  /// Nullopt where they are no constant number.
  std::optional<int64_t> inputs;

  /// Whether they are so few that they make a block of their own.
  bool areShort() const { return groups == 1 && groupInputs <= kQuad; }
  /// Whether kernels multiply them: groups are whole blocks, since there is nothing to add up in
  /// shorter ones.
  bool haveKernel(const ChannelBlocks &blocks) const {
    int64_t whole = groups * blocks.block;
    bool areWhole = inputs && whole > 0 && *inputs % whole == 0 && outputs % whole == 0;
    return whole > 0 && outputs > 1 && (groups == 1 || areWhole) &&
           (areShort() || (inputs && *inputs > 1));
  }
};

} // namespace cameo

#endif // CAMEO_DIALECT_PROG_IR_CHANNELBLOCKS_H
