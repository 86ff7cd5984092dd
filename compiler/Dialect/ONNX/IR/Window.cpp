// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/Window.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// What the attributes say about one axis, before the input is known.
struct AxisAttributes {
  int64_t stride = 1, dilation = 1, padBegin = 0, padEnd = 0;
};

AxisAttributes readAxis(const WindowAttributes &attributes, size_t axis, size_t rank) {
  AxisAttributes read;
  if (attributes.strides)
    read.stride = (*attributes.strides)[axis];
  if (attributes.dilations)
    read.dilation = (*attributes.dilations)[axis];
  if (attributes.pads) {
    read.padBegin = (*attributes.pads)[axis];
    read.padEnd = (*attributes.pads)[rank + axis];
  }
  return read;
}

bool isSame(const WindowAttributes &attributes) {
  return attributes.autoPad == "SAME_UPPER" || attributes.autoPad == "SAME_LOWER";
}

/// Splits a padding that is not negative: the odd element goes to the end, or to the beginning.
void splitPads(WindowAxis &window, ExtentAttr total, bool oddAtEnd, const ExtentFacts &facts) {
  ExtentAttr half = simplify(total.floorDiv(2), facts);
  ExtentAttr rest = simplify(total - half, facts);
  window.padBegin = oddAtEnd ? half : rest;
  window.padEnd = oddAtEnd ? rest : half;
}

/// The kernel's extent along an axis, from the attribute or the weight, which must agree.
FailureOr<ExtentAttr> getKernel(ExtentInference &infer, const WindowAttributes &attributes,
                                ArrayRef<ExtentAttr> weight, size_t axis) {
  if (!attributes.kernel)
    return weight[axis];
  ExtentAttr kernel = infer.constant((*attributes.kernel)[axis]);
  if (!weight.empty() && failed(infer.requireEqual(weight[axis], kernel, "kernel_shape")))
    return failure();
  return kernel;
}

} // namespace

LogicalResult cameo::onnx::verifyWindow(ExtentInference &infer, const WindowAttributes &attributes,
                                        int64_t rank) {
  if (!llvm::is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, attributes.autoPad))
    return infer.emitError() << "has an unknown auto_pad (got "
                             << cameo::quoteText(attributes.autoPad) << ")";
  auto verify = [&](std::optional<ArrayRef<int64_t>> list, StringRef name, int64_t perAxis,
                    int64_t least) -> LogicalResult {
    if (!list)
      return success();
    if (static_cast<int64_t>(list->size()) != perAxis * rank)
      return infer.emitError() << "has a wrong number of " << name << " (got " << list->size()
                               << ", need " << perAxis * rank << ")";
    for (int64_t entry : *list)
      if (entry < least || entry >= kMaxSymbolExtent)
        return infer.emitError() << "has an entry of " << name << " out of range (got " << entry
                                 << ", need [" << least << ", " << kMaxSymbolExtent << "))";
    return success();
  };
  if (failed(verify(attributes.kernel, "kernel_shape", 1, 1)) ||
      failed(verify(attributes.strides, "strides", 1, 1)) ||
      failed(verify(attributes.dilations, "dilations", 1, 1)) ||
      failed(verify(attributes.pads, "pads", 2, 0)) ||
      failed(verify(attributes.outputPadding, "output_padding", 1, 0)))
    return failure();
  return verify(attributes.outputShape, "output_shape", 1, 0);
}

