// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest loop nest that still tells all elements apart.

#include "Dialect/Prog/IR/ElementOffset.h"
#include "Finish/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_MERGELOOPSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// The stride of a dim in an offset.
ExtentAttr getDimScale(const ElementOffset &offset, unsigned dim, MLIRContext *context) {
  for (const ElementOffset::Term &term : offset.terms)
    if (auto expr = dyn_cast<AffineDimExpr>(term.atom); expr && expr.getPosition() == dim)
      return term.scale;
  return ExtentAttr::constant(context, 0);
}

/// The number of times that `divisor` goes into an extent that is a multiple of it by its factors,
/// whatever they are; null where it is none.
ExtentAttr divideExactly(ExtentAttr extent, ExtentAttr divisor) {
  if (extent.isUnknown() || divisor.isUnknown() || divisor.getTerms().size() != 1)
    return nullptr;
  const ExtentTerm &by = divisor.getTerms().front();
  ExtentAttr sum = ExtentAttr::constant(extent.getContext(), 0);
  for (const ExtentTerm &term : extent.getTerms()) {
    if (term.coefficient % by.coefficient != 0)
      return nullptr;
    auto factors = llvm::to_vector(term.factors);
    for (ExtentAttr factor : by.factors) {
      auto *found = llvm::find(factors, factor);
      if (found == factors.end())
        return nullptr;
      factors.erase(found);
    }
    ExtentAttr part = ExtentAttr::constant(extent.getContext(), term.coefficient / by.coefficient);
    for (ExtentAttr factor : factors)
      part = part * factor;
    sum = sum + part;
  }
  return sum * divisor == extent ? sum : nullptr;
}

/// A loop whose number is divided by one extent only, of which its own is a multiple: two loops.
class LoopDivision {
public:
  LoopDivision(unsigned dim, ArrayRef<Attribute> symbols) : dim(dim), symbols(symbols) {}

  /// Whether all offsets take the dim plainly or divided so, and one does.
  bool isFound(ArrayRef<ElementOffset> offsets, ExtentAttr extent);
  /// Makes dims `dim` and `dim` + 1 of it.
  void apply(SmallVectorImpl<ExtentAttr> &extents, MutableArrayRef<ElementOffset> offsets);

private:
  bool takesPlainly(AffineExpr atom) const {
    auto expr = dyn_cast<AffineDimExpr>(atom);
    return expr && expr.getPosition() == dim;
  }
  bool findDivisor(AffineExpr atom);

  unsigned dim;
  ArrayRef<Attribute> symbols;
  ExtentAttr divisor, quotient;
};

bool LoopDivision::findDivisor(AffineExpr atom) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  bool isDivision =
      atom.getKind() == AffineExprKind::Mod || atom.getKind() == AffineExprKind::FloorDiv;
  if (!binary || !isDivision || !takesPlainly(binary.getLHS()) ||
      !binary.getRHS().isSymbolicOrConstant())
    return false;
  ExtentAttr by = evaluate(binary.getRHS(), symbols);
  if (divisor && divisor != by)
    return false;
  divisor = by;
  return true;
}

bool LoopDivision::isFound(ArrayRef<ElementOffset> offsets, ExtentAttr extent) {
  for (const ElementOffset &offset : offsets)
    for (const ElementOffset::Term &term : offset.terms)
      if (term.atom.isFunctionOfDim(dim) && !takesPlainly(term.atom) && !findDivisor(term.atom))
        return false;
  // Short loops cost more than divisions by a constant, which become vectors.
  constexpr int64_t fewest = 16;
  if (!divisor || (divisor.getConstant() && *divisor.getConstant() < fewest))
    return false;
  quotient = divideExactly(extent, divisor);
  return quotient != nullptr;
}

void LoopDivision::apply(SmallVectorImpl<ExtentAttr> &extents,
                         MutableArrayRef<ElementOffset> offsets) {
  MLIRContext *context = divisor.getContext();
  SmallVector<AffineExpr> moved;
  for (unsigned old = 0; old < extents.size(); ++old)
    moved.push_back(getAffineDimExpr(old <= dim ? old : old + 1, context));
  AffineExpr whole = moved[dim], rest = getAffineDimExpr(dim + 1, context);
  for (ElementOffset &offset : offsets) {
    SmallVector<ElementOffset::Term, 4> terms;
    for (const ElementOffset::Term &term : offset.terms) {
      if (takesPlainly(term.atom)) {
        terms.push_back({whole, term.scale * divisor});
        terms.push_back({rest, term.scale});
      } else if (term.atom.isFunctionOfDim(dim)) {
        bool isRest = term.atom.getKind() == AffineExprKind::Mod;
        terms.push_back({isRest ? rest : whole, term.scale});
      } else {
        terms.push_back({term.atom.replaceDims(moved), term.scale});
      }
    }
    offset.terms = std::move(terms);
  }
  extents[dim] = divisor;
  extents.insert(extents.begin() + dim, quotient);
}

