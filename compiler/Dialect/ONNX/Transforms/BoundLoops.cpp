// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops without a trip count whose condition compares a counter with a limit, as TensorFlow's while
// becomes: what they stack has no bound that the Shape stage could see. The trip count that follows
// is a bound even where other conditions end the loop, or where integers are compared as floats,
// since a conversion keeps the order.

#include "Dialect/ONNX/IR/UntypedBuilder.h"
#include "Dialect/ONNX/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_BOUNDLOOPSPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

/// Trip counts from here on are how exporters write that there is none.
constexpr int64_t kUnlimited = INT32_MAX;

std::optional<double> getConstantNumber(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  if (elements.getElementType().isSignlessInteger())
    return static_cast<double>(elements.getValues<APInt>()[0].getSExtValue());
  if (isa<FloatType>(elements.getElementType()))
    return elements.getValues<APFloat>()[0].convertToDouble();
  return std::nullopt;
}

unsigned getIntegerWidth(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  auto integer = type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  return integer && integer.isSignless() ? integer.getWidth() : 0;
}

/// A comparison `less < limit`, or `<=`.
struct Comparison {
  Value less, limit;
  bool isInclusive = false;
  /// Whether integers are compared as they are.
  bool isExact = true;

  /// The value without conversions that keep the order.
  Value strip(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<IdentityOp, CastOp>(op))
        break;
      Value operand = op->getOperand(0);
      unsigned from = getIntegerWidth(operand), to = getIntegerWidth(value);
      if (isa<CastOp>(op) && (from < 32 || (to != 0 && to < from)))
        break;
      isExact &= isa<IdentityOp>(op) || to != 0;
      value = operand;
    }
    return value;
  }

  static std::optional<Comparison> of(Value condition) {
    while (condition && condition.getDefiningOp<IdentityOp>())
      condition = condition.getDefiningOp()->getOperand(0);
    Operation *op = condition ? condition.getDefiningOp() : nullptr;
    if (!op || !isa<LessOp, LessOrEqualOp, GreaterOp, GreaterOrEqualOp>(op))
      return std::nullopt;
    bool isTurned = isa<GreaterOp, GreaterOrEqualOp>(op);
    Comparison comparison;
    comparison.less = comparison.strip(op->getOperand(isTurned ? 1 : 0));
    comparison.limit = comparison.strip(op->getOperand(isTurned ? 0 : 1));
    comparison.isInclusive = isa<LessOrEqualOp, GreaterOrEqualOp>(op);
    return comparison;
  }
};

/// A carried value that grows by `step` in each iteration for which the loop goes on while it is
/// below `limit`.
struct Counter {
  Value start, limit;
  int64_t step;
  bool isInclusive = false;
  /// Whether the loop starts only where the counter is below the limit.
  bool startsBelow = false;
  /// Whether it then goes on wherever that is so.
  bool isOnly = false;
};

class LoopCounter {
public:
  explicit LoopCounter(LoopOp op) : op(op), body(op.getBody().front()) {}

  /// In the condition, or in any of those that it has to hold together with.
  std::optional<Counter> find() {
    Value whole = body.getTerminator()->getOperand(0);
    SmallVector<Value> pending{whole};
    llvm::DenseSet<Value> seen{whole};
    while (!pending.empty()) {
      Value condition = pending.pop_back_val();
      if (auto both = condition.getDefiningOp<AndOp>()) {
        for (Value part : both->getOperands())
          if (seen.insert(part).second)
            pending.push_back(part);
      } else if (std::optional<Counter> counter = findIn(condition, condition == whole)) {
        return counter;
      }
    }
    return std::nullopt;
  }

private:
  std::optional<Counter> findIn(Value condition, bool isOnly) {
    std::optional<Comparison> comparison = Comparison::of(condition);
    if (!comparison)
      return std::nullopt;
    std::optional<Counter> counter = findCounter(comparison->less);
    Value limit = getOutside(comparison->limit);
    if (!counter || !limit || getIntegerWidth(limit) < 32)
      return std::nullopt;
    if (isUnlimited(limit) || isUnlimited(counter->start))
      return std::nullopt;
    counter->limit = limit;
    counter->isInclusive = comparison->isInclusive;
    counter->startsBelow = startsAlike(*counter);
    counter->isOnly = isOnly && counter->startsBelow && comparison->isExact;
    return counter;
  }

