// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which what does not depend on a fetch is queued before the wait for it.

#ifndef CAMEO_DIALECT_PROG_IR_WAITORDER_H
#define CAMEO_DIALECT_PROG_IR_WAITORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo::prog {

/// Orders the blocks of `function`, inner ones too, by how many waits an op stands behind: because
/// it reads a value or names a symbol that does, or holds an op that does. Keeps the order
/// otherwise. An op that is safe only behind a check reads or names what the check is about.
void orderByWaits(mlir::func::FuncOp function);

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_WAITORDER_H
