// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions: over dense images and over channels in blocks, of floats and of bytes.

#include "Conversion/OnnxToProg/ChannelLists.h"
#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Kernels/Variants.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// Conv and ConvTranspose: the template's product plus a bias per channel.
template <class Op, class Call> struct ConvLowering : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    if (failed(window) || result.getLayout())
      return rewriter.notifyMatchFailure(op, "its result is not dense");
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    SmallVector<Read> reads;
    if (op.getB())
      reads.push_back({op.getB(), {lower.dim(1)}});
    rewriter.replaceOp(op, Call(lower)
                               .window(*window)
                               .batch(x.getExtents()[0])
                               .groups(op.getGroup())
                               .inChannels(x.getExtents()[1])
                               .outChannels(result.getExtents()[1])
                               .x(op.getX())
                               .w(op.getW())
                               .store(reads, result, lower.dims(result.getRank()),
                                      [=](ScalarBuilder &b, ValueRange v) {
                                        Value value =
                                            v.size() > 1 ? b.add(v[0], b.cast(v[1], sum)) : v[0];
                                        return SmallVector<Value>{b.cast(value, element)};
                                      })
                               .build()
                               .getResult(0));
    return success();
  }
};

/// A dense convolution that reads one element of each channel is a product per image and group:
/// weights times the planes, which lie as rows of a matrix.
struct PointwiseConvLowering : OpRewritePattern<ConvOp> {
  PointwiseConvLowering(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window) || x.getLayout() || result.getLayout() || tensorOf(op.getW()).getLayout() ||
        !llvm::all_of(*window, isOneElement))
      return rewriter.notifyMatchFailure(op, "it is not a product of dense matrices");
    ExtentAttr pixels = lower.inference().constant(1);
    for (const WindowAxis &axis : *window)
      pixels = pixels * axis.output;
    ExtentAttr groups = lower.inference().constant(op.getGroup());
    ExtentAttr rows = result.getExtents()[1].floorDiv(groups);
    ExtentAttr depth = tensorOf(op.getW()).getExtents()[1];
    SymTensorType product = result.withExtents({x.getExtents()[0], groups, rows, pixels});
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    SmallVector<Read> reads;
    if (op.getB())
      reads.push_back({op.getB(), {lower.dim(1) * lower.extent(rows) + lower.dim(2)}});
    Value y = GemmCall(lower)
                  .batch(product.getExtents().take_front(2))
                  .m(rows)
                  .n(pixels)
                  .k(depth)
                  .transA(false)
                  .transB(false)
                  .aBatchStride({pixels * 0, rows * depth})
                  .bBatchStride({x.getExtents()[1] * pixels, depth * pixels})
                  .a(op.getW())
                  .b(op.getX())
                  .store(reads, product, lower.dims(4),
                         [=](ScalarBuilder &b, ValueRange v) {
                           Value value = v.size() > 1 ? b.add(v[0], b.cast(v[1], sum)) : v[0];
                           return SmallVector<Value>{b.cast(value, element)};
                         })
                  .build()
                  .getResult(0);
    rewriter.replaceOp(op, lower.view(y, result));
    return success();
  }

private:
  static bool isOneElement(const WindowAxis &axis) {
    return axis.kernel.isConstant(1) && axis.stride == 1 && axis.padBegin.isConstant(0) &&
           axis.padEnd.isConstant(0);
  }
};

/// An image and the windows over it.
struct Image {
  Value x;
  SmallVector<WindowAxis> window;

  SymTensorType getType() const { return tensorOf(x); }
  /// Whether its channels are not in blocks.
  bool isPlanes() const {
    BlockedLayoutAttr layout = getType().getBlockedLayout();
    return !layout || layout.getAxes().empty();
  }
};

/// The members of calls over an image with its halo, by the names that all records have for them.
NamedAttrList getMembers(const Image &image, SymTensorType result, int64_t groups) {
  SymTensorType x = image.getType();
  BlockedLayoutAttr layout = x.getBlockedLayout();
  SmallVector<ExtentAttr> physical = x.getPhysicalExtents(), first;
  for (auto [number, axis] : llvm::enumerate(image.window))
    first.push_back(-axis.padBegin + (layout ? layout.getHaloOf(2 + number, x.getRank()) : 0));
  Builder builder(x.getContext());
  NamedAttrList members;
  auto number = [&](int64_t value) { return ExtentAttr::constant(x.getContext(), value); };
  auto each = [&](StringRef name, auto part) {
    members.set(
        name, builder.getArrayAttr(llvm::map_to_vector(
                  image.window, [&](const WindowAxis &axis) -> Attribute { return part(axis); })));
  };
  each("kernel", [](const WindowAxis &axis) { return axis.kernel; });
  each("output", [](const WindowAxis &axis) { return axis.output; });
  each("stride", [&](const WindowAxis &axis) { return number(axis.stride); });
  each("dilation", [&](const WindowAxis &axis) { return number(axis.dilation); });
  members.set("batch", x.getExtents()[0]);
  members.set("groups", builder.getI64IntegerAttr(groups));
  members.set("in_channels", x.getExtents()[1]);
  members.set("out_channels", result.getExtents()[1]);
  members.set("rows", physical[2]);
  members.set("cols", physical[3]);
  members.set("top", first[0]);
  members.set("left", first[1]);
  return members;
}

