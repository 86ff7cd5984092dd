// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/ElementOffset.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

ExtentAttr prog::evaluate(AffineExpr expr, ArrayRef<Attribute> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ExtentAttr::constant(expr.getContext(), constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return cast<ExtentAttr>(symbols[symbol.getPosition()]);
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

namespace {

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

  /// Puts together what was taken apart: `x floordiv m` of scale `s * m` and `x mod m` of scale
  /// `s`.
  void joinQuotients() {
    for (size_t number = 0; number < offset.terms.size(); ++number) {
      ElementOffset::Term rest = offset.terms[number];
      auto mod = dyn_cast<AffineBinaryOpExpr>(rest.atom);
      if (rest.atom.getKind() != AffineExprKind::Mod || !mod.getRHS().isSymbolicOrConstant())
        continue;
      AffineExpr quotient = mod.getLHS().floorDiv(mod.getRHS());
      ExtentAttr scale = rest.scale * evaluate(mod.getRHS(), symbols);
      auto *found = llvm::find_if(offset.terms, [&](const ElementOffset::Term &term) {
        return term.atom == quotient && term.scale == scale;
      });
      if (found == offset.terms.end())
        continue;
      llvm::erase_if(offset.terms, [&](const ElementOffset::Term &term) {
        return term.atom == quotient || term.atom == rest.atom;
      });
      add(mod.getLHS(), rest.scale);
      number = -1; // What is there now may be a part itself.
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

} // namespace

ElementOffset prog::getStridedOffset(AffineMap map, ArrayRef<Attribute> symbols,
                                     ArrayRef<ExtentAttr> strides) {
  ElementOffset offset{{}, ExtentAttr::constant(map.getContext(), 0)};
  OffsetBuilder builder(symbols, offset);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
    builder.add(expr, stride);
  builder.joinQuotients();
  return offset;
}

ElementOffset prog::getElementOffset(AffineMap map, ArrayRef<Attribute> symbols,
                                     ArrayRef<ExtentAttr> physical) {
  SmallVector<ExtentAttr> strides(physical.size(), ExtentAttr::constant(map.getContext(), 1));
  for (size_t axis = physical.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * physical[axis]; // checked: `unknown` when it does not fit
  return getStridedOffset(map, symbols, strides);
}

ElementOffset prog::getOffset(AffineMap map, ArrayRef<Attribute> symbols) {
  return getStridedOffset(map, symbols, ExtentAttr::constant(map.getContext(), 1));
}

//===----------------------------------------------------------------------===//
// Offsets as maps
//===----------------------------------------------------------------------===//

SmallVector<ElementOffset> prog::getOffsets(BodyOpInterface body) {
  SmallVector<ElementOffset> offsets;
  for (auto [input, map] : llvm::zip_equal(body.getBodyInputs(), body.getInputMaps()))
    if (isa<SymTensorType>(input.getType()))
      offsets.push_back(getOffset(map, body.getMapSymbolExtents()));
    else
      offsets.push_back({{}, ExtentAttr::constant(body->getContext(), 0)});
  for (AffineMap map : body.getOutputMaps())
    offsets.push_back(getOffset(map, body.getMapSymbolExtents()));
  return offsets;
}

namespace {

/// The symbols of a body's offsets: those of its maps that are left, and its strides.
class OffsetSymbols {
public:
  /// `known` are the symbols that atoms name.
  explicit OffsetSymbols(ArrayRef<Attribute> known) : known(known) {}

  AffineExpr getSum(const ElementOffset &offset) {
    AffineExpr sum = getAffineConstantExpr(0, offset.constant.getContext());
    for (const ElementOffset::Term &term : offset.terms)
      sum = sum + rename(term.atom) * get(term.scale);
    return sum + get(offset.constant);
  }
  ArrayRef<Attribute> getExtents() const { return extents; }

private:
  AffineExpr get(ExtentAttr extent) {
    if (std::optional<int64_t> constant = extent.getConstant())
      return getAffineConstantExpr(*constant, extent.getContext());
    auto [position, isNew] = positions.try_emplace(extent, extents.size());
    if (isNew)
      extents.push_back(extent);
    return getAffineSymbolExpr(position->second, extent.getContext());
  }
  AffineExpr rename(AffineExpr atom) {
    llvm::DenseMap<AffineExpr, AffineExpr> renamed;
    atom.walk([&](AffineExpr expr) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        renamed[expr] = get(cast<ExtentAttr>(known[symbol.getPosition()]));
    });
    return atom.replace(renamed);
  }

  ArrayRef<Attribute> known;

  SmallVector<Attribute> extents;
  llvm::DenseMap<Attribute, unsigned> positions;
};

} // namespace

void prog::setOffsets(BodyOpInterface body, ArrayRef<ElementOffset> offsets, unsigned rank) {
  MLIRContext *context = body->getContext();
  OffsetSymbols symbols(body.getMapSymbolExtents());
  SmallVector<AffineExpr> sums;
  for (const ElementOffset &offset : offsets)
    sums.push_back(symbols.getSum(offset));
  auto makeMap = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank, symbols.getExtents().size(), results, context);
  };
  SmallVector<Value> inputs(body.getBodyInputs());
  SmallVector<AffineMap> inputMaps, outputMaps;
  for (auto [input, sum] : llvm::zip(inputs, sums))
    inputMaps.push_back(isa<SymTensorType>(input.getType()) ? makeMap(sum) : makeMap({}));
  for (AffineExpr sum : ArrayRef(sums).drop_front(inputs.size()))
    outputMaps.push_back(makeMap(sum));
  body.setBodyInputs(inputs, inputMaps, symbols.getExtents());
  ArrayAttr stored = Builder(context).getAffineMapArrayAttr(outputMaps);
  if (auto kernel = dyn_cast<KernelOp>(body.getOperation()))
    kernel.setOutMapsAttr(stored);
  else if (auto store = dyn_cast<StoreOp>(body.getOperation()))
    store.setOutMapsAttr(stored);
  body->setAttr(kOffsets, UnitAttr::get(context));
}
