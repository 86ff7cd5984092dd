// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Explained.h"

using namespace mlir;
using namespace cameo;

static constexpr llvm::StringLiteral kExplained = "cameo.explained";

void cameo::explainChoices(ModuleOp module) {
  module->setAttr(kExplained, UnitAttr::get(module.getContext()));
}

bool cameo::explainsChoices(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kExplained);
}

void cameo::forgetChoices(ModuleOp module) {
  module->removeAttr(kExplained);
  module.walk([](Operation *op) {
    for (llvm::StringRef name : {kWeighed, kWhere, kChosenFor, kReplaced})
      op->removeDiscardableAttr(name);
  });
}
