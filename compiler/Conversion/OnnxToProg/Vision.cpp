// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resampling of images.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"

#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

struct ResizeLowering : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType input = tensorOf(op.getX()), result = tensorOf(op.getY());
    std::optional<Scales> scales = getScales(op, lower, input.getRank());
    if (!scales)
      return rewriter.notifyMatchFailure(op, "the scales are not constant");
    unsigned rank = input.getRank();
    bool nearest = op.getMode() == "nearest";
    Type element = result.getElementType();
    Type sampled = !nearest && isa<IntegerType>(element) ? Float32Type::get(op.getContext())
                   : nearest                             ? element
                                                         : getAccumulatorType(element);
    CallBuilder call(lower, "resize");
    call.type("resize_mode::" + op.getMode().str())
        .param("rank", static_cast<int64_t>(rank))
        .param("input", input.getExtents())
        .param("output", result.getExtents())
        .keyword("coordinate", ("coordinate_mode::" + op.getCoordinateTransformationMode()).str())
        .keyword("nearest_mode", ("nearest_rounding::" + op.getNearestMode()).str())
        .real("extrapolation_value", op.getExtrapolationValue().convertToFloat())
        .real("cubic_coeff_a", op.getCubicCoeffA().convertToFloat())
        .flag("antialias", op.getAntialias() != 0)
        .flag("exclude_outside", op.getExcludeOutside() != 0);
    if (!scales->up.empty())
      call.param("up", scales->up).param("down", scales->down);
    if (op.getCoordinateTransformationMode() == "tf_crop_and_resize") {
      std::optional<SmallVector<double>> roi = getRoi(op, lower, rank);
      if (!roi)
        return rewriter.notifyMatchFailure(op, "the region is not constant");
      call.reals("roi", *roi);
    }
    rewriter.replaceOp(
        op,
        call.input(op.getX()).store(rank, sampled, result, lower.dims(rank)).build().getResult(0));
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

  /// The scales that coordinates are computed with as fractions, one per axis: those that extents
  /// follow from, so that both agree. Empty when sizes are given, which say the same.
  struct Scales {
    SmallVector<int64_t> up, down;
  };
  static std::optional<Scales> getScales(ResizeOp op, Lowering &lower, int64_t rank) {
    if (!op.getScales())
      return Scales();
    std::optional<SmallVector<double>> given = lower.inference().floatConstants(op.getScales());
    if (!given)
      return std::nullopt;
    if (given->empty())
      return Scales();
    Scales scales{SmallVector<int64_t>(rank, 1), SmallVector<int64_t>(rank, 1)};
    for (auto [number, axis] : llvm::enumerate(getAxes(op, rank)))
      std::tie(scales.up[axis], scales.down[axis]) =
          onnx::getScaleFraction(static_cast<float>((*given)[number]));
    return scales;
  }

  static std::optional<SmallVector<double>> getRoi(ResizeOp op, Lowering &lower, int64_t rank) {
    std::optional<SmallVector<double>> given = lower.inference().floatConstants(op.getRoi());
    if (!given)
      return std::nullopt;
    SmallVector<double> roi(2 * rank, 0.0);
    std::fill(roi.begin() + rank, roi.end(), 1.0);
    SmallVector<int64_t> axes = getAxes(op, rank);
    for (auto [number, axis] : llvm::enumerate(axes)) {
      roi[axis] = (*given)[number];
      roi[rank + axis] = (*given)[axes.size() + number];
    }
    return roi;
  }
};

} // namespace

void cameo::populateVisionPatterns(RewritePatternSet &patterns) {
  patterns.add<ResizeLowering>(patterns.getContext());
}
