// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a function work on images whose channels lie in blocks: the decision, without its
// consequences. Costs are compared at one size of every symbol; they all grow alike.

#ifndef CAMEO_SELECT_TRUNKS_H
#define CAMEO_SELECT_TRUNKS_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Kernels/Problem.h"
#include "Select/ImageForms.h"
#include "Select/LayoutProblem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// The value whose memory a value is, where ops write it in part, one behind the other.
mlir::Value getWritten(mlir::Value value);

class Trunks {
public:
  /// The function's module has a target whose convolutions know blocks.
  explicit Trunks(mlir::func::FuncOp function);

  /// The form of an op that works on channels in blocks; null for one that does not.
  const ImageForm *lookup(mlir::Operation *op) const;

private:
  using Forms = llvm::MapVector<mlir::Operation *, ImageForm>;
  /// The results that are parts of one value, by that value.
  using Parts = llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::OpResult>>;

  void collect(mlir::func::FuncOp function);
  bool isInBlocks(mlir::OpResult part) const;
  void leaveBlocks(mlir::OpResult part);
  /// Has calls copy a part of a value that is not written in blocks as a whole, and drops the forms
  /// of kernels that write one, until there are no more.
  void separateParts();
  /// Numbers ops, those alike that write parts of one value.
  void group();
  LayoutProblem makeProblem(mlir::func::FuncOp function);
  unsigned addValue(LayoutProblem &problem, mlir::Value value);
  void addReads(LayoutProblem &problem, mlir::Operation *op);
  /// At the nominal sizes, with as many zeros around the last axes.
  Amount getElements(llvm::ArrayRef<core::ExtentAttr> extents,
                     llvm::ArrayRef<int64_t> halo = {}) const;
  /// The time that the form takes more than the dense one, in picoseconds, without repacks.
  int64_t getCost(const ImageForm &form) const;

  const core::MachineAttr machine;
  core::ExtentFacts facts;
  Forms forms;
  Parts parts;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  /// The ops that make values in blocks, and the values' numbers.
  llvm::DenseMap<mlir::Value, unsigned> writers, values;
  llvm::BitVector inBlocks;
};

} // namespace cameo

#endif // CAMEO_SELECT_TRUNKS_H
