// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic forgets that two terms hold the same atom. Each refinement below restates
// the polynomial exactly, so that the atom is gone from the place where it hurts, and takes the
// interval of that; since all restatements are equal, their intervals may be intersected. The
// number of restatements per polynomial is bounded.

#include "Dialect/Core/IR/ExtentAnalysis.h"

#include "Dialect/Core/IR/ExtentStorage.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace cameo::core;
using llvm::ArrayRef;

static constexpr unsigned kMaxRestatements = 24;
static constexpr size_t kMaxShiftedDegree = 4;

static ExtentRange getIntervalSum(const Polynomial &polynomial,
                                  llvm::function_ref<ExtentRange(ExtentAttr)> rangeOf) {
  llvm::SmallVector<ExtentTerm> terms(polynomial.getTerms().begin(), polynomial.getTerms().end());
  return transferRange(ExtentKind::Polynomial, {}, terms, rangeOf);
}

static bool isMinMax(ExtentAttr atom) {
  return atom.getKind() == ExtentKind::Min || atom.getKind() == ExtentKind::Max;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

ExtentRange ExtentAnalysis::getRange(ExtentAttr extent) {
  if (!facts || extent.isConstant())
    return extent.getImpl()->range;
  auto known = ranges.find(extent);
  if (known != ranges.end())
    return known->second;
  ExtentRange result = extent.getImpl()->range;
  if (extent.isSymbol())
    result = getSymbolRange(extent);
  else if (extent.getKind() == ExtentKind::Polynomial)
    result = result.intersect(getRange(Polynomial(extent)));
  else
    result = result.intersect(transferRange(extent.getKind(), extent.getOperands(), {},
                                            [&](ExtentAttr part) { return getRange(part); }));
  ranges[extent] = result;
  return result;
}

ExtentRange ExtentAnalysis::getSymbolRange(ExtentAttr symbol) {
  SymbolFact fact = facts->lookup(symbol.getSymbolName());
  // Only multiples of the divisor are left.
  int64_t low = fact.min, high = fact.max, rest = llvm::mod<int64_t>(low, fact.divisor);
  if (rest != 0 && llvm::AddOverflow(low, fact.divisor - rest, low))
    low = fact.min;
  if (llvm::SubOverflow(high, llvm::mod<int64_t>(high, fact.divisor), high))
    high = fact.max;
  return low <= high ? ExtentRange(low, high) : ExtentRange(fact.min, fact.max);
}

ExtentRange ExtentAnalysis::getRange(const Polynomial &polynomial) {
  unsigned budget = kMaxRestatements;
  return refine(polynomial, budget);
}

ExtentRange ExtentAnalysis::refine(const Polynomial &polynomial, unsigned &budget) {
  if (!polynomial.valid())
    return {};
  ExtentRange result =
      getIntervalSum(polynomial, [&](ExtentAttr factor) { return getRange(factor); });
  // Nothing is correlated in one term, and nothing is left to learn of one value.
  if (polynomial.size() < 2 || result.constant())
    return result;
  result = result.intersect(shiftToLowerBounds(polynomial));
  // A minimum or a maximum first: its operands may cancel, and a symbol's bound leads to others.
  for (bool isChoice : {true, false})
    for (const Monomial &term : polynomial.getTerms())
      if (budget > 0 && term.factors.size() == 1 && isMinMax(term.factors[0]) == isChoice)
        result = result.intersect(splitAtom(polynomial, term, budget));
  return result;
}

/// `term` is c * atom. Restates the polynomial without that atom.
ExtentRange ExtentAnalysis::splitAtom(const Polynomial &polynomial, const Monomial &term,
                                      unsigned &budget) {
  ExtentAttr atom = term.factors[0];
  ExtentKind kind = atom.getKind();
  int64_t coefficient = term.coefficient;
  Polynomial rest = polynomial;
  rest.remove(term);

  if (isMinMax(atom)) {
    // rest + c * min(a, b) = min(rest + c * a, rest + c * b), max for a negative c.
    bool takesMin = (kind == ExtentKind::Min) == (coefficient > 0);
    std::optional<ExtentRange> result;
    for (ExtentAttr operand : atom.getOperands()) {
      if (budget == 0)
        return {};
      --budget;
      Polynomial option = rest;
      option.add(Polynomial(operand), coefficient);
      ExtentRange next = refine(option, budget);
      result = !result ? next : takesMin ? result->min(next) : result->max(next);
    }
    return *result;
  }

  if (kind == ExtentKind::Symbol) {
    ExtentAttr bound = facts ? facts->lookup(atom.getSymbolName()).bound : ExtentAttr();
    if (!bound)
      return {};
    --budget;
    rest.add(Polynomial(bound), coefficient);
    ExtentRange most = refine(rest, budget);
    return coefficient < 0 ? ExtentRange(most.lo(), std::nullopt)
                           : ExtentRange(std::nullopt, most.hi());
  }

  if (kind != ExtentKind::FloorDiv && kind != ExtentKind::Mod)
    return {};
  ExtentAttr dividend = atom.getOperands()[0];
  std::optional<int64_t> divisor = atom.getOperands()[1].getConstant();
  if (!divisor || coefficient == std::numeric_limits<int64_t>::min())
    return {};
  --budget;
  if (kind == ExtentKind::Mod) {
    // c * (x mod d) = c * x - c * d * (x floordiv d)
    rest.add(Polynomial(dividend), coefficient);
    ExtentRange scale = ExtentRange::constant(-coefficient) * ExtentRange::constant(*divisor);
    ExtentRange quotient = getRange(dividend).floorDiv(ExtentRange::constant(*divisor));
    return scale.constant() ? refine(rest, budget) + scale * quotient : ExtentRange();
  }
  // d * (rest + c * (x floordiv d)) = d * rest + c * x - c * (x mod d)
  Polynomial scaled;
  scaled.add(rest, *divisor);
  scaled.add(Polynomial(dividend), coefficient);
  ExtentRange remainder = getRange(dividend).mod(ExtentRange::constant(*divisor));
  ExtentRange multiple = refine(scaled, budget) + ExtentRange::constant(-coefficient) * remainder;
  ExtentRange rounded = multiple.floorDiv(ExtentRange::constant(*divisor));
  if (std::optional<int64_t> low = multiple.lo())
    return {llvm::divideCeilSigned<int64_t>(*low, *divisor), rounded.hi()};
  return rounded;
}

/// Writes each atom as its lower bound plus a new unknown that is not negative.
ExtentRange ExtentAnalysis::shiftToLowerBounds(const Polynomial &polynomial) {
  bool useful = false;
  for (const Monomial &term : polynomial.getTerms()) {
    if (term.factors.size() > kMaxShiftedDegree)
      return {};
    useful |= term.factors.size() >= 2 && llvm::any_of(term.factors, [&](ExtentAttr factor) {
                return getRange(factor).lo().value_or(0) != 0;
              });
  }
  if (!useful)
    return {};
  Polynomial shifted;
  for (const Monomial &term : polynomial.getTerms()) {
    Polynomial product(term.coefficient);
    for (ExtentAttr factor : term.factors) {
      Polynomial offset;
      offset.add(product, getRange(factor).lo().value_or(0));
      product = product.times({1, factor});
      product.add(offset);
    }
    shifted.add(product);
  }
  if (!shifted.valid())
    return {};
  return getIntervalSum(shifted, [&](ExtentAttr factor) {
    ExtentRange range = getRange(factor);
    std::optional<int64_t> low = range.lo();
    return low ? range + -ExtentRange::constant(*low) : range;
  });
}

//===----------------------------------------------------------------------===//
// Divisibility
//===----------------------------------------------------------------------===//

int64_t ExtentAnalysis::getDivisor(const ExtentTerm &term) {
  int64_t divisor = Polynomial(term.coefficient).getContent();
  for (ExtentAttr factor : term.factors) {
    // A product too large for int64 has the divisors of its first factors still.
    int64_t product;
    if (llvm::MulOverflow(divisor, getDivisor(factor), product))
      break;
    divisor = product;
  }
  return divisor;
}

int64_t ExtentAnalysis::getDivisor(ExtentAttr extent) {
  auto known = divisors.find(extent);
  if (known != divisors.end())
    return known->second;
  ArrayRef<ExtentAttr> operands = extent.getOperands();
  int64_t result = 1;
  switch (extent.getKind()) {
  case ExtentKind::Unknown:
    break;
  case ExtentKind::Symbol:
    if (facts)
      result = facts->lookup(extent.getSymbolName()).divisor;
    break;
  case ExtentKind::FloorDiv:
    if (std::optional<int64_t> divisor = operands[1].getConstant()) {
      int64_t dividend = getDivisor(operands[0]);
      result = dividend % *divisor == 0 ? dividend / *divisor : 1;
    }
    break;
  case ExtentKind::Mod:
  case ExtentKind::Min:
  case ExtentKind::Max:
    result = 0;
    for (ExtentAttr operand : operands)
      result = std::gcd(result, getDivisor(operand));
    break;
  case ExtentKind::Polynomial:
    result = 0;
    for (const ExtentTerm &term : extent.getTerms())
      result = std::gcd(result, getDivisor(term));
    break;
  }
  divisors[extent] = result;
  return result;
}
