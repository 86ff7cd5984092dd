// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all printers ask about the planned program: its inputs and outputs, its symbols and when
// they are known, its nodes, names of values. Computed once; the module is not changed.

#ifndef CAMEO_EMIT_PROGRAM_H
#define CAMEO_EMIT_PROGRAM_H

#include "Dialect/Host/IR/HostDialect.h"
#include "Emit/CppTypes.h"
#include "Emit/EmitOptions.h"
#include "Emit/FileContent.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace cameo {

/// An input or output of the model.
struct PortInfo {
  std::string name;
  core::SymTensorType type;
  /// Elements that stand in for an absent input, and their place in the weights.
  mlir::ElementsAttr initial;
  mlir::IntegerAttr initialOffset;
  /// One `#host.dim` per dim; null for an output of which a run decides how many it has.
  mlir::ArrayAttr dims;
  /// True if a run may write this output at strides of the caller's.
  bool isStrided = false;
  /// The input that an output updates, whose memory it may be bound to, or -1.
  int64_t updated = -1;
  /// Keys of an output's columns: an array of int64s, or of strings; else null.
  mlir::Attribute keys = {};
};

/// The keys of an output's columns as literals of C.
llvm::SmallVector<Code> getKeyLiterals(mlir::Attribute keys);

/// `, may lie where input 3 does`; empty for a port that does not update an input.
Code describeUpdate(const PortInfo &port);

/// A constant of the weights.
struct WeightInfo {
  llvm::StringRef name;
  /// Type of its elements in memory.
  Code type;
  /// Where it lies, how long it is, and how many elements that makes, padding of a layout included.
  int64_t offset, bytes, count;
};

class Program {
public:
  /// Fails with a diagnostic when the module is not what Prepare leaves, or has what no type of C++
  /// stands for.
  static mlir::FailureOr<Program> analyze(mlir::ModuleOp module, const EmitOptions &options);

  const EmitOptions &getOptions() const { return *options; }
  const Target &getTarget() const { return *options->target; }
  /// Where values of a type live, and what computes them.
  const TargetSide &getSide(mlir::Type type) const {
    return getTarget().getSide(llvm::cast<core::SymTensorType>(type).getSide());
  }
  const TargetSide &getSide(core::Side side) const { return getTarget().getSide(side); }
  /// The instruction sets that a build may hold a copy of the program for, each beside the
  /// baseline's, best first.
  llvm::ArrayRef<TargetCopy> getCopies() const { return copies; }
  bool mayHaveCopies() const { return !copies.empty(); }
  mlir::func::FuncOp getMain() const { return main; }
  mlir::Block &getBody() const { return getMain().getBody().front(); }
  /// The functions of the library, in front of @main.
  mlir::ModuleOp getModule() const { return module; }
  /// One of them; null when there is none of that name.
  mlir::Block *getFunction(llvm::StringRef name) const;
  const core::ExtentFacts &getFacts() const { return facts; }
  llvm::ArrayRef<PortInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<PortInfo> getOutputs() const { return outputs; }

  //===--- Symbols ---===//

  /// The symbols known before the first step, in the order of the model's table.
  llvm::ArrayRef<llvm::StringRef> getEntrySymbols() const { return entrySymbols; }
  /// Whether the shape program reads elements of an input.
  bool isReadAtEntry(unsigned input) const { return inputsReadAtEntry.contains(input); }
  /// Whether anything reads elements of an input.
  bool isRead(unsigned input) const { return isReadAtEntry(input) || inputsBound.contains(input); }

  //===--- Buffers ---===//

  llvm::ArrayRef<mlir::Attribute> getBuffers() const { return buffers; }
  prog::BufferAttr getBuffer(int64_t number) const;
  /// The row that a tensor lies in; -1 for none.
  int64_t getBufferOf(mlir::Value value) const;
  /// The ONNX value that lies in a row first.
  llvm::StringRef getBufferName(int64_t number) const {
    return llvm::cast<mlir::StringAttr>(bufferNames[number]).getValue();
  }

  //===--- Weights ---===//

  /// The constants that have elements, in the order in which they lie in the weights.
  llvm::ArrayRef<WeightInfo> getWeights() const { return weights; }

  //===--- Names ---===//

  /// The names of nodes that statuses refer to.
  llvm::ArrayRef<llvm::StringRef> getNodes() const { return nodes.getArrayRef(); }
  /// The number of the first node that an op comes from; -1 for none.
  int64_t getNode(mlir::Operation *op) const;
  /// `Conv "conv1" + Relu "relu1"`.
  static Code describeNodes(mlir::Operation *op);
  /// `[N, 16, 8, 8]`.
  static Code describeShape(mlir::Type type);
  /// As that of its type, with the values of dims that have one; `up to [N, 3]` where a run decides
  /// how many dims there are.
  Code describeShape(const PortInfo &port) const;

private:
  mlir::LogicalResult readPorts();
  void readBuffers();
  void findReads();
  mlir::LogicalResult findWeights();
  void findNodes();
  void findCopies();

  const EmitOptions *options = nullptr;
  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  core::ExtentFacts facts;
  llvm::SmallVector<PortInfo> inputs, outputs;
  llvm::SmallVector<llvm::StringRef> entrySymbols;
  llvm::DenseSet<unsigned> inputsReadAtEntry, inputsBound;
  llvm::ArrayRef<mlir::Attribute> buffers, bufferNames;
  llvm::SmallVector<WeightInfo> weights;
  llvm::SetVector<llvm::StringRef> nodes;
  llvm::StringMap<int64_t> nodeNumbers;
  llvm::SmallVector<TargetCopy> copies;
};

} // namespace cameo

#endif // CAMEO_EMIT_PROGRAM_H
