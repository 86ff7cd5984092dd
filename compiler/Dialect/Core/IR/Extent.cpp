// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public operations of ExtentAttr. Construction goes through an ExtentBuilder without facts;
// walks remember what they have seen, since an extent is a graph whose tree may be far larger.

#include "Dialect/Core/IR/Extent.h"

#include "Dialect/Core/IR/ExtentBuilder.h"
#include "Dialect/Core/IR/ExtentStorage.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace cameo::core;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

/// A builder of what holds for every assignment.
struct PlainBuilder : ExtentBuilder {
  explicit PlainBuilder(mlir::MLIRContext *context) : ExtentBuilder(context, analysis) {}
  ExtentAnalysis analysis;
};

class Evaluator {
public:
  explicit Evaluator(llvm::function_ref<std::optional<int64_t>(StringRef)> value) : value(value) {}

  std::optional<int64_t> visit(ExtentAttr extent) {
    auto known = results.find(extent);
    if (known != results.end())
      return known->second;
    std::optional<int64_t> result = compute(extent);
    results[extent] = result;
    return result;
  }

private:
  std::optional<int64_t> compute(ExtentAttr extent) {
    switch (extent.getKind()) {
    case ExtentKind::Unknown:
      return std::nullopt;
    case ExtentKind::Symbol:
      return value(extent.getSymbolName());
    case ExtentKind::FloorDiv:
    case ExtentKind::Mod:
      return computeDivision(extent);
    case ExtentKind::Min:
    case ExtentKind::Max:
      return computeMinMax(extent);
    case ExtentKind::Polynomial:
      return computeSum(extent);
    }
    llvm_unreachable("all kinds are handled");
  }

  std::optional<int64_t> computeDivision(ExtentAttr extent) {
    std::optional<int64_t> dividend = visit(extent.getOperands()[0]);
    std::optional<int64_t> divisor = visit(extent.getOperands()[1]);
    if (!dividend || !divisor || *divisor == 0)
      return std::nullopt;
    if (*divisor == -1) {
      // INT64_MIN / -1 traps where it should say that it overflows.
      int64_t negated;
      if (llvm::SubOverflow<int64_t>(0, *dividend, negated))
        return std::nullopt;
      return extent.getKind() == ExtentKind::FloorDiv ? negated : 0;
    }
    int64_t quotient = *dividend / *divisor, remainder = *dividend % *divisor;
    bool roundsDown = remainder != 0 && (remainder < 0) != (*divisor < 0);
    if (extent.getKind() == ExtentKind::FloorDiv)
      return quotient - roundsDown;
    return roundsDown ? remainder + *divisor : remainder;
  }

  std::optional<int64_t> computeMinMax(ExtentAttr extent) {
    std::optional<int64_t> result;
    for (ExtentAttr operand : extent.getOperands()) {
      std::optional<int64_t> next = visit(operand);
      if (!next)
        return std::nullopt;
      if (!result)
        result = next;
      else
        result = extent.getKind() == ExtentKind::Min ? std::min(*result, *next)
                                                     : std::max(*result, *next);
    }
    return result;
  }

  std::optional<int64_t> computeSum(ExtentAttr extent) {
    int64_t sum = 0;
    for (const ExtentTerm &term : extent.getTerms()) {
      int64_t product = term.coefficient;
      for (ExtentAttr factor : term.factors) {
        std::optional<int64_t> next = visit(factor);
        if (!next || llvm::MulOverflow(product, *next, product))
          return std::nullopt;
      }
      if (llvm::AddOverflow(sum, product, sum))
        return std::nullopt;
    }
    return sum;
  }

  llvm::function_ref<std::optional<int64_t>(StringRef)> value;
  llvm::DenseMap<ExtentAttr, std::optional<int64_t>> results;
};

void collect(ExtentAttr extent, llvm::DenseSet<ExtentAttr> &seen,
             llvm::SetVector<StringRef> &symbols) {
  if (!seen.insert(extent).second)
    return;
  if (extent.isSymbol())
    symbols.insert(extent.getSymbolName());
  for (ExtentAttr operand : extent.getOperands())
    collect(operand, seen, symbols);
  if (extent.getKind() == ExtentKind::Polynomial)
    for (const ExtentTerm &term : extent.getTerms())
      for (ExtentAttr factor : term.factors)
        collect(factor, seen, symbols);
}

} // namespace

