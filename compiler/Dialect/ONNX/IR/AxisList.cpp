// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/AxisList.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

/// Whether the integer `value` is more than `bound`.
static ExtentAttr isMore(ExtentAttr value, int64_t bound) { return (value - bound).min(1).max(0); }

/// `sum + condition * value`, also where `value` is unknown and the condition is not met.
static ExtentAttr addIf(ExtentAttr sum, ExtentAttr condition, ExtentAttr value) {
  return condition.isConstant(0) ? sum : sum + condition * value;
}

/// `sum`, which is one of `values`, with the lower bound that they have and that the arithmetic
/// which picks one does not show.
static ExtentAttr boundBy(ArrayRef<ExtentAttr> values, ExtentAttr sum, const ExtentFacts &facts) {
  // Picked already: it shows its own bound.
  if (llvm::is_contained(values, sum))
    return simplify(sum, facts);
  ExtentRange all = range(values.empty() ? sum : values.front(), facts);
  for (ExtentAttr value : values)
    all = all.unite(range(value, facts));
  return simplify(all.lo() ? sum.max(*all.lo()) : sum, facts);
}

/// Fails with a diagnostic when there are more axes than the tensor has.
static LogicalResult requireAtMost(ExtentInference &infer, int64_t count, int64_t rank,
                                   StringRef name) {
  if (count <= rank)
    return success();
  return infer.emitError() << "has more " << name << " than its input (got " << count
                           << ", need at most " << rank << ")";
}

FailureOr<AxisList> AxisList::get(ExtentInference &infer, ArrayRef<ExtentAttr> axes, int64_t rank,
                                  StringRef name) {
  SmallVector<int64_t> constants;
  for (ExtentAttr axis : axes)
    if (std::optional<int64_t> constant = axis.getConstant())
      constants.push_back(*constant);
  if (failed(infer.normalizeAxes(constants, rank, name)) ||
      failed(requireAtMost(infer, static_cast<int64_t>(axes.size()), rank, name)))
    return failure();
  return AxisList(infer, axes, rank);
}

FailureOr<AxisList> AxisList::ofOperand(ExtentInference &infer, Value axes, int64_t rank,
                                        StringRef name, int64_t count) {
  FailureOr<std::optional<ExtentValues>> elements = infer.valuesIn(axes, -rank, rank, name);
  if (failed(elements))
    return failure();
  if (*elements)
    return get(infer, **elements, rank, name);
  // Their number may be an extent of the model, and any: no list of it before it is compared.
  if (failed(requireAtMost(infer, count, rank, name)))
    return failure();
  return get(infer, ExtentValues(count, infer.unknown()), rank, name);
}

AxisList AxisList::first(ExtentInference &infer, int64_t count, int64_t rank) {
  SmallVector<ExtentAttr> axes;
  for (int64_t axis = 0; axis < count; ++axis)
    axes.push_back(infer.constant(axis));
  return AxisList(infer, axes, rank);
}

bool AxisList::isConstant() const {
  return llvm::all_of(axes, [](ExtentAttr axis) { return axis.isConstant(); });
}

bool AxisList::isKnown() const {
  return llvm::none_of(axes, [](ExtentAttr axis) { return axis.isUnknown(); });
}

ExtentAttr AxisList::isAt(size_t number, int64_t axis) const {
  if (std::optional<int64_t> constant = axes[number].getConstant())
    return infer.constant((*constant - axis) % rank == 0);
  return -((axes[number] - axis).mod(rank).min(1) - 1);
}

ExtentAttr AxisList::contains(int64_t axis) const {
  ExtentAttr any = infer.constant(0);
  for (size_t number = 0; number < axes.size(); ++number)
    any = any + isAt(number, axis);
  return simplify(any.min(1), infer.facts());
}

ExtentAttr AxisList::count() const {
  ExtentAttr count = infer.constant(0);
  for (int64_t axis = 0; axis < rank; ++axis)
    count = count + contains(axis);
  return count;
}

ExtentAttr AxisList::at(size_t number, ArrayRef<ExtentAttr> values) const {
  ExtentAttr selected = infer.constant(0);
  for (auto [axis, value] : llvm::enumerate(values))
    selected = addIf(selected, isAt(number, axis), value);
  return boundBy(values, selected, infer.facts());
}

ExtentAttr AxisList::select(int64_t axis, ArrayRef<ExtentAttr> values, ExtentAttr otherwise) const {
  if (isConstant()) {
    for (auto [number, value] : llvm::enumerate(values))
      if (isAt(number, axis).isConstant(1))
        return value;
    return otherwise;
  }
  ExtentAttr selected = addIf(infer.constant(0), -contains(axis) + 1, otherwise);
  for (size_t number = 0; number < axes.size(); ++number)
    selected = addIf(selected, isAt(number, axis), values[number]);
  SmallVector<ExtentAttr> all(values);
  all.push_back(otherwise);
  return boundBy(all, selected, infer.facts());
}

SmallVector<ExtentAttr> AxisList::reduce(ArrayRef<ExtentAttr> extents) const {
  SmallVector<ExtentAttr> result, ones(axes.size(), infer.constant(1));
  for (auto [axis, extent] : llvm::enumerate(extents))
    result.push_back(select(axis, ones, extent));
  return result;
}

SmallVector<ExtentAttr> AxisList::keep(ArrayRef<ExtentAttr> extents) const {
  SmallVector<ExtentAttr> result;
  for (auto [axis, extent] : llvm::enumerate(extents))
    result.push_back(select(axis, SmallVector<ExtentAttr>(axes.size(), extent), infer.constant(1)));
  return result;
}

ExtentAttr AxisList::countOthersBefore(int64_t axis) const {
  ExtentAttr count = infer.constant(axis);
  for (int64_t before = 0; before < axis; ++before)
    count = count - contains(before);
  return count;
}

// An axis that is no element becomes axis number `position` where as many others, and not one more,
// stand before it: where their count passes `position` with it.

SmallVector<ExtentAttr> AxisList::remove(ArrayRef<ExtentAttr> extents) const {
  SmallVector<ExtentAttr> result;
  for (int64_t position = 0; position < rank - static_cast<int64_t>(axes.size()); ++position) {
    ExtentAttr kept = infer.constant(0);
    for (int64_t axis = 0; axis < rank; ++axis) {
      ExtentAttr isHere =
          isMore(countOthersBefore(axis + 1), position) - isMore(countOthersBefore(axis), position);
      kept = addIf(kept, isHere, extents[axis]);
    }
    result.push_back(boundBy(extents, kept, infer.facts()));
  }
  return result;
}

SmallVector<ExtentAttr> AxisList::insert(ArrayRef<ExtentAttr> extents) const {
  SmallVector<ExtentAttr> result, all(extents);
  all.push_back(infer.constant(1));
  for (int64_t axis = 0; axis < rank; ++axis) {
    ExtentAttr before = countOthersBefore(axis), through = countOthersBefore(axis + 1);
    ExtentAttr extent = infer.constant(1);
    for (auto [position, other] : llvm::enumerate(extents)) {
      ExtentAttr isHere = isMore(through, position) - isMore(before, position);
      extent = addIf(extent, isHere, other - 1);
    }
    result.push_back(boundBy(all, extent, infer.facts()));
  }
  return result;
}
