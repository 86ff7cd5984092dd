// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Plan stage's passes.

#ifndef CAMEO_PLAN_PASSES_H
#define CAMEO_PLAN_PASSES_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Plan/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_PLAN_PASSES_H