  /// A constant so far out that what is between two of them need not be an integer.
  static bool isUnlimited(Value value) {
    return std::abs(getConstantNumber(value).value_or(0)) >= kUnlimited;
  }

  /// The next value of a counter: a carried value and a positive step.
  std::optional<Counter> findCounter(Value next) {
    auto sum = next.getDefiningOp<AddOp>();
    for (unsigned side : {0, 1}) {
      auto carried = sum ? dyn_cast<BlockArgument>(sum->getOperand(side)) : BlockArgument();
      std::optional<unsigned> number = getCarried(carried);
      if (!number || getYielded(*number) != next || getIntegerWidth(carried) < 32)
        continue;
      Value step = getOutside(sum->getOperand(1 - side));
      std::optional<double> constant = step ? getConstantNumber(step) : std::nullopt;
      if (constant && *constant > 0 && *constant < kUnlimited)
        return Counter{op.getVInitial()[*number], {}, static_cast<int64_t>(*constant)};
    }
    return std::nullopt;
  }

  std::optional<unsigned> getCarried(BlockArgument argument) {
    if (!argument || argument.getOwner() != &body || argument.getArgNumber() < 2)
      return std::nullopt;
    return argument.getArgNumber() - 2;
  }
  Value getYielded(unsigned carried) {
    Value next = body.getTerminator()->getOperand(carried + 1);
    while (next.getDefiningOp<IdentityOp>())
      next = next.getDefiningOp()->getOperand(0);
    return next;
  }

  /// A value that no iteration changes as it is outside of the loop, or a constant; null for
  /// others.
  Value getOutside(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (std::optional<unsigned> number = getCarried(argument))
      return getYielded(*number) == argument ? Value(op.getVInitial()[*number]) : Value();
    bool isInside = op.getBody().isAncestor(value.getParentRegion());
    return !isInside || value.getDefiningOp<ConstantOp>() ? value : Value();
  }

  /// Whether the condition to start is the same comparison of the first values.
  bool startsAlike(const Counter &counter) {
    std::optional<Comparison> first = Comparison::of(op.getCond());
    return first && first->isInclusive == counter.isInclusive &&
           isSame(first->less, counter.start) && isSame(first->limit, counter.limit);
  }
  static bool isSame(Value a, Value b) {
    return a == b || (getConstantNumber(a) && getConstantNumber(a) == getConstantNumber(b));
  }

  LoopOp op;
  Block &body;
};

/// How often the loop runs at most: ceil((limit - start) / step), or once where it starts anyway.
Value buildTrip(UntypedBuilder &b, const Counter &counter) {
  auto outside = [&](Value value) {
    std::optional<double> constant = getConstantNumber(value);
    return constant ? b.number(static_cast<int64_t>(*constant)) : b.scalar(b.toI64(value));
  };
  Type integer = SymTensorType::get({}, b.getI64Type());
  Value trip = b.sub(outside(counter.limit), outside(counter.start));
  if (int64_t more = counter.step - 1 + (counter.isInclusive ? 1 : 0))
    trip = b.add(trip, b.number(more));
  if (counter.step != 1)
    trip = DivOp::create(b, b.getLocation(), integer, trip, b.number(counter.step));
  if (!counter.startsBelow)
    trip = MaxOp::create(b, b.getLocation(), integer, ValueRange{trip, b.number(1)});
  return trip;
}

void boundLoop(LoopOp op) {
  if (op.getM() && getConstantNumber(op.getM()).value_or(0) < kUnlimited)
    return;
  std::optional<Counter> counter = LoopCounter(op).find();
  if (!counter)
    return;
  UntypedBuilder builder(op);
  op.getMMutable().assign(buildTrip(builder, *counter));
  if (!counter->isOnly)
    return;
  op.getCondMutable().clear();
  Block &body = op.getBody().front();
  body.getTerminator()->setOperand(0, body.getArgument(1));
}

struct BoundLoopsPass : cameo::impl::BoundLoopsPassBase<BoundLoopsPass> {
  using BoundLoopsPassBase::BoundLoopsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([](LoopOp op) { boundLoop(op); });
  }
};

} // namespace