//===----------------------------------------------------------------------===//
// Making and looking
//===----------------------------------------------------------------------===//

ExtentAttr ExtentAttr::constant(mlir::MLIRContext *context, int64_t value) {
  return PlainBuilder(context).getConstant(value);
}

ExtentAttr ExtentAttr::symbol(mlir::MLIRContext *context, StringRef name) {
  return PlainBuilder(context).getSymbol(name);
}

ExtentAttr ExtentAttr::unknown(mlir::MLIRContext *context) {
  return PlainBuilder(context).getUnknown();
}

ExtentKind ExtentAttr::getKind() const { return getImpl()->key.kind; }

StringRef ExtentAttr::getSymbolName() const {
  assert(isSymbol() && "only symbols have a name");
  return getImpl()->key.name;
}

std::optional<int64_t> ExtentAttr::getConstant() const {
  if (getKind() != ExtentKind::Polynomial)
    return std::nullopt;
  ArrayRef<ExtentTerm> terms = getTerms();
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms[0].factors.empty())
    return terms[0].coefficient;
  return std::nullopt;
}

ArrayRef<ExtentAttr> ExtentAttr::getOperands() const { return getImpl()->key.operands; }

ArrayRef<ExtentTerm> ExtentAttr::getTerms() const {
  assert(!isUnknown() && "an unknown extent has no terms");
  return getImpl()->terms;
}

uint32_t ExtentAttr::getSize() const { return getImpl()->size; }
uint32_t ExtentAttr::getDepth() const { return getImpl()->depth; }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

ExtentAttr ExtentAttr::operator+(ExtentAttr other) const {
  return PlainBuilder(getContext()).add(*this, other);
}

ExtentAttr ExtentAttr::operator-(ExtentAttr other) const {
  return PlainBuilder(getContext()).add(*this, other, -1);
}

ExtentAttr ExtentAttr::operator*(ExtentAttr other) const {
  return PlainBuilder(getContext()).multiply(*this, other);
}

ExtentAttr ExtentAttr::floorDiv(ExtentAttr divisor) const {
  return PlainBuilder(getContext()).floorDiv(*this, divisor);
}

ExtentAttr ExtentAttr::mod(ExtentAttr divisor) const {
  return PlainBuilder(getContext()).mod(*this, divisor);
}

ExtentAttr ExtentAttr::ceilDiv(ExtentAttr divisor) const {
  if (std::optional<int64_t> value = divisor.getConstant(); value && *value > 0)
    return (*this + (*value - 1)).floorDiv(divisor);
  return -(-*this).floorDiv(divisor);
}

ExtentAttr ExtentAttr::min(ExtentAttr other) const {
  return PlainBuilder(getContext()).minMax(ExtentKind::Min, {*this, other});
}

ExtentAttr ExtentAttr::max(ExtentAttr other) const {
  return PlainBuilder(getContext()).minMax(ExtentKind::Max, {*this, other});
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

ExtentAttr ExtentAttr::replaceParts(llvm::function_ref<ExtentAttr(ExtentAttr)> replacement) const {
  return PlainBuilder(getContext()).rebuild(*this, replacement);
}

ExtentAttr ExtentAttr::substitute(llvm::function_ref<ExtentAttr(StringRef)> replacement) const {
  return replaceParts([&](ExtentAttr part) {
    return part.isSymbol() ? replacement(part.getSymbolName()) : ExtentAttr();
  });
}

ExtentAttr ExtentAttr::substitute(const llvm::DenseMap<StringRef, ExtentAttr> &replacements) const {
  return substitute([&](StringRef name) { return replacements.lookup(name); });
}

void ExtentAttr::collectSymbols(llvm::SetVector<StringRef> &symbols) const {
  llvm::DenseSet<ExtentAttr> seen;
  collect(*this, seen, symbols);
}

std::optional<int64_t>
ExtentAttr::evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const {
  return Evaluator(value).visit(*this);
}
