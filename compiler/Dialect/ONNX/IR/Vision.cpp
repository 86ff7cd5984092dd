// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of the operators that sample images.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"
#include "Support/Diagnostic.h"

#include <cmath>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

std::pair<int64_t, int64_t> cameo::onnx::getScaleFraction(float scale) {
  double rest = scale;
  int64_t numerator = 1, denominator = 0, lastNumerator = 0, lastDenominator = 1;
  while (true) {
    int64_t whole = static_cast<int64_t>(std::floor(rest));
    std::tie(numerator, lastNumerator) = std::pair(whole * numerator + lastNumerator, numerator);
    std::tie(denominator, lastDenominator) =
        std::pair(whole * denominator + lastDenominator, denominator);
    if (static_cast<float>(static_cast<double>(numerator) / denominator) == scale)
      return {numerator, denominator};
    rest = 1 / (rest - whole);
  }
}

namespace {

LogicalResult verifyName(ExtentInference &infer, StringRef name, ArrayRef<StringRef> known,
                         StringRef attribute) {
  if (llvm::is_contained(known, name))
    return success();
  return infer.emitError() << "has an unknown " << attribute << " (got " << cameo::quoteText(name)
                           << ")";
}

LogicalResult verifyResizeNames(ExtentInference &infer, ResizeOp op) {
  if (failed(verifyName(infer, op.getMode(), {"nearest", "linear", "cubic"}, "mode (C5)")) ||
      failed(verifyName(infer, op.getNearestMode(),
                        {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
                        "nearest_mode (C5)")) ||
      failed(verifyName(infer, op.getKeepAspectRatioPolicy(),
                        {"stretch", "not_larger", "not_smaller"}, "keep_aspect_ratio_policy (C5)")))
    return failure();
  return verifyName(infer, op.getCoordinateTransformationMode(),
                    {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                     "asymmetric", "tf_crop_and_resize"},
                    "coordinate_transformation_mode (C5)");
}

/// Whether an optional list of numbers is there and has elements.
bool isGiven(ExtentInference &infer, Value list) {
  std::optional<ArrayRef<ExtentAttr>> extents = list ? infer.extents(list) : std::nullopt;
  return list && !(extents && extents->size() == 1 && extents->front().isConstant(0));
}

LogicalResult requireLength(ExtentInference &infer, Value list, int64_t length, StringRef name) {
  if (failed(infer.requireRank(list, name, 1, 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(list);
  return extents ? infer.requireEqual(extents->front(), infer.constant(length), name) : success();
}

/// Resize.sizes under a policy that keeps the ratio: all axes get the scale that fits them best. An
/// extent is that scale's product rounded, halves up; rounding keeps the order of the scales.
void keepRatio(ExtentInference &infer, ArrayRef<int64_t> axes, bool larger,
               SmallVectorImpl<ExtentAttr> &result, ArrayRef<ExtentAttr> sizes) {
  SmallVector<ExtentAttr> input(result.begin(), result.end());
  for (int64_t axis : axes) {
    ExtentAttr best;
    for (auto [by, size] : llvm::zip_equal(axes, sizes)) {
      ExtentAttr extent = input[by].max(1);
      ExtentAttr scaled = (input[axis] * size * 2 + extent).floorDiv(extent * 2);
      best = !best ? scaled : larger ? best.max(scaled) : best.min(scaled);
    }
    result[axis] = simplify(best, infer.facts());
  }
}

} // namespace

LogicalResult ResizeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  bool byScale = isGiven(infer, getScales()), bySize = isGiven(infer, getSizes());
  if (failed(verifyResizeNames(infer, *this)))
    return failure();
  if (byScale == bySize)
    return infer.emitError() << "needs either scales or sizes (C1)";
  if (getCoordinateTransformationMode() == "tf_crop_and_resize" && !isGiven(infer, getRoi()))
    return infer.emitError() << "needs a roi (C6)";
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX());
  if (!input) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<int64_t> given = llvm::to_vector(llvm::seq<int64_t>(0, input->size()));
  if (getAxes())
    given.assign(getAxes()->begin(), getAxes()->end());
  FailureOr<SmallVector<int64_t>> axes = infer.normalizeAxes(given, input->size(), "axes (C2)");
  if (failed(axes))
    return failure();
  int64_t count = axes->size();
  if (failed(requireLength(infer, byScale ? getScales() : getSizes(), count,
                           "scales or sizes (C2)")) ||
      (isGiven(infer, getRoi()) && failed(requireLength(infer, getRoi(), 2 * count, "roi (C2)"))))
    return failure();

  SmallVector<ExtentAttr> result(*input);
  if (byScale) {
    std::optional<SmallVector<double>> scales = infer.floatConstants(getScales());
    for (int64_t number = 0; number < count; ++number) {
      ExtentAttr &extent = result[(*axes)[number]];
      if (!scales) {
        extent = infer.counted("resized", infer.unknown());
        continue;
      }
      double scale = (*scales)[number];
      if (!(scale >= 1.0 / kMaxResizeScale && scale <= kMaxResizeScale))
        return infer.emitError() << "has a scale out of range (C3) (got " << scale
                                 << ", need [2^-20, 2^20])";
      auto [numerator, denominator] = getScaleFraction(static_cast<float>(scale));
      extent = simplify((extent * numerator).floorDiv(denominator), infer.facts());
    }
    infer.setResult(0, element, result);
    return success();
  }
  ExtentValues sizes(count, infer.unknown());
  if (std::optional<ExtentValues> known = infer.values(getSizes()))
    sizes = *known;
  if (static_cast<int64_t>(sizes.size()) != count)
    return infer.emitError() << "has a wrong number of sizes (C2, got " << sizes.size() << ", need "
                             << count << ")";
  for (auto [axis, size] : llvm::zip_equal(*axes, sizes))
    if (std::optional<int64_t> constant = size.getConstant())
      if (*constant < 0 ||
          (*constant == 0 && result[axis].isConstant() && !result[axis].isConstant(0)))
        return infer.emitError() << "has a size that is not positive (C4, got " << *constant << ")";
  if (getKeepAspectRatioPolicy() != "stretch") {
    keepRatio(infer, *axes, getKeepAspectRatioPolicy() == "not_smaller", result, sizes);
  } else {
    for (auto [axis, size] : llvm::zip_equal(*axes, sizes))
      result[axis] = size;
  }
  infer.setResult(0, element, result);
  return success();
}

LogicalResult GridSampleOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(verifyName(infer, getMode(), {"linear", "nearest", "cubic"}, "mode (C3)")) ||
      failed(verifyName(infer, getPaddingMode(), {"zeros", "border", "reflection"},
                        "padding_mode (C3)")) ||
      failed(infer.requireRank(getX(), "X (C1)", 3)) ||
      failed(infer.requireRank(getGrid(), "grid (C1)", 3)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), grid = infer.extents(getGrid());
  if (!data || !grid) {
    infer.setUnranked(0, element);
    return success();
  }
  int64_t rank = data->size();
  if (failed(infer.requireRank(getGrid(), "grid (C1)", rank, rank)) ||
      failed(infer.requireEqual(grid->front(), data->front(), "the batch of X (C1)")) ||
      failed(infer.requireEqual(grid->back(), infer.constant(rank - 2), "the places (C2)")))
    return failure();
  SmallVector<ExtentAttr> result(data->take_front(2));
  llvm::append_range(result, grid->drop_front().drop_back());
  infer.setResult(0, element, result);
  return success();
}

LogicalResult AffineGridOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getTheta(), "theta (C1)", 3, 3)) ||
      failed(infer.requireRank(getSize(), "size (C2)", 1, 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> theta = infer.extents(getTheta());
  std::optional<ExtentValues> size = infer.values(getSize());
  if (!size) {
    infer.setUnranked(0, element);
    return success();
  }
  if (size->size() != 4 && size->size() != 5)
    return infer.emitError() << "has a wrong number of elements in size (C2, got " << size->size()
                             << ", need 4 or 5)";
  int64_t axes = size->size() - 2;
  if (theta && (failed(infer.requireEqual((*theta)[1], infer.constant(axes), "theta (C1)")) ||
                failed(infer.requireEqual((*theta)[2], infer.constant(axes + 1), "theta (C1)")) ||
                failed(infer.requireEqual((*theta)[0], size->front(), "the batch (C1)"))))
    return failure();
  for (ExtentAttr extent : *size)
    if (extent.isConstant() && *extent.getConstant() < 0)
      return infer.emitError() << "has a negative element in size (C2, got "
                               << *extent.getConstant() << ")";
  SmallVector<ExtentAttr> result = {size->front()};
  llvm::append_range(result, ArrayRef(*size).drop_front(2));
  result.push_back(infer.constant(axes));
  infer.setResult(0, element, result);
  return success();
}

LogicalResult RoiAlignOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyName(infer, getMode(), {"avg", "max"}, "mode (C3)")) ||
      failed(verifyName(infer, getCoordinateTransformationMode(),
                        {"half_pixel", "output_half_pixel"},
                        "coordinate_transformation_mode (C3)")) ||
      failed(infer.requireRank(getX(), "X (C1)", 4, 4)) ||
      failed(infer.requireRank(getRois(), "rois (C1)", 2, 2)) ||
      failed(infer.requireRank(getBatchIndices(), "batch_indices (C1)", 1, 1)))
    return failure();
  int64_t height = getOutputHeight(), width = getOutputWidth(), ratio = getSamplingRatio();
  if (height < 1 || width < 1 || ratio < 0)
    return infer.emitError() << "has an output or sampling ratio out of range (C2, got " << height
                             << ", " << width << ", " << ratio << ")";
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), rois = infer.extents(getRois()),
                                      batch = infer.extents(getBatchIndices());
  ExtentAttr regions = rois ? rois->front() : infer.unknown();
  if ((rois && failed(infer.requireEqual(rois->back(), infer.constant(4), "a region (C1)"))) ||
      (batch && failed(infer.requireEqual(batch->front(), regions, "rois (C1)"))))
    return failure();
  infer.setResult(0, infer.elementType(0),
                  {regions, data ? (*data)[1] : infer.unknown(), infer.constant(height),
                   infer.constant(width)});
  return success();
}

