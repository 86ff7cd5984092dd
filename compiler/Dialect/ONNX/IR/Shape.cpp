// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and values of the operators about shapes.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/UntypedBuilder.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {
/// The elements of `output` are those of `input`, in the same order.
void passValues(ExtentInference &infer, Value input) {
  if (std::optional<ExtentValues> values = infer.values(input))
    infer.setValues(0, *values);
}

/// A list of extents that an operand holds; fails when one is negative.
LogicalResult requireExtents(ExtentInference &infer, ArrayRef<ExtentAttr> extents, StringRef name) {
  for (ExtentAttr extent : extents)
    if (extent.isConstant() && *extent.getConstant() < 0)
      return infer.emitError() << "has a negative element in " << name << " (got "
                               << *extent.getConstant() << ")";
  return success();
}
} // namespace

//===----------------------------------------------------------------------===//
// Extents as values
//===----------------------------------------------------------------------===//

LogicalResult ShapeOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getData());
  if (!extents) {
    infer.setResult(0, infer.int64Type(), {infer.unknown()});
    return success();
  }
  // Out of range ends are clamped, as the specification says.
  int64_t rank = extents->size();
  auto clamp = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clamp(getStart());
  int64_t end = std::max(start, clamp(getEnd().value_or(rank)));
  infer.setResult(0, infer.int64Type(), {infer.constant(end - start)});
  infer.setValues(0, extents->slice(start, end - start));
  return success();
}

LogicalResult SizeOp::inferExtents(ExtentInference &infer) {
  infer.setResult(0, infer.int64Type(), {});
  if (infer.extents(getData()))
    infer.setValues(0, infer.type(getData()).getNumElements());
  return success();
}

//===----------------------------------------------------------------------===//
// The same elements under other extents
//===----------------------------------------------------------------------===//

namespace {

/// A product of extents as a constant times factors: symbols, and sums as they stand.
struct Product {
  ExtentAttr constant;
  SmallVector<ExtentAttr> factors;

  Product(ExtentInference &infer, ArrayRef<ExtentAttr> extents) : constant(infer.constant(1)) {
    for (ExtentAttr extent : extents) {
      if (extent.isUnknown() || extent.getTerms().size() > 1) {
        factors.push_back(extent);
        continue;
      }
      bool isZero = extent.getTerms().empty();
      constant = constant * (isZero ? 0 : extent.getTerms().front().coefficient);
      if (!isZero)
        llvm::append_range(factors, extent.getTerms().front().factors);
    }
  }

  ExtentAttr get() const {
    ExtentAttr product = constant;
    for (ExtentAttr factor : factors)
      product = product * factor;
    return product;
  }
};

/// The extent that a -1 stands for: the elements of `input` that `others` leave. A factor of both
/// sides cancels, so that it may be 0 at run time; then any extent would do.
FailureOr<ExtentAttr> inferRest(ExtentInference &infer, std::optional<ArrayRef<ExtentAttr>> input,
                                ArrayRef<ExtentAttr> others) {
  if (!input)
    return infer.unknown();
  // Constants cancel one by one, for the sake of those that are 0.
  SmallVector<ExtentAttr> all(*input), rest;
  for (ExtentAttr extent : others) {
    auto *same = extent.isUnknown() ? all.end() : llvm::find(all, extent);
    if (same == all.end())
      rest.push_back(extent);
    else
      all.erase(same);
  }
  Product total(infer, all), known(infer, rest);
  llvm::erase_if(known.factors, [&](ExtentAttr factor) {
    auto *same = factor.isUnknown() ? total.factors.end() : llvm::find(total.factors, factor);
    if (same == total.factors.end())
      return false;
    total.factors.erase(same);
    return true;
  });
  ExtentAttr dividend = total.get(), divisor = known.get();
  std::optional<int64_t> elements = dividend.getConstant(), each = divisor.getConstant();
  if (elements && each && (*each == 0 || *elements % *each != 0))
    return infer.emitError() << "cannot infer the -1 in shape (C2, got " << *elements
                             << " elements, need a multiple of " << *each << ")";
  return simplify(dividend.floorDiv(divisor), infer.facts());
}

/// An element of Reshape's shape that is known at run time only, and may turn out to be 0 or -1.
/// Conditions are extents of 0 or 1.
class RuntimeElement {
public:
  RuntimeElement(ExtentAttr value, ExtentAttr copied)
      : isRest((-value).max(0).min(1)), factor(value + isRest * 2) {
    // The range of a symbol of any sign does not show that one of both is not negative.
    ExtentAttr isZero = -(value.max(-value).max(0).min(1) - 1);
    if (copied)
      factor = factor + isZero * copied;
  }