/// A convolution over channels in blocks, or, out of a dense image, into them, by the cheapest
/// variant.
struct BlockedConvLowering : OpRewritePattern<ConvOp> {
  explicit BlockedConvLowering(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    if (!result.getLayout())
      return rewriter.notifyMatchFailure(op, "its channels are not in blocks");
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window))
      return failure();
    GatherOp gather = findGather(op);
    Image image{gather ? gather.getData() : op.getX(), *window};
    Candidate chosen = choose(op, image, gather, lower.getFacts());
    if (!chosen)
      return rewriter.notifyMatchFailure(op, "no variant takes it");
    int64_t block = result.getBlockedLayout().getBlocks().front();
    if (chosen.variant->expansion == Expansion::Phases)
      image = packPhases(lower, image, *chosen.members.find("taps"), block);
    else if (chosen.variant->expansion == Expansion::Patches)
      image = packPatches(lower, image, block);
    VariantCall call(lower, chosen);
    if (call.takes("w"))
      call.setInput("w", op.getW());
    else
      call.setInput("u", transformWeights(lower, op.getW(), (*window)[0].stride, chosen));
    if (call.takes("channels"))
      call.setInput("channels", listInputs(lower, op, gather));
    rewriter.replaceOp(op, lower.clearHalo(build(call, lower, op, image)));
    return success();
  }

private:
  static Candidate choose(ConvOp op, const Image &image, GatherOp gather,
                          const ExtentFacts &facts) {
    ExtentAttr inputs = tensorOf(op.getW()).getExtents()[1] * op.getGroup();
    Problem problem(op, facts);
    problem.set(getMembers(image, tensorOf(op.getY()), op.getGroup()))
        .set("in_channels", inputs)
        .setConstant("w", op.getW().getDefiningOp<prog::WeightOp>() != nullptr)
        .setPlanes("x", image.isPlanes())
        .setListed("x", gather != nullptr);
    return chooseVariant(ConvBlockedCall::kTemplate, problem);
  }

  static Value build(VariantCall &call, Lowering &lower, ConvOp op, const Image &image) {
    SymTensorType result = tensorOf(op.getY());
    SmallVector<Read> reads;
    if (op.getB())
      reads.push_back({op.getB(), lower.locate(tensorOf(op.getB()), {lower.dim(1)}, 4)});
    call.setMembers(getMembers(image, result, op.getGroup()));
    call.setInput("x", image.x);
    call.setStore(reads, result, lower.locate(result, lower.dims(4), 4),
                  [](ScalarBuilder &b, ValueRange v) {
                    return SmallVector<Value>{v.size() > 1 ? b.add(v[0], v[1]) : v[0]};
                  });
    return call.build().getResult(0);
  }

  /// The image of what all taps read, a channel for each, in blocks, and the window of one tap over
  /// it.
  static Image packPatches(Lowering &lower, const Image &image, int64_t block) {
    SymTensorType x = image.getType();
    ExtentAttr one = lower.inference().constant(1), zero = lower.inference().constant(0);
    ExtentAttr channels =
        image.isPlanes() ? x.getExtents()[1] : x.getExtents()[1].ceilDiv(block) * block;
    SmallVector<WindowAxis> window;
    for (const WindowAxis &axis : image.window) {
      channels = channels * axis.kernel;
      window.push_back({axis.output, one, axis.output, zero, zero});
    }
    auto to = SymTensorType::get({x.getExtents()[0], channels, window[0].output, window[1].output},
                                 x.getElementType(), x.getSide(),
                                 BlockedLayoutAttr::get(x.getContext(), {1}, {block}, {}));
    auto pack = [&](auto call) {
      call.setMembers(getMembers(image, to, 1));
      return call.x(image.x).y(to).build().getResult(0);
    };
    return {image.isPlanes() ? pack(PackPlanePatchesCall(lower)) : pack(PackPatchesCall(lower)),
            window};
  }

  /// The phases of an image, and the window of their taps. A phase has all that the taps of one
  /// residue read, so it has the patches of a square of the stride.
  static Image packPhases(Lowering &lower, const Image &image, int64_t taps, int64_t block) {
    SmallVector<WindowAxis> square(image.window);
    for (WindowAxis &axis : square) {
      axis.kernel = lower.inference().constant(axis.stride);
      axis.output = axis.output + (taps - 1);
    }
    Image phases = packPatches(lower, {image.x, square}, block);
    for (auto [axis, outputs] : llvm::zip_equal(phases.window, image.window)) {
      axis.kernel = lower.inference().constant(taps);
      axis.output = outputs.output;
    }
    return phases;
  }

  /// Taps as a variant by tiles reads them: constants already in the weights where that was chosen.
  static Value transformWeights(Lowering &lower, Value w, int64_t stride, const Candidate &chosen) {
    int64_t tile = *chosen.members.find("tile"), taps = *chosen.members.find("taps");
    bool isOfPhases = chosen.variant->expansion == Expansion::Phases;
    SymTensorType from = tensorOf(w);
    BlockedLayoutAttr blocks = from.getBlockedLayout();
    bool planes = blocks.getAxes().size() == 1;
    int64_t block = blocks.getBlocks().front(), together = planes || !isOfPhases ? 1 : block;
    ExtentAttr in = from.getExtents()[1], out = from.getExtents()[0];
    if (isOfPhases)
      in = in.ceilDiv(together) * together * stride * stride;
    auto layout = BlockedLayoutAttr::get(from.getContext(), {2, 1}, {block, block}, {});
    int64_t size = tile + taps - 1;
    auto to = SymTensorType::get({lower.inference().constant(size * size), out, in},
                                 from.getElementType(), from.getSide(), layout);
    PatternRewriter &rewriter = lower.getRewriter();
    if (chosen.packs("w")) {
      auto weight = w.getDefiningOp<prog::WeightOp>();
      SmallVector<Attribute, 2> steps;
      if (stride != 1)
        steps.push_back(prog::PhasesAttr::get(rewriter.getContext(), stride, together));
      steps.push_back(prog::WinogradAttr::get(rewriter.getContext(), tile));
      return prog::WeightOp::create(rewriter, weight.getLoc(), to, weight.getValue(), steps);
    }
    return WinogradWeightsCall(lower)
        .inChannels(in)
        .outChannels(out)
        .tile(tile)
        .taps(taps)
        .w(w)
        .u(to)
        .build()
        .getResult(0);
  }
};

