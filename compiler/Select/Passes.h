// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Select stage's passes.

#ifndef CAMEO_SELECT_PASSES_H
#define CAMEO_SELECT_PASSES_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Select/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_SELECT_PASSES_H
