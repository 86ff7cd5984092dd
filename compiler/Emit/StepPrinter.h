// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's ops as statements of host functions: run() as a list of steps, and the shape
// program that reads symbols from values of inputs. One visitor per op; what an op prints as is in
// its record.

#ifndef CAMEO_EMIT_STEPPRINTER_H
#define CAMEO_EMIT_STEPPRINTER_H

#include "Emit/HostLayout.h"
#include "Emit/ScalarPrinter.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace cameo {

class StepPrinter {
public:
  /// Prints into `writer`, inside a function whose names are `scope`.
  StepPrinter(const HostLayout &layout, CppWriter &writer, CppScope &scope);

  /// The ops of the shape program; `in` are the tensors of the call, `s` the symbols.
  mlir::LogicalResult printShapeProgram();
  /// What the table of the model cannot say: dims that are expressions, divisors.
  void printInputChecks();
  /// Bindings of inputs and outputs, the steps, the end.
  mlir::LogicalResult printRun();

private:
  //===--- Ops ---===//

  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult print(mlir::Operation *op);
  mlir::LogicalResult printKernel(mlir::Operation *op);
  mlir::LogicalResult print(prog::ElementOp op);
  mlir::LogicalResult print(prog::FromElementsOp op);
  mlir::LogicalResult print(prog::BindOp op);
  mlir::LogicalResult print(prog::CheckOp op);
  mlir::LogicalResult print(prog::FetchOp op);
  mlir::LogicalResult print(prog::AwaitOp op);
  mlir::LogicalResult print(prog::StageOp op);
  mlir::LogicalResult print(prog::IfOp op);
  mlir::LogicalResult print(prog::LoopOp op);

  //===--- Tensors ---===//

  bool isUsedInRun(mlir::Value value) const;
  void findRepeated();
  void bindInputs();
  /// The pointer to a tensor's elements.
  mlir::FailureOr<Code> getPointer(mlir::Value value);
  /// Declares the pointer of each result that has memory of its own.
  mlir::LogicalResult declareResults(mlir::Operation *op);
  mlir::FailureOr<Code> getRowPointer(mlir::OpResult result, int64_t row);
  /// Binds output `number` if it is not bound yet.
  mlir::LogicalResult bindOutput(int64_t number, mlir::Operation *op);
  Code declareOutput(int64_t number);
  llvm::SmallVector<Code> getOutputDims(int64_t number, bool &isKnown, bool atCapacity);
  void findLastWriters();
  void deliver(mlir::Operation *op);

  //===--- Symbols ---===//

  Code getSymbol(llvm::StringRef symbol);
  Code getExtent(core::ExtentAttr extent);
  Code getChecked(core::ExtentAttr extent);
  /// An extent as an int64_t even where a step of its computation does not fit.
  Code getValue(core::ExtentAttr extent);
  bool isKnown(core::ExtentAttr extent) const;
  /// Sizes and places the buffers that wait for `symbols`, which have a value from here on.
  void learn(llvm::ArrayRef<llvm::StringRef> symbols);
  llvm::ArrayRef<int64_t> getRowsWith(llvm::StringRef symbol);
  /// Declares the variable of a symbol.
  Code declareSymbol(llvm::StringRef symbol);
  /// Ends the function with a status when `condition` holds.
  void printError(const Code &condition, llvm::StringRef code, mlir::Operation *op, const Code &got,
                  const Code &limit, bool isMismatch);

  void startStep(mlir::Operation *op);
  Code getTypeName(mlir::Type type) const;
  Code getNode(mlir::Operation *op) const;

  const HostLayout &layout;
  const Program &program;
  CppWriter &writer;
  CppScope &scope;
  ScalarPrinter scalars;
  bool inRun = false;
  /// Ops of the shape program that run() needs too.
  llvm::DenseSet<mlir::Operation *> repeated;
  int64_t steps = 0;
  /// The nodes of the steps so far.
  llvm::DenseSet<std::pair<llvm::StringRef, llvm::StringRef>> described;
  llvm::DenseMap<mlir::Value, Code> pointers;
  /// Rows whose pointer is a variable that changes: those that a loop swaps.
  llvm::DenseMap<int64_t, Code> rowPointers;
  llvm::StringMap<Code> symbolNames;
  /// Those that have a value where the text is; what a branch or a body learns ends with it.
  using KnownSymbols = llvm::ScopedHashTable<llvm::StringRef, bool>;
  KnownSymbols knownSymbols;
  KnownSymbols::ScopeTy outermost{knownSymbols};
  /// By symbol; see getRowsWith().
  std::optional<llvm::StringMap<llvm::SmallVector<int64_t>>> rowsWith;
  llvm::SmallVector<Code> outputNames;
  llvm::SmallVector<bool> outputsBound;
  llvm::SmallVector<mlir::Operation *> lastWriters;
};

} // namespace cameo

#endif // CAMEO_EMIT_STEPPRINTER_H
