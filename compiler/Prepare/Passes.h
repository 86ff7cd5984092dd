// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Prepare stage's passes.

#ifndef CAMEO_PREPARE_PASSES_H
#define CAMEO_PREPARE_PASSES_H

#include "Dialect/Host/IR/HostDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Prepare/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_PREPARE_PASSES_H