/// A convolution of bytes, with the image's zero point taken off: off every tap, since padding
/// reads it too, so by a sum of weights for each channel.
struct ConvIntegerLowering : OpRewritePattern<ConvIntegerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvIntegerOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    std::optional<int64_t> zeroPoint = getZeroPoint(op.getXZeroPoint());
    auto weights = op.getW().getDefiningOp<prog::WeightOp>();
    if (failed(window) || !result.getLayout() || !zeroPoint || !weights)
      return rewriter.notifyMatchFailure(op, "its channels are not in blocks");
    SmallVector<Read> reads;
    if (*zeroPoint != 0) {
      Value sums = sumWeights(lower, weights, *zeroPoint, result);
      reads.push_back({sums, lower.locate(tensorOf(sums), {lower.dim(1)}, 4)});
    }
    ConvBlockedBytesCall call(lower);
    call.setMembers(getMembers({op.getX(), *window}, result, op.getGroup()));
    call.lanes(tensorOf(op.getX()).getBlockedLayout().getBlocks().front())
        .x(op.getX())
        .w(op.getW())
        .store(reads, result, lower.locate(result, lower.dims(4), 4),
               [](ScalarBuilder &b, ValueRange v) {
                 return SmallVector<Value>{v.size() > 1 ? b.sub(v[0], v[1]) : v[0]};
               });
    rewriter.replaceOp(op, lower.clearHalo(call.build().getResult(0)));
    return success();
  }

private:
  /// The sums of each output channel's weights times `factor`, laid out as the result's channels.
  static Value sumWeights(Lowering &lower, prog::WeightOp weights, int64_t factor,
                          SymTensorType result) {
    PatternRewriter &rewriter = lower.getRewriter();
    auto layout = BlockedLayoutAttr::get(rewriter.getContext(), {0},
                                         result.getBlockedLayout().getBlocks(), {});
    auto type = SymTensorType::get({result.getExtents()[1]}, rewriter.getI32Type(),
                                   result.getSide(), layout);
    return prog::WeightOp::create(rewriter, weights.getLoc(), type, weights.getValue(),
                                  prog::SumAttr::get(rewriter.getContext(), factor));
  }
};

} // namespace

void cameo::populateConvPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvLowering<ConvOp, ConvCall>, ConvLowering<ConvTransposeOp, ConvTransposeCall>>(
      context);
  patterns.add<BlockedConvLowering, ConvIntegerLowering, PointwiseConvLowering>(context);
}
