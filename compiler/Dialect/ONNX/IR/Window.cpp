// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/Window.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The attributes of one axis, before the input is known.
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

/// The part that both kinds of windows have in common: all but outputs and the pads of SAME, which
/// `resolveAxis` adds.
static FailureOr<SmallVector<WindowAxis>>
resolveAxes(ExtentInference &infer, const WindowAttributes &attributes, ArrayRef<ExtentAttr> input,
            ArrayRef<ExtentAttr> weight,
            llvm::function_ref<LogicalResult(WindowAxis &, size_t)> resolveAxis) {
  if (failed(verifyWindow(infer, attributes, input.size())))
    return failure();
  SmallVector<WindowAxis> windows;
  for (auto [axis, extent] : llvm::enumerate(input)) {
    FailureOr<ExtentAttr> kernel = getKernel(infer, attributes, weight, axis);
    if (failed(kernel))
      return failure();
    AxisAttributes given = readAxis(attributes, axis, input.size());
    bool padded = attributes.autoPad == "NOTSET";
    WindowAxis &window = windows.emplace_back();
    window.input = extent;
    window.kernel = *kernel;
    window.stride = given.stride;
    window.dilation = given.dilation;
    window.padBegin = infer.constant(padded ? given.padBegin : 0);
    window.padEnd = infer.constant(padded ? given.padEnd : 0);
    if (failed(resolveAxis(window, axis)))
      return failure();
  }
  return windows;
}

FailureOr<SmallVector<WindowAxis>> cameo::onnx::resolveWindow(ExtentInference &infer,
                                                              const WindowAttributes &attributes,
                                                              ArrayRef<ExtentAttr> input,
                                                              ArrayRef<ExtentAttr> weight) {
  const ExtentFacts &facts = infer.facts();
  auto resolveAxis = [&](WindowAxis &window, size_t axis) -> LogicalResult {
    ExtentAttr span = (window.kernel - 1) * window.dilation + 1;
    if (isSame(attributes)) {
      window.output = simplify(window.input.ceilDiv(window.stride), facts);
      ExtentAttr total = (window.output - 1) * window.stride + span - window.input;
      splitPads(window, simplify(total.max(0), facts), attributes.autoPad == "SAME_UPPER", facts);
      return success();
    }
    ExtentAttr room = window.input + window.padBegin + window.padEnd - span;
    if (room.isConstant() && *room.getConstant() < 0 && !window.input.isConstant(0))
      return infer.emitError() << "has a window larger than the padded input along spatial axis "
                               << axis << " (got " << span.str() << ", need at most "
                               << (room + span).str() << ")";
    ExtentAttr output = room.floorDiv(window.stride) + 1;
    // A last window that is cut off counts, unless it starts behind the input and its begin pad.
    if (attributes.ceilMode && attributes.autoPad == "NOTSET")
      output = (room.ceilDiv(window.stride) + 1)
                   .min((window.input + window.padBegin).ceilDiv(window.stride));
    window.output = simplify(output, facts);
    return success();
  };
  return resolveAxes(infer, attributes, input, weight, resolveAxis);
}

FailureOr<SmallVector<WindowAxis>>
cameo::onnx::resolveTransposedWindow(ExtentInference &infer, const WindowAttributes &attributes,
                                     ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> weight) {
  const ExtentFacts &facts = infer.facts();
  auto resolveAxis = [&](WindowAxis &window, size_t axis) -> LogicalResult {
    int64_t more = attributes.outputPadding ? (*attributes.outputPadding)[axis] : 0;
    int64_t most = std::max(window.stride, window.dilation);
    if (more != 0 && more >= most)
      return infer.emitError() << "has an output_padding that is not below stride or dilation (got "
                               << more << ", need less than " << most << ")";
    // The reach of the kernel without pads.
    ExtentAttr reach =
        (window.input - 1) * window.stride + (window.kernel - 1) * window.dilation + 1 + more;
    if (attributes.outputShape || isSame(attributes)) {
      window.output = attributes.outputShape ? infer.constant((*attributes.outputShape)[axis])
                                             : simplify(window.input * window.stride, facts);
      ExtentAttr total = simplify((reach - window.output).max(0), facts);
      splitPads(window, total, attributes.autoPad == "SAME_UPPER", facts);
      return success();
    }
    window.output = simplify(reach - window.padBegin - window.padEnd, facts);
    if (window.output.isConstant() && *window.output.getConstant() < 0)
      return infer.emitError() << "has pads that leave a negative extent along spatial axis "
                               << axis << " (got " << *window.output.getConstant() << ")";
    return success();
  };
  return resolveAxes(infer, attributes, input, weight, resolveAxis);
}
