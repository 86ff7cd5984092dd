// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `floordiv` and `mod` in normal form. Every rule is an identity of floor division, noted beside
// it; m and d stand for anything but zero, c and g for positive constants.

#include "Dialect/Core/IR/ExtentBuilder.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace cameo::core;

static int64_t floorDivide(int64_t value, int64_t divisor) {
  return llvm::divideFloorSigned<int64_t>(value, divisor);
}

static int64_t floorMod(int64_t value, int64_t divisor) {
  return llvm::mod<int64_t>(value, divisor);
}

static Polynomial difference(const Polynomial &lhs, const Polynomial &rhs) {
  Polynomial result = lhs;
  result.add(rhs, -1);
  return result;
}

/// The greatest common divisor of c and all coefficients but the constant one.
static int64_t getCommonDivisor(const Polynomial &polynomial, int64_t c) {
  Polynomial symbolic;
  for (const Monomial &term : polynomial.getTerms())
    if (!term.isConstant())
      symbolic.add(term);
  return std::gcd(symbolic.getContent(), c);
}

//===----------------------------------------------------------------------===//
// Any divisor
//===----------------------------------------------------------------------===//

std::optional<int64_t> ExtentBuilder::getOnlyQuotient(const Polynomial &dividend,
                                                      const Polynomial &divisor) {
  ExtentRange divisorRange = analysis.getRange(divisor);
  if (!divisorRange.isNonZero())
    return std::nullopt;
  ExtentRange dividendRange = analysis.getRange(dividend);
  if (std::optional<int64_t> quotient = dividendRange.floorDiv(divisorRange).constant())
    return quotient;
  if (!divisorRange.atLeast(1) || divisor.getConstant())
    return std::nullopt;
  if (dividendRange.atLeast(0) && analysis.getRange(difference(divisor, dividend)).atLeast(1))
    return 0;
  if (dividendRange.atMost(-1)) {
    Polynomial sum = dividend;
    sum.add(divisor);
    if (analysis.getRange(sum).atLeast(0))
      return -1;
  }
  return std::nullopt;
}

/// Divides both by whatever divides all their terms and is not zero; `common` collects it.
void ExtentBuilder::cancelCommonFactors(Polynomial &dividend, Polynomial &divisor,
                                        Monomial &common) {
  int64_t content = std::gcd(dividend.getContent(), divisor.getContent());
  dividend.divideCoefficients(content);
  divisor.divideCoefficients(content);
  common.coefficient *= content;
  llvm::SmallVector<ExtentAttr, 2> candidates = divisor.getTerms().front().factors;
  for (ExtentAttr factor : candidates) {
    if (!dividend.isCommonFactor(factor) || !divisor.isCommonFactor(factor) ||
        !analysis.getRange(factor).isNonZero())
      continue;
    dividend.removeCommonFactor(factor);
    divisor.removeCommonFactor(factor);
    common.insertFactor(factor);
  }
}

/// Brings both operands into the form in which division rules look at them: leading coefficient of
/// the divisor positive, nothing in common. `common` is what a remainder must be multiplied by.
/// False if there is no such form: the divisor is zero or a coefficient overflows.
bool ExtentBuilder::normalizeDivision(Polynomial &dividend, Polynomial &divisor, Monomial &common) {
  if (divisor.isZero())
    return false;
  if (divisor.getTerms().front().coefficient < 0) {
    // a floordiv -d = -a floordiv d, a mod -d = -(-a mod d)
    dividend.negate();
    divisor.negate();
    common.coefficient = -1;
  }
  if (!dividend.valid() || !divisor.valid())
    return false;
  // (m * a) floordiv (m * d) = a floordiv d, (m * a) mod (m * d) = m * (a mod d)
  if (!dividend.isZero())
    cancelCommonFactors(dividend, divisor, common);
  return true;
}