  /// Its factor among the extents that a -1 leaves elements to.
  ExtentAttr getFactor() const { return factor; }
  /// Gives it another name.
  void setFactor(ExtentAttr named) { factor = named; }
  ExtentAttr getExtent(ExtentAttr rest) const { return factor + isRest * (rest - 1); }

private:
  ExtentAttr isRest, factor;
};

using ExtentPredicate = llvm::function_ref<bool(ExtentAttr)>;

/// Whether an element of Reshape's shape is no extent yet: it may be 0 or -1, or the device has it,
/// where nothing ends the run before it is one.
bool isRuntimeElement(ExtentInference &infer, ExtentAttr value, ExtentPredicate isOnDevice) {
  return !value.isConstant() &&
         (range(value, infer.facts()).lo().value_or(-1) < 0 || isOnDevice(value));
}

/// The extents by a shape of which some elements may be negative at run time. That at most one of
/// them is -1, and all fit, follows from the check that the elements are as many as before.
SmallVector<ExtentAttr> resolveAtRuntime(ExtentInference &infer,
                                         std::optional<ArrayRef<ExtentAttr>> input,
                                         ArrayRef<ExtentAttr> shape, bool copiesZeros,
                                         ExtentPredicate isOnDevice) {
  SmallVector<std::optional<RuntimeElement>> elements;
  SmallVector<ExtentAttr> factors;
  for (auto [axis, value] : llvm::enumerate(shape)) {
    bool isRuntime = isRuntimeElement(infer, value, isOnDevice);
    bool copies = copiesZeros && input && axis < input->size();
    elements.push_back(std::nullopt);
    if (isRuntime) {
      elements.back().emplace(value, copies ? (*input)[axis] : ExtentAttr());
      elements.back()->setFactor(infer.named("factor", elements.back()->getFactor()));
    }
    if (!value.isConstant(-1))
      factors.push_back(isRuntime ? elements.back()->getFactor() : value);
  }
  // Multiplied out, the factors would be exponentially many terms.
  ExtentAttr taken = infer.constant(1);
  for (ExtentAttr factor : factors)
    taken = infer.named("elements", taken * factor);
  ExtentAttr total = input ? Product(infer, *input).get() : infer.unknown();
  ExtentAttr rest = infer.named("rest", total.floorDiv(taken.max(1)));
  SmallVector<ExtentAttr> result;
  for (auto [value, element] : llvm::zip_equal(shape, elements))
    result.push_back(simplify(element                ? element->getExtent(rest)
                              : value.isConstant(-1) ? rest
                                                     : value,
                              infer.facts()));
  return result;
}

/// Gives the extent that the device decides the most that it can be, so that whatever it finds the
/// elements are no more than there are: a -1 is what that leaves; without one it is itself what the
/// others leave. Several that follow from the device stay as they are: of an empty tensor, each
/// could be anything.
void boundOnDevice(ExtentInference &infer, ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> shape,
                   MutableArrayRef<ExtentAttr> result) {
  auto isCounted = [&](ExtentAttr element) { return infer.isOnDevice(element); };
  if (llvm::count_if(shape, isCounted) != 1)
    return;
  size_t counted = llvm::find_if(shape, isCounted) - shape.begin(), rest = counted;
  SmallVector<ExtentAttr> others;
  for (auto [axis, extent] : llvm::enumerate(result)) {
    if (shape[axis].isConstant(-1))
      rest = axis;
    else if (axis != counted)
      others.push_back(extent);
  }
  ExtentAttr left = Product(infer, input).get().floorDiv(Product(infer, others).get().max(1));
  left = simplify(left, infer.facts());
  if (rest != counted) {
    result[counted] = infer.bounded("dim", result[counted], left);
    left = simplify(left.floorDiv(result[counted].max(1)), infer.facts());
  }
  result[rest] = infer.bounded("dim", left, left);
}

} // namespace

