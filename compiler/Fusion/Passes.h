// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fuse stage's pass.

#ifndef CAMEO_FUSION_PASSES_H
#define CAMEO_FUSION_PASSES_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Fusion/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_FUSION_PASSES_H
