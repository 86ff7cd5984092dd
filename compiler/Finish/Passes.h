// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Finish stage's passes.

#ifndef CAMEO_FINISH_PASSES_H
#define CAMEO_FINISH_PASSES_H

#include "Dialect/Host/IR/HostDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Finish/Passes.h.inc"

/// All of the stage, in their order.
llvm::SmallVector<std::unique_ptr<mlir::Pass>> createFinishPasses();

} // namespace cameo

#endif // CAMEO_FINISH_PASSES_H
