// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resampling of images, and of their regions.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

struct ResizeLowering : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType input = tensorOf(op.getX()), result = tensorOf(op.getY());
    std::optional<Scales> scales = op.getKeepAspectRatioPolicy() == "stretch"
                                       ? getScales(op, lower, input.getRank())
                                       : getCommonScale(op, lower, input.getExtents());
    if (!scales)
      return rewriter.notifyMatchFailure(op, "the scales are not on the host");
    unsigned rank = input.getRank();
    ResizeCall call(lower);
    call.mode(op.getMode())
        .rank(rank)
        .input(input.getExtents())
        .output(result.getExtents())
        .coordinate(op.getCoordinateTransformationMode())
        .nearestMode(op.getNearestMode())
        .extrapolationValue(op.getExtrapolationValue().convertToFloat())
        .cubicCoeffA(op.getCubicCoeffA().convertToFloat())
        .antialias(op.getAntialias() != 0)
        .excludeOutside(op.getExcludeOutside() != 0)
        .up(scales->up)
        .down(scales->down)
        .scale(scales->runtime);
    if (op.getCoordinateTransformationMode() == "tf_crop_and_resize") {
      SmallVector<Value> roi = getRoi(op, lower, rank);
      if (roi.empty())
        return rewriter.notifyMatchFailure(op, "the region is on the device");
      call.roi(roi);
    }
    rewriter.replaceOp(op, call.x(op.getX()).store(result, lower.dims(rank)).build().getResult(0));
    return success();
  }

private:
  static SmallVector<int64_t> getAxes(ResizeOp op, int64_t rank) {
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (op.getAxes())
      axes.assign(op.getAxes()->begin(), op.getAxes()->end());
    for (int64_t &axis : axes)
      axis += axis < 0 ? rank : 0;
    return axes;
  }

  /// The scales that coordinates are computed with, one per axis: those that extents follow from,
  /// so that both agree. As fractions, or where they are to be computed as host scalars; neither
  /// when sizes are given, which say the same.
  struct Scales {
    SmallVector<int64_t> up, down;
    SmallVector<Value> runtime;
  };
  static std::optional<Scales> getScales(ResizeOp op, Lowering &lower, int64_t rank) {
    if (!op.getScales() || tensorOf(op.getScales()).getNumElements().isConstant(0))
      return Scales();
    Scales scales;
    std::optional<SmallVector<double>> given = lower.inference().floatConstants(op.getScales());
    if (given) {
      scales.up.assign(rank, 1);
      scales.down.assign(rank, 1);
      for (auto [number, axis] : llvm::enumerate(getAxes(op, rank)))
        std::tie(scales.up[axis], scales.down[axis]) =
            onnx::getScaleFraction(static_cast<float>((*given)[number]));
      return scales;
    }
    ScalarBuilder b(lower.getRewriter(), lower.getLoc());
    scales.runtime.assign(rank, b.constant(elementTypeOf(op.getScales()), 1));
    for (auto [number, axis] : llvm::enumerate(getAxes(op, rank)))
      if (!(scales.runtime[axis] = lower.scalar(op.getScales(), number)))
        return std::nullopt;
    bindExtents(lower, tensorOf(op.getX()).getExtents(), tensorOf(op.getY()).getExtents(), scales);
    return scales;
  }

  /// The scale that fits `sizes` best without changing the ratio, for all axes.
  static std::optional<Scales> getCommonScale(ResizeOp op, Lowering &lower,
                                              ArrayRef<ExtentAttr> input) {
    std::optional<ExtentValues> sizes = lower.values(op.getSizes());
    if (!sizes)
      return std::nullopt;
    ScalarBuilder b(lower.getRewriter(), lower.getLoc());
    Type real = Float64Type::get(op.getContext());
    SmallVector<int64_t> axes = getAxes(op, input.size());
    Value best;
    for (auto [axis, size] : llvm::zip_equal(axes, *sizes)) {
      Value scale = b.div(b.cast(b.extent(size), real), b.cast(b.extent(input[axis]), real));
      bool isLarger = op.getKeepAspectRatioPolicy() == "not_smaller";
      best = !best ? scale : isLarger ? b.max(best, scale) : b.min(best, scale);
    }
    Scales scales;
    scales.runtime.assign(input.size(), b.constant(real, 1));
    for (int64_t axis : axes)
      scales.runtime[axis] = best;
    return scales;
  }

  /// floor(extent * scale); -1, which is refused, for a scale out of range (C3).
  static void bindExtents(Lowering &lower, ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> result,
                          const Scales &scales) {
    ScalarBuilder b(lower.getRewriter(), lower.getLoc());
    for (auto [from, to, scale] : llvm::zip_equal(input, result, scales.runtime)) {
      if (from == to)
        continue;
      Value isInRange = b.logicalAnd(b.lessEqual(b.constant(scale, 1.0 / kMaxResizeScale), scale),
                                     b.lessEqual(scale, b.constant(scale, kMaxResizeScale)));
      Value extent = b.floor(b.mul(b.cast(b.extent(from), scale.getType()), scale));
      lower.bindCount(to, b.select(isInRange, extent, b.constant(scale, -1)));
    }
  }

  /// Starts of the region along all axes, then its ends; nothing where the host cannot read them.
  static SmallVector<Value> getRoi(ResizeOp op, Lowering &lower, int64_t rank) {
    ScalarBuilder b(lower.getRewriter(), lower.getLoc());
    Type real = Float64Type::get(op.getContext());
    SmallVector<Value> roi(rank, b.constant(real, 0));
    roi.append(rank, b.constant(real, 1));
    SmallVector<int64_t> axes = getAxes(op, rank);
    for (size_t number = 0; number < 2 * axes.size(); ++number) {
      Value place = lower.scalar(op.getRoi(), number);
      if (!place)
        return {};
      bool isEnd = number >= axes.size();
      roi[isEnd ? rank + axes[number - axes.size()] : axes[number]] = b.cast(place, real);
    }
    return roi;
  }
};

