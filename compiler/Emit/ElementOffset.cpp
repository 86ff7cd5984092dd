// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/ElementOffset.h"

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
// Maps to offsets
//===----------------------------------------------------------------------===//

namespace {

ExtentAttr getSymbol(ArrayRef<Attribute> symbols, unsigned position) {
  return cast<ExtentAttr>(symbols[position]);
}

/// The value of an expression without dims.
ExtentAttr evaluate(AffineExpr expr, ArrayRef<Attribute> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ExtentAttr::constant(expr.getContext(), constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getSymbol(symbols, symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  ExtentAttr lhs = evaluate(binary.getLHS(), symbols), rhs = evaluate(binary.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs.floorDiv(rhs);
  case AffineExprKind::CeilDiv:
    return lhs.ceilDiv(rhs);
  default:
    return lhs.mod(rhs);
  }
}

class OffsetBuilder {
public:
  OffsetBuilder(ArrayRef<Attribute> symbols, ElementOffset &offset)
      : symbols(symbols), offset(offset) {}

  void add(AffineExpr expr, ExtentAttr scale) {
    if (expr.isSymbolicOrConstant()) {
      offset.constant = offset.constant + evaluate(expr, symbols) * scale;
      return;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && expr.getKind() == AffineExprKind::Add) {
      add(binary.getLHS(), scale);
      add(binary.getRHS(), scale);
    } else if (binary && expr.getKind() == AffineExprKind::Mul &&
               binary.getRHS().isSymbolicOrConstant()) {
      add(binary.getLHS(), scale * evaluate(binary.getRHS(), symbols));
    } else {
      addTerm(expr, scale);
    }
  }

private:
  void addTerm(AffineExpr atom, ExtentAttr scale) {
    if (scale.isConstant(0))
      return;
    for (ElementOffset::Term &term : offset.terms)
      if (term.atom == atom) {
        term.scale = term.scale + scale;
        return;
      }
    offset.terms.push_back({atom, scale});
  }

  ArrayRef<Attribute> symbols;
  ElementOffset &offset;
};

ExtentAttr getDimScale(const ElementOffset &offset, unsigned dim, MLIRContext *context) {
  for (const ElementOffset::Term &term : offset.terms)
    if (auto expr = dyn_cast<AffineDimExpr>(term.atom); expr && expr.getPosition() == dim)
      return term.scale;
  return ExtentAttr::constant(context, 0);
}

} // namespace

ElementOffset cameo::getElementOffset(AffineMap map, ArrayRef<Attribute> symbols,
                                      ArrayRef<ExtentAttr> physical) {
  MLIRContext *context = map.getContext();
  SmallVector<ExtentAttr> strides(physical.size(), ExtentAttr::constant(context, 1));
  for (size_t axis = physical.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * physical[axis]; // checked: `unknown` when it does not fit
  return getStridedOffset(map, symbols, strides);
}

ElementOffset cameo::getStridedOffset(AffineMap map, ArrayRef<Attribute> symbols,
                                      ArrayRef<ExtentAttr> strides) {
  ElementOffset offset{{}, ExtentAttr::constant(map.getContext(), 0)};
  OffsetBuilder builder(symbols, offset);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
    builder.add(expr, stride);
  return offset;
}

llvm::SmallVector<unsigned> cameo::coalesce(SmallVectorImpl<ExtentAttr> &extents,
                                            MutableArrayRef<ElementOffset> offsets,
                                            const llvm::SmallBitVector &fixed) {
  if (extents.empty())
    return {};
  MLIRContext *context = extents.front().getContext();
  auto isFixed = [&](unsigned dim) {
    return fixed.test(dim) || llvm::any_of(offsets, [&](const ElementOffset &offset) {
             return llvm::any_of(offset.terms, [&](const ElementOffset::Term &term) {
               return !isa<AffineDimExpr>(term.atom) && term.atom.isFunctionOfDim(dim);
             });
           });
  };
  // From the last dim on: the dims that are left, each the innermost of those merged into it.
  SmallVector<unsigned> kept;
  SmallVector<ExtentAttr> merged;
  for (unsigned dim = extents.size(); dim-- > 0;) {
    bool stays = isFixed(dim);
    if (extents[dim].isConstant(1) && !stays)
      continue;
    bool walksOn = !kept.empty() && !stays && !isFixed(kept.back()) &&
                   llvm::all_of(offsets, [&](const ElementOffset &offset) {
                     return getDimScale(offset, dim, context) ==
                            getDimScale(offset, kept.back(), context) * merged.back();
                   });
    if (walksOn) {
      merged.back() = extents[dim] * merged.back(); // checked: `unknown` when it does not fit
      continue;
    }
    kept.push_back(dim);
    merged.push_back(extents[dim]);
  }

  SmallVector<AffineExpr> renamed(extents.size(), getAffineConstantExpr(0, context));
  SmallVector<unsigned> numbers(extents.size(), 0);
  for (auto [number, dim] : llvm::enumerate(llvm::reverse(kept))) {
    renamed[dim] = getAffineDimExpr(number, context);
    numbers[dim] = number;
  }
  for (ElementOffset &offset : offsets) {
    llvm::erase_if(offset.terms, [&](const ElementOffset::Term &term) {
      auto dim = dyn_cast<AffineDimExpr>(term.atom);
      return dim && !llvm::is_contained(kept, dim.getPosition());
    });
    for (ElementOffset::Term &term : offset.terms)
      term.atom = term.atom.replaceDims(renamed);
  }
  extents.assign(merged.rbegin(), merged.rend());
  return numbers;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {

bool isNegative(ExtentAttr scale) {
  return !scale.isUnknown() && scale.getTerms().size() == 1 &&
         scale.getTerms().front().coefficient < 0;
}

bool isFirstCoordinate(AffineExpr atom) {
  auto dim = dyn_cast<AffineDimExpr>(atom);
  return dim && dim.getPosition() == 0;
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
    return range(getSymbol(symbols, symbol.getPosition()), facts);
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

Code OffsetPrinter::print(const ElementOffset &offset) {
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
    std::optional<int64_t> stride = scale.getConstant();
    if (stride && offset.terms.size() > 1 && isFirstCoordinate(term.atom))
      if (Code name = number("stride", *stride); !(name == Code(*stride))) {
        atom = {atom.code + " * " + name, false};
        scale = ExtentAttr::constant(scale.getContext(), 1);
      }
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
  std::optional<int64_t> constant = offset.constant.getConstant();
  Code name = constant ? number("offset", *constant) : Code();
  if (constant && !(name == Code(*constant))) {
    text += (text.empty() ? Code() : Code(" + ")) + name;
  } else if (!offset.constant.isConstant(0)) {
    if (constant && *constant < 0 && *constant != INT64_MIN && !text.empty())
      text += " - " + Code(-*constant);
    else
      text += (text.empty() ? Code() : Code(" + ")) + printExtent(offset.constant).code;
  }
  for (const Part &part : negative)
    append(part, true);
  return text.empty() ? Code("0") : text;
}
