// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on the onnx dialect.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/ONNX/Transforms/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_H