FailureOr<SmallVector<WindowAxis>> cameo::onnx::resolveWindow(ExtentInference &infer,
                                                              const WindowAttributes &attributes,
                                                              ArrayRef<ExtentAttr> input,
                                                              ArrayRef<ExtentAttr> weight) {
  if (failed(verifyWindow(infer, attributes, input.size())))
    return failure();
  const ExtentFacts &facts = infer.facts();
  SmallVector<WindowAxis> windows;
  for (auto [axis, extent] : llvm::enumerate(input)) {
    FailureOr<ExtentAttr> kernel = getKernel(infer, attributes, weight, axis);
    if (failed(kernel))
      return failure();
    AxisAttributes given = readAxis(attributes, axis, input.size());
    WindowAxis &window = windows.emplace_back();
    window.input = extent;
    window.kernel = *kernel;
    window.stride = given.stride;
    window.dilation = given.dilation;
    ExtentAttr span = (*kernel - 1) * given.dilation + 1;
    if (isSame(attributes)) {
      window.output = simplify(extent.ceilDiv(given.stride), facts);
      ExtentAttr total = (window.output - 1) * given.stride + span - extent;
      splitPads(window, simplify(total.max(0), facts), attributes.autoPad == "SAME_UPPER", facts);
      continue;
    }
    bool padded = attributes.autoPad == "NOTSET";
    window.padBegin = infer.constant(padded ? given.padBegin : 0);
    window.padEnd = infer.constant(padded ? given.padEnd : 0);
    ExtentAttr room = extent + window.padBegin + window.padEnd - span;
    if (room.isConstant() && *room.getConstant() < 0 && !extent.isConstant(0))
      return infer.emitError() << "has a window larger than the padded input along spatial axis "
                               << axis << " (got " << span.str() << ", need at most "
                               << (room + span).str() << ")";
    ExtentAttr output = room.floorDiv(given.stride) + 1;
    // A last window that is cut off counts, unless it starts behind the input and its begin pad.
    if (attributes.ceilMode && padded)
      output =
          (room.ceilDiv(given.stride) + 1).min((extent + window.padBegin).ceilDiv(given.stride));
    window.output = simplify(output, facts);
  }
  return windows;
}

FailureOr<SmallVector<WindowAxis>>
cameo::onnx::resolveTransposedWindow(ExtentInference &infer, const WindowAttributes &attributes,
                                     ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> weight) {
  if (failed(verifyWindow(infer, attributes, input.size())))
    return failure();
  const ExtentFacts &facts = infer.facts();
  SmallVector<WindowAxis> windows;
  for (auto [axis, extent] : llvm::enumerate(input)) {
    FailureOr<ExtentAttr> kernel = getKernel(infer, attributes, weight, axis);
    if (failed(kernel))
      return failure();
    AxisAttributes given = readAxis(attributes, axis, input.size());
    WindowAxis &window = windows.emplace_back();
    window.input = extent;
    window.kernel = *kernel;
    window.stride = given.stride;
    window.dilation = given.dilation;
    int64_t more = attributes.outputPadding ? (*attributes.outputPadding)[axis] : 0;
    if (more != 0 && more >= std::max(given.stride, given.dilation))
      return infer.emitError() << "has an output_padding that is not below stride or dilation (got "
                               << more << ", need less than "
                               << std::max(given.stride, given.dilation) << ")";
    // What the kernel reaches without pads.
    ExtentAttr reach = (extent - 1) * given.stride + (*kernel - 1) * given.dilation + 1 + more;
    if (attributes.outputShape || isSame(attributes)) {
      window.output = attributes.outputShape ? infer.constant((*attributes.outputShape)[axis])
                                             : simplify(extent * given.stride, facts);
      ExtentAttr total = simplify((reach - window.output).max(0), facts);
      splitPads(window, total, attributes.autoPad == "SAME_UPPER", facts);
      continue;
    }
    bool padded = attributes.autoPad == "NOTSET";
    window.padBegin = infer.constant(padded ? given.padBegin : 0);
    window.padEnd = infer.constant(padded ? given.padEnd : 0);
    window.output = simplify(reach - window.padBegin - window.padEnd, facts);
    if (window.output.isConstant() && *window.output.getConstant() < 0)
      return infer.emitError() << "has pads that leave a negative extent along spatial axis "
                               << axis << " (got " << *window.output.getConstant() << ")";
  }
  return windows;
}
