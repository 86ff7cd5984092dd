// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products, min and max in normal form, and building an extent again. Division is in
// ExtentDivision.cpp.

#include "Dialect/Core/IR/ExtentBuilder.h"

using namespace cameo::core;
using namespace cameo::core::detail;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Uniquing
//===----------------------------------------------------------------------===//

ExtentAttr ExtentBuilder::makeUnique(const ExtentKey &key) {
  if (key.getSize() > kMaxExtentSize || key.getDepth() > kMaxExtentDepth)
    return getUnknown();
  return ExtentAttr::get(context, key);
}

ExtentAttr ExtentBuilder::getUnknown() {
  return ExtentAttr::get(context, ExtentKey{ExtentKind::Unknown, {}, {}, {}});
}

ExtentAttr ExtentBuilder::getConstant(int64_t value) {
  ExtentTerm term{value, {}};
  return makeUnique(
      {ExtentKind::Polynomial, {}, {}, ArrayRef<ExtentTerm>(&term, value == 0 ? 0 : 1)});
}

ExtentAttr ExtentBuilder::getSymbol(llvm::StringRef name) {
  return makeUnique({ExtentKind::Symbol, name, {}, {}});
}

ExtentAttr ExtentBuilder::makeAtom(ExtentKind kind, ArrayRef<ExtentAttr> operands) {
  if (llvm::any_of(operands, [](ExtentAttr operand) { return operand.isUnknown(); }))
    return getUnknown();
  return makeUnique({kind, {}, operands, {}});
}

/// Whether `extent` is 0 wherever `factor` is; may say no where it is.
static bool vanishesWith(ExtentAttr extent, ExtentAttr factor, ExtentAnalysis &analysis) {
  auto vanishes = [&](ExtentAttr part) { return vanishesWith(part, factor, analysis); };
  if (extent == factor)
    return true;
  switch (extent.getKind()) {
  case ExtentKind::Min:
    return analysis.getRange(extent).atLeast(0) && llvm::any_of(extent.getOperands(), vanishes);
  case ExtentKind::Max:
    return llvm::all_of(extent.getOperands(), vanishes);
  case ExtentKind::FloorDiv:
  case ExtentKind::Mod:
    return vanishes(extent.getOperands()[0]);
  case ExtentKind::Polynomial:
    return llvm::all_of(extent.getTerms(), [&](const ExtentTerm &term) {
      return llvm::any_of(term.factors, vanishes);
    });
  case ExtentKind::Symbol:
  case ExtentKind::Unknown:
    return false;
  }
  return false;
}

/// A factor `min(x, 1)` of a term that changes nothing, since x is not negative and where it is 0
/// another factor is 0 too: broadcasting multiplies by these. Null if there is none.
static ExtentAttr findIdleFactor(const Monomial &term, ExtentAnalysis &analysis) {
  auto isIdle = [&](const ExtentAttr &factor) {
    if (factor.getKind() != ExtentKind::Min ||
        llvm::none_of(factor.getOperands(), [](ExtentAttr part) { return part.isConstant(1); }) ||
        !analysis.getRange(factor).atLeast(0))
      return false;
    auto isRepeated = [&](ExtentAttr part) {
      return llvm::any_of(term.factors, [&](const ExtentAttr &other) {
        return &other != &factor && vanishesWith(other, part, analysis);
      });
    };
    // `min(x * y, 1)` is 0 where one of them is, and a min of them.
    auto isCovered = [&](auto &self, ExtentAttr part) -> bool {
      auto isPartCovered = [&](ExtentAttr inner) { return self(self, inner); };
      if (part.isConstant())
        return !part.isConstant(0);
      if (isRepeated(part))
        return true;
      if (part.getKind() == ExtentKind::Min)
        return analysis.getRange(part).atLeast(0) &&
               llvm::all_of(part.getOperands(), isPartCovered);
      return part.getKind() == ExtentKind::Polynomial && part.getTerms().size() == 1 &&
             llvm::all_of(part.getTerms()[0].factors, isPartCovered);
    };
    return llvm::all_of(factor.getOperands(),
                        [&](ExtentAttr part) { return isCovered(isCovered, part); });
  };
  auto found = llvm::find_if(term.factors, isIdle);
  return found == term.factors.end() ? ExtentAttr() : *found;
}