SmallVector<ExtentAttr> ReshapeOp::getExactExtents(ExtentInference &infer,
                                                   ArrayRef<ExtentAttr> shape,
                                                   ExtentPredicate isOnDevice) {
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getData());
  SmallVector<ExtentAttr> targets(shape);
  for (auto [axis, extent] : llvm::enumerate(targets))
    if (extent.isConstant(0) && getAllowzero() == 0)
      extent = input ? (*input)[axis] : infer.unknown();
  return resolveAtRuntime(infer, input, targets, getAllowzero() == 0, isOnDevice);
}

LogicalResult ReshapeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ExtentValues> shape = infer.values(getShape());
  if (!shape) {
    infer.setUnranked(0, element);
    return success();
  }
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getData());
  SmallVector<ExtentAttr> result;
  std::optional<size_t> inferred;
  for (auto [axis, extent] : llvm::enumerate(*shape)) {
    bool copies = extent.isConstant(0) && getAllowzero() == 0;
    if (extent.isConstant() && *extent.getConstant() < -1)
      return infer.emitError() << "has an element below -1 in shape (C1, got "
                               << *extent.getConstant() << ")";
    if (extent.isConstant(-1) && inferred)
      return infer.emitError() << "has more than one -1 in shape (C1)";
    if (extent.isConstant(-1))
      inferred = axis;
    if (copies && input && axis >= input->size())
      return infer.emitError() << "copies extent " << axis << " of a tensor of rank "
                               << input->size() << " (C4)";
    result.push_back(copies ? (input ? (*input)[axis] : infer.unknown()) : extent);
  }
  if (inferred && getAllowzero() != 0 &&
      llvm::any_of(*shape, [](ExtentAttr extent) { return extent.isConstant(0); }))
    return infer.emitError() << "has both 0 and -1 in shape with allowzero set (C3)";
  auto isOnDevice = [&](ExtentAttr extent) { return infer.isOnDevice(extent); };
  bool isRuntime = llvm::any_of(result, [&](ExtentAttr extent) {
    return !extent.isUnknown() && isRuntimeElement(infer, extent, isOnDevice);
  });
  // An integer that may be -1 or 0 at run time is no extent yet.
  SymTensorType data = infer.type(getData());
  if (!inferred && !isRuntime && data.hasRank()) {
    ExtentAttr count = SymTensorType::get(result, element).getNumElements();
    if (failed(infer.requireEqual(count, data.getNumElements(), "the number of elements (C2)")))
      return failure();
  }
  if (isRuntime) {
    result = getExactExtents(infer, *shape, isOnDevice);
    if (input)
      boundOnDevice(infer, *input, *shape, result);
  } else if (inferred) {
    result.erase(result.begin() + *inferred);
    FailureOr<ExtentAttr> rest = inferRest(infer, input, result);
    if (failed(rest))
      return failure();
    result.insert(result.begin() + *inferred, *rest);
  }
  infer.setResult(0, element, result);
  passValues(infer, getData());
  return success();
}

namespace {
/// The axes of a tensor whose extent is 1, and those whose extent may be.
struct Ones {
  SmallVector<int64_t> known, possible;

