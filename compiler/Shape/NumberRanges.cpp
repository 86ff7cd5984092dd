// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shape/NumberRanges.h"

#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/IR/ScalarBody.h"
#include "Shape/Assertions.h"
#include "Shape/ShapeInference.h"
#include "llvm/ADT/ScopeExit.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

/// Ranges behind more operators are not looked for: chains may be as long as a model.
static constexpr unsigned kMaxDepth = 32;

NumberRanges::NumberRanges(const ShapeInference &stage) : stage(stage), facts(stage.getFacts()) {}

/// The ends of `range`; of `other` where it has none.
static NumberRange fill(NumberRange range, NumberRange other) {
  return {range.getLeast() ? range.getLeast() : other.getLeast(),
          range.getMost() ? range.getMost() : other.getMost()};
}

NumberRange NumberRanges::get(Value value) {
  auto [entry, isNew] = found.try_emplace(value);
  if (!isNew || depth == kMaxDepth)
    return entry->second;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  NumberRange range = fill(getAsserted(value), compute(value));
  if (auto type = dyn_cast<SymTensorType>(value.getType()))
    range = fill(range, NumberRange::of(type.getElementType()));
  return found[value] = range;
}

std::optional<ExtentValues> NumberRanges::getOfDims(Value value) const {
  std::optional<ExtentValues> elements = stage.getKnownValues().lookup(value);
  if (!elements || elements->empty())
    return std::nullopt;
  llvm::SetVector<StringRef> symbols;
  for (ExtentAttr element : *elements) {
    if (element.isUnknown())
      return std::nullopt;
    element.collectSymbols(symbols);
  }
  auto isOfRun = [&](StringRef symbol) {
    return isa_and_nonnull<BindElementsOp, DefineOp>(stage.getDefiner(symbol));
  };
  return llvm::any_of(symbols, isOfRun) ? std::nullopt : elements;
}

NumberRange NumberRanges::compute(Value value) {
  if (std::optional<ExtentValues> elements = getOfDims(value)) {
    NumberRange all = NumberRange::constant(elements->front());
    for (ExtentAttr element : *elements)
      all = all.join(NumberRange::constant(element));
    return all;
  }
  auto op = value.getDefiningOp<OnnxOp>();
  if (!op)
    return {};
  if (isa<ConstantOp>(op))
    return getOfConstant(value);
  if (op.hasScalarBody())
    return getOfBody(op);
  if (op->getNumRegions() != 0)
    return {};
  LocalInference infer(op, facts);
  return op.getNumbers(cast<OpResult>(value).getResultNumber(), infer,
                       [&](Value operand) { return get(operand); });
}

/// Whole numbers around a float; no ends for what is none, or far from all extents.
static NumberRange getAround(MLIRContext *context, double number) {
  if (!(std::abs(number) < 0x1p62))
    return {};
  return NumberRange::constants(context, static_cast<int64_t>(std::floor(number)),
                                static_cast<int64_t>(std::ceil(number)));
}

/// Floats of the model, where they are few.
NumberRange NumberRanges::getOfConstant(Value value) {
  std::optional<int64_t> count = getConstantCount(value);
  std::optional<SmallVector<double>> numbers;
  if (count && *count <= kMaxKnownElements)
    numbers = LocalInference(value.getDefiningOp(), facts).floatConstants(value);
  if (!numbers || numbers->empty())
    return {};
  NumberRange all = getAround(value.getContext(), numbers->front());
  for (double number : *numbers)
    all = all.join(getAround(value.getContext(), number));
  return all;
}

/// A constant of a scalar function.
static NumberRange getOfScalar(TypedAttr value) {
  MLIRContext *context = value.getContext();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    APInt bits = integer.getValue();
    bool isSigned = integer.getType().isSignlessInteger() && bits.getBitWidth() > 1;
    return bits.getBitWidth() > 64 || (!isSigned && bits.getActiveBits() > 63)
               ? NumberRange()
               : NumberRange::constant(ExtentAttr::constant(
                     context,
                     isSigned ? bits.getSExtValue() : static_cast<int64_t>(bits.getZExtValue())));
  }
  auto real = dyn_cast<FloatAttr>(value);
  return real ? getAround(context, real.getValueAsDouble()) : NumberRange();
}

/// The range of a function of floats: its value rounds unless it is one of theirs, or between two.
static NumberRange round(NumberRange range, ArrayRef<NumberRange> operands, Type type,
                         const ExtentFacts &facts) {
  NumberRange all = operands.front();
  for (NumberRange operand : operands)
    all = all.join(operand);
  bool isBetween =
      (!range.getLeast() || (all.getLeast() && provablyLessEqual(all.getLeast().value,
                                                                 range.getLeast().value, facts))) &&
      (!range.getMost() ||
       (all.getMost() && provablyLessEqual(range.getMost().value, all.getMost().value, facts)));
  return isa<FloatType>(type) && isBetween ? range : range.within(type, facts);
}

NumberRange NumberRanges::getOfBody(OnnxOp op) {
  DetachedBody body = buildDetachedBody(op);
  llvm::DenseMap<Value, NumberRange> scalars;
  for (auto [argument, operand] : llvm::zip_equal(body.block->getArguments(), op->getOperands()))
    scalars[argument] = get(operand);
  for (Operation &scalar : *body.block) {
    Value result = scalar.getResult(0);
    NumberRange range;
    if (auto constant = dyn_cast<SConstantOp>(scalar))
      range = getOfScalar(constant.getValue());
    else if (auto extent = dyn_cast<SExtentOp>(scalar))
      range = NumberRange::constant(extent.getExtent());
    else if (auto function = dyn_cast<ScalarOpInterface>(scalar)) {
      auto operands =
          llvm::map_to_vector(scalar.getOperands(), [&](Value x) { return scalars.lookup(x); });
      range = round(function.evaluateRange(operands, facts), operands, result.getType(), facts);
    }
    scalars[result] = fill(range, NumberRange::of(result.getType()));
  }
  return scalars.lookup(body.result);
}

NumberRange NumberRanges::getAsserted(Value value) const {
  const Assertions &assertions = stage.getAssertions();
  std::optional<int64_t> count = getTrackableElements(value);
  if (!count || *count == 0)
    return {};
  if (*count == 1)
    if (ExtentAttr most = assertions.getMost(value))
      return {{}, {most}};
  ExtentRange all = assertions.getRange(value, 0, facts);
  for (int64_t element = 1; element < *count; ++element)
    all = all.unite(assertions.getRange(value, element, facts));
  auto end = [&](std::optional<int64_t> number) {
    return number ? NumberRange::End{ExtentAttr::constant(value.getContext(), *number)}
                  : NumberRange::End{};
  };
  return {end(all.lo()), end(all.hi())};
}
