// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planned block to statements of the host dialect, in place. `StatementLowering` knows what the
// shape program and run() have in common: numbers, symbols, control flow. `RunLowering` adds
// tensors: their memory, steps, bindings.

#ifndef CAMEO_PREPARE_LOWERING_H
#define CAMEO_PREPARE_LOWERING_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Prepare/ShapeProgram.h"
#include "Prepare/SymbolValues.h"

namespace cameo {

class StatementLowering {
public:
  StatementLowering(const ShapeProgram &shape, mlir::OpBuilder &builder)
      : shape(shape), builder(builder) {}
  virtual ~StatementLowering() = default;

  mlir::LogicalResult lowerBlock(mlir::Block &block);
  /// The ops of a block from one on. Leaves the builder in front of the terminator.
  mlir::LogicalResult lowerFrom(mlir::Operation *op);
  /// Gives every symbol that is known before the first step its value.
  void defineSymbols(llvm::ArrayRef<llvm::StringRef> symbols, mlir::Location location);

protected:
  /// One op, behind whose last statement the builder stands then; it may be gone.
  virtual mlir::LogicalResult lower(mlir::Operation *op);
  /// Symbols of these names have values from here on.
  virtual void learn(llvm::ArrayRef<llvm::StringRef>) {}
  virtual void startStep(mlir::Operation *) {}
  /// The memory that carried value `number` of a loop has for its next iteration, where that is
  /// another: the two rows change places.
  struct NextBuffer {
    unsigned number;
    int64_t current, next;
    mlir::Value memory;
    std::string name;
  };
  virtual mlir::FailureOr<llvm::SmallVector<NextBuffer>> getNextBuffers(prog::LoopOp) {
    return llvm::SmallVector<NextBuffer>();
  }
  /// Lowers the body of a loop, in which rows are what its arguments are.
  virtual mlir::LogicalResult lowerBody(prog::LoopOp loop, mlir::Block &body,
                                        llvm::ArrayRef<NextBuffer> nexts, unsigned firstNext) {
    return lowerBlock(body);
  }
  /// The memory of a branch's tensor result, behind the branch.
  virtual mlir::FailureOr<mlir::Value> getBranchResult(mlir::OpResult result);
  virtual bool countsTrips() const { return false; }
  /// Gives symbols their values, which the device has in a list.
  virtual void countSymbols(llvm::ArrayRef<core::SymbolAttr>, mlir::Value) {}

  mlir::LogicalResult lowerElement(prog::ElementOp op);
  mlir::LogicalResult lowerBind(prog::BindOp op);
  mlir::LogicalResult lowerDefine(prog::DefineOp op);
  mlir::LogicalResult lowerCheck(prog::CheckOp op);
  mlir::LogicalResult lowerView(prog::ViewOp op);
  mlir::LogicalResult lowerIf(prog::IfOp op);
  mlir::LogicalResult lowerLoop(prog::LoopOp op);
  mlir::LogicalResult lowerBranch(mlir::Region &from, mlir::Region &to,
                                  llvm::ArrayRef<core::ExtentAttr> extents);
  /// Gives the symbols of a branch that the device has their values.
  mlir::LogicalResult countDecided(prog::IfOp op);
  /// Has those who read a branch's tensors read their memory.
  mlir::LogicalResult takeBranchResults(llvm::ArrayRef<mlir::OpResult> tensors);
  void yield(mlir::Block &block, llvm::ArrayRef<mlir::Value> values);

  mlir::Value evaluate(mlir::Location location, core::ExtentAttr extent) {
    return symbols.evaluate(builder, location, extent);
  }
  /// Defines a symbol by the value that control flow leaves in it.
  void define(llvm::StringRef symbol, mlir::Value value, mlir::Location location);
  /// Holds a symbol, which has its value, to its range.
  void checkRange(core::SymbolAttr symbol, llvm::StringRef code, mlir::Location location);
  void check(host::Relation relation, mlir::Value got, mlir::Value expected, llvm::StringRef code,
             mlir::Location location);

  const ShapeProgram &shape;
  mlir::OpBuilder &builder;
  SymbolValues symbols;
  /// Whether symbols that are known before the first step get their values here.
  bool computesEntry = true;
};

/// @main.
class RunLowering : public StatementLowering {
public:
  /// With `stridesOutputs` kernels write outputs at strides of the caller's where they can.
  RunLowering(mlir::func::FuncOp main, const ShapeProgram &shape, mlir::OpBuilder &builder,
              bool stridesOutputs);

  mlir::LogicalResult run();

private:
  mlir::LogicalResult lower(mlir::Operation *op) override;
  void learn(llvm::ArrayRef<llvm::StringRef> symbols) override;
  void startStep(mlir::Operation *op) override;
  mlir::FailureOr<llvm::SmallVector<NextBuffer>> getNextBuffers(prog::LoopOp loop) override;
  mlir::LogicalResult lowerBody(prog::LoopOp loop, mlir::Block &body,
                                llvm::ArrayRef<NextBuffer> nexts, unsigned firstNext) override;
  mlir::FailureOr<mlir::Value> getBranchResult(mlir::OpResult result) override;
  bool countsTrips() const override { return true; }

