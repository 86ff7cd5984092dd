// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of reductions and running results, and the values of reductions of known integers.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// `input` without the axes that `reduced` flags, or with 1 in their places.
SmallVector<ExtentAttr> reduceExtents(ExtentInference &infer, ArrayRef<ExtentAttr> input,
                                      const llvm::BitVector &reduced, bool keepdims) {
  SmallVector<ExtentAttr> result;
  for (auto [axis, extent] : llvm::enumerate(input)) {
    if (!reduced[axis])
      result.push_back(extent);
    else if (keepdims)
      result.push_back(infer.constant(1));
  }
  return result;
}

/// Combines the elements of `data` that fall on one element of the result.
void setReduced(ExtentInference &infer, const KnownTensor &data, const llvm::BitVector &reduced,
                ArrayRef<ExtentAttr> result, bool keepdims, Combine combine) {
  infer.setElements(0, result, [&](ArrayRef<int64_t> index) {
    ExtentAttr total;
    SmallVector<int64_t> source(data.shape.size(), 0);
    for (ExtentAttr element : data.elements) {
      // The result's index of this element: that of the axes that stay.
      SmallVector<int64_t> target;
      for (size_t axis = 0; axis < source.size(); ++axis) {
        if (!reduced[axis])
          target.push_back(source[axis]);
        else if (keepdims)
          target.push_back(0);
      }
      if (ArrayRef<int64_t>(target) == index)
        total = total ? combine(total, element) : element;
      for (size_t axis = source.size(); axis-- > 0 && ++source[axis] == data.shape[axis];)
        source[axis] = 0;
    }
    return total;
  });
}

} // namespace

LogicalResult cameo::onnx::inferReduction(ExtentInference &infer, Value data, Value axes,
                                          bool keepdims, bool noop, Combine combine) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(data);
  std::optional<SmallVector<int64_t>> given =
      axes ? infer.constants(axes) : std::optional<SmallVector<int64_t>>(std::in_place);
  if (!input || !given) {
    if (input && keepdims)
      infer.setResult(0, element, SmallVector<ExtentAttr>(input->size(), infer.unknown()));
    else
      infer.setUnranked(0, element);
    return success();
  }
  FailureOr<SmallVector<int64_t>> normalized =
      infer.normalizeAxes(*given, input->size(), "axes (C1)");
  if (failed(normalized))
    return failure();
  llvm::BitVector reduced(input->size(), normalized->empty() && !noop);
  for (int64_t axis : *normalized)
    reduced.set(axis);
  SmallVector<ExtentAttr> result = reduceExtents(infer, *input, reduced, keepdims);
  infer.setResult(0, element, result);
  if (combine)
    if (std::optional<KnownTensor> known = infer.known(data))
      setReduced(infer, *known, reduced, result, keepdims, combine);
  return success();
}

LogicalResult cameo::onnx::inferArgReduction(ExtentInference &infer, Value data, int64_t axis,
                                             bool keepdims) {
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(data);
  if (!input) {
    infer.setUnranked(0, infer.int64Type());
    return success();
  }
  FailureOr<int64_t> normalized = infer.normalizeAxis(axis, input->size(), "axis (C1)");
  if (failed(normalized))
    return failure();
  llvm::BitVector reduced(input->size());
  reduced.set(*normalized);
  infer.setResult(0, infer.int64Type(), reduceExtents(infer, *input, reduced, keepdims));
  return success();
}

LogicalResult cameo::onnx::inferCumulative(ExtentInference &infer, Value x, Value axis) {
  if (failed(infer.requireOneElement(axis, "axis (C1)")))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(x);
  std::optional<int64_t> given = infer.scalar(axis).getConstant();
  if (input && given && failed(infer.normalizeAxis(*given, input->size(), "axis (C1)")))
    return failure();
  infer.setType(0, x.getType());
  return success();
}

LogicalResult cameo::onnx::inferAlongAxis(ExtentInference &infer, int64_t axis) {
  Value input = infer.getOperation()->getOperand(0);
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input);
  if (extents && failed(infer.normalizeAxis(axis, extents->size(), "axis (C1)")))
    return failure();
  infer.setType(0, input.getType());
  return success();
}
