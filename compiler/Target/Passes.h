// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_TARGET_PASSES_H
#define CAMEO_TARGET_PASSES_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cameo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Target/Passes.h.inc"

} // namespace cameo

#endif // CAMEO_TARGET_PASSES_H
