// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols of branches and loops that the device has, as lists of integers where kernels read them.

#ifndef CAMEO_PLAN_CARRIEDLISTS_H
#define CAMEO_PLAN_CARRIEDLISTS_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// The same loop, which carries a list first: the values of `first`, then, behind each iteration,
/// those of `next`.
prog::LoopOp carryList(prog::LoopOp loop, llvm::ArrayRef<core::ExtentAttr> first,
                       llvm::ArrayRef<core::ExtentAttr> next);

/// The same branch, whose first result is a list of the values of `onThen` or of `onElse`.
prog::IfOp yieldList(prog::IfOp branch, llvm::ArrayRef<core::ExtentAttr> onThen,
                     llvm::ArrayRef<core::ExtentAttr> onElse);

} // namespace cameo

#endif // CAMEO_PLAN_CARRIEDLISTS_H
