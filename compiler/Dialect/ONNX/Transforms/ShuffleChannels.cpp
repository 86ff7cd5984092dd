// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels of images in another order, for targets whose convolutions work on blocks of them: what
// exporters spell as a transposition between two views is a Gather, and goes behind the depthwise
// convolutions that follow it, to where the next convolution mixes channels and reads through it.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

constexpr int64_t kChannelAxis = 1;
constexpr int64_t kImageRank = 4;

/// The channels of an image of two axes, a constant number of them that is at least two; nullopt
/// for another value.
std::optional<int64_t> getChannels(Value image) {
  auto type = dyn_cast<SymTensorType>(image.getType());
  if (!type || !type.hasRank() || type.getRank() != kImageRank)
    return std::nullopt;
  std::optional<int64_t> channels = type.getExtents()[kChannelAxis].getConstant();
  return channels && *channels > 1 ? channels : std::nullopt;
}

/// The channel of its data that each one of its result is; nullopt where they are no constants
/// within the data, or it gathers something else.
std::optional<SmallVector<int64_t>> getGatheredChannels(GatherOp gather) {
  std::optional<int64_t> channels = getChannels(gather.getData());
  auto list = gather.getIndices().getDefiningOp<ConstantOp>();
  if (!channels || !list ||
      (gather.getAxis() != kChannelAxis && gather.getAxis() != kChannelAxis - kImageRank))
    return std::nullopt;
  return getListedChannels(list.getValue(), *channels);
}

/// The factors that a view cuts the channels of an image into, which all other axes are beside;
/// none where it does anything else.
SmallVector<int64_t> getChannelFactors(ReshapeOp view, SymTensorType image) {
  auto cut = cast<SymTensorType>(view.getReshaped().getType());
  if (view.getData().getType() != image || !cut.hasRank() || cut.getRank() <= image.getRank())
    return {};
  ArrayRef<ExtentAttr> whole = image.getExtents(), parts = cut.getExtents();
  size_t behind = whole.size() - kChannelAxis - 1;
  if (parts.front() != whole.front() || parts.take_back(behind) != whole.take_back(behind))
    return {};
  SmallVector<int64_t> factors;
  ExtentAttr product = ExtentAttr::constant(view.getContext(), 1);
  for (ExtentAttr part : parts.drop_front().drop_back(behind)) {
    if (!part.isConstant())
      return {};
    factors.push_back(*part.getConstant());
    product = product * part;
  }
  // The extents of an image without elements may make any number.
  return product == whole[kChannelAxis] ? factors : SmallVector<int64_t>();
}

/// Where each channel comes from when the factors of their number change places: `order[i]` is the
/// one that becomes number i.
SmallVector<int64_t> getShuffle(ArrayRef<int64_t> factors, ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides(factors.size(), 1), sources{0};
  for (size_t axis = factors.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * factors[axis];
  for (int64_t axis : order) {
    SmallVector<int64_t> inner;
    for (int64_t source : sources)
      for (int64_t i = 0; i < factors[axis]; ++i)
        inner.push_back(source + i * strides[axis]);
    sources = std::move(inner);
  }
  return sources;
}

/// Reshape, Transpose within the channels, Reshape.
struct FindShuffle : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getData().getDefiningOp<TransposeOp>();
    auto first = transpose ? transpose.getData().getDefiningOp<ReshapeOp>() : ReshapeOp();
    auto image = cast<SymTensorType>(op.getReshaped().getType());
    if (!first || !transpose.getPerm() || !image.getElementType().isF32() ||
        !getChannels(op.getReshaped()))
      return failure();
    SmallVector<int64_t> factors = getChannelFactors(first, image), order;
    int64_t count = static_cast<int64_t>(factors.size());
    for (auto [axis, source] : llvm::enumerate(*transpose.getPerm())) {
      int64_t place = static_cast<int64_t>(axis) - kChannelAxis, from = source - kChannelAxis;
      bool isChannel = place >= 0 && place < count;
      if (isChannel ? from < 0 || from >= count : from != place)
        return failure();
      if (isChannel)
        order.push_back(from);
    }
    if (order.empty())
      return failure();
    OnnxBuilder b(rewriter, op, {transpose, first});
    b.replaceRoot(
        b.make<GatherOp>(first.getData(), b.integers(getShuffle(factors, order)), kChannelAxis));
    return success();
  }
};

/// A convolution of shuffled channels: as it is with its weights in the other order, where it mixes
/// all channels; a depthwise one is shuffled behind.
struct SinkShuffle : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto gather = op.getX().getDefiningOp<GatherOp>();
    if (!gather || !gather->hasOneUse() || gather->getBlock() != op->getBlock() ||
        !isNumericConstant(op.getW()) || (op.getB() && !isNumericConstant(op.getB())))
      return failure();
    std::optional<SmallVector<int64_t>> channels = getGatheredChannels(gather);
    int64_t count = channels ? static_cast<int64_t>(channels->size()) : 0;
    ArrayRef<ExtentAttr> weights = *getExtents(op.getW());
    bool isDepthwise = op.getGroup() == count && weights.front().isConstant(count);
    if (!channels || !isShuffle(gather, *channels) || (op.getGroup() != 1 && !isDepthwise))
      return failure();
    SmallVector<int64_t> places(channels->size());
    for (auto [channel, source] : llvm::enumerate(*channels))
      places[source] = static_cast<int64_t>(channel);
    OnnxBuilder b(rewriter, op, isDepthwise ? ArrayRef<Operation *>() : gather.getOperation());
    Value w = b.make<GatherOp>(op.getW(), b.integers(places), isDepthwise ? 0 : kChannelAxis);
    Value bias = op.getB();
    if (bias && isDepthwise)
      bias = b.make<GatherOp>(bias, b.integers(places), 0);
    Value y = b.make<ConvOp>(gather.getData(), w, bias, op.getAutoPadAttr(), op.getDilationsAttr(),
                             op.getGroupAttr(), op.getKernelShapeAttr(), op.getPadsAttr(),
                             op.getStridesAttr());
    if (isDepthwise)
      y = b.make<GatherOp>(y, gather.getIndices(), kChannelAxis);
    b.replaceRoot(y);
    return success();
  }

private:
  /// Whether each channel is taken once.
  static bool isShuffle(GatherOp gather, ArrayRef<int64_t> channels) {
    SmallVector<bool> isTaken(channels.size(), false);
    for (int64_t channel : channels)
      if (channel >= static_cast<int64_t>(isTaken.size()) || std::exchange(isTaken[channel], true))
        return false;
    return gather.getData().getType() == gather.getOutput().getType();
  }
};

} // namespace

void cameo::populateShufflePatterns(RewritePatternSet &patterns) {
  patterns.add<FindShuffle, SinkShuffle>(patterns.getContext());
}
