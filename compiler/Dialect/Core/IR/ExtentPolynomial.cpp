// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of working polynomials: merging of ordered term lists, checked coefficients, and the
// long division that recognises exact quotients.

#include "Dialect/Core/IR/ExtentPolynomial.h"

#include "Dialect/Core/IR/ExtentStorage.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace cameo::core;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Monomial
//===----------------------------------------------------------------------===//

ExtentAttr Monomial::getOnly(ExtentKind kind) const {
  return factors.size() == 1 && factors[0].getKind() == kind ? factors[0] : ExtentAttr();
}

void Monomial::insertFactor(ExtentAttr factor) {
  auto *place = llvm::lower_bound(
      factors, factor, [](ExtentAttr a, ExtentAttr b) { return compareExtents(a, b) < 0; });
  factors.insert(place, factor);
}

bool Monomial::removeFactor(ExtentAttr factor) {
  auto *place = llvm::find(factors, factor);
  if (place == factors.end())
    return false;
  factors.erase(place);
  return true;
}

bool Monomial::hasSum() const {
  return llvm::any_of(factors,
                      [](ExtentAttr factor) { return factor.getKind() == ExtentKind::Polynomial; });
}

std::optional<Monomial> cameo::core::divideExactly(const Monomial &term, const Monomial &divisor) {
  // INT64_MIN / -1 has no quotient in int64.
  if (divisor.coefficient == -1 && term.coefficient == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  if (term.coefficient % divisor.coefficient != 0)
    return std::nullopt;
  Monomial quotient = term;
  quotient.coefficient = term.coefficient / divisor.coefficient;
  for (ExtentAttr factor : divisor.factors)
    if (!quotient.removeFactor(factor))
      return std::nullopt;
  return quotient;
}

//===----------------------------------------------------------------------===//
// Polynomial
//===----------------------------------------------------------------------===//

Polynomial::Polynomial(int64_t value) { add(Monomial(value)); }

Polynomial::Polynomial(ExtentAttr extent) {
  assert(!extent.isUnknown() && "an unknown extent has no terms");
  terms.append(extent.getTerms().begin(), extent.getTerms().end());
}

bool Polynomial::operator==(const Polynomial &other) const {
  return overflowed == other.overflowed &&
         std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                    [](const Monomial &lhs, const Monomial &rhs) {
                      return lhs.coefficient == rhs.coefficient && lhs.factors == rhs.factors;
                    });
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms[0].isConstant())
    return terms[0].coefficient;
  return std::nullopt;
}

int64_t Polynomial::getContent() const {
  uint64_t content = 0;
  for (const Monomial &term : terms)
    content = std::gcd(content, llvm::AbsoluteValue(term.coefficient));
  // Only 2^63 does not fit; half of it divides as well.
  return static_cast<int64_t>(content == uint64_t(1) << 63 ? content / 2 : content);
}

void Polynomial::add(const ExtentTerm &term) {
  if (term.coefficient == 0)
    return;
  auto *place = llvm::lower_bound(terms, term, [](const Monomial &a, const ExtentTerm &b) {
    return compareFactors(a.factors, b.factors) < 0;
  });
  if (place == terms.end() || ArrayRef<ExtentAttr>(place->factors) != term.factors) {
    terms.insert(place, Monomial(term));
    return;
  }
  overflowed |= llvm::AddOverflow(place->coefficient, term.coefficient, place->coefficient) != 0;
  if (place->coefficient == 0)
    terms.erase(place);
}

void Polynomial::add(const Polynomial &other, int64_t scale) {
  overflowed |= other.overflowed;
  if (other.size() == 1 || size() == 0) {
    for (const Monomial &term : other.terms) {
      Monomial scaled = term;
      overflowed |= llvm::MulOverflow(term.coefficient, scale, scaled.coefficient) != 0;
      add(scaled);
    }
    return;
  }
  llvm::SmallVector<Monomial, 2> merged;
  merged.reserve(size() + other.size());
  auto *left = terms.begin();
  for (const Monomial &term : other.terms) {
    int order = 1;
    while (left != terms.end() && (order = compareFactors(left->factors, term.factors)) < 0)
      merged.push_back(std::move(*left++));
    Monomial scaled = term;
    overflowed |= llvm::MulOverflow(term.coefficient, scale, scaled.coefficient) != 0;
    if (left != terms.end() && order == 0)
      overflowed |=
          llvm::AddOverflow(left++->coefficient, scaled.coefficient, scaled.coefficient) != 0;
    if (scaled.coefficient != 0)
      merged.push_back(std::move(scaled));
  }
  merged.append(std::make_move_iterator(left), std::make_move_iterator(terms.end()));
  terms = std::move(merged);
}

void Polynomial::remove(const ExtentTerm &term) { add(Polynomial(term), -1); }

Polynomial Polynomial::times(const ExtentTerm &term) const {
  Polynomial product;
  product.overflowed = overflowed;
  if (term.coefficient == 0)
    return product;
  // A common factor keeps the order of the terms.
  for (const Monomial &own : terms) {
    // Too long to become an extent: stop before the list of factors explodes.
    if (own.factors.size() + term.factors.size() > kMaxExtentSize)
      return makeInvalid();
    Monomial &result = product.terms.emplace_back();
    product.overflowed |=
        llvm::MulOverflow(own.coefficient, term.coefficient, result.coefficient) != 0;
    result.factors.reserve(own.factors.size() + term.factors.size());
    std::merge(own.factors.begin(), own.factors.end(), term.factors.begin(), term.factors.end(),
               std::back_inserter(result.factors),
               [](ExtentAttr a, ExtentAttr b) { return compareExtents(a, b) < 0; });
  }
  return product;
}

Polynomial Polynomial::times(const Polynomial &other) const {
  Polynomial product;
  product.overflowed = other.overflowed;
  for (const Monomial &term : other.terms)
    product.add(times(term));
  return product;
}

void Polynomial::divideCoefficients(int64_t divisor) {
  for (Monomial &term : terms)
    term.coefficient = llvm::divideFloorSigned<int64_t>(term.coefficient, divisor);
  llvm::erase_if(terms, [](const Monomial &term) { return term.coefficient == 0; });
}

void Polynomial::removeCommonFactor(ExtentAttr factor) {
  for (Monomial &term : terms)
    term.removeFactor(factor);
}

bool Polynomial::isCommonFactor(ExtentAttr factor) const {
  return llvm::all_of(
      terms, [&](const Monomial &term) { return llvm::is_contained(term.factors, factor); });
}

Polynomial Polynomial::extractMultiples(const Polynomial &divisor) {
  assert(!divisor.isZero() && "nothing is a multiple of zero");
  const Monomial &lead = divisor.terms.front();
  Polynomial quotient;
  if (divisor.size() == 1) {
    llvm::SmallVector<Monomial, 2> rest;
    for (Monomial &term : terms) {
      if (std::optional<Monomial> part = divideExactly(term, lead))
        quotient.add(*part);
      else
        rest.push_back(std::move(term));
    }
    terms = std::move(rest);
    return quotient;
  }
  // Each step removes the leading term and adds only lower ones.
  Polynomial rest = *this;
  for (size_t step = 0; !rest.isZero(); ++step) {
    std::optional<Monomial> part;
    if (step < kMaxExtentProductTerms)
      part = divideExactly(rest.terms.front(), lead);
    if (!part)
      return {};
    quotient.add(*part);
    rest.add(divisor.times(*part), -1);
    if (!rest.valid())
      return {};
  }
  *this = rest;
  return quotient;
}
