// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a planned program computes of its inputs' dims, and of elements of inputs, before the first
// step: the symbols that are known then, and the ops that define and check them.

#ifndef CAMEO_PREPARE_SHAPEPROGRAM_H
#define CAMEO_PREPARE_SHAPEPROGRAM_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace cameo {

class ShapeProgram {
public:
  explicit ShapeProgram(mlir::func::FuncOp main);

  const core::ExtentFacts &getFacts() const { return analysis.getFacts(); }
  /// The symbols known before the first step, in the order of the model's table: those of input
  /// dims, then those computed.
  llvm::ArrayRef<llvm::StringRef> getSymbols() const { return symbols.getArrayRef(); }
  llvm::ArrayRef<llvm::StringRef> getInputSymbols() const {
    return getSymbols().take_front(numInputSymbols);
  }
  bool isKnown(llvm::StringRef symbol) const { return symbols.contains(symbol); }
  /// Whether all symbols of an extent are.
  bool isKnown(core::ExtentAttr extent) const;
  /// The most that an extent can be, in symbols known before the first step: itself when its own
  /// are, `unknown` when nothing bounds it.
  core::ExtentAttr getCapacity(core::ExtentAttr extent) const;
  /// The extents by which memory for a tensor of these is to be made, if `getMost` says what each
  /// of them and products of them can be at most: those, or where they are bounded together extents
  /// whose product is no less than theirs. An extent that has all of it is in front then, and
  /// others are what it leaves; known ones stay.
  llvm::SmallVector<core::ExtentAttr>
  getCapacities(llvm::ArrayRef<core::ExtentAttr> extents,
                llvm::function_ref<core::ExtentAttr(core::ExtentAttr)> getMost) const;
  llvm::SmallVector<core::ExtentAttr>
  getCapacities(llvm::ArrayRef<core::ExtentAttr> extents) const {
    return getCapacities(extents, [&](core::ExtentAttr extent) { return getCapacity(extent); });
  }
  /// The most that an extent can be, in symbols for which `isKept` holds; itself when nothing
  /// bounds it.
  core::ExtentAttr getBound(core::ExtentAttr extent,
                            llvm::function_ref<bool(llvm::StringRef)> isKept) const {
    core::SymbolBounds known;
    return analysis.getBound(extent, isKept, known);
  }
  /// Whether a top-level op belongs to the shape program.
  bool contains(mlir::Operation *op) const { return ops.contains(op); }

private:
  void findOps();
  bool isKnownValue(mlir::Value value, mlir::Operation *scope) const;
  bool isComputable(mlir::Operation *op, mlir::Operation *scope) const;

  mlir::func::FuncOp main;
  core::SymbolAnalysis analysis;
  llvm::SetVector<llvm::StringRef> symbols;
  unsigned numInputSymbols = 0;
  llvm::DenseSet<mlir::Operation *> ops;
  /// The results of getCapacity().
  mutable core::SymbolBounds bounds;
};

} // namespace cameo

#endif // CAMEO_PREPARE_SHAPEPROGRAM_H