LogicalResult MaxRoiPoolOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 4, 4)) ||
      failed(infer.requireRank(getRois(), "rois (C1)", 2, 2)))
    return failure();
  ArrayRef<int64_t> shape = getPooledShape();
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1)
    return infer.emitError() << "needs two positive numbers in pooled_shape (C2)";
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), rois = infer.extents(getRois());
  if (rois && failed(infer.requireEqual(rois->back(), infer.constant(5), "a region (C1)")))
    return failure();
  infer.setResult(0, infer.elementType(0),
                  {rois ? rois->front() : infer.unknown(), data ? (*data)[1] : infer.unknown(),
                   infer.constant(shape[0]), infer.constant(shape[1])});
  return success();
}

LogicalResult ImageDecoderOp::inferExtents(ExtentInference &infer) {
  if (failed(
          verifyName(infer, getPixelFormat(), {"RGB", "BGR", "Grayscale"}, "pixel_format (C2)")) ||
      failed(infer.requireRank(getEncodedStream(), "encoded_stream (C1)", 1, 1)))
    return failure();
  infer.setResult(0, infer.elementType(0),
                  {infer.counted("height", infer.unknown()),
                   infer.counted("width", infer.unknown()),
                   infer.constant(getPixelFormat() == "Grayscale" ? 1 : 3)});
  return success();
}