/// Divides all loops that can be, from the last on.
void divideLoops(SmallVectorImpl<ExtentAttr> &extents, MutableArrayRef<ElementOffset> offsets,
                 ArrayRef<Attribute> symbols) {
  for (unsigned dim = extents.size(); dim-- > 0;)
    if (LoopDivision division(dim, symbols); division.isFound(offsets, extents[dim]))
      division.apply(extents, offsets);
}

/// Merges neighbouring dims of `extents` that every offset walks as one, and drops dims of extent
/// 1; rewrites the offsets. Dims in `fixed` are asked for by number and stay. Returns the number
/// that each old dim has now, 0 for those that are gone.
SmallVector<unsigned> coalesce(SmallVectorImpl<ExtentAttr> &extents,
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

/// A body's offsets by the layouts of its operands: of these, then of what it stores. They are 0
/// for operands that the body does not read.
SmallVector<ElementOffset> findOffsets(BodyOpInterface body, host::KernelOp kernel) {
  SmallVector<ElementOffset> offsets;
  auto add = [&](Type type, AffineMap map) {
    SmallVector<ExtentAttr> physical;
    if (auto tensor = dyn_cast<SymTensorType>(type))
      physical = tensor.getPhysicalExtents();
    offsets.push_back(getElementOffset(map, body.getMapSymbolExtents(), physical));
  };
  auto elements = body.getBodyBlock()->getArguments().drop_front(body.getNumTemplateValues());
  for (auto [input, map, element] :
       llvm::zip_equal(body.getBodyInputs(), body.getInputMaps(), elements))
    if (element.use_empty())
      offsets.push_back({{}, ExtentAttr::constant(body->getContext(), 0)});
    else
      add(input.getType(), map);
  for (auto [result, map] : llvm::zip_equal(body.getStoredResults(), body.getOutputMaps())) {
    SmallVector<ExtentAttr> strides = kernel.getStridesOf(cast<OpResult>(result));
    if (strides.empty())
      add(result.getType(), map);
    else
      offsets.push_back(getStridedOffset(map, body.getMapSymbolExtents(), strides));
  }
  return offsets;
}

/// The dims that cannot be merged: the body asks for them, or the host could not tell the kernel
/// the product, since it can tell multiples of one count.
llvm::SmallBitVector findFixed(KernelOp loop, host::KernelOp kernel) {
  llvm::SmallBitVector fixed(loop.getRank());
  loop.getBody().walk([&](SIndexOp index) { fixed.set(index.getDim()); });
  auto counted = llvm::to_vector(kernel.getCounted().getAsValueRange<StringAttr>());
  int64_t countedExtents =
      llvm::count_if(loop.getExtents().getAsRange<ExtentAttr>(), [&](ExtentAttr extent) {
        llvm::SetVector<StringRef> named;
        extent.collectSymbols(named);
        return llvm::any_of(named,
                            [&](StringRef symbol) { return llvm::is_contained(counted, symbol); });
      });
  if (countedExtents > 1)
    fixed.set();
  return fixed;
}

LogicalResult mergeLoops(KernelOp loop, host::KernelOp kernel) {
  auto body = cast<BodyOpInterface>(loop.getOperation());
  SmallVector<ElementOffset> offsets = findOffsets(body, kernel);
  auto extents = llvm::to_vector(loop.getExtents().getAsRange<ExtentAttr>());
  llvm::SmallBitVector fixed = findFixed(loop, kernel);
  // A device flattens its index anyway.
  if (kernel.getSide() == Side::Host && fixed.none()) {
    divideLoops(extents, offsets, body.getMapSymbolExtents());
    fixed.resize(extents.size());
  }
  SmallVector<unsigned> dims = coalesce(extents, offsets, fixed);
  if (llvm::any_of(extents, [](ExtentAttr extent) { return extent.isUnknown(); }))
    return loop.emitError("iterates over an extent that nothing determines");
  loop.getBody().walk([&](SIndexOp index) { index.setDim(dims[index.getDim()]); });
  setOffsets(body, offsets, extents.size());
  loop.setExtentsAttr(
      ArrayAttr::get(loop.getContext(), SmallVector<Attribute>(extents.begin(), extents.end())));
  return success();
}

struct MergeLoopsPass : cameo::impl::MergeLoopsPassBase<MergeLoopsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<host::KernelOp>()) {
      if (auto loop = dyn_cast<KernelOp>(kernel.getKernel())) {
        if (failed(mergeLoops(loop, kernel)))
          return signalPassFailure();
        continue;
      }
      for (Operation &functor : cast<CallOp>(kernel.getKernel()).getFunctors().front()) {
        auto body = cast<BodyOpInterface>(functor);
        setOffsets(body, findOffsets(body, kernel), body.getIndexRank());
      }
    }
  }
};

} // namespace
