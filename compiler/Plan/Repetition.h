// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the device runs, or would.

#ifndef CAMEO_PLAN_REPETITION_H
#define CAMEO_PLAN_REPETITION_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// The await of the bool by which the loop goes on, where the host does nothing else in the body
/// but to enqueue, and to take branches that the device could choose; else null.
prog::AwaitOp findEnd(prog::LoopOp loop);

} // namespace cameo

#endif // CAMEO_PLAN_REPETITION_H
