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
    if (failed(window))
      return failure();
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
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

/// The members that say what a window is.
template <class Call> Call &addTaps(Call &&call, ArrayRef<WindowAxis> window) {
  SmallVector<ExtentAttr> kernel;
  SmallVector<int64_t> stride, dilation;
  for (const WindowAxis &axis : window) {
    kernel.push_back(axis.kernel);
    stride.push_back(axis.stride);
    dilation.push_back(axis.dilation);
  }
  return call.kernel(kernel).stride(stride).dilation(dilation);
}

/// The members that say where the windows lie in an image with its halo.
template <class Call> void addOutputs(Call &call, SymTensorType x, ArrayRef<WindowAxis> window) {
  BlockedLayoutAttr layout = x.getBlockedLayout();
  SmallVector<ExtentAttr> physical = x.getPhysicalExtents(), output, first;
  for (auto [number, axis] : llvm::enumerate(window)) {
    output.push_back(axis.output);
    first.push_back(-axis.padBegin + (layout ? layout.getHaloOf(2 + number, x.getRank()) : 0));
  }
  call.batch(x.getExtents()[0])
      .inChannels(x.getExtents()[1])
      .rows(physical[2])
      .cols(physical[3])
      .top(first[0])
      .left(first[1])
      .output(output);
}

/// A convolution over channels in blocks, or, out of a dense image, into them.
struct BlockedConvLowering : OpRewritePattern<ConvOp> {
  explicit BlockedConvLowering(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    if (!result.getLayout())
      return rewriter.notifyMatchFailure(op, "its channels are not in blocks");
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window))
      return failure();
    BlockedLayoutAttr layout = x.getBlockedLayout();
    // Layout's choice shows in what lies in blocks.
    bool planes = !layout || layout.getAxes().empty();
    bool depthwise = !planes && tensorOf(op.getW()).getBlockedLayout().getAxes().size() == 1;
    ExtentAttr channels = result.getExtents()[1];
    int64_t block = result.getBlockedLayout().getBlocks().front();
    GatherOp gather = findGather(op);
    bool isListed = !depthwise && (gather || !hasGroupsOfBlocks(op));
    Image image{gather ? gather.getData() : op.getX(), *window};
    std::optional<Tiles> tiles;
    if (!depthwise && !isListed)
      tiles = chooseTiles(op, *window, lower.getFacts());
    Value y;
    if (tiles)
      y = buildTiles(lower, op, tiles->isOfPhases ? packPhases(lower, image, *tiles, block) : image,
                     *tiles);
    else if (depthwise)
      y = build(addTaps(ConvBlockedDepthwiseCall(lower), *window).w(op.getW()), lower, op, image);
    else if (planes)
      y = build(addTaps(ConvBlockedPlanesCall(lower).outChannels(channels), *window).w(op.getW()),
                lower, op, image);
    else if (isListed)
      y = build(addTaps(ConvBlockedGroupsCall(lower)
                            .groups(op.getGroup())
                            .outChannels(channels)
                            .w(op.getW())
                            .channels(listInputs(lower, op, gather)),
                        *window),
                lower, op, image);
    else {
      if (isFasterOnPatches(*window))
        image = packPatches(lower, image, block);
      ConvBlockedCall call(lower);
      call.groups(op.getGroup()).outChannels(channels).w(op.getW());
      y = build(addTaps(call, image.window), lower, op, image);
    }
    rewriter.replaceOp(op, lower.clearHalo(y));
    return success();
  }