ExtentAttr ExtentBuilder::floorDiv(ExtentAttr dividendAttr, ExtentAttr divisorAttr) {
  if (dividendAttr.isUnknown() || divisorAttr.isUnknown())
    return getUnknown();
  Polynomial dividend(dividendAttr), divisor(divisorAttr);
  Monomial common;
  if (!normalizeDivision(dividend, divisor, common))
    return getUnknown();
  if (dividend.isZero())
    return getConstant(0);
  if (std::optional<int64_t> c = divisor.getConstant())
    return floorDivConstant(dividend, *c);

  divisorAttr = intern(divisor);
  // (a + q * d) floordiv d = a floordiv d + q
  Polynomial quotient;
  if (analysis.getRange(divisor).isNonZero())
    quotient = dividend.extractMultiples(divisor);
  // (a mod d) floordiv d = 0
  if (dividend.size() == 1 && dividend.getTerms().front().coefficient == 1)
    if (ExtentAttr inner = dividend.getTerms().front().getOnly(ExtentKind::Mod);
        inner && inner.getOperands()[1] == divisorAttr)
      return intern(quotient);
  if (std::optional<int64_t> value = getOnlyQuotient(dividend, divisor)) {
    quotient.add(Monomial(*value));
    return intern(quotient);
  }
  ExtentAttr atom = makeAtom(ExtentKind::FloorDiv, {intern(dividend), divisorAttr});
  return add(intern(quotient), atom);
}

ExtentAttr ExtentBuilder::mod(ExtentAttr dividendAttr, ExtentAttr divisorAttr) {
  if (dividendAttr.isUnknown() || divisorAttr.isUnknown())
    return getUnknown();
  Polynomial dividend(dividendAttr), divisor(divisorAttr);
  Monomial common;
  if (!normalizeDivision(dividend, divisor, common))
    return getUnknown();
  if (dividend.isZero())
    return getConstant(0);
  ExtentAttr scale = intern(Polynomial(common));
  if (std::optional<int64_t> c = divisor.getConstant())
    return multiply(modConstant(dividend, *c), scale);

  divisorAttr = intern(divisor);
  // (a + k * (b mod d)) mod d = (a + k * b) mod d
  for (const Monomial &term : dividend.getTerms()) {
    ExtentAttr inner = term.getOnly(ExtentKind::Mod);
    if (!inner || inner.getOperands()[1] != divisorAttr)
      continue;
    Polynomial flat = difference(dividend, Polynomial(term));
    flat.add(Polynomial(inner.getOperands()[0]), term.coefficient);
    return multiply(mod(intern(flat), divisorAttr), scale);
  }
  // (a + q * d) mod d = a mod d
  if (analysis.getRange(divisor).isNonZero())
    dividend.extractMultiples(divisor);
  if (std::optional<int64_t> quotient = getOnlyQuotient(dividend, divisor)) {
    dividend.add(divisor, -*quotient);
    return multiply(intern(dividend), scale);
  }
  return multiply(makeAtom(ExtentKind::Mod, {intern(dividend), divisorAttr}), scale);
}

//===----------------------------------------------------------------------===//
// Constant divisors
//===----------------------------------------------------------------------===//

ExtentAttr ExtentBuilder::floorDivConstant(Polynomial dividend, int64_t divisor) {
  Polynomial quotient;
  while (true) {
    // (a + q * c) floordiv c = a floordiv c + q
    Polynomial rest;
    for (Monomial term : dividend.getTerms()) {
      if (!term.isConstant() && term.coefficient % divisor != 0) {
        rest.add(term);
        continue;
      }
      rest.add(Monomial(floorMod(term.coefficient, divisor)));
      term.coefficient = floorDivide(term.coefficient, divisor);
      quotient.add(term);
    }
    if (std::optional<int64_t> value = getOnlyQuotient(rest, Polynomial(divisor))) {
      quotient.add(Monomial(*value));
      return intern(quotient);
    }
    // (g * a + k) floordiv (g * c) = (a + k floordiv g) floordiv c
    int64_t common = getCommonDivisor(rest, divisor);
    rest.divideCoefficients(common);
    divisor /= common;
    if (common == 1 && !mergeNestedFloorDiv(rest, divisor)) {
      dividend = rest;
      break;
    }
    dividend = rest;
  }
  // (a + b) floordiv c = a floordiv c + b floordiv c, where c divides a
  Polynomial inexact;
  for (const Monomial &term : dividend.getTerms()) {
    if (dividend.size() > 1 && !term.isConstant() && analysis.getDivisor(term) % divisor == 0) {
      ExtentAttr exact = floorDivConstant(Polynomial(term), divisor);
      if (exact.isUnknown())
        return exact;
      quotient.add(Polynomial(exact));
    } else {
      inexact.add(term);
    }
  }
  if (inexact.size() < dividend.size()) {
    ExtentAttr remaining = floorDivConstant(inexact, divisor);
    return add(intern(quotient), remaining);
  }
  ExtentAttr atom = makeAtom(ExtentKind::FloorDiv, {intern(dividend), getConstant(divisor)});
  return add(intern(quotient), atom);
}

