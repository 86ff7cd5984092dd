// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values share memory whatever the plan: views and what is written in place. And which
// memory is the plan's to choose.

#ifndef CAMEO_PLAN_ALIASES_H
#define CAMEO_PLAN_ALIASES_H

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/Views.h"

namespace cameo {

/// The destination that `value` is tied to, or null.
mlir::Value getTiedDestination(mlir::Value value);
/// The value whose memory `value` uses, through views and ties; `value` itself when it is first
/// there.
mlir::Value getMemoryRoot(mlir::Value value);
/// Whether `value` is first in its memory: neither a view nor tied to a destination.
bool isMemoryRoot(mlir::Value value);

/// getMemoryRoot() for the values of long chains of ties: remembers what it found, and so holds
/// while no tie of a value that it was asked about changes.
class MemoryRoots {
public:
  mlir::Value find(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
};

/// Whether the plan is free to choose where `root` lies: not an input, a weight or a local array.
bool isPlanned(mlir::Value root);
/// Whether `value` starts where the memory of `root` starts, which it uses.
bool startsAtRoot(mlir::Value value, mlir::Value root);
/// Says that a view has all elements of its source, where their extents do not.
void setWholeView(prog::ViewOp view);
/// Whether `value` is all of the memory of `root`, which it uses.
bool isWhole(mlir::Value value, mlir::Value root);
/// The input whose memory output `number` may be bound to, as cameo-plan-buffers has found; null
/// for none.
mlir::Value getUpdatedInput(mlir::func::FuncOp function, int64_t number);
/// The operand by which a loop's body yields the next value of carried value `number`.
mlir::OpOperand &getNextValue(prog::LoopOp loop, unsigned number);

} // namespace cameo

#endif // CAMEO_PLAN_ALIASES_H
