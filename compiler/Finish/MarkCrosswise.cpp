// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on the host that read columns and store rows: which operands are turned by tiles
// (codegen_templates/cpu/crosswise.h), and along which dim these lie. Behind cameo-merge-loops,
// whose offsets tell.

#include "Dialect/Prog/IR/ElementOffset.h"
#include "Finish/Passes.h"
#include "cameo/pack/crosswise.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_MARKCROSSWISEPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// The stride of a dim that an offset is linear in; null where it is not.
ExtentAttr getStride(const ElementOffset &offset, unsigned dim) {
  ExtentAttr stride = ExtentAttr::constant(offset.constant.getContext(), 0);
  for (const ElementOffset::Term &term : offset.terms) {
    if (!term.atom.isFunctionOfDim(dim))
      continue;
    if (!isa<AffineDimExpr>(term.atom))
      return nullptr;
    stride = term.scale;
  }
  return stride;
}

bool hasUnitStride(const ElementOffset &offset, unsigned dim) {
  ExtentAttr stride = getStride(offset, dim);
  return stride && stride.isConstant(1);
}

/// Whether elements lie apart along the last dim.
bool isApart(const ElementOffset &offset, unsigned last) {
  ExtentAttr stride = getStride(offset, last);
  return stride && !stride.isConstant(0) && !stride.isConstant(1);
}

bool mayBeLong(KernelOp loop, unsigned dim) {
  std::optional<int64_t> extent = cast<ExtentAttr>(loop.getExtents()[dim]).getConstant();
  return !extent || *extent >= fewest_crossed;
}

class CrosswiseKernel {
public:
  explicit CrosswiseKernel(KernelOp loop)
      : loop(loop), body(cast<BodyOpInterface>(loop.getOperation())), offsets(getOffsets(body)) {}

  /// The form with the first dim along which an operand lies; null where rows are read as rows.
  host::CrosswiseAttr find();

private:
  bool storesRows();
  bool isCrossed(unsigned operand, unsigned dim);

  KernelOp loop;
  BodyOpInterface body;
  SmallVector<ElementOffset> offsets;
};

} // namespace

bool CrosswiseKernel::storesRows() {
  unsigned last = loop.getRank() - 1;
  auto stored = ArrayRef(offsets).drop_front(body.getBodyInputs().size());
  return llvm::all_of(stored,
                      [&](const ElementOffset &offset) { return hasUnitStride(offset, last); });
}

bool CrosswiseKernel::isCrossed(unsigned operand, unsigned dim) {
  auto tensor = dyn_cast<SymTensorType>(body.getBodyInputs()[operand].getType());
  return tensor && !tensor.isPacked() && !body.getBodyBlock()->getArgument(operand).use_empty() &&
         hasUnitStride(offsets[operand], dim) && isApart(offsets[operand], loop.getRank() - 1);
}

host::CrosswiseAttr CrosswiseKernel::find() {
  unsigned rank = loop.getRank(), count = body.getBodyInputs().size();
  if (rank < 2 || !mayBeLong(loop, rank - 1) || !storesRows())
    return nullptr;
  for (unsigned dim = 0; dim + 1 < rank; ++dim) {
    SmallVector<bool> crossed;
    for (unsigned operand = 0; operand < count; ++operand)
      crossed.push_back(mayBeLong(loop, dim) && isCrossed(operand, dim));
    if (llvm::is_contained(crossed, true))
      return host::CrosswiseAttr::get(loop.getContext(), dim,
                                      DenseBoolArrayAttr::get(loop.getContext(), crossed));
  }
  return nullptr;
}

namespace {

struct MarkCrosswisePass : cameo::impl::MarkCrosswisePassBase<MarkCrosswisePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<host::KernelOp>()) {
      auto loop = dyn_cast<KernelOp>(kernel.getKernel());
      if (!loop || kernel.getSide() != Side::Host)
        continue;
      if (host::CrosswiseAttr form = CrosswiseKernel(loop).find())
        loop->setAttr("host.crosswise", form);
    }
  }
};

} // namespace
