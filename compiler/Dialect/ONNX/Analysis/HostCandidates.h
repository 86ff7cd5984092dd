// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that the host could compute. Needs flow backward, from what decides extents and
// branches through everything small that it is computed from, to the inputs; availability flows
// forward from there, through everything small that follows. Both cross branches and loops.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_HOSTCANDIDATES_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_HOSTCANDIDATES_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace cameo {

/// By what the host asks for a value: a step towards the operand that decides something there.
struct Demand {
  onnx::DemandKind kind = onnx::DemandKind::Operand;
  /// The operator that reads the value; of a symbol, one whose extents are made of it.
  mlir::Operation *reader = nullptr;
  /// The name of the operand in the record, of the symbol, or of the graph that ends in the value.
  llvm::StringRef name;
  onnx::OperandClass operandClass = onnx::OperandClass::Data;
  /// The value that the host asks for too, and would compute from this one; null at the end of the
  /// chain.
  mlir::Value next;
};

/// `operand`, of an operator or of what ends a graph, is read to compute `next`, or to decide
/// something.
Demand makeDemand(mlir::OpOperand &operand, mlir::Value next = {});

/// Why the host cannot have a value but by reading it back.
struct Obstacle {
  onnx::SideCause cause;
  /// The value that is too large, or that the device computes; null where it is none.
  mlir::Value because;
};

class HostCandidates {
public:
  explicit HostCandidates(mlir::func::FuncOp function);

  /// Whether the host may have the value by other means than reading it back. A value that follows
  /// from device data may be computed on either side only if that is small work with the same
  /// result on both.
  bool contains(mlir::Value value) const { return !findObstacle(value); }
  /// The known or likely number of elements, and value of an extent.
  std::optional<int64_t> getLikelyCount(mlir::Value value) const;
  std::optional<int64_t> getLikely(core::ExtentAttr extent) const {
    return symbols.getLikely(extent);
  }
  std::optional<Obstacle> findObstacle(mlir::Value value) const;

  /// The steps from `value` to what the host decides by it, that of the shortest way first, of
  /// equal ones in the order of the function; none where it decides nothing.
  llvm::ArrayRef<Demand> getDemands(mlir::Value value) const;
  /// For what the symbols of `bind` are wanted.
  llvm::ArrayRef<Demand> getDemands(prog::BindElementsOp bind) const;

private:
  void findNeeds(mlir::func::FuncOp function);
  void need(mlir::Value value, const Demand &demand) { needed[value].push_back(demand); }
  void needSources(mlir::Value value);

  void findAvailable(mlir::func::FuncOp function);
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitIf(onnx::IfOp branch);
  void visitLoop(onnx::LoopOp loop);
  /// Whether the host can have the value without a readback, as far as is known yet.
  bool isAvailable(mlir::Value value) const;
  /// The first operand that an operator reads and that is not available.
  mlir::Value findUnavailable(mlir::Operation *op) const;
  void exclude(mlir::Value value);

  bool isSmall(mlir::Value value) const;
  /// The value that makes an operator without regions too much work for the host; null where it is
  /// little.
  mlir::Value findLarge(mlir::Operation *op) const;

  core::SymbolAnalysis symbols;
  /// The values that the host needs, with the demands on each, nearest first.
  llvm::MapVector<mlir::Value, llvm::SmallVector<Demand, 1>> needed;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Demand>> bindDemands;
  /// The values that are not available: everything is, until something says otherwise.
  llvm::DenseSet<mlir::Value> excluded;
  bool changed = false;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_HOSTCANDIDATES_H
