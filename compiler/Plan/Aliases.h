// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values share memory whatever the plan: views and what is written in place.

#ifndef CAMEO_PLAN_ALIASES_H
#define CAMEO_PLAN_ALIASES_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// The destination that `value` is tied to, or null.
mlir::Value getTiedDestination(mlir::Value value);
/// The value whose memory `value` uses, through views and ties; `value` itself when it is first
/// there.
mlir::Value getMemoryRoot(mlir::Value value);
/// Whether the plan is free to choose where `root` lies: not an input, a weight or the runtime's.
bool isPlanned(mlir::Value root);

} // namespace cameo

#endif // CAMEO_PLAN_ALIASES_H
