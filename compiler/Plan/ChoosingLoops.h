// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the host in which nothing makes it wait but branches that the device could choose: the
// device can run these too, as it does those that end by what it has computed.

#ifndef CAMEO_PLAN_CHOOSINGLOOPS_H
#define CAMEO_PLAN_CHOOSINGLOOPS_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Gives such loops of more than one iteration a condition that always holds, and the mark
/// `cameo.repeats`.
void repeatChoosingLoops(mlir::func::FuncOp function);

/// Takes the mark from a loop, and the condition that it has from repeatChoosingLoops().
void leaveToHost(prog::LoopOp loop);

} // namespace cameo

#endif // CAMEO_PLAN_CHOOSINGLOOPS_H
