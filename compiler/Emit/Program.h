// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all printers ask about the planned program: its inputs and outputs, its symbols and when
// they are known, its nodes, names of values. Computed once; the module is not changed.

#ifndef CAMEO_EMIT_PROGRAM_H
#define CAMEO_EMIT_PROGRAM_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Emit/CppTypes.h"
#include "Emit/Emit.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace cameo {

/// An input or output of the model.
struct PortInfo {
  std::string name;
  core::SymTensorType type;
  /// Of an input that may be absent: what it is then, and where that lies in the weights.
  mlir::ElementsAttr initial;
  mlir::IntegerAttr initialOffset;
};

class Program {
public:
  /// Fails with a diagnostic when the module is not what Plan leaves.
  static mlir::FailureOr<Program> analyze(mlir::ModuleOp module, const EmitOptions &options);

  const EmitOptions &getOptions() const { return *options; }
  bool isCuda() const { return options->target == EmitOptions::Target::Cuda; }
  /// Whether a build may hold the program several times, each copy for another instruction set.
  bool mayHaveCopies() const { return !isCuda() && options->heap == EmitOptions::Heap::Runtime; }
  mlir::func::FuncOp getMain() const { return main; }
  mlir::Block &getBody() const { return getMain().getBody().front(); }
  const core::ExtentFacts &getFacts() const { return facts; }
  llvm::ArrayRef<PortInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<PortInfo> getOutputs() const { return outputs; }

  //===--- Symbols ---===//

  /// The symbols known before the first step, in the order of the model's table: those of input
  /// dims, then those bound to values of inputs.
  llvm::ArrayRef<llvm::StringRef> getEntrySymbols() const { return entrySymbols.getArrayRef(); }
  /// How many of them are dims of inputs.
  unsigned getNumInputSymbols() const { return numInputSymbols; }
  bool isEntrySymbol(llvm::StringRef symbol) const { return entrySymbols.contains(symbol); }
  /// Whether all symbols of an extent are known before the first step.
  bool isEntryExtent(core::ExtentAttr extent) const;
  /// The most that an extent can be, in symbols known before the first step: itself when its own
  /// are, `unknown` when nothing bounds it.
  core::ExtentAttr getCapacity(core::ExtentAttr extent) const;
  /// How many symbols that sizes of buffers depend on become known later.
  int64_t countLateSymbols() const;
  /// Whether `op` only computes with dims and with values of inputs that the host reads: it belongs
  /// to the shape program, which infer_shapes() and memory() run too.
  bool isEntryOp(mlir::Operation *op) const { return entryOps.contains(op); }
  /// Whether the shape program reads elements of an input.
  bool isReadAtEntry(unsigned input) const { return inputsReadAtEntry.contains(input); }

  //===--- Buffers ---===//

  llvm::ArrayRef<mlir::Attribute> getBuffers() const { return buffers; }
  prog::BufferAttr getBuffer(int64_t number) const;
  /// The row of a result in the table of buffers; -1 for none.
  int64_t getBufferOf(mlir::OpResult result) const;
  /// The row that carried value `number` of a loop changes places with; -1 for none.
  int64_t getNextBufferOf(prog::LoopOp loop, unsigned number) const;

  //===--- Names ---===//

  /// What the user calls a value; "" when nobody named it.
  llvm::StringRef getName(mlir::Value value) const;
  /// The names of nodes that statuses refer to.
  llvm::ArrayRef<llvm::StringRef> getNodes() const { return nodes.getArrayRef(); }
  /// The number of the first node that an op comes from; -1 for none.
  int64_t getNode(mlir::Operation *op) const;
  /// `Conv "conv1" + Relu "relu1"`.
  static Code describeNodes(mlir::Operation *op);
  /// `[N, 16, 8, 8]`.
  static Code describeShape(mlir::Type type);

private:
  mlir::LogicalResult readPorts();
  mlir::LogicalResult readBuffers();
  void findEntryOps();
  void findCapacities();
  bool isEntryValue(mlir::Value value, mlir::Operation *scope) const;
  bool isEntryComputation(mlir::Operation *op, mlir::Operation *scope) const;
  void findNodes();

  const EmitOptions *options = nullptr;
  mlir::func::FuncOp main;
  core::ExtentFacts facts;
  llvm::SmallVector<PortInfo> inputs, outputs;
  llvm::SetVector<llvm::StringRef> entrySymbols;
  unsigned numInputSymbols = 0;
  llvm::DenseSet<mlir::Operation *> entryOps;
  llvm::DenseSet<unsigned> inputsReadAtEntry;
  /// Bounds of the symbols that become known later.
  llvm::StringMap<core::ExtentAttr> capacities;
  llvm::ArrayRef<mlir::Attribute> buffers;
  llvm::SetVector<llvm::StringRef> nodes;
  llvm::StringMap<int64_t> nodeNumbers;
};

} // namespace cameo

#endif // CAMEO_EMIT_PROGRAM_H