/// Restores what removing factors may have broken (a lone unexpanded sum), and drops factors that
/// change nothing and a division that is exact and multiplied back.
ExtentAttr ExtentBuilder::intern(Polynomial polynomial) {
  auto findReplacement = [&](const Monomial &term) -> std::optional<Polynomial> {
    auto isSum = [](ExtentAttr factor) { return factor.getKind() == ExtentKind::Polynomial; };
    if (llvm::count_if(term.factors, isSum) == 1) {
      Monomial others = term;
      ExtentAttr sum = *llvm::find_if(term.factors, isSum);
      others.removeFactor(sum);
      return Polynomial(sum).times(others);
    }
    if (ExtentAttr idle = findIdleFactor(term, analysis)) {
      Monomial others = term;
      others.removeFactor(idle);
      return Polynomial(others);
    }
    for (ExtentAttr factor : term.factors) {
      if (factor.getKind() != ExtentKind::FloorDiv)
        continue;
      ExtentAttr dividend = factor.getOperands()[0];
      std::optional<int64_t> divisor = factor.getOperands()[1].getConstant();
      if (!divisor || term.coefficient % *divisor != 0 ||
          analysis.getDivisor(dividend) % *divisor != 0)
        continue;
      Monomial others = term;
      others.removeFactor(factor);
      others.coefficient /= *divisor;
      return multiply(Polynomial(dividend), Polynomial(others));
    }
    return std::nullopt;
  };
  for (size_t i = 0; polynomial.valid() && i < polynomial.size();) {
    const Monomial &term = polynomial.getTerms()[i];
    std::optional<Polynomial> replacement;
    if (!llvm::all_of(term.factors, [](ExtentAttr factor) { return factor.isSymbol(); }))
      replacement = findReplacement(term);
    if (replacement) {
      polynomial.remove(term);
      polynomial.add(*replacement);
      i = 0;
    } else {
      ++i;
    }
  }
  if (!polynomial.valid())
    return getUnknown();

  if (polynomial.size() == 1) {
    const Monomial &term = polynomial.getTerms().front();
    if (term.coefficient == 1 && term.factors.size() == 1)
      return term.factors[0];
  }
  llvm::SmallVector<ExtentTerm> terms(polynomial.getTerms().begin(), polynomial.getTerms().end());
  return makeUnique({ExtentKind::Polynomial, {}, {}, terms});
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

ExtentAttr ExtentBuilder::add(ExtentAttr lhs, ExtentAttr rhs, int64_t rhsScale) {
  if (lhs.isUnknown() || rhs.isUnknown())
    return getUnknown();
  if (rhs.isConstant(0))
    return lhs;
  if (lhs.isConstant(0) && rhsScale == 1)
    return rhs;
  Polynomial sum(lhs);
  sum.add(Polynomial(rhs), rhsScale);
  return intern(sum);
}

ExtentAttr ExtentBuilder::multiply(ExtentAttr lhs, ExtentAttr rhs) {
  if (lhs.isUnknown() || rhs.isUnknown())
    return getUnknown();
  if (lhs.isConstant(1))
    return rhs;
  if (rhs.isConstant(1))
    return lhs;
  return intern(multiply(Polynomial(lhs), Polynomial(rhs)));
}

ExtentAttr ExtentBuilder::multiplyUnexpanded(ArrayRef<ExtentAttr> factors) {
  llvm::SmallVector<Polynomial> polynomials;
  for (ExtentAttr factor : factors) {
    if (factor.isUnknown())
      return getUnknown();
    polynomials.emplace_back(factor);
  }
  return intern(multiplyContents(polynomials));
}

Polynomial ExtentBuilder::multiply(const Polynomial &lhs, const Polynomial &rhs) {
  if (!lhs.valid() || !rhs.valid())
    return Polynomial::makeInvalid();
  if (lhs.isZero() || rhs.isZero())
    return {};
  if (lhs.size() == 1 && !lhs.hasSum())
    return rhs.times(lhs.getTerms().front());
  if (rhs.size() == 1 && !rhs.hasSum())
    return lhs.times(rhs.getTerms().front());
  if (!lhs.hasSum() && !rhs.hasSum() && lhs.size() * rhs.size() <= kMaxExtentProductTerms)
    return lhs.times(rhs);
  return multiplyContents({lhs, rhs});
}

Polynomial ExtentBuilder::multiplyContents(ArrayRef<Polynomial> factors) {
  Polynomial product(1);
  for (const Polynomial &factor : factors)
    product = product.times(extractContent(factor));
  return product;
}

Polynomial ExtentBuilder::extractContent(Polynomial polynomial) {
  if (!polynomial.valid() || polynomial.isZero())
    return polynomial;
  Monomial content(polynomial.getContent());
  if (polynomial.getTerms().front().coefficient < 0) {
    polynomial.negate();
    if (!polynomial.valid())
      return polynomial;
    content.coefficient = -content.coefficient;
  }
  polynomial.divideCoefficients(std::abs(content.coefficient));
  llvm::SmallVector<ExtentAttr, 2> candidates = polynomial.getTerms().front().factors;
  for (ExtentAttr factor : candidates) {
    if (polynomial.isCommonFactor(factor)) {
      polynomial.removeCommonFactor(factor);
      content.insertFactor(factor);
    }
  }
  ExtentAttr rest = intern(polynomial);
  if (rest.isUnknown())
    return Polynomial::makeInvalid();
  if (rest.getTerms().size() < 2)
    return Polynomial(rest).times(content);
  content.insertFactor(rest);
  return Polynomial(content);
}

//===----------------------------------------------------------------------===//
// Min and max
//===----------------------------------------------------------------------===//

ExtentAttr ExtentBuilder::minMax(ExtentKind kind, ArrayRef<ExtentAttr> operands) {
  assert((kind == ExtentKind::Min || kind == ExtentKind::Max) && !operands.empty());
  if (llvm::any_of(operands, [](ExtentAttr operand) { return operand.isUnknown(); }))
    return getUnknown();

  llvm::SmallVector<ExtentAttr> flat;
  for (ExtentAttr operand : operands) {
    if (operand.getKind() == kind)
      llvm::append_range(flat, operand.getOperands());
    else
      flat.push_back(operand);
  }
  if (flat.size() > kMaxExtentOperands)
    flat.assign(operands.begin(), operands.end());
  llvm::sort(flat, [](ExtentAttr a, ExtentAttr b) { return compareExtents(a, b) < 0; });
  flat.erase(llvm::unique(flat), flat.end());

  // Drop every operand that another one beats for all assignments; of two equal ones the later.
  llvm::SmallVector<ExtentAttr> kept;
  for (ExtentAttr operand : flat) {
    bool beaten = false;
    llvm::erase_if(kept, [&](ExtentAttr other) {
      if (beaten)
        return false;
      // operand - other, as far as it fits
      ExtentRange difference = analysis.getRange(operand) + -analysis.getRange(other);
      Polynomial polynomial(operand);
      polynomial.add(Polynomial(other), -1);
      difference = difference.intersect(analysis.getRange(polynomial));
      if (kind == ExtentKind::Max)
        difference = -difference;
      beaten = difference.atLeast(0);
      return !beaten && difference.atMost(0);
    });
    if (!beaten)
      kept.push_back(operand);
  }
  return kept.size() == 1 ? kept.front() : makeAtom(kind, kept);
}

//===----------------------------------------------------------------------===//
// Building again
//===----------------------------------------------------------------------===//

ExtentAttr ExtentBuilder::rebuild(ExtentAttr extent,
                                  llvm::function_ref<ExtentAttr(ExtentAttr)> replacement) {
  rebuilt.clear();
  return rebuildOnce(extent, replacement);
}

ExtentAttr ExtentBuilder::rebuildOnce(ExtentAttr extent,
                                      llvm::function_ref<ExtentAttr(ExtentAttr)> replacement) {
  if (extent.isConstant())
    return extent;
  auto known = rebuilt.find(extent);
  if (known != rebuilt.end())
    return known->second;
  if (ExtentAttr other = replacement(extent))
    return rebuilt[extent] = other;
  bool changed = analysis.hasFacts();
  auto visit = [&](ExtentAttr part) {
    ExtentAttr result = rebuildOnce(part, replacement);
    changed |= result != part;
    return result;
  };

  ExtentAttr result = extent;
  switch (extent.getKind()) {
  case ExtentKind::Unknown:
    break;
  case ExtentKind::Symbol:
    if (std::optional<int64_t> value = analysis.getRange(extent).constant())
      result = getConstant(*value);
    break;
  case ExtentKind::FloorDiv:
  case ExtentKind::Mod:
  case ExtentKind::Min:
  case ExtentKind::Max: {
    llvm::SmallVector<ExtentAttr> operands = llvm::map_to_vector(extent.getOperands(), visit);
    if (!changed)
      break;
    if (extent.getKind() == ExtentKind::FloorDiv)
      result = floorDiv(operands[0], operands[1]);
    else if (extent.getKind() == ExtentKind::Mod)
      result = mod(operands[0], operands[1]);
    else
      result = minMax(extent.getKind(), operands);
    break;
  }
  case ExtentKind::Polynomial: {
    Polynomial sum;
    for (const ExtentTerm &term : extent.getTerms()) {
      Polynomial product(term.coefficient);
      for (ExtentAttr factor : term.factors) {
        ExtentAttr part = visit(factor);
        product =
            multiply(product, part.isUnknown() ? Polynomial::makeInvalid() : Polynomial(part));
      }
      sum.add(product);
      if (!sum.valid())
        break;
    }
    if (changed)
      result = intern(sum);
    break;
  }
  }
  rebuilt[extent] = result;
  return result;
}
