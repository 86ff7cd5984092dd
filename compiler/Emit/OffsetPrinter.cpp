// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/OffsetPrinter.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

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

/// lhs / rhs as polynomials; null when the division is not known to be whole.
ExtentAttr divideExactly(ExtentAttr lhs, ExtentAttr rhs) {
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

} // namespace

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {

bool isNegative(ExtentAttr scale) {
  return !scale.isUnknown() && scale.getTerms().size() == 1 &&
         scale.getTerms().front().coefficient < 0;
}

} // namespace

OffsetCode OffsetPrinter::printExtent(ExtentAttr value) {
  if (std::optional<int64_t> constant = value.getConstant())
    return {Code(*constant), *constant < 0};
  return extent(value);
}

OffsetCode OffsetPrinter::multiply(const OffsetCode &value, ExtentAttr by) {
  if (by.isConstant(1))
    return value;
  OffsetCode factor = printExtent(by);
  Code lhs = value.isSum ? "(" + value.code + ")" : value.code;
  return {lhs + " * " + (factor.isSum ? "(" + factor.code + ")" : factor.code), false};
}

ExtentRange OffsetPrinter::getRange(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return ExtentRange(0, std::nullopt);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ExtentRange::constant(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return range(cast<ExtentAttr>(symbols[symbol.getPosition()]), facts);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  ExtentRange lhs = getRange(binary.getLHS()), rhs = getRange(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs.floorDiv(rhs);
  case AffineExprKind::Mod:
    return lhs.mod(rhs);
  default:
    return ExtentRange();
  }
}

OffsetCode OffsetPrinter::printBinary(AffineBinaryOpExpr expr) {
  AffineExpr lhs = expr.getLHS(), rhs = expr.getRHS();
  OffsetCode a = printExpr(lhs), b = printExpr(rhs);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (auto constant = dyn_cast<AffineConstantExpr>(rhs);
        constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN)
      return {a.code + " - " + Code(-constant.getValue()), true};
    return {a.code + " + " + b.code, true};
  case AffineExprKind::Mul:
    return {(a.isSum ? "(" + a.code + ")" : a.code) + " * " +
                (b.isSum ? "(" + b.code + ")" : b.code),
            false};
  case AffineExprKind::CeilDiv:
    return {"floor_div(" + a.code + " + " + b.code + " - 1, " + b.code + ")", false};
  default:
    break;
  }
  bool isDivision = expr.getKind() == AffineExprKind::FloorDiv;
  // Where nothing is negative, C++ divides as affine maps do.
  if (getRange(lhs).atLeast(0) && getRange(rhs).atLeast(1)) {
    bool isLeaf = lhs.getKind() >= AffineExprKind::Constant;
    return {(isLeaf && !a.isSum ? a.code : "(" + a.code + ")") +
                (isDivision ? Code(" / ") : " % ") + (b.isSum ? "(" + b.code + ")" : b.code),
            false};
  }
  return {(isDivision ? Code("floor_div(") : Code("floor_mod(")) + a.code + ", " + b.code + ")",
          false};
}

OffsetCode OffsetPrinter::printExpr(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    indexUsed = true;
    return {"i[" + Code(static_cast<int64_t>(dim.getPosition())) + "]", false};
  }
  if (expr.isSymbolicOrConstant())
    return printExtent(evaluate(expr, symbols));
  return printBinary(cast<AffineBinaryOpExpr>(expr));
}

Code OffsetPrinter::print(AffineMap map) {
  ElementOffset offset = getOffset(map, symbols);
  // Horner's scheme where scales are symbolic and divide one another, so that each coordinate is
  // multiplied once: (i[0] * H + i[1]) * W + i[2]. Constant strides are multiplied out.
  struct Part {
    OffsetCode value;
    ExtentAttr scale;
  };
  SmallVector<Part> positive, negative;
  for (const ElementOffset::Term &term : offset.terms) {
    bool isMinus = isNegative(term.scale);
    SmallVector<Part> &parts = isMinus ? negative : positive;
    ExtentAttr scale = isMinus ? -term.scale : term.scale;
    OffsetCode atom = printExpr(term.atom);
    if (!parts.empty() && !parts.back().scale.isConstant())
      if (ExtentAttr quotient = divideExactly(parts.back().scale, scale)) {
        OffsetCode outer = multiply(parts.back().value, quotient);
        parts.back() = {{outer.code + " + " + atom.code, true}, scale};
        continue;
      }
    parts.push_back({atom, scale});
  }

  Code text;
  auto append = [&](const Part &part, bool isMinus) {
    OffsetCode summand = multiply(part.value, part.scale);
    if (!isMinus)
      text += (text.empty() ? Code() : Code(" + ")) + summand.code;
    else
      text += (text.empty() ? Code("-") : Code(" - ")) +
              (summand.isSum ? "(" + summand.code + ")" : summand.code);
  };
  for (const Part &part : positive)
    append(part, false);
  if (!offset.constant.isConstant(0)) {
    std::optional<int64_t> constant = offset.constant.getConstant();
    if (constant && *constant < 0 && *constant != INT64_MIN && !text.empty())
      text += " - " + Code(-*constant);
    else
      text += (text.empty() ? Code() : Code(" + ")) + printExtent(offset.constant).code;
  }
  for (const Part &part : negative)
    append(part, true);
  return text.empty() ? Code("0") : text;
}
