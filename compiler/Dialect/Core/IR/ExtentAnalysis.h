// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and divisibility of extents and of working polynomials, under facts or, without any, for
// every assignment. One object serves one query: it remembers what it found per sub-expression, so
// the facts must not change while it lives.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTANALYSIS_H
#define CAMEO_DIALECT_CORE_IR_EXTENTANALYSIS_H

#include "Dialect/Core/IR/ExtentFacts.h"
#include "Dialect/Core/IR/ExtentPolynomial.h"

namespace cameo::core {

class ExtentAnalysis {
public:
  ExtentAnalysis() = default;
  explicit ExtentAnalysis(const ExtentFacts &facts) : facts(&facts) {}

  bool hasFacts() const { return facts != nullptr; }

  ExtentRange getRange(ExtentAttr extent);
  /// Beyond interval arithmetic on the terms, sees that `x - min(x, y)`, `x - 2 * (x floordiv 2)`,
  /// for M >= 1 `M * N - N`, and for a symbol k that is at most N `N - k` are not negative.
  ExtentRange getRange(const Polynomial &polynomial);

  /// The greatest number known to divide it; 0 for zero.
  int64_t getDivisor(ExtentAttr extent);
  int64_t getDivisor(const ExtentTerm &term);

private:
  ExtentRange refine(const Polynomial &polynomial, unsigned &budget);
  ExtentRange splitAtom(const Polynomial &polynomial, const Monomial &term, unsigned &budget);
  ExtentRange shiftToLowerBounds(const Polynomial &polynomial);
  ExtentRange getSymbolRange(ExtentAttr symbol);

  const ExtentFacts *facts = nullptr;
  llvm::DenseMap<ExtentAttr, ExtentRange> ranges;
  llvm::DenseMap<ExtentAttr, int64_t> divisors;
};

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTANALYSIS_H
