// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits of the host that the run leaves to whoever finishes it: a mark on `prog.await`
// (cameo-leave-to-finish).

#ifndef CAMEO_DIALECT_PROG_IR_FINISHEDWAITS_H
#define CAMEO_DIALECT_PROG_IR_FINISHEDWAITS_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Builders.h"

namespace cameo::prog {

inline constexpr llvm::StringLiteral kFinished = "cameo.finished";

/// Whether nobody waits in the run: nothing but work of the host stands behind the await.
inline bool isFinished(mlir::Operation *await) { return await->hasAttr(kFinished); }

inline void setFinished(AwaitOp await) {
  await->setAttr(kFinished, mlir::UnitAttr::get(await.getContext()));
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_FINISHEDWAITS_H
