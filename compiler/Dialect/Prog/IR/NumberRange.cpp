// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/NumberRange.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::prog;

using End = NumberRange::End;

/// An extent that 64 bits cannot hold is no end.
static End makeEnd(ExtentAttr value, bool isSure) {
  return value && !value.isUnknown() ? End{value, isSure} : End{};
}

/// An end of either bounds both, the surer one where one is as near.
static End nearer(End a, End b, ExtentAttr value) {
  if (!a || !b)
    return a ? a : b;
  bool isSure =
      (a.isSure && b.isSure) || (a.isSure && value == a.value) || (b.isSure && value == b.value);
  return makeEnd(value, isSure);
}

static End farther(End a, End b, ExtentAttr value) {
  return a && b ? makeEnd(value, a.isSure && b.isSure) : End{};
}

static ExtentAttr apply(End a, End b, llvm::function_ref<ExtentAttr(ExtentAttr, ExtentAttr)> f) {
  return a && b ? f(a.value, b.value) : ExtentAttr();
}

static ExtentAttr least(ExtentAttr a, ExtentAttr b) { return a.min(b); }
static ExtentAttr most(ExtentAttr a, ExtentAttr b) { return a.max(b); }

NumberRange NumberRange::constants(MLIRContext *context, int64_t least, int64_t most) {
  return {{ExtentAttr::constant(context, least)}, {ExtentAttr::constant(context, most)}};
}

NumberRange NumberRange::of(Type element) {
  if (element.isInteger(1))
    return constants(element.getContext(), 0, 1);
  ExtentRange values = getIntegerRange(element);
  NumberRange range;
  if (auto lo = values.lo())
    range.least = {ExtentAttr::constant(element.getContext(), *lo)};
  if (auto hi = values.hi())
    range.most = {ExtentAttr::constant(element.getContext(), *hi)};
  return range;
}

NumberRange NumberRange::sureIf(bool holds) const {
  return {{least.value, least.isSure && holds}, {most.value, most.isSure && holds}};
}

NumberRange NumberRange::operator+(NumberRange other) const {
  auto add = [](ExtentAttr a, ExtentAttr b) { return a + b; };
  bool holds = isSure() && other.isSure();
  return {makeEnd(apply(least, other.least, add), holds),
          makeEnd(apply(most, other.most, add), holds)};
}

NumberRange NumberRange::operator-() const {
  auto negate = [&](End end) { return end ? makeEnd(-end.value, isSure()) : End{}; };
  return {negate(most), negate(least)};
}

NumberRange NumberRange::min(NumberRange other) const {
  return {farther(least, other.least, apply(least, other.least, ::least)),
          nearer(most, other.most, apply(most, other.most, ::least))};
}

NumberRange NumberRange::max(NumberRange other) const {
  return {nearer(least, other.least, apply(least, other.least, ::most)),
          farther(most, other.most, apply(most, other.most, ::most))};
}

NumberRange NumberRange::join(NumberRange other) const {
  return {farther(least, other.least, apply(least, other.least, ::least)),
          farther(most, other.most, apply(most, other.most, ::most))};
}

static bool isAtLeast(End end, int64_t value, const ExtentFacts &facts) {
  return end && range(end.value, facts).atLeast(value);
}

NumberRange NumberRange::multiply(NumberRange other, const ExtentFacts &facts) const {
  if (!isAtLeast(least, 0, facts) || !isAtLeast(other.least, 0, facts))
    return {};
  auto product = [](ExtentAttr a, ExtentAttr b) { return a * b; };
  bool holds = isSure() && other.isSure();
  return {makeEnd(apply(least, other.least, product), holds),
          makeEnd(apply(most, other.most, product), holds)};
}

NumberRange NumberRange::divide(NumberRange other, const ExtentFacts &facts) const {
  if (!other.least || !other.most || other.least.value != other.most.value ||
      !isAtLeast(other.least, 1, facts))
    return {};
  ExtentAttr divisor = other.least.value;
  return {least ? makeEnd(least.value.floorDiv(divisor), least.isSure) : End{},
          most ? makeEnd(most.value.ceilDiv(divisor), most.isSure) : End{}};
}

NumberRange NumberRange::mod(NumberRange other, const ExtentFacts &facts) const {
  if (!isAtLeast(other.least, 1, facts) || !other.most)
    return {};
  return {{ExtentAttr::constant(other.most.value.getContext(), 0), other.least.isSure},
          makeEnd(other.most.value - 1, other.most.isSure)};
}

NumberRange NumberRange::abs() const {
  if (!least || !most)
    return {};
  return NumberRange({ExtentAttr::constant(least.value.getContext(), 0)},
                     makeEnd(most.value.max(-least.value), true))
      .sureIf(isSure());
}

NumberRange NumberRange::sum(ExtentAttr count, const ExtentFacts &facts) const {
  ExtentAttr none = ExtentAttr::constant(count.getContext(), 0);
  auto scale = [&](End end, ExtentAttr nearest) {
    return end ? makeEnd(nearest * count, isSure()) : End{};
  };
  return {scale(least, least ? simplify(least.value.min(none), facts) : none),
          scale(most, most ? simplify(most.value.max(none), facts) : none)};
}

/// Up to where the type has all whole numbers; none for one that is no float.
static std::optional<int64_t> getWholeLimit(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type ? std::optional(int64_t(1) << type.getFPMantissaWidth()) : std::nullopt;
}

NumberRange NumberRange::within(Type element, const ExtentFacts &facts) const {
  std::optional<int64_t> limit = getWholeLimit(element);
  ExtentRange fits = limit ? ExtentRange(-*limit, *limit) : getIntegerRange(element);
  auto isInside = [&](End end) {
    ExtentRange values = range(end.value, facts);
    return values.lo() && values.hi() && fits.unite(values) == fits;
  };
  bool leastFits = !least || isInside(least), mostFits = !most || isInside(most);
  // A number that leaves the integers comes back anywhere.
  if (!limit)
    return leastFits && mostFits ? *this : of(element);
  // Sums of floats round in order: beyond whole numbers by less than a sixteenth, up to 2^20 steps.
  End above = most;
  if (!mostFits)
    above = isAtLeast(most, 0, facts) ? makeEnd(most.value + most.value.ceilDiv(16), most.isSure)
                                      : End{};
  return {leastFits ? least : End{}, above};
}

NumberRange NumberRange::convert(Type from, Type to, const ExtentFacts &facts) const {
  if (isa<FloatType>(to) || !isa<FloatType>(from) || to.isInteger(1))
    return within(to, facts);
  // A float saturates at the nearest integer of the type; NaN becomes some number.
  NumberRange all = of(to), values = *this;
  if (all.least)
    values = values.max(constant(all.least.value));
  if (all.most)
    values = values.min(constant(all.most.value));
  return values.sureIf(false);
}
