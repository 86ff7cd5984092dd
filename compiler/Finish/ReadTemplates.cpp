// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of templates that generated code depends on, from their records.

#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Finish/Passes.h"
#include "Finish/TargetOf.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_READTEMPLATESPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

/// A type that scratch memory is of: a text of C++, or the type of an element.
static Attribute getScratchType(CallOp call, ScratchType type) {
  switch (type.source) {
  case ScratchType::Argument:
    return call.getTypes()[type.number];
  case ScratchType::Input:
    return TypeAttr::get(
        cast<SymTensorType>(call.getIns()[type.number].getType()).getElementType());
  case ScratchType::Load: {
    LoadOp load = call.getLoads()[type.number];
    return TypeAttr::get(load.getBody().front().getTerminator()->getOperand(0).getType());
  }
  }
  llvm_unreachable("every source is above");
}

/// Null where no function says beforehand what scratch memory is taken. At strides a kernel takes
/// what it takes where results are dense.
static ArrayAttr getScratch(host::KernelOp kernel, CallOp call, const KernelTemplate &record,
                            const KernelSet &set) {
  if (!record.takesScratch || !set.sizesScratch || kernel.getStrides())
    return {};
  SmallVector<Attribute> types;
  for (ScratchType type : record.scratchTypes)
    types.push_back(getScratchType(call, type));
  return ArrayAttr::get(kernel.getContext(), types);
}

static host::TemplateAttr getFacts(host::KernelOp kernel, CallOp call, const KernelTemplate &record,
                                   const KernelSet &set) {
  Builder builder(kernel.getContext());
  SmallVector<StringRef> ranks;
  for (const TemplateParam &param : record.params)
    if (param.kind == ParamKind::Rank)
      ranks.push_back(param.name);
  return host::TemplateAttr::get(kernel.getContext(), builder.getStringAttr(record.header),
                                 record.mayRaise, builder.getStrArrayAttr(ranks),
                                 builder.getStrArrayAttr(SmallVector<StringRef>(record.extensions)),
                                 getScratch(kernel, call, record, set));
}

namespace {

struct ReadTemplatesPass : cameo::impl::ReadTemplatesPassBase<ReadTemplatesPass> {
  void runOnOperation() override {
    const Target *target = findTargetOf(getOperation());
    for (auto kernel : getOperation().getOps<host::KernelOp>()) {
      auto call = dyn_cast<CallOp>(kernel.getKernel());
      if (!call)
        continue;
      const KernelTemplate &record = *findTemplate(call.getCallee());
      const KernelSet &set = *target->getSide(kernel.getSide()).kernels;
      if (!record.isIn(set.name)) {
        call.emitError("no template '") << record.name << "' for " << set.name;
        return signalPassFailure();
      }
      kernel.setCalledTemplateAttr(getFacts(kernel, call, record, set));
    }
  }
};

} // namespace