private:
  /// The convolved image and its window.
  struct Image {
    Value x;
    SmallVector<WindowAxis> window;
  };

  /// The choice of a variant by tiles of outputs, along a side.
  struct Tiles {
    int64_t tile, taps, stride;
    /// Whether the image's phases are what is convolved: `stride` x `stride` images of each
    /// channel.
    bool isOfPhases;
    /// Whether the compiler transforms the weights, not each call.
    bool isByCompiler;
  };

  /// The tiles of the cheapest variant; none where it has none. Channels lie in blocks, whole ones
  /// in each group.
  static std::optional<Tiles> chooseTiles(ConvOp op, ArrayRef<WindowAxis> window,
                                          const ExtentFacts &facts) {
    SymTensorType w = tensorOf(op.getW());
    int64_t groups = op.getGroup();
    SmallVector<ExtentAttr> kernel, output;
    SmallVector<int64_t> stride, dilation;
    for (const WindowAxis &axis : window) {
      kernel.push_back(axis.kernel);
      output.push_back(axis.output);
      stride.push_back(axis.stride);
      dilation.push_back(axis.dilation);
    }
    Problem problem(op, facts);
    problem.set("groups", groups)
        .set("in_channels", w.getExtents()[1] * groups)
        .set("out_channels", w.getExtents()[0])
        .set("kernel", kernel)
        .set("output", output)
        .set("stride", stride)
        .set("dilation", dilation)
        .setConstant("w", op.getW().getDefiningOp<prog::WeightOp>() != nullptr)
        .setPlanes("x", w.getBlockedLayout().getAxes().size() == 1);
    Candidate best = chooseVariant("conv_blocked", problem);
    std::optional<int64_t> size = best.choices.find("size");
    if (!size)
      return std::nullopt;
    int64_t taps = llvm::divideCeil(*kernel[0].getConstant(), stride[0]);
    return Tiles{*size - taps + 1, taps, stride[0], best.variant->expansion == "phases",
                 best.packs("w")};
  }

  template <class Call>
  static Value build(Call &call, Lowering &lower, ConvOp op, const Image &image) {
    SymTensorType result = tensorOf(op.getY());
    SmallVector<Read> reads;
    if (op.getB())
      reads.push_back({op.getB(), lower.place(tensorOf(op.getB()), {lower.dim(1)}, 4)});
    addOutputs(call, tensorOf(image.x), image.window);
    return call.x(image.x)
        .store(reads, result, lower.place(result, lower.dims(4), 4),
               [=](ScalarBuilder &b, ValueRange v) {
                 return SmallVector<Value>{v.size() > 1 ? b.add(v[0], v[1]) : v[0]};
               })
        .build()
        .getResult(0);
  }

  static Value buildTiles(Lowering &lower, ConvOp op, const Image &image, const Tiles &tiles) {
    ConvWinogradCall call(lower);
    call.groups(op.getGroup())
        .outChannels(tensorOf(op.getY()).getExtents()[1])
        .tile(tiles.tile)
        .taps(tiles.taps)
        .u(transformWeights(lower, op.getW(), tiles));
    return build(call, lower, op, image);
  }

  /// Whether each group has whole blocks, or all of the channels.
  static bool hasGroupsOfBlocks(ConvOp op) {
    int64_t channels = op.getGroup() * tensorOf(op.getY()).getBlockedLayout().getBlocks().front();
    auto isWhole = [&](Value image) {
      return tensorOf(image).getExtents()[1].mod(channels).isConstant(0);
    };
    return op.getGroup() == 1 || (isWhole(op.getX()) && isWhole(op.getY()));
  }

  /// A register tile is a run of neighbouring pixels, which ends with a row of outputs unless rows
  /// are one in x: patches join rows that are shorter than one or two tiles, and the pixels that a
  /// single tap strides over are read once and not for each block of channels.
  static bool isFasterOnPatches(ArrayRef<WindowAxis> window) {
    constexpr int64_t kShortRow = 8;
    bool isPointwise = true, strides = false, isKnown = true;
    for (const WindowAxis &axis : window) {
      isPointwise &= axis.kernel.isConstant(1);
      strides |= axis.stride != 1;
      isKnown &= axis.kernel.getConstant().has_value();
    }
    std::optional<int64_t> columns = window[1].output.getConstant();
    bool isShort = columns && *columns <= kShortRow;
    return isKnown && (isPointwise ? strides : isShort);
  }

  /// The image of what all taps read, a channel for each, in blocks, and the window of one tap over
  /// it.
  static Image packPatches(Lowering &lower, const Image &image, int64_t block) {
    SymTensorType x = tensorOf(image.x);
    bool planes = !x.getLayout() || x.getBlockedLayout().getAxes().empty();
    ExtentAttr one = lower.inference().constant(1), zero = lower.inference().constant(0);
    ExtentAttr channels = planes ? x.getExtents()[1] : x.getExtents()[1].ceilDiv(block) * block;
    SmallVector<WindowAxis> window;
    for (const WindowAxis &axis : image.window) {
      channels = channels * axis.kernel;
      window.push_back({axis.output, one, axis.output, zero, zero});
    }
    auto to = SymTensorType::get({x.getExtents()[0], channels, window[0].output, window[1].output},
                                 x.getElementType(), x.getSide(),
                                 BlockedLayoutAttr::get(x.getContext(), {1}, {block}, {}));
    auto pack = [&](auto call) {
      addTaps(call, image.window);
      addOutputs(call, x, image.window);
      return call.x(image.x).y(to).build().getResult(0);
    };
    return {planes ? pack(PackPlanePatchesCall(lower)) : pack(PackPatchesCall(lower)), window};
  }

  /// The phases of an image, and the window of their taps. A phase has all that the taps of one
  /// residue read, so it has the patches of a square of `stride`.
  static Image packPhases(Lowering &lower, const Image &image, const Tiles &tiles, int64_t block) {
    ExtentAttr stride = lower.inference().constant(tiles.stride),
               taps = lower.inference().constant(tiles.taps);
    SmallVector<WindowAxis> square(image.window);
    for (WindowAxis &axis : square) {
      axis.kernel = stride;
      axis.output = axis.output + taps - 1;
    }
    Image phases = packPatches(lower, {image.x, square}, block);
    for (auto [axis, outputs] : llvm::zip_equal(phases.window, image.window)) {
      axis.kernel = taps;
      axis.output = outputs.output;
    }
    return phases;
  }

  /// Taps as conv_winograd reads them: constants already in the weights where that was chosen.
  static Value transformWeights(Lowering &lower, Value w, const Tiles &tiles) {
    SymTensorType from = tensorOf(w);
    int64_t size = tiles.tile + tiles.taps - 1;
    ExtentAttr elements = lower.inference().constant(size * size);
    BlockedLayoutAttr blocks = from.getBlockedLayout();
    bool planes = blocks.getAxes().size() == 1;
    int64_t block = blocks.getBlocks().front(), together = planes || !tiles.isOfPhases ? 1 : block;
    ExtentAttr in = from.getExtents()[1], out = from.getExtents()[0];
    if (tiles.isOfPhases)
      in = in.ceilDiv(together) * together * tiles.stride * tiles.stride;
    auto layout = BlockedLayoutAttr::get(from.getContext(), {2, 1}, {block, block}, {});
    auto to =
        SymTensorType::get({elements, out, in}, from.getElementType(), from.getSide(), layout);
    PatternRewriter &rewriter = lower.getRewriter();
    if (tiles.isByCompiler) {
      auto weight = w.getDefiningOp<prog::WeightOp>();
      SmallVector<Attribute, 2> steps;
      if (tiles.stride != 1)
        steps.push_back(prog::PhasesAttr::get(rewriter.getContext(), tiles.stride, together));
      steps.push_back(prog::WinogradAttr::get(rewriter.getContext(), tiles.tile));
      return prog::WeightOp::create(rewriter, weight.getLoc(), to, weight.getValue(), steps);
    }
    return WinogradWeightsCall(lower)
        .inChannels(in)
        .outChannels(out)
        .tile(tiles.tile)
        .taps(tiles.taps)
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
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    std::optional<int64_t> zeroPoint = getZeroPoint(op.getXZeroPoint());
    auto weights = op.getW().getDefiningOp<prog::WeightOp>();
    if (failed(window) || !result.getLayout() || !zeroPoint || !weights)
      return rewriter.notifyMatchFailure(op, "its channels are not in blocks");
    SmallVector<Read> reads;
    if (*zeroPoint != 0) {
      Value sums = sumWeights(lower, weights, *zeroPoint, result);
      reads.push_back({sums, lower.place(tensorOf(sums), {lower.dim(1)}, 4)});
    }
    ConvBlockedBytesCall call(lower);
    call.groups(op.getGroup())
        .outChannels(result.getExtents()[1])
        .lanes(x.getBlockedLayout().getBlocks().front())
        .x(op.getX())
        .w(op.getW())
        .store(reads, result, lower.place(result, lower.dims(4), 4),
               [](ScalarBuilder &b, ValueRange v) {
                 return SmallVector<Value>{v.size() > 1 ? b.sub(v[0], v[1]) : v[0]};
               });
    addTaps(call, *window);
    addOutputs(call, x, *window);
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
