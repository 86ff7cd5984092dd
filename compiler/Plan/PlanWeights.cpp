// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of the weights, the defaults of inputs among them, in the order in which steps first read
// them: a run goes through the blob from its begin to its end, as the machine looks ahead, in
// whatever order the model's file has them. Attributes are uniqued, so equal constants that go
// through the same steps are one key; blobs of resources are compared by their key. A constant
// without elements has no offset: at one the next one would lie.

#include "Plan/Passes.h"

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Dialect/Prog/IR/Views.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PLANWEIGHTSPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

/// All weights, those that no step reads at the end.
llvm::SetVector<WeightOp> orderByReader(ModuleOp module) {
  llvm::SetVector<WeightOp> order;
  walkOutsideKernels(module, [&](Operation *op) {
    if (!isa<ViewOp>(op))
      forEachRead(op, [&](Value read) {
        if (auto weight = stripViews(read).getDefiningOp<WeightOp>())
          order.insert(weight);
      });
  });
  walkOutsideKernels(module, [&](WeightOp weight) { order.insert(weight); });
  return order;
}

struct PlanWeightsPass : cameo::impl::PlanWeightsPassBase<PlanWeightsPass> {
  using PlanWeightsPassBase::PlanWeightsPassBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    DenseMap<std::pair<Attribute, Attribute>, int64_t> offsets;
    int64_t end = 0;
    auto assignOffset = [&](ElementsAttr value, ArrayAttr steps, core::SymTensorType type) {
      auto [entry, inserted] = offsets.try_emplace({value, steps}, end);
      if (inserted)
        end = llvm::alignTo(end + *core::getStorageBytes(type).getConstant(), core::kAlignment);
      return builder.getI64IntegerAttr(entry->second);
    };
    for (WeightOp weight : orderByReader(getOperation()))
      if (!core::getStorageBytes(weight.getType()).isConstant(0))
        weight->setAttr("offset",
                        assignOffset(weight.getValue(), weight.getStepsAttr(), weight.getType()));
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned input = 0; input < function.getNumArguments(); ++input)
        if (auto value = function.getArgAttrOfType<ElementsAttr>(input, "onnx.default")) {
          Attribute layout =
              cast<core::SymTensorType>(function.getArgumentTypes()[input]).getLayout();
          function.setArgAttr(input, "prog.default_offset",
                              assignOffset(value, core::makeSteps(&getContext(), {}, layout),
                                           core::getTypeOf(value, layout)));
        }
    getOperation()->setAttr("prog.weights_bytes", builder.getI64IntegerAttr(end));
  }
};

} // namespace