/// (a floordiv c1 + b) floordiv c2 = (a + c1 * b) floordiv (c1 * c2), if there is one such term
/// and nothing overflows.
bool ExtentBuilder::mergeNestedFloorDiv(Polynomial &dividend, int64_t &divisor) {
  const Monomial *nested = nullptr;
  for (const Monomial &term : dividend.getTerms()) {
    ExtentAttr inner = term.getOnly(ExtentKind::FloorDiv);
    if (!inner || term.coefficient != 1 || !inner.getOperands()[1].isConstant())
      continue;
    if (nested)
      return false;
    nested = &term;
  }
  if (!nested)
    return false;
  ExtentAttr inner = nested->factors[0];
  int64_t innerDivisor = *inner.getOperands()[1].getConstant(), product;
  if (llvm::MulOverflow(divisor, innerDivisor, product))
    return false;
  Polynomial merged(inner.getOperands()[0]);
  merged.add(difference(dividend, Polynomial(*nested)), innerDivisor);
  if (!merged.valid())
    return false;
  dividend = merged;
  divisor = product;
  return true;
}

ExtentAttr ExtentBuilder::modConstant(Polynomial dividend, int64_t divisor) {
  Polynomial divisorPolynomial(divisor);
  while (true) {
    if (std::optional<int64_t> quotient = getOnlyQuotient(dividend, divisorPolynomial)) {
      dividend.add(divisorPolynomial, -*quotient);
      return intern(dividend);
    }
    // (a + q * c) mod c = a mod c; coefficients become those of least magnitude.
    Polynomial rest;
    for (Monomial term : dividend.getTerms()) {
      if (!term.isConstant() && analysis.getDivisor(term) % divisor == 0)
        continue;
      term.coefficient = floorMod(term.coefficient, divisor);
      if (!term.isConstant() && term.coefficient > divisor - term.coefficient)
        term.coefficient -= divisor;
      rest.add(term);
    }
    // (a + k * (b mod d)) mod c = (a + k * b) mod c, where c divides k * d
    Polynomial flat;
    for (const Monomial &term : rest.getTerms()) {
      ExtentAttr inner = term.getOnly(ExtentKind::Mod);
      std::optional<int64_t> innerDivisor =
          inner ? inner.getOperands()[1].getConstant() : std::nullopt;
      int64_t product;
      if (innerDivisor && !llvm::MulOverflow(term.coefficient, *innerDivisor, product) &&
          product % divisor == 0)
        flat.add(Polynomial(inner.getOperands()[0]), term.coefficient);
      else
        flat.add(term);
    }
    if (!flat.valid())
      flat = rest;
    if (flat == dividend)
      break;
    dividend = flat;
  }
  // (g * a + k) mod (g * c) = g * ((a + k floordiv g) mod c) + k mod g
  int64_t common = getCommonDivisor(dividend, divisor);
  if (common == 1)
    return makeAtom(ExtentKind::Mod, {intern(dividend), getConstant(divisor)});
  int64_t constant = 0;
  for (const Monomial &term : dividend.getTerms())
    if (term.isConstant())
      constant = term.coefficient;
  dividend.divideCoefficients(common);
  ExtentAttr reduced = multiply(modConstant(dividend, divisor / common), getConstant(common));
  return add(reduced, getConstant(floorMod(constant, common)));
}
