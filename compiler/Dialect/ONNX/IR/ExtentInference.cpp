// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of extent inference that does not depend on the stage.

#include "Dialect/ONNX/IR/ExtentInference.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

ExtentAttr KnownTensor::at(ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (auto [coordinate, size] : llvm::zip_equal(index, shape))
    position = position * size + coordinate;
  return elements[position];
}

SymTensorType ExtentInference::type(Value value) const {
  return value ? dyn_cast<SymTensorType>(value.getType()) : SymTensorType();
}

Type ExtentInference::elementType(unsigned operand) const {
  return cast<SymTensorType>(op->getOperand(operand).getType()).getElementType();
}

std::optional<ArrayRef<ExtentAttr>> ExtentInference::extents(Value value) const {
  SymTensorType tensor = type(value);
  if (!tensor || !tensor.hasRank())
    return std::nullopt;
  return tensor.getExtents();
}

std::optional<SmallVector<int64_t>> ExtentInference::constants(Value value) {
  std::optional<ExtentValues> known = values(value);
  if (!known)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (ExtentAttr element : *known) {
    std::optional<int64_t> integer = element.getConstant();
    if (!integer)
      return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

ExtentAttr ExtentInference::scalar(Value value) {
  std::optional<ExtentValues> known = values(value);
  return known && known->size() == 1 ? known->front() : unknown();
}

std::optional<KnownTensor> ExtentInference::known(Value value) {
  std::optional<ArrayRef<ExtentAttr>> valueExtents = value ? extents(value) : std::nullopt;
  std::optional<ExtentValues> elements = values(value);
  if (!valueExtents || !elements)
    return std::nullopt;
  KnownTensor tensor;
  for (ExtentAttr extent : *valueExtents) {
    if (!extent.isConstant())
      return std::nullopt;
    tensor.shape.push_back(*extent.getConstant());
  }
  tensor.elements = std::move(*elements);
  return tensor;
}

std::optional<SmallVector<double>> ExtentInference::floatConstants(Value value) const {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() > kMaxTrackedValues)
    return std::nullopt;
  SmallVector<double> result;
  if (auto floats = elements.tryGetValues<APFloat>()) {
    for (APFloat element : *floats) {
      bool losesInfo;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      result.push_back(element.convertToDouble());
    }
    return result;
  }
  auto integers = elements.tryGetValues<APInt>();
  if (!integers)
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  for (APInt element : *integers)
    result.push_back(element.roundToDouble(!isUnsigned));
  return result;
}

void ExtentInference::setElements(unsigned result, ArrayRef<ExtentAttr> extents,
                                  function_ref<ExtentAttr(ArrayRef<int64_t>)> element) {
  ExtentAttr count = constant(1);
  SmallVector<int64_t> shape;
  for (ExtentAttr extent : extents) {
    if (!extent.isConstant())
      return;
    count = count * extent;
    shape.push_back(*extent.getConstant());
  }
  if (!count.isConstant() || *count.getConstant() > kMaxTrackedValues)
    return;
  ExtentValues elements;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t left = *count.getConstant(); left > 0; --left) {
    ExtentAttr value = element(index);
    if (!value)
      return;
    elements.push_back(value);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  setValues(result, elements);
}

void ExtentInference::setResult(unsigned result, Type elementType, ArrayRef<ExtentAttr> extents) {
  setType(result, SymTensorType::get(extents, elementType));
}

void ExtentInference::setUnranked(unsigned result, Type elementType) {
  setType(result, SymTensorType::get(elementType));
}

Type ExtentInference::join(Type a, Type b) const {
  if (a == b || !a || !b)
    return a == b ? a : Type();
  // A value that is always there may stand where one may be missing.
  if (isa<OptionalType>(a) != isa<OptionalType>(b)) {
    Type &sure = isa<OptionalType>(a) ? b : a;
    sure = OptionalType::get(sure.getContext(), sure);
  }
  if (auto left = dyn_cast<SequenceType>(a), right = dyn_cast<SequenceType>(b); left && right) {
    Type element = join(left.getElement(), right.getElement());
    return element ? SequenceType::get(element.getContext(), element) : Type();
  }
  if (auto left = dyn_cast<OptionalType>(a), right = dyn_cast<OptionalType>(b); left && right) {
    Type element = join(left.getElement(), right.getElement());
    return element ? OptionalType::get(element.getContext(), element) : Type();
  }
  auto left = dyn_cast<SymTensorType>(a), right = dyn_cast<SymTensorType>(b);
  if (!left || !right || left.getElementType() != right.getElementType())
    return {};
  if (!left.hasRank() || !right.hasRank() || left.getRank() != right.getRank())
    return SymTensorType::get(left.getElementType());
  SmallVector<ExtentAttr> extents;
  for (auto [l, r] : llvm::zip_equal(left.getExtents(), right.getExtents()))
    extents.push_back(provablyEqual(l, r, facts()) ? l : unknown());
  return SymTensorType::get(extents, left.getElementType());
}

//===----------------------------------------------------------------------===//
// Values of the run
//===----------------------------------------------------------------------===//

ExtentAttr ExtentInference::named(StringRef, ExtentAttr extent) { return extent; }

bool ExtentInference::isOnDevice(ExtentAttr) const { return false; }

ExtentAttr ExtentInference::bounded(StringRef, ExtentAttr extent, ExtentAttr) { return extent; }

ExtentAttr ExtentInference::checkedIn(StringRef, ExtentAttr element, int64_t, int64_t) {
  return element;
}

ExtentAttr ExtentInference::bound(Value, ExtentAttr most) { return most; }

FailureOr<std::optional<ExtentValues>> ExtentInference::valuesIn(Value value, int64_t begin,
                                                                 int64_t end, StringRef name) {
  std::optional<ExtentValues> elements = values(value);
  if (!elements)
    return elements;
  for (ExtentAttr &element : *elements) {
    std::optional<int64_t> constant = element.getConstant();
    if (constant && (*constant < begin || *constant >= end))
      return emitError() << name << " is out of range (got " << *constant << ", need [" << begin
                         << ", " << end << "))";
    if (!constant && !element.isUnknown())
      element = checkedIn(name.take_while(llvm::isAlnum), element, begin, end);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult ExtentInference::broadcast(Type elementType) {
  if (!elementType) {
    InFlightDiagnostic error = emitError() << "asks for an element type that ONNX does not have";
    if (auto to = op->getAttrOfType<IntegerAttr>("to"))
      error << " (got " << to.getInt() << ")";
    return error;
  }
  SmallVector<ExtentAttr> result;
  for (Value operand : op->getOperands()) {
    std::optional<ArrayRef<ExtentAttr>> operandExtents = extents(operand);
    if (!operandExtents) {
      setUnranked(0, elementType);
      return success();
    }
    FailureOr<SmallVector<ExtentAttr>> merged = broadcastExtents(result, *operandExtents);
    if (failed(merged))
      return failure();
    result.clear();
    for (ExtentAttr extent : *merged)
      result.push_back(named("broadcast", extent));
  }
  setResult(0, elementType, result);
  return success();
}

ExtentAttr ExtentInference::constant(int64_t value) const {
  return ExtentAttr::constant(getContext(), value);
}

ExtentAttr ExtentInference::unknown() const { return ExtentAttr::unknown(getContext()); }

FailureOr<ExtentAttr> ExtentInference::broadcastExtent(ExtentAttr a, ExtentAttr b) {
  if (a == b || b.isConstant(1))
    return a;
  if (a.isConstant(1))
    return b;
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (left && right)
    return emitError() << "operands do not broadcast (got extents " << *left << " and " << *right
                       << ", need equal ones or 1)";
  // The other one must be 1 or equal to it, at run time.
  if (left)
    return a;
  if (right)
    return b;
  if (a.isUnknown() || b.isUnknown())
    return unknown();
  if (provablyEqual(a, b, facts()))
    return a;
  // The larger one, unless the other is 0, which goes with 0 and 1 only and wins.
  return simplify(a.max(b) * a.min(1) * b.min(1), facts());
}

FailureOr<SmallVector<ExtentAttr>> ExtentInference::broadcastExtents(ArrayRef<ExtentAttr> a,
                                                                     ArrayRef<ExtentAttr> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<ExtentAttr> result(a);
  size_t lead = a.size() - b.size();
  for (size_t axis = 0; axis < b.size(); ++axis) {
    FailureOr<ExtentAttr> merged = broadcastExtent(a[lead + axis], b[axis]);
    if (failed(merged))
      return failure();
    result[lead + axis] = *merged;
  }
  return result;
}

FailureOr<int64_t> ExtentInference::normalizeAxis(int64_t axis, int64_t rank, StringRef name) {
  if (axis < -rank || axis >= rank)
    return emitError() << name << " is out of range (got " << axis << ", need [" << -rank << ", "
                       << rank << "))";
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> ExtentInference::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank,
                                                               StringRef name) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = normalizeAxis(axis, rank, name);
    if (failed(normalized))
      return failure();
    if (llvm::is_contained(result, *normalized))
      return emitError() << name << " holds an axis twice (got " << axis << ")";
    result.push_back(*normalized);
  }
  return result;
}

ExtentAttr ExtentInference::countSteps(ExtentAttr distance, ExtentAttr step) const {
  ExtentAttr sign = step.min(0).max(-1) * 2 + 1, size = step.max(-step).max(1);
  return simplify((distance * sign).ceilDiv(size).max(0), facts());
}

LogicalResult ExtentInference::requireRank(Value value, StringRef name, int64_t least,
                                           int64_t most) {
  std::optional<ArrayRef<ExtentAttr>> known = value ? extents(value) : std::nullopt;
  int64_t rank = known ? known->size() : least;
  if (rank >= least && rank <= most)
    return success();
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "has a wrong rank of " << name << " (got " << rank << ", need ";
  if (most == INT64_MAX)
    return diagnostic << "at least " << least << ")";
  if (most != least)
    return diagnostic << least << " to " << most << ")";
  return diagnostic << least << ")";
}

LogicalResult ExtentInference::requireEqual(ExtentAttr got, ExtentAttr need, StringRef what) {
  std::optional<int64_t> left = got.getConstant(), right = need.getConstant();
  if (left && right && *left != *right)
    return emitError() << "does not fit in " << what << " (got " << *left << ", need " << *right
                       << ")";
  return success();
}

LogicalResult ExtentInference::requireBroadcast(ExtentAttr got, ExtentAttr need, StringRef what) {
  return got.isConstant(1) ? success() : ExtentInference::requireEqual(got, need, what);
}

LogicalResult ExtentInference::requireShape(Value value, ArrayRef<ExtentAttr> need,
                                            StringRef name) {
  if (failed(requireRank(value, name, need.size(), need.size())))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> got = value ? extents(value) : std::nullopt;
  for (auto [g, n] : llvm::zip(got.value_or(ArrayRef<ExtentAttr>()), need))
    if (failed(requireEqual(g, n, name)))
      return failure();
  return success();
}

LogicalResult ExtentInference::requireOneElement(Value value, StringRef name) {
  SymTensorType tensor = type(value);
  if (!tensor || !tensor.hasRank())
    return success();
  ExtentAttr count = tensor.getNumElements();
  if (count.isConstant() && !count.isConstant(1))
    return emitError() << "needs one element in " << name << ", got " << *count.getConstant();
  return success();
}

Type ExtentInference::boolType() const { return IntegerType::get(getContext(), 1); }
Type ExtentInference::int64Type() const { return IntegerType::get(getContext(), 64); }

Type ExtentInference::onnxType(int64_t number) const {
  return getElementType(getContext(), number);
}

Type cameo::onnx::elementTypeOf(Value value) {
  return cast<SymTensorType>(value.getType()).getElementType();
}

bool cameo::onnx::haveSameElements(Type a, Type b) {
  if (auto left = dyn_cast<SequenceType>(a), right = dyn_cast<SequenceType>(b); left && right)
    return haveSameElements(left.getElement(), right.getElement());
  auto left = dyn_cast<SymTensorType>(a), right = dyn_cast<SymTensorType>(b);
  return left && right && left.getElementType() == right.getElementType();
}

bool cameo::onnx::mayFlowTogether(Type a, Type b) {
  auto getHeld = [](Type type) {
    auto optional = dyn_cast<OptionalType>(type);
    return optional ? optional.getElement() : type;
  };
  return haveSameElements(getHeld(a), getHeld(b));
}
