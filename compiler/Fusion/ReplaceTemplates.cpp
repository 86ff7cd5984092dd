// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/ReplaceTemplates.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Kernels/Explained.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

static bool isOnDevice(CallOp call) {
  return llvm::all_of(call->getResultTypes(),
                      [](Type type) { return cast<SymTensorType>(type).isDevice(); });
}

unsigned cameo::replaceTemplates(func::FuncOp function) {
  TargetAttr target = TargetAttr::lookup(function);
  if (!target.getDevice() || PrecisionAttr::lookup(function) == Precision::Exact)
    return 0;
  SymbolAnalysis symbols(function);
  bool isExplained = explainsChoices(function);
  unsigned count = 0;
  function.walk([&](CallOp call) {
    const KernelTemplate *found = findReplacement(call, target.getDevice().getKernels());
    if (!found || !isOnDevice(call) || !takesCountsOf(*found, call.getParams(), symbols))
      return;
    if (isExplained)
      call->setAttr(kReplaced, call.getCalleeAttr());
    call.setCallee(found->name);
    ++count;
  });
  return count;
}
