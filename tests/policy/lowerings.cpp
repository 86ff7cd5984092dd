// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints, for every operator that the onnx dialect registers, what makes a program of it: `Relu
// lowering`, `Mean decomposition`, `ms.Gelu expansion`, `Det nothing`. Asks the patterns that the
// passes run, not their sources.

#include "Conversion/OnnxToProg/Patterns.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Import/Expansion/Expansion.h"
#include "Pipeline/Register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace cameo;

namespace {

/// The operators that some patterns begin at, by name or by interface.
class Roots {
public:
  explicit Roots(RewritePatternSet &patterns) {
    for (const std::unique_ptr<RewritePattern> &pattern : patterns.getNativePatterns())
      if (std::optional<OperationName> kind = pattern->getRootKind())
        kinds.insert(*kind);
      else
        matchesScalarBodies |=
            pattern->getRootInterfaceID() == cameo::onnx::OnnxOp::getInterfaceID();
  }
  /// A pattern for all operators takes those that have a scalar body.
  bool contain(cameo::onnx::OnnxOp op) const {
    return kinds.contains(op->getName()) || (matchesScalarBodies && op.hasScalarBody());
  }

private:
  llvm::DenseSet<OperationName> kinds;
  bool matchesScalarBodies = false;
};

} // namespace

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  RewritePatternSet lowerings(&context), decompositions(&context);
  populateOnnxToProgPatterns(lowerings);
  populateDecompositions(decompositions, /*target=*/{});
  Roots lowered(lowerings), decomposed(decompositions);

  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "onnx" || !name.hasInterface<cameo::onnx::OnnxOp>())
      continue;
    OperationState state(UnknownLoc::get(&context), name);
    Operation *op = Operation::create(state);
    auto onnxOp = cast<cameo::onnx::OnnxOp>(op);
    llvm::outs() << name.stripDialect() << ' '
                 << (lowered.contain(onnxOp)                   ? "lowering"
                     : decomposed.contain(onnxOp)              ? "decomposition"
                     : isExpandedOnImport(name.getStringRef()) ? "expansion"
                                                               : "nothing")
                 << '\n';
    op->destroy();
  }
  return 0;
}
