// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of convolutions.

#include "Dialect/ONNX/IR/OnnxDialect.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Ranks of input and weight (C1), and that `group` is positive (C2).
LogicalResult verifyOperandRanks(ExtentInference &infer, Value input, Value weight, int64_t group) {
  if (failed(infer.requireRank(input, "the input (C1)", 3)) ||
      failed(infer.requireRank(weight, "the weight (C1)", 3)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(input), kernel = infer.extents(weight);
  if (data && kernel && data->size() != kernel->size())
    return infer.emitError() << "has an input and a weight of different ranks (C1, got "
                             << data->size() << " and " << kernel->size() << ")";
  if (group < 1 || group >= kMaxSymbolExtent)
    return infer.emitError() << "has a group out of range (C2, got " << group
                             << ", need at least 1)";
  return success();
}

LogicalResult verifyBias(ExtentInference &infer, Value bias, ExtentAttr channels) {
  if (!bias)
    return success();
  if (failed(infer.requireRank(bias, "the bias (C5)", 1, 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(bias);
  return extents ? infer.requireEqual(extents->front(), channels, "the output channels (C5)")
                 : success();
}

/// Fails when `group` is known not to divide `channels`.
LogicalResult verifyGroup(ExtentInference &infer, ExtentAttr channels, int64_t group) {
  if (channels.isConstant() && *channels.getConstant() % group != 0)
    return infer.emitError() << "has a group that does not divide the channels (C2, got " << group
                             << " and " << *channels.getConstant() << ")";
  return success();
}

/// The extents of an output of which nothing but the rank, if that, is known.
void setUnknown(ExtentInference &infer, Value input, Type elementType) {
  if (std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input)) {
    SmallVector<ExtentAttr> result(extents->size(), infer.unknown());
    result[0] = extents->front();
    infer.setResult(0, elementType, result);
  } else {
    infer.setUnranked(0, elementType);
  }
}

} // namespace

LogicalResult cameo::onnx::inferConv(ExtentInference &infer, Value input, Value weight, Value bias,
                                     int64_t group, const WindowAttributes &attributes,
                                     Type elementType) {
  if (failed(verifyOperandRanks(infer, input, weight, group)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(input), kernel = infer.extents(weight);
  if (!data || !kernel) {
    setUnknown(infer, input, elementType);
    return success();
  }
  ExtentAttr channels = kernel->front();
  if (failed(verifyGroup(infer, channels, group)) ||
      failed(infer.requireEqual((*data)[1], (*kernel)[1] * group,
                                "the weight's channels times group (C2)")) ||
      failed(verifyBias(infer, bias, channels)))
    return failure();
  FailureOr<SmallVector<WindowAxis>> windows =
      resolveWindow(infer, attributes, data->drop_front(2), kernel->drop_front(2));
  if (failed(windows))
    return failure();
  SmallVector<ExtentAttr> result = {data->front(), channels};
  for (const WindowAxis &window : *windows)
    result.push_back(window.output);
  infer.setResult(0, elementType, result);
  return success();
}

LogicalResult DeformConvOp::inferExtents(ExtentInference &infer) {
  if (failed(inferConv(infer, getX(), getW(), getB(), getGroup(), getWindowAttributes(),
                       infer.elementType(0))))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), kernel = infer.extents(getW());
  int64_t groups = getOffsetGroup();
  if (groups < 1 || groups >= kMaxSymbolExtent)
    return infer.emitError() << "has an offset_group out of range (C6, got " << groups
                             << ", need at least 1)";
  if (!data || !kernel)
    return success();
  if ((*data)[1].isConstant() && *(*data)[1].getConstant() % groups != 0)
    return infer.emitError() << "has an offset_group that does not divide the channels (C6, got "
                             << groups << " and " << *(*data)[1].getConstant() << ")";
  ExtentAttr elements = infer.constant(groups);
  for (ExtentAttr extent : kernel->drop_front(2))
    elements = elements * extent;
  FailureOr<SmallVector<WindowAxis>> windows =
      resolveWindow(infer, getWindowAttributes(), data->drop_front(2), kernel->drop_front(2));
  if (failed(windows))
    return failure();
  int64_t axes = kernel->size() - 2;
  for (auto [value, channels] :
       {std::pair<Value, ExtentAttr>(getOffset(), elements * axes), {getMask(), elements}}) {
    SmallVector<ExtentAttr> need = {data->front(), channels};
    for (const WindowAxis &window : *windows)
      need.push_back(window.output);
    if (failed(infer.requireShape(value, need, "the elements of the windows (C7)")))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<WindowAxis>> ConvTransposeOp::getWindow(ExtentInference &infer) {
  WindowAttributes attributes = {getAutoPad(), getKernelShape(), getStrides(), getDilations(),
                                 getPads()};
  attributes.outputPadding = getOutputPadding();
  attributes.outputShape = getOutputShape();
  return resolveTransposedWindow(infer, attributes, infer.extents(getX())->drop_front(2),
                                 infer.extents(getW())->drop_front(2));
}

LogicalResult ConvTransposeOp::inferExtents(ExtentInference &infer) {
  int64_t group = getGroup();
  if (failed(verifyOperandRanks(infer, getX(), getW(), group)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), kernel = infer.extents(getW());
  if (!data || !kernel) {
    setUnknown(infer, getX(), infer.elementType(0));
    return success();
  }
  ExtentAttr channels = (*kernel)[1] * group;
  if (failed(verifyGroup(infer, kernel->front(), group)) ||
      failed(infer.requireEqual((*data)[1], kernel->front(), "the weight's channels (C2)")) ||
      failed(verifyBias(infer, getB(), channels)))
    return failure();
  FailureOr<SmallVector<WindowAxis>> windows = getWindow(infer);
  if (failed(windows))
    return failure();
  SmallVector<ExtentAttr> result = {data->front(), channels};
  for (const WindowAxis &window : *windows)
    result.push_back(window.output);
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

LogicalResult Col2ImOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getInput(), "input (C1)", 3, 3)) ||
      failed(infer.requireRank(getImageShape(), "image_shape (C1)", 1, 1)) ||
      failed(infer.requireRank(getBlockShape(), "block_shape (C1)", 1, 1)))
    return failure();
  std::optional<ExtentValues> image = infer.values(getImageShape()),
                              block = infer.values(getBlockShape());
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  if (!image || !block) {
    infer.setUnranked(0, element);
    return success();
  }
  if (image->size() != block->size())
    return infer.emitError() << "has shapes of different lengths (C1, got " << image->size()
                             << " and " << block->size() << ")";
  WindowAttributes attributes = {"NOTSET", std::nullopt, getStrides(), getDilations(), getPads()};
  if (failed(verifyWindow(infer, attributes, image->size())))
    return failure();
  ExtentAttr elements = infer.constant(1);
  for (auto [outer, inner] : llvm::zip_equal(*image, *block)) {
    for (ExtentAttr extent : {outer, inner})
      if (extent.isConstant() && *extent.getConstant() < 1)
        return infer.emitError() << "has an extent that is not positive (C3, got "
                                 << *extent.getConstant() << ")";
    elements = elements * inner;
  }
  ExtentAttr columns = input ? (*input)[1] : infer.unknown();
  if (columns.isConstant() && elements.isConstant() &&
      *columns.getConstant() % *elements.getConstant() != 0)
    return infer.emitError() << "has blocks that do not divide the channels (C3, got "
                             << *elements.getConstant() << " and " << *columns.getConstant() << ")";
  SmallVector<ExtentAttr> result = {input ? input->front() : infer.unknown(),
                                    simplify(columns.floorDiv(elements), infer.facts())};
  llvm::append_range(result, *image);
  infer.setResult(0, element, result);
  return success();
}
