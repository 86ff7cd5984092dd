// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Structure stage's passes.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_PASSES_H
#define CAMEO_CONVERSION_ONNXTOPROG_PASSES_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Conversion/OnnxToProg/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_PASSES_H