  /// The axes; nullopt where one may or may not be among them.
  std::optional<ExtentValues> getDecided(ExtentInference &infer) const {
    if (!possible.empty())
      return std::nullopt;
    return llvm::map_to_vector(known, [&](int64_t axis) { return infer.constant(axis); });
  }
};

Ones findOnes(ExtentInference &infer, ArrayRef<ExtentAttr> extents) {
  Ones ones;
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    ExtentRange sizes = range(extent, infer.facts());
    if (sizes.constant() == 1)
      ones.known.push_back(axis);
    else if (!sizes.isDisjointFrom(ExtentRange::constant(1)))
      ones.possible.push_back(axis);
  }
  return ones;
}
} // namespace

/// Squeezes an axis in one branch and leaves it in the other, the last axis first: those in front
/// keep their numbers.
Value SqueezeOp::branchOnRank(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getData());
  if (getAxes() || !extents)
    return {};
  Ones ones = findOnes(infer, *extents);
  if (ones.possible.empty())
    return {};
  UntypedBuilder b(*this);
  Value result = ones.known.empty() ? getData() : b.squeeze(getData(), ones.known);
  for (int64_t axis : llvm::reverse(ones.possible)) {
    int64_t position =
        axis - llvm::count_if(ones.known, [&](int64_t known) { return known < axis; });
    Value before = result;
    result = b.choose(
        b.equal(b.extent(getData(), axis), b.number(1)),
        [&](UntypedBuilder &inside) { return inside.squeeze(before, position); },
        [&](UntypedBuilder &) { return before; });
  }
  return result;
}

LogicalResult SqueezeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getData());
  std::optional<ExtentValues> given;
  if (getAxes())
    given = infer.values(getAxes());
  else if (input)
    given = findOnes(infer, *input).getDecided(infer);
  if (!input || !given) {
    infer.setUnranked(0, element);
    return success();
  }
  int64_t rank = input->size();
  FailureOr<AxisList> axes = getAxes() ? AxisList::ofOperand(infer, getAxes(), rank, "axes (C1)")
                                       : AxisList::get(infer, *given, rank, "axes (C1)");
  if (failed(axes))
    return failure();
  for (auto [axis, extent] : llvm::enumerate(*input))
    if (axes->contains(axis).isConstant(1) && extent.isConstant() && !extent.isConstant(1))
      return infer.emitError() << "removes axis " << axis << ", whose extent is not 1 (C2, got "
                               << *extent.getConstant() << ")";
  infer.setResult(0, element, axes->remove(*input));
  passValues(infer, getData());
  return success();
}

LogicalResult UnsqueezeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getData());
  std::optional<ExtentValues> given = infer.values(getAxes());
  if (!input || !given) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<AxisList> axes =
      AxisList::ofOperand(infer, getAxes(), input->size() + given->size(), "axes (C1)");
  if (failed(axes))
    return failure();
  infer.setResult(0, element, axes->insert(*input));
  passValues(infer, getData());
  return success();
}

LogicalResult FlattenOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  if (!input) {
    infer.setResult(0, element, {infer.unknown(), infer.unknown()});
    return success();
  }
  int64_t rank = input->size(), axis = getAxis();
  if (axis < -rank || axis > rank)
    return infer.emitError() << "axis is out of range (C1, got " << axis << ", need [" << -rank
                             << ", " << rank << "])";
  if (axis < 0)
    axis += rank;
  auto product = [&](ArrayRef<ExtentAttr> extents) {
    return SymTensorType::get(extents, element).getNumElements();
  };
  infer.setResult(0, element, {product(input->take_front(axis)), product(input->drop_front(axis))});
  passValues(infer, getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors of given extents
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  std::optional<ExtentValues> shape = infer.values(getShape());
  if (!input || !shape) {
    infer.setUnranked(0, element);
    return success();
  }
  if (failed(requireExtents(infer, *shape, "shape (C1)")))
    return failure();
  FailureOr<SmallVector<ExtentAttr>> result = infer.broadcastExtents(*input, *shape); // C2
  if (failed(result))
    return failure();
  infer.setResult(0, element, *result);
  std::optional<KnownTensor> known = infer.known(getInput());
  if (!known)
    return success();
  infer.setElements(0, *result, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.take_back(known->shape.size()));
    for (auto [coordinate, size] : llvm::zip_equal(source, known->shape))
      coordinate = size == 1 ? 0 : coordinate;
    return known->at(source);
  });
  return success();
}

