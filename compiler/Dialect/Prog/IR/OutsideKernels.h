// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the steps of a program. Most ops of a program are inside its kernels, and who asks for
// steps should not pay for them.

#ifndef CAMEO_DIALECT_PROG_IR_OUTSIDEKERNELS_H
#define CAMEO_DIALECT_PROG_IR_OUTSIDEKERNELS_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo::prog {

/// As `root->walk<PreOrder>(visit)`, but for what is inside kernels. `visit` takes an op of any or
/// of one kind, must not erase it, and may return a WalkResult.
template <class Visit> mlir::WalkResult walkOutsideKernels(mlir::Operation *root, Visit &&visit) {
  using Visited = typename llvm::function_traits<std::decay_t<Visit>>::template arg_t<0>;
  auto call = [&](auto op) {
    if constexpr (std::is_same_v<decltype(visit(op)), mlir::WalkResult>)
      return visit(op);
    else
      return visit(op), mlir::WalkResult::advance();
  };
  return root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto result = mlir::WalkResult::advance();
    if constexpr (std::is_same_v<Visited, mlir::Operation *>)
      result = call(op);
    else if (auto typed = mlir::dyn_cast<Visited>(op))
      result = call(typed);
    if (result.wasInterrupted())
      return result;
    return mlir::isa<KernelOp, CallOp>(op) ? mlir::WalkResult::skip() : result;
  });
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_OUTSIDEKERNELS_H
