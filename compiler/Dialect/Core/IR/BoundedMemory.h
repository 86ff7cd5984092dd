// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a module's programs do without a heap: every size has a bound then, and memory is little.

#ifndef CAMEO_DIALECT_CORE_IR_BOUNDEDMEMORY_H
#define CAMEO_DIALECT_CORE_IR_BOUNDEDMEMORY_H

#include "mlir/IR/BuiltinOps.h"

namespace cameo::core {

void setBounded(mlir::ModuleOp module, bool bounded);
/// The same for the module around `op`.
bool isBounded(mlir::Operation *op);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_BOUNDEDMEMORY_H
