// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds finished kernels against what README.md lets Emit rely on, whatever made them.

#include "Dialect/Prog/IR/ElementOffset.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Finish/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

/// The symbols that attributes of a kernel name, types left out: of a shape only the span matters.
static LogicalResult verifySymbols(host::KernelOp kernel) {
  llvm::StringSet<> given;
  for (ArrayAttr names : {kernel.getSymbols(), kernel.getNumbers()})
    for (StringRef name : names.getAsValueRange<StringAttr>())
      if (!given.insert(name).second)
        return kernel.emitOpError("takes '") << name << "' twice";
  StringRef missing;
  auto look = [&](Attribute attribute) {
    attribute.walk([&](ExtentAttr extent) {
      llvm::SetVector<StringRef> named;
      extent.collectSymbols(named);
      for (StringRef symbol : named)
        missing = given.contains(symbol) ? missing : symbol;
    });
  };
  look(kernel.getSpansAttr());
  kernel.getKernel()->walk([&](Operation *op) { look(op->getAttrDictionary()); });
  if (!missing.empty())
    return kernel.emitOpError("does not take symbol '") << missing << "'";
  return success();
}

static LogicalResult verifyKernel(host::KernelOp kernel, bool isStarted) {
  if (!isStarted)
    return kernel.emitOpError("is started by no launch");
  if (!kernel.getCalled() || !kernel.getFile())
    return kernel.emitOpError("has no name or no file");
  if (isa<CallOp>(kernel.getKernel()) && !kernel.getCalledTemplate())
    return kernel.emitOpError("says nothing of the template that it calls");
  WalkResult walked = kernel.walk([](BodyOpInterface body) {
    return body->hasAttr(kOffsets) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return kernel.emitOpError("has a body whose maps are no offsets");
  return verifySymbols(kernel);
}

namespace {

struct VerifyKernelsPass : cameo::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    llvm::DenseSet<StringAttr> started;
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    walkOutsideKernels(main, [&](Operation *op) {
      if (auto launch = dyn_cast<host::LaunchKernelOp>(op))
        started.insert(launch.getKernelAttr().getAttr());
      if (isa<host::LaunchOp>(op)) {
        op->emitOpError("holds its kernel");
        signalPassFailure();
      }
    });
    for (auto kernel : getOperation().getOps<host::KernelOp>())
      if (failed(verifyKernel(kernel, started.contains(kernel.getSymNameAttr()))))
        return signalPassFailure();
  }
};

} // namespace