LogicalResult ConstantOfShapeOp::inferExtents(ExtentInference &infer) {
  Type element = Float32Type::get(getContext());
  std::optional<ElementsAttr> value = getValue();
  if (value && value->getNumElements() != 1)
    return infer.emitError() << "needs one element in value (C2, got " << value->getNumElements()
                             << ")";
  if (value)
    element = value->getElementType();
  std::optional<ExtentValues> shape = infer.values(getInput());
  if (!shape) {
    infer.setUnranked(0, element);
    return success();
  }
  if (failed(requireExtents(infer, *shape, "input (C1)")))
    return failure();
  infer.setResult(0, element, *shape);
  if (!value)
    return success();
  auto integers = value->tryGetValues<APInt>();
  if (!integers || element.getIntOrFloatBitWidth() > 64)
    return success();
  APInt filler = *integers->begin();
  bool isSigned = element.isSignlessInteger() && !element.isInteger(1);
  if (!isSigned && filler.getActiveBits() > 63)
    return success();
  ExtentAttr constant = infer.constant(isSigned ? filler.getSExtValue()
                                                : static_cast<int64_t>(filler.getZExtValue()));
  infer.setElements(0, *shape, [&](ArrayRef<int64_t>) { return constant; });
  return success();
}

namespace {
/// The number of elements of a range of floats; nullopt when it is not a number that fits.
std::optional<int64_t> countSteps(double start, double limit, double delta, bool single) {
  double span = single ? static_cast<float>(limit) - static_cast<float>(start) : limit - start;
  double steps = std::ceil(span / delta);
  if (!(steps < 0x1p62))
    return std::nullopt;
  return steps > 0 ? static_cast<int64_t>(steps) : 0;
}
} // namespace

LogicalResult RangeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  for (auto [value, name] : llvm::zip_equal(
           getOperands(), std::array<StringRef, 3>{"start (C1)", "limit (C1)", "delta (C1)"}))
    if (failed(infer.requireOneElement(value, name)))
      return failure();
  if (isa<FloatType>(element)) {
    std::optional<SmallVector<double>> start = infer.floatConstants(getStart()),
                                       limit = infer.floatConstants(getLimit()),
                                       delta = infer.floatConstants(getDelta());
    if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 ||
        delta->size() != 1) {
      infer.setResult(0, element, {infer.counted("steps", infer.unknown())});
      return success();
    }
    if (delta->front() == 0 || !std::isfinite(start->front()) || !std::isfinite(limit->front()) ||
        !std::isfinite(delta->front()))
      return infer.emitError() << "needs finite numbers and a delta other than 0 (C2)";
    std::optional<int64_t> count =
        countSteps(start->front(), limit->front(), delta->front(), !element.isF64());
    if (!count)
      return infer.emitError() << "has more elements than can be counted";
    infer.setResult(0, element, {infer.constant(*count)});
    return success();
  }
  ExtentAttr start = infer.scalar(getStart()), limit = infer.scalar(getLimit()),
             delta = infer.scalar(getDelta());
  if (delta.isConstant(0))
    return infer.emitError() << "has a delta of 0 (C2)";
  ExtentAttr count = infer.countSteps(limit - start, delta);
  infer.setResult(0, element, {count});
  infer.setElements(0, {count}, [&](ArrayRef<int64_t> index) { return start + delta * index[0]; });
  return success();
}

LogicalResult EyeLikeOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getInput(), "input (C1)", 2, 2)))
    return failure();
  Type element = getDtype() ? infer.onnxType(*getDtype()) : infer.elementType(0);
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C2, got "
                             << *getDtype() << ")";
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(getInput());
  SmallVector<ExtentAttr> unknown(2, infer.unknown());
  infer.setResult(0, element, extents.value_or(unknown));
  return success();
}
