// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a kernel or call may write a result over what it reads: it reads each element only to make
// the one that replaces it.

#ifndef CAMEO_PLAN_OVERWRITE_H
#define CAMEO_PLAN_OVERWRITE_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Whether `result` may be written over those operands of its op (of its functors too) for which
/// `isOverwritten` holds and which start where the result starts. Element types must be equal:
/// memory that is one type in a kernel's loads and another in its stores may be reordered by the
/// C++ compiler. With `ofEqualBytes` the run knows that those operands have as many bytes as the
/// result, so that one that is a part of it has its extents.
bool mayOverwrite(mlir::OpResult result, llvm::function_ref<bool(mlir::Value)> isOverwritten,
                  bool ofEqualBytes = false);

/// The tensors that an op reads, those of a call's functors too.
llvm::SmallVector<mlir::Value> getTensorOperands(mlir::Operation *op);

/// Whether a loop's body leaves the next value of carried value `number` where the current one is:
/// it writes parts of it, or replaces it element by element once nothing else needs it.
bool isUpdatedInPlace(prog::LoopOp loop, unsigned number);

} // namespace cameo

#endif // CAMEO_PLAN_OVERWRITE_H
