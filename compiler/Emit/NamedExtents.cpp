// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/NamedExtents.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

//===----------------------------------------------------------------------===//
// Division of polynomials
//===----------------------------------------------------------------------===//

namespace {

/// One summand as an extent.
ExtentAttr getTerm(MLIRContext *context, int64_t coefficient, ArrayRef<ExtentAttr> factors) {
  ExtentAttr term = ExtentAttr::constant(context, coefficient);
  for (ExtentAttr factor : factors)
    term = term * factor; // checked: `unknown` when it does not fit
  return term;
}

/// lhs / rhs for two summands; null when it is not whole.
ExtentAttr divideTerm(MLIRContext *context, const ExtentTerm &lhs, const ExtentTerm &rhs) {
  if (rhs.coefficient == -1 || lhs.coefficient % rhs.coefficient != 0)
    return {};
  SmallVector<ExtentAttr> factors(lhs.factors);
  for (ExtentAttr factor : rhs.factors) {
    auto *found = llvm::find(factors, factor);
    if (found == factors.end())
      return {};
    factors.erase(found);
  }
  return getTerm(context, lhs.coefficient / rhs.coefficient, factors);
}

} // namespace

ExtentAttr cameo::divideExactly(ExtentAttr lhs, ExtentAttr rhs) {
  MLIRContext *context = lhs.getContext();
  if (rhs.isConstant(1))
    return lhs;
  constexpr int mostTerms = 8;
  ExtentAttr quotient = ExtentAttr::constant(context, 0), rest = lhs;
  for (int step = 0; step < mostTerms && !rest.isUnknown() && !rest.isConstant(0); ++step) {
    if (rhs.isUnknown() || rhs.getTerms().empty())
      return {};
    ExtentAttr term = divideTerm(context, rest.getTerms().front(), rhs.getTerms().front());
    if (!term)
      return {};
    quotient = quotient + term;
    rest = lhs - quotient * rhs;
  }
  return rest.isConstant(0) ? quotient : ExtentAttr();
}

//===----------------------------------------------------------------------===//
// NamedExtents
//===----------------------------------------------------------------------===//

namespace {

/// Whether an extent has a division, a minimum or a maximum, or is long.
bool isWorthAName(ExtentAttr extent) {
  constexpr uint32_t mostNodes = 9;
  if (extent.isUnknown() || extent.isConstant() || extent.isSymbol())
    return false;
  return extent.getSize() > mostNodes ||
         llvm::any_of(extent.getTerms(), [](const ExtentTerm &term) {
           return llvm::any_of(term.factors, [](ExtentAttr factor) { return !factor.isSymbol(); });
         });
}

} // namespace

void NamedExtents::add(ExtentAttr extent, const std::string &base,
                       llvm::function_ref<bool(StringRef)> isTaken) {
  if (!isWorthAName(extent) || names.contains(extent))
    return;
  ExtentAttr definition = rewrite(extent);
  if (!isWorthAName(definition))
    return;
  std::string name = base;
  for (unsigned number = 1; isTaken(name) || contains(name); ++number)
    name = base + "_" + std::to_string(number);
  ExtentAttr symbol = ExtentAttr::symbol(extent.getContext(), name);
  numbers[name] = entries.size();
  entries.push_back({symbol.getSymbolName(), definition});
  names[extent] = symbol;
  rewritten.clear();
}

ExtentAttr NamedExtents::rewriteAtom(ExtentAttr atom) const {
  ArrayRef<ExtentAttr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case ExtentKind::FloorDiv:
    return rewrite(operands[0]).floorDiv(rewrite(operands[1]));
  case ExtentKind::Mod:
    return rewrite(operands[0]).mod(rewrite(operands[1]));
  case ExtentKind::Min:
  case ExtentKind::Max: {
    ExtentAttr result = rewrite(operands.front());
    for (ExtentAttr operand : operands.drop_front())
      result = atom.getKind() == ExtentKind::Min ? result.min(rewrite(operand))
                                                 : result.max(rewrite(operand));
    return result;
  }
  default:
    return atom;
  }
}

ExtentAttr NamedExtents::rewriteSum(ExtentAttr sum) const {
  // A product with something that has a name: 4 * N * rows.
  for (auto [extent, symbol] : llvm::reverse(names))
    if (ExtentAttr quotient = divideExactly(sum, extent); quotient && !quotient.isConstant(0))
      return rewrite(quotient) * symbol;
  ExtentAttr result = ExtentAttr::constant(sum.getContext(), 0);
  for (const ExtentTerm &term : sum.getTerms()) {
    ExtentAttr product = ExtentAttr::constant(sum.getContext(), term.coefficient);
    for (ExtentAttr factor : term.factors)
      product = product * rewrite(factor); // checked: `unknown` when it does not fit
    result = result + product;
  }
  return result;
}

ExtentAttr NamedExtents::rewrite(ExtentAttr extent) const {
  if (names.empty() || !isWorthAName(extent))
    return extent;
  if (auto name = names.find(extent); name != names.end())
    return name->second;
  if (auto known = rewritten.find(extent); known != rewritten.end())
    return known->second;
  bool isSum = extent.getKind() == ExtentKind::Polynomial;
  ExtentAttr result = isSum ? rewriteSum(extent) : rewriteAtom(extent);
  if (result.isUnknown())
    result = extent;
  return rewritten[extent] = result;
}
