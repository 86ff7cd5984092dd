// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functors of calls, as fusions take them apart and build new ones.

#ifndef CAMEO_FUSION_FUNCTORS_H
#define CAMEO_FUSION_FUNCTORS_H

#include "Fusion/FusedBody.h"

namespace cameo {

/// The store functor that writes a result; null when the template writes it itself.
prog::StoreOp findStore(prog::CallOp call, unsigned result);
/// Where a store functor writes result `number` of those that it writes, called at an index.
IndexExprs getStoredIndex(prog::StoreOp store, unsigned number, IndexSpace &space,
                          llvm::ArrayRef<mlir::AffineExpr> index);

/// The body of a new functor: a block with the arguments that the template brings.
mlir::Block *createBody(prog::BodyOpInterface functor, prog::BodyOpInterface like);
/// Evaluates all of `functor`, called at an index, in `body`, whose block createBody() has made;
/// returns what it yields.
llvm::SmallVector<mlir::Value> appendFunctor(FusedBody &body, mlir::Block *block, IndexSpace &space,
                                             prog::BodyOpInterface functor,
                                             llvm::ArrayRef<mlir::AffineExpr> index);

/// Erases `op`, the views through which it was read, and those that only it read; appends their
/// locations, views first.
void eraseWithViews(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Location> &locations);
/// Appends the names of an op's results.
void collectNames(mlir::Operation *op, llvm::SmallVectorImpl<llvm::StringRef> &names);

} // namespace cameo

#endif // CAMEO_FUSION_FUNCTORS_H
