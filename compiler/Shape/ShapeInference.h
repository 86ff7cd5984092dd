// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the Shape stage while it walks a function in order.

#ifndef CAMEO_SHAPE_SHAPEINFERENCE_H
#define CAMEO_SHAPE_SHAPEINFERENCE_H

#include "Shape/KnownValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

class SideAnalysis;

/// Integer tensors with more elements are never bound to symbols.
inline constexpr int64_t kMaxBoundElements = 16;

class ShapeInference {
public:
  /// With `sides`, binds only what is on the host there.
  ShapeInference(mlir::func::FuncOp function, core::ExtentFacts facts,
                 const SideAnalysis *sides = nullptr);

  /// Infers the whole function, in order. What an earlier run left is overwritten,
  /// but for its prog.bind_elements.
  llvm::LogicalResult run();

  /// Infers one operator (control flow with its regions) whose operands are inferred.
  llvm::LogicalResult inferOp(mlir::Operation *op);
  llvm::LogicalResult inferBlock(mlir::Block &block);

  /// A symbol with a name that no other has, made from `hint`.
  core::ExtentAttr newSymbol(llvm::StringRef hint, int64_t min, int64_t max);
  /// As newSymbol, where only an upper bound is known, as an extent.
  core::ExtentAttr newCount(llvm::StringRef hint, core::ExtentAttr bound);

  KnownValues &getKnownValues() { return known; }
  core::ExtentFacts &getFacts() { return facts; }
  /// All symbols, in the order in which they appeared.
  llvm::ArrayRef<llvm::StringRef> getSymbols() const { return symbols; }
  unsigned getNumBound() const { return numBound; }

private:
  /// Refuses extents that follow from what is known and that no extent can say.
  llvm::LogicalResult checkExtents(onnx::OnnxOp op) const;
  /// Marks the values whose elements decide an extent or a branch, through chains of small
  /// integers.
  void findDemand();
  void demand(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &worklist);
  /// Gives symbols to what is demanded and not known.
  void bindIfDemanded(mlir::Value value);
  void useSymbolsOf(mlir::Type type);

  mlir::func::FuncOp function;
  core::ExtentFacts facts;
  const SideAnalysis *sides;
  KnownValues known;
  llvm::DenseSet<mlir::Value> demanded;
  llvm::SmallVector<llvm::StringRef> symbols;
  llvm::StringSet<> names;
  /// The last number behind a hint whose name was taken.
  llvm::StringMap<unsigned> numbers;
  unsigned numBound = 0;
};

/// Infers onnx.If and onnx.Loop: regions first, then what their results have in common. Gives the
/// operation, null when a branch has taken the place of an If.
llvm::FailureOr<mlir::Operation *> inferControlFlow(mlir::Operation *op, ShapeInference &inference);

} // namespace cameo

#endif // CAMEO_SHAPE_SHAPEINFERENCE_H