  mlir::LogicalResult lowerKernel(mlir::Operation *op);
  mlir::LogicalResult lowerCopy(prog::KernelOp kernel, llvm::ArrayRef<mlir::OpResult> strided);
  core::ExtentAttr countBytes(prog::KernelOp kernel);
  host::IfOp addBranch(mlir::Location location, mlir::Value condition);
  /// Moves a kernel into a launch that names the symbols in it.
  host::LaunchOp launch(mlir::Operation *kernel);
  /// Has a launch of outputs once more, for memory at strides of the caller's.
  void addStridedLaunch(host::LaunchOp dense, llvm::ArrayRef<mlir::OpResult> results);
  /// The symbols that a kernel names, in types and attributes.
  llvm::SetVector<llvm::StringRef> collectSymbols(mlir::Operation *kernel);
  mlir::LogicalResult lowerFromElements(prog::FromElementsOp op);
  mlir::LogicalResult lowerFetch(prog::FetchOp op);
  mlir::LogicalResult lowerAwait(prog::AwaitOp op);
  /// A branch that the device chooses where a run is captured.
  mlir::LogicalResult lowerChoice(prog::IfOp op, prog::AwaitOp chooser);
  /// A loop that the device runs.
  mlir::LogicalResult lowerRepetition(prog::LoopOp op, prog::AwaitOp chooser);
  void countSymbols(llvm::ArrayRef<core::SymbolAttr> listed, mlir::Value list) override;
  /// Moves the ops behind `rest`, as far as `last`, into it, and it to the end of the run.
  static void leaveRest(host::RestOp rest, mlir::Operation *last);
  mlir::LogicalResult lowerUpload(prog::UploadOp op);
  mlir::LogicalResult lowerExternal(prog::ExternalOp op);
  mlir::LogicalResult lowerEmpty(prog::EmptyOp op);
  mlir::LogicalResult lowerCount(prog::CountOp op);
  mlir::Value getBeside(core::SymbolAttr symbol);
  mlir::LogicalResult lowerExtents(prog::ExtentsOp op);
  mlir::LogicalResult lowerRank(prog::RankOp op);

  //===--- Memory ---===//

  prog::BufferAttr getBuffer(int64_t row) const;
  /// The row of a result; -1 for none.
  static int64_t getRowOf(mlir::OpResult result);
  /// The memory that a result is written to.
  mlir::FailureOr<mlir::Value> getMemory(mlir::OpResult result);
  mlir::FailureOr<mlir::Value> getRow(int64_t row, mlir::OpResult result);
  /// The same memory under another type.
  mlir::Value castTo(mlir::Value pointer, mlir::Type type);
  llvm::ArrayRef<int64_t> getRowsWith(llvm::StringRef symbol);

  /// The most that an extent can be, in symbols that the host knows here; itself where it knows
  /// all.
  core::ExtentAttr getMost(core::ExtentAttr extent);

  //===--- Inputs and outputs ---===//

  void dropShapeProgram();
  void addConstants();
  void bindInputs();
  void bindKnownOutputs();
  core::SymTensorType getOutputType(int64_t number);
  mlir::Value bindOutput(int64_t number, llvm::ArrayRef<core::ExtentAttr> dims);
  mlir::FailureOr<mlir::Value> getOutput(int64_t number, mlir::Operation *user);
  void findLastWriters();
  void findSoleWriters();
  bool canStride(mlir::OpResult result, int64_t output);
  mlir::LogicalResult finish();

  mlir::func::FuncOp main;
  mlir::Block &body;
  core::SymbolUses uses;
  llvm::ArrayRef<mlir::Attribute> buffers;
  /// The rows that a loop changes, by number, while it does.
  llvm::DenseMap<int64_t, mlir::Value> carried;
  llvm::SmallVector<mlir::Value> outputs;
  /// By output: how many dims it has, where the run decides that.
  llvm::DenseMap<int64_t, mlir::Value> ranks;
  /// The statement in front of the top-level op that is being lowered; null at the start.
  mlir::Operation *before = nullptr;
  /// Top-level ops and the outputs that nothing writes behind them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 1>> lastWriters;
  /// Outputs by the results of kernels that alone write them, and no other memory with them.
  llvm::DenseMap<mlir::OpResult, int64_t> soleWriters;
  const bool stridesOutputs;
  int64_t steps = 0;
  /// The nodes of the steps so far.
  llvm::DenseSet<std::pair<llvm::StringRef, llvm::StringRef>> described;
  std::optional<llvm::StringMap<llvm::SmallVector<int64_t>>> rowsWith;
};

} // namespace cameo

#endif // CAMEO_PREPARE_LOWERING_H
