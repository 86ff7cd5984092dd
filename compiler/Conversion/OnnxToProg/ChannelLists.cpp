// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/ChannelLists.h"

#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/ONNX/IR/ChannelGather.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Whether `type` has all zeros around its planes that `reader` has.
bool hasHaloOf(SymTensorType type, SymTensorType reader) {
  BlockedLayoutAttr layout = type.getBlockedLayout(), wanted = reader.getBlockedLayout();
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t axis) {
    return layout.getHaloOf(axis, type.getRank()) >= wanted.getHaloOf(axis, type.getRank());
  });
}

Value makeList(Lowering &lower, ArrayRef<int64_t> channels, Side side) {
  PatternRewriter &rewriter = lower.getRewriter();
  auto count = static_cast<int64_t>(channels.size());
  auto elements =
      llvm::map_to_vector(channels, [](int64_t channel) { return static_cast<int32_t>(channel); });
  Type element = rewriter.getI32Type();
  auto value = DenseElementsAttr::get(RankedTensorType::get({count}, element), ArrayRef(elements));
  auto type = SymTensorType::get({lower.inference().constant(count)}, element, side);
  return prog::WeightOp::create(rewriter, lower.getLoc(), type, value);
}

} // namespace

GatherOp cameo::findGather(ConvOp conv) {
  auto gather = conv.getX().getDefiningOp<GatherOp>();
  if (!gather || conv.getGroup() == 1)
    return {};
  SymTensorType data = tensorOf(gather.getData()), weights = tensorOf(conv.getW());
  // Each lane of a depthwise convolution reads its own channel.
  bool mixes = weights.getBlockedLayout() && weights.getBlockedLayout().getAxes().size() > 1;
  bool isWhole = data.getExtents() == tensorOf(gather.getOutput()).getExtents();
  return mixes && isWhole && data.getBlockedLayout() &&
                 hasHaloOf(data, tensorOf(gather.getOutput()))
             ? gather
             : GatherOp();
}

bool cameo::isReadThrough(GatherOp gather) {
  return llvm::all_of(gather->getUsers(), [&](Operation *user) {
    auto conv = dyn_cast<ConvOp>(user);
    return conv && findGather(conv) == gather;
  });
}

Value cameo::pickChannels(Lowering &lower, GatherOp gather) {
  SymTensorType data = tensorOf(gather.getData()), result = tensorOf(gather.getOutput());
  BlockedLayoutAttr layout = data.getBlockedLayout();
  SmallVector<ExtentAttr> physical = data.getPhysicalExtents();
  ArrayRef<ExtentAttr> extents = result.getExtents();
  Value picked = PickChannelsCall(lower)
                     .batch(extents[0])
                     .inChannels(data.getExtents()[1])
                     .outChannels(extents[1])
                     .rows(physical[2])
                     .cols(physical[3])
                     .top(layout.getHaloOf(2, data.getRank()))
                     .left(layout.getHaloOf(3, data.getRank()))
                     .output(extents.drop_front(2))
                     .x(gather.getData())
                     .channels(makeList(lower, *getGatheredChannels(gather), result.getSide()))
                     .store(result, lower.locate(result, lower.dims(4), 4))
                     .build()
                     .getResult(0);
  return lower.clearHalo(picked);
}

Value cameo::listInputs(Lowering &lower, ConvOp conv, GatherOp gather) {
  int64_t count = *getBlockableChannels(conv.getX());
  auto channels =
      gather ? *getGatheredChannels(gather) : llvm::to_vector(llvm::seq<int64_t>(0, count));
  return makeList(lower, channels, tensorOf(conv.getX()).getSide());
}
