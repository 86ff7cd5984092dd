// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier that ends every stage behind Shape.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Shape/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cameo {
#define GEN_PASS_DEF_VERIFYSYMBOLSPASS
#include "Shape/Passes.h.inc"
} // namespace cameo

namespace {

struct VerifySymbolsPass : cameo::impl::VerifySymbolsPassBase<VerifySymbolsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(cameo::core::verifySymbols(function)))
        return signalPassFailure();
  }
};

} // namespace
