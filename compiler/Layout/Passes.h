// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Layout stage's passes.

#ifndef CAMEO_LAYOUT_PASSES_H
#define CAMEO_LAYOUT_PASSES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Layout/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_LAYOUT_PASSES_H
