// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the symbols of sizes get their values, and the most that those of loops can become.

#ifndef CAMEO_PLAN_SYMBOLS_H
#define CAMEO_PLAN_SYMBOLS_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

class Symbols {
public:
  explicit Symbols(mlir::func::FuncOp function);

  /// Whether every symbol of `extent` has its value when `op` begins.
  bool areKnownBefore(core::ExtentAttr extent, mlir::Operation *op) const;
  /// The most that an extent can be, in symbols that have their values when `op` begins; the extent
  /// itself where nothing bounds it.
  core::ExtentAttr getBound(core::ExtentAttr extent, mlir::Operation *op) const;
  /// The most that an extent can be in any iteration of the loops around it; itself as above.
  core::ExtentAttr getLoopBound(core::ExtentAttr extent) const;

private:
  void addLoop(prog::LoopOp loop);
  llvm::DenseMap<llvm::StringRef, mlir::Operation *> definitions;
  /// The most that symbols of loops, and checked ones, can be.
  llvm::DenseMap<llvm::StringRef, core::ExtentAttr> bounds;
  /// What getLoopBound() found.
  mutable llvm::DenseMap<llvm::StringRef, core::ExtentAttr> loopBounds;
};

} // namespace cameo

#endif // CAMEO_PLAN_SYMBOLS_H
