// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of reductions and running results, and the values of reductions of known integers.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Combines the elements of `data` that fall on one element of the result.
void setReduced(ExtentInference &infer, const KnownTensor &data, const AxisList &axes,
                ArrayRef<ExtentAttr> result, bool keepdims, Combine combine) {
  llvm::BitVector reduced(data.shape.size());
  for (size_t axis = 0; axis < data.shape.size(); ++axis)
    reduced[axis] = axes.contains(axis).isConstant(1);
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

FailureOr<AxisList> cameo::onnx::getReducedAxes(ExtentInference &infer, Value axes, int64_t rank,
                                                bool noop) {
  int64_t count = axes ? infer.type(axes).getNumElements().getConstant().value_or(1) : 0;
  if (count == 0)
    return AxisList::first(infer, noop ? 0 : rank, rank);
  return AxisList::ofOperand(infer, axes, rank, "axes (C1)", count);
}

LogicalResult cameo::onnx::inferReduction(ExtentInference &infer, Value data, Value axes,
                                          bool keepdims, bool noop, Combine combine) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(data);
  bool isCounted = !axes || infer.type(axes).getNumElements().isConstant();
  if (!input || (!keepdims && !isCounted)) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<AxisList> reduced = getReducedAxes(infer, axes, input->size(), noop);
  if (failed(reduced))
    return failure();
  SmallVector<ExtentAttr> result = keepdims ? reduced->reduce(*input) : reduced->remove(*input);
  infer.setResult(0, element, result);
  if (combine && reduced->isConstant())
    if (std::optional<KnownTensor> known = infer.known(data))
      setReduced(infer, *known, *reduced, result, keepdims, combine);
  return success();
}

/// How many elements fall on one; null where that is not known.
static ExtentAttr countReduced(ExtentInference &infer, Value x, Value axes, bool noop) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(x);
  if (!extents)
    return {};
  FailureOr<AxisList> reduced = getReducedAxes(infer, axes, extents->size(), noop);
  if (failed(reduced) || !reduced->isConstant())
    return {};
  ExtentAttr count = infer.constant(1);
  for (ExtentAttr extent : reduced->keep(*extents))
    count = count * extent;
  return count.isUnknown() ? ExtentAttr() : count;
}

prog::NumberRange cameo::onnx::getSums(ExtentInference &infer, Value x, Value axes, bool noop,
                                       prog::NumberRange numbers) {
  ExtentAttr count = countReduced(infer, x, axes, noop);
  return count ? numbers.sum(count, infer.facts()).within(elementTypeOf(x), infer.facts())
               : prog::NumberRange();
}

prog::NumberRange cameo::onnx::getExtremes(ExtentInference &infer, Value x, Value axes, bool noop,
                                           prog::NumberRange numbers) {
  ExtentAttr count = countReduced(infer, x, axes, noop);
  return numbers.sureIf(count && range(count, infer.facts()).atLeast(1));
}

prog::NumberRange cameo::onnx::getPlaces(ExtentInference &infer, Value x, int64_t axis) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(x);
  if (!extents)
    return {};
  int64_t along = axis < 0 ? axis + static_cast<int64_t>(extents->size()) : axis;
  ExtentAttr most = (*extents)[along] - 1;
  return most.isUnknown() ? prog::NumberRange() : prog::NumberRange({infer.constant(0)}, {most});
}

LogicalResult cameo::onnx::inferArgReduction(ExtentInference &infer, Value data, int64_t axis,
                                             bool keepdims) {
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(data);
  if (!input) {
    infer.setUnranked(0, infer.int64Type());
    return success();
  }
  FailureOr<AxisList> reduced =
      AxisList::get(infer, infer.constant(axis), input->size(), "axis (C1)");
  if (failed(reduced))
    return failure();
  infer.setResult(0, infer.int64Type(),
                  keepdims ? reduced->reduce(*input) : reduced->remove(*input));
  return success();
}

LogicalResult cameo::onnx::inferCumulative(ExtentInference &infer, Value x, Value axis) {
  if (failed(infer.requireOneElement(axis, "axis (C1)")))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(x);
  if (input && failed(AxisList::ofOperand(infer, axis, input->size(), "axis (C1)")))
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
