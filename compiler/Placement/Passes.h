// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Place stage's passes.

#ifndef CAMEO_PLACEMENT_PASSES_H
#define CAMEO_PLACEMENT_PASSES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Placement/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_PLACEMENT_PASSES_H
