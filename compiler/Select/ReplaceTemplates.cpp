// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/ReplaceTemplates.h"

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

/// Tells a call what to multiply in the place of floats, where its template has the precision's
/// word.
static void setFactors(CallOp call, Precision precision) {
  const TemplateParam *factors = findTemplate(call.getCallee())->findParam("factors");
  StringRef word = stringifyPrecision(precision);
  if (!factors || !llvm::is_contained(factors->words, word) ||
      !cast<SymTensorType>(call.getIns().front().getType()).getElementType().isF32())
    return;
  NamedAttrList params(call.getParams());
  params.set(factors->name, StringAttr::get(call.getContext(), factors->cppType + "::" + word));
  call.setParamsAttr(params.getDictionary(call.getContext()));
}

unsigned cameo::replaceTemplates(func::FuncOp function) {
  TargetAttr target = TargetAttr::lookup(function);
  Precision precision = PrecisionAttr::lookup(function);
  if (!target.getDevice() || precision == Precision::Exact)
    return 0;
  SymbolAnalysis symbols(function);
  bool isExplained = explainsChoices(function);
  unsigned count = 0;
  function.walk([&](CallOp call) {
    if (!isOnDevice(call))
      return;
    const KernelTemplate *found = findReplacement(call, target.getDevice().getKernels());
    if (found && takesCountsOf(*found, call.getParams(), symbols)) {
      if (isExplained)
        call->setAttr(kReplaced, call.getCalleeAttr());
      call.setCallee(found->name);
      ++count;
    }
    setFactors(call, precision);
  });
  return count;
}