struct GridSampleLowering : OpRewritePattern<GridSampleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GridSampleOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    if (!isa<FloatType, IntegerType>(x.getElementType()))
      return rewriter.notifyMatchFailure(op, "its elements are no real numbers");
    if (x.getRank() > 8)
      return rewriter.notifyMatchFailure(op, "it has more axes than an index");
    auto call = GridSampleCall(lower)
                    .mode(op.getMode())
                    .padding(op.getPaddingMode())
                    .spatialRank(x.getRank() - 2)
                    .batch(x.getExtents()[0])
                    .channels(x.getExtents()[1])
                    .input(x.getExtents().drop_front(2))
                    .output(result.getExtents().drop_front(2))
                    .alignCorners(op.getAlignCorners() != 0)
                    .x(op.getX())
                    .grid(op.getGrid())
                    .store(result, lower.dims(result.getRank()))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct RoiAlignLowering : OpRewritePattern<RoiAlignOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RoiAlignOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> x = tensorOf(op.getX()).getExtents(),
                         rois = tensorOf(op.getRois()).getExtents();
    SymTensorType result = tensorOf(op.getY());
    auto call = RoiAlignCall(lower)
                    .mode(op.getMode())
                    .regions(rois[0])
                    .batch(x[0])
                    .channels(x[1])
                    .input(x.drop_front(2))
                    .output(result.getExtents().drop_front(2))
                    .samplingRatio(op.getSamplingRatio())
                    .spatialScale(op.getSpatialScale().convertToFloat())
                    .halfPixel(op.getCoordinateTransformationMode() == "half_pixel")
                    .x(op.getX())
                    .rois(op.getRois())
                    .batchIndices(op.getBatchIndices())
                    .store(result, lower.dims(4))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct MaxRoiPoolLowering : OpRewritePattern<MaxRoiPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxRoiPoolOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> x = tensorOf(op.getX()).getExtents();
    SymTensorType result = tensorOf(op.getY());
    auto call = MaxRoiPoolCall(lower)
                    .regions(tensorOf(op.getRois()).getExtents()[0])
                    .batch(x[0])
                    .channels(x[1])
                    .input(x.drop_front(2))
                    .output(result.getExtents().drop_front(2))
                    .spatialScale(op.getSpatialScale().convertToFloat())
                    .x(op.getX())
                    .rois(op.getRois())
                    .store(result, lower.dims(4))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

} // namespace

void cameo::populateVisionPatterns(RewritePatternSet &patterns) {
  patterns.add<GridSampleLowering, MaxRoiPoolLowering, ResizeLowering, RoiAlignLowering>(
      patterns.getContext());
}
