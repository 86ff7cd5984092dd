// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The working form of an extent while it is being computed: a sum of products outside the context,
// so that intermediate results leave nothing behind. Terms are merged and in order at all times.
// Overflow of a coefficient is sticky: the polynomial is then not `valid()` and stands for nothing.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTPOLYNOMIAL_H
#define CAMEO_DIALECT_CORE_IR_EXTENTPOLYNOMIAL_H

#include "Dialect/Core/IR/Extent.h"

#include "llvm/ADT/SmallVector.h"

namespace cameo::core {

/// An ExtentTerm that owns its factors.
struct Monomial {
  int64_t coefficient = 1;
  llvm::SmallVector<ExtentAttr, 2> factors;

  Monomial() = default;
  explicit Monomial(int64_t coefficient) : coefficient(coefficient) {}
  Monomial(const ExtentTerm &term)
      : coefficient(term.coefficient), factors(term.factors.begin(), term.factors.end()) {}
  operator ExtentTerm() const { return {coefficient, factors}; }

  bool isConstant() const { return factors.empty(); }
  /// The factor, if the term is a coefficient times one atom of this kind; else null.
  ExtentAttr getOnly(ExtentKind kind) const;
  void insertFactor(ExtentAttr factor);
  /// Removes one occurrence; false if there is none.
  bool removeFactor(ExtentAttr factor);
  /// Whether a factor is an unexpanded sum.
  bool hasSum() const;
};

class Polynomial {
public:
  /// Zero.
  Polynomial() = default;
  explicit Polynomial(int64_t value);
  explicit Polynomial(const ExtentTerm &term) { add(term); }
  /// The polynomial of any extent but `unknown`.
  explicit Polynomial(ExtentAttr extent);

  /// The result of an operation that has none, as behind an overflow.
  static Polynomial makeInvalid() {
    Polynomial polynomial;
    polynomial.overflowed = true;
    return polynomial;
  }

  bool valid() const { return !overflowed; }
  llvm::ArrayRef<Monomial> getTerms() const { return terms; }
  size_t size() const { return terms.size(); }
  bool isZero() const { return terms.empty(); }
  bool hasSum() const {
    return llvm::any_of(terms, [](auto &term) { return term.hasSum(); });
  }
  bool operator==(const Polynomial &other) const;
  /// The value, if there is no other term.
  std::optional<int64_t> getConstant() const;
  /// The greatest int64 that divides all coefficients; 0 for zero.
  int64_t getContent() const;

  void add(const ExtentTerm &term);
  void add(const Polynomial &other, int64_t scale = 1);
  void remove(const ExtentTerm &term);
  void negate() { *this = times(Monomial(-1)); }
  Polynomial times(const ExtentTerm &term) const;
  Polynomial times(const Polynomial &other) const;

  /// Divides every coefficient by `divisor` > 0; the constant's quotient is rounded down.
  void divideCoefficients(int64_t divisor);
  /// Removes one occurrence of `factor`, which every term has, from every term.
  void removeCommonFactor(ExtentAttr factor);
  bool isCommonFactor(ExtentAttr factor) const;

  /// Splits into quotient * divisor + rest. With a divisor of one term every divisible term moves
  /// to the quotient; with a longer one all terms do or none. Returns the quotient.
  Polynomial extractMultiples(const Polynomial &divisor);

private:
  llvm::SmallVector<Monomial, 2> terms;
  bool overflowed = false;
};

/// term / divisor, if that is a product with an integer coefficient.
std::optional<Monomial> divideExactly(const Monomial &term, const Monomial &divisor);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTPOLYNOMIAL_H
