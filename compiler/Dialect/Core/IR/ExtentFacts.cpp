// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about symbols, kept so that every equality leads, step by step and without a cycle, to
// symbols that have none; and the queries, each over one ExtentAnalysis.

#include "Dialect/Core/IR/ExtentFacts.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ExtentAnalysis.h"
#include "Dialect/Core/IR/ExtentBuilder.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace cameo::core;
using llvm::LogicalResult;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// ExtentFacts
//===----------------------------------------------------------------------===//

const ExtentFacts &ExtentFacts::none() {
  static const ExtentFacts facts;
  return facts;
}

SymbolFact ExtentFacts::lookup(StringRef symbol) const {
  if (auto known = facts.find(symbol); known != facts.end())
    return known->second;
  auto definition = definitions ? definitions.getAs<SymbolAttr>(symbol) : SymbolAttr();
  return definition ? definition.getFact() : SymbolFact();
}

void ExtentFacts::set(SymbolAttr symbol) {
  ranges.clear();
  facts[symbol.getName()] = symbol.getFact();
}

SymbolFact &ExtentFacts::edit(StringRef symbol) {
  ranges.clear();
  return facts.try_emplace(symbol, lookup(symbol)).first->second;
}

void ExtentFacts::setRange(StringRef symbol, int64_t min, int64_t max) {
  assert(min <= max && "an extent has at least one value");
  SymbolFact &fact = edit(symbol);
  fact.min = min;
  fact.max = max;
}

LogicalResult ExtentFacts::restrictRange(StringRef symbol, int64_t min, int64_t max) {
  SymbolFact fact = lookup(symbol);
  int64_t low = std::max(fact.min, min), high = std::min(fact.max, max);
  if (low > high)
    return llvm::failure();
  setRange(symbol, low, high);
  return llvm::success();
}

void ExtentFacts::addDivisor(StringRef symbol, int64_t divisor) {
  assert(divisor >= 1 && "divisors are positive");
  int64_t &known = edit(symbol).divisor;
  int64_t product;
  // Where the least common multiple is beyond int64, the greater of the two says more.
  if (llvm::MulOverflow(known / std::gcd(known, divisor), divisor, product))
    product = std::max(known, divisor);
  known = product;
}

ExtentAttr ExtentFacts::resolve(ExtentAttr expr) const {
  // Ends: each round goes one step along chains of equalities, and those have no cycle.
  auto replacement = [&](StringRef name) {
    auto known = facts.find(name);
    return known == facts.end() ? ExtentAttr() : known->second.equalTo;
  };
  for (ExtentAttr next; (next = expr.substitute(replacement)) != expr;)
    expr = next;
  return expr;
}

LogicalResult ExtentFacts::setEqual(StringRef symbol, ExtentAttr expr) {
  if (expr.isUnknown())
    return llvm::failure();
  ExtentAttr from = resolve(ExtentAttr::symbol(expr.getContext(), symbol)), to = resolve(expr);
  if (provablyEqual(from, to, *this))
    return llvm::success();
  auto dependsOn = [](ExtentAttr whole, ExtentAttr part) {
    llvm::SetVector<StringRef> symbols;
    whole.collectSymbols(symbols);
    return symbols.contains(part.getSymbolName());
  };
  if (!from.isSymbol())
    std::swap(from, to);
  if (from.isUnknown() || to.isUnknown() || !from.isSymbol() || dependsOn(to, from))
    return llvm::failure();

  SymbolFact fact = lookup(from.getSymbolName());
  if (range(from, *this).isDisjointFrom(range(to, *this)))
    return llvm::failure();
  if (std::optional<int64_t> value = to.getConstant(); value && *value % fact.divisor != 0)
    return llvm::failure();
  if (to.isSymbol()) {
    if (failed(restrictRange(to.getSymbolName(), fact.min, fact.max)))
      return llvm::failure();
    addDivisor(to.getSymbolName(), fact.divisor);
    SymbolFact &other = edit(to.getSymbolName());
    if (!other.likely)
      other.likely = fact.likely;
  }
  edit(from.getSymbolName()).equalTo = to;
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

ExtentRange cameo::core::getIntegerRange(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return {};
  if (integer.isUnsigned() || integer.getWidth() == 1)
    return {0, (int64_t(1) << integer.getWidth()) - 1};
  int64_t half = int64_t(1) << (integer.getWidth() - 1);
  return {-half, half - 1};
}

ExtentRange cameo::core::range(ExtentAttr expr, const ExtentFacts &facts) {
  if (std::optional<int64_t> value = expr.getConstant())
    return ExtentRange::constant(*value);
  if (auto known = facts.ranges.find(expr); known != facts.ranges.end())
    return known->second;
  ExtentAnalysis analysis(facts);
  ExtentRange result = analysis.getRange(expr).intersect(analysis.getRange(simplify(expr, facts)));
  // Without facts they may be those that all contexts share, and an extent belongs to one.
  if (facts.definitions || !facts.facts.empty())
    facts.ranges.try_emplace(expr, result);
  return result;
}

int64_t cameo::core::estimate(ExtentAttr expr, const ExtentFacts &facts) {
  constexpr int64_t kNominal = 64;
  std::optional<int64_t> size =
      facts.resolve(expr).evaluate([&](StringRef symbol) -> std::optional<int64_t> {
        SymbolFact fact = facts.lookup(symbol);
        return std::clamp(fact.likely.value_or(kNominal), fact.min, fact.max);
      });
  return size.value_or(kNominal);
}

int64_t cameo::core::divisibility(ExtentAttr expr, const ExtentFacts &facts) {
  ExtentAnalysis analysis(facts);
  int64_t direct = analysis.getDivisor(expr);
  int64_t resolved = analysis.getDivisor(simplify(expr, facts));
  return resolved == 0 ? 0 : std::max(direct, resolved);
}

ExtentAttr cameo::core::simplify(ExtentAttr expr, const ExtentFacts &facts) {
  if (expr.isConstant())
    return expr;
  ExtentAnalysis analysis(facts);
  ExtentBuilder builder(expr.getContext(), analysis);
  ExtentAttr simple = builder.rebuild(facts.resolve(expr), [](ExtentAttr) { return ExtentAttr(); });
  // An extent that is built again may be multiplied out, and too large then.
  return simple.isUnknown() ? expr : simple;
}

bool cameo::core::provablyEqual(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts) {
  if (lhs == rhs)
    return !lhs.isUnknown();
  return range(lhs - rhs, facts).constant() == 0;
}

bool cameo::core::provablyLessEqual(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts) {
  return range(rhs - lhs, facts).atLeast(0);
}

bool cameo::core::provablyLess(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts) {
  return range(rhs - lhs, facts).atLeast(1);
}
