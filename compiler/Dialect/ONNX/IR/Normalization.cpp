// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of normalisations: those of the first operand, when the others fit.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Fails when a parameter does not have one element per channel, channels being axis 1 of `input`.
LogicalResult verifyPerChannel(ExtentInference &infer, Value input, ValueRange parameters,
                               StringRef tag) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input);
  ExtentAttr channels = infer.unknown();
  if (extents)
    channels = extents->size() > 1 ? (*extents)[1] : infer.constant(1);
  for (Value parameter : parameters) {
    if (failed(infer.requireRank(parameter, ("a parameter per channel (" + tag + ")").str(), 1, 1)))
      return failure();
    if (std::optional<ArrayRef<ExtentAttr>> got = infer.extents(parameter))
      if (failed(infer.requireEqual(got->front(), channels, ("the channels (" + tag + ")").str())))
        return failure();
  }
  return success();
}

/// Fails when `parameter` is known not to broadcast to the extents of `input` (C2).
LogicalResult verifyBroadcastsTo(ExtentInference &infer, Value input, Value parameter) {
  std::optional<ArrayRef<ExtentAttr>> need = infer.extents(input);
  std::optional<ArrayRef<ExtentAttr>> got = parameter ? infer.extents(parameter) : std::nullopt;
  if (!need || !got)
    return success();
  if (failed(infer.requireRank(parameter, "a parameter (C2)", 0, need->size())))
    return failure();
  for (auto [g, n] : llvm::zip_equal(*got, need->take_back(got->size())))
    if (failed(infer.requireBroadcast(g, n, "X (C2)")))
      return failure();
  return success();
}

LogicalResult verifyFloatType(ExtentInference &infer, int64_t number, StringRef tag) {
  if (isa_and_nonnull<FloatType>(infer.onnxType(number)))
    return success();
  return infer.emitError() << "has a stash_type that is no float type (" << tag << ", got "
                           << number << ")";
}

} // namespace

LogicalResult LpNormalizationOp::inferExtents(ExtentInference &infer) {
  if (getP() != 1 && getP() != 2)
    return infer.emitError() << "has p other than 1 and 2 (C2, got " << getP() << ")";
  return inferAlongAxis(infer, getAxis());
}

LogicalResult LRNOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 2)))
    return failure();
  if (getSize() < 1)
    return infer.emitError() << "has a size that is not positive (C2, got " << getSize() << ")";
  infer.setType(0, getX().getType());
  return success();
}

LogicalResult MeanVarianceNormalizationOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getX());
  if (extents && failed(infer.normalizeAxes(getAxes(), extents->size(), "axes (C1)")))
    return failure();
  infer.setType(0, getX().getType());
  return success();
}

LogicalResult BatchNormalizationOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 1)) ||
      failed(verifyPerChannel(infer, getX(), getOperands().drop_front(), "C2")))
    return failure();
  infer.setType(0, getX().getType());
  infer.setType(1, getInputMean().getType());
  infer.setType(2, getInputVar().getType());
  return success();
}

LogicalResult InstanceNormalizationOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getInput(), "input (C1)", 3)) ||
      failed(verifyPerChannel(infer, getInput(), getOperands().drop_front(), "C2")))
    return failure();
  infer.setType(0, getInput().getType());
  return success();
}

LogicalResult GroupNormalizationOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 2)) ||
      failed(verifyPerChannel(infer, getX(), getOperands().drop_front(), "C2")) ||
      failed(verifyFloatType(infer, getStashType(), "C4")))
    return failure();
  int64_t groups = getNumGroups();
  if (groups < 1)
    return infer.emitError() << "has num_groups that is not positive (C3, got " << groups << ")";
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getX());
  std::optional<int64_t> channels = extents ? (*extents)[1].getConstant() : std::nullopt;
  if (channels && *channels % groups != 0)
    return infer.emitError() << "has num_groups that does not divide the channels (C3, got "
                             << groups << " and " << *channels << ")";
  infer.setType(0, getX().getType());
  return success();
}

LogicalResult LayerNormalizationOp::inferExtents(ExtentInference &infer) {
  if (getStashType() != 1 && getStashType() != 16)
    return infer.emitError() << "has a stash_type other than 1 and 16 (C3, got " << getStashType()
                             << ")";
  if (failed(verifyBroadcastsTo(infer, getX(), getScale())) ||
      failed(verifyBroadcastsTo(infer, getX(), getB())))
    return failure();
  infer.setType(0, getX().getType());
  Type statistic = infer.onnxType(getStashType());
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getX());
  if (!extents) {
    infer.setUnranked(1, statistic);
    infer.setUnranked(2, statistic);
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), extents->size(), "axis (C1)");
  if (failed(axis))
    return failure();
  SmallVector<ExtentAttr> kept(extents->take_front(*axis));
  kept.resize(extents->size(), infer.constant(1));
  infer.setResult(1, statistic, kept);
  infer.setResult(2, statistic, kept);
  return success();
}

LogicalResult RMSNormalizationOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getX());
  if ((extents && failed(infer.normalizeAxis(getAxis(), extents->size(), "axis (C1)"))) ||
      failed(verifyBroadcastsTo(infer, getX(), getScale())) ||
      failed(verifyFloatType(infer, getStashType(), "C3")))
    return failure();
  infer.setType(0, infer.type(getX()).withElementType(elementTypeOf(getScale())));
  return success();
}
