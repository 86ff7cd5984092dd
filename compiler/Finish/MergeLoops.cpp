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
  SmallVector<ElementOffset> offsets =
      findOffsets(cast<BodyOpInterface>(loop.getOperation()), kernel);
  auto extents = llvm::to_vector(loop.getExtents().getAsRange<ExtentAttr>());
  SmallVector<unsigned> dims = coalesce(extents, offsets, findFixed(loop, kernel));
  if (llvm::any_of(extents, [](ExtentAttr extent) { return extent.isUnknown(); }))
    return loop.emitError("iterates over an extent that nothing determines");
  loop.getBody().walk([&](SIndexOp index) { index.setDim(dims[index.getDim()]); });
  setOffsets(cast<BodyOpInterface>(loop.getOperation()), offsets, extents.size());
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
