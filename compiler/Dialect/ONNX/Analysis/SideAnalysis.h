// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where every value of a function is computed: the cheapest cut between host and device. Values
// that have to be on one side are tied to it, those that the host could compute (HostCandidates)
// may fall on either, everything else is the device's.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SIDEANALYSIS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SIDEANALYSIS_H

#include "Dialect/ONNX/Analysis/Costs.h"
#include "Dialect/ONNX/Analysis/HostCandidates.h"
#include "Dialect/ONNX/Analysis/SidePins.h"
#include "Support/MinimumCut.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace cameo {

/// Why a value is on its side.
struct SideReason {
  onnx::SideCause cause;
  /// Another value that it is there for; null where it is none.
  mlir::Value because;
  /// With SideCause::Cut: the estimates, in nanoseconds, of the cheapest plans that have the value
  /// on either side. Not of values of which too many hang together.
  std::optional<CutComparison::Costs> costs;
};

/// A pin that cannot be: the value is on the other side whatever a copy costs.
struct PinConflict {
  mlir::Value value;
  core::Side wanted;
  /// Why it is on the other one.
  llvm::StringLiteral why;
};

class SideAnalysis {
public:
  /// The module has a target with a device.
  explicit SideAnalysis(mlir::func::FuncOp function);

  llvm::ArrayRef<PinConflict> getConflicts() const { return conflicts; }

  /// The side that computes the value; the host for what is on both without a copy.
  core::Side getSide(mlir::Value value) const;
  /// Whether the host has the value: computed there or read back.
  bool isOnHost(mlir::Value value) const;

  /// Whether both branches are to be computed, since the host has no use for the condition but
  /// this.
  bool isSelected(onnx::IfOp branch) const;

  /// As `comparison` has the costs, which is one of getCut().
  SideReason getReason(mlir::Value value, const CutComparison &comparison) const;
  /// The steps from `value` to what the host asks for it for: decisions, or else an operator that
  /// runs there; none where only the device reads it.
  llvm::SmallVector<Demand, 1> getDemands(mlir::Value value) const;
  const HostCandidates &getCandidates() const { return candidates; }
  const MinimumCut &getCut() const { return cut; }
  const SidePins &getPins() const { return pins; }

private:
  using Node = MinimumCut::Node;
  static constexpr Node kHost = MinimumCut::kSource, kDevice = MinimumCut::kSink;

  /// How often what stands in `block` runs.
  int64_t getFrequency(mlir::Block *block) const;
  /// The cost of a copy that stands behind the definition of `value`.
  int64_t getCopyCost(mlir::Value value, int64_t latency) const;
  int64_t getHostCost(mlir::Operation *op) const;

  void addArguments(mlir::func::FuncOp function);
  void addOp(mlir::Operation *op);
  void addIf(onnx::IfOp branch);
  bool raisesOnHost(onnx::IfOp branch) const;
  void addLoop(onnx::LoopOp loop);
  void addYield(onnx::YieldOp yield);
  /// A node for a value that may be on either side, tied to the side of one that may not.
  Node addValue(mlir::Value value);
  /// The side of values that are together and of which one is pinned; nullopt where none is.
  std::optional<Node> findPin(mlir::ValueRange values);
  Node getNode(mlir::Value value) const;
  static bool isFree(Node node) { return node != kHost && node != kDevice; }
  /// `value` has to be where `reader` is, or be copied there, once.
  void read(mlir::Value value, Node reader, bool asArgument = false);
  /// The operands of `op` of which a bound is enough.
  void addBounds(mlir::Operation *op);
  void addBounds();

  SidePins pins;
  CrossingCosts costs;
  HostCandidates candidates;
  MinimumCut cut;
  llvm::DenseMap<mlir::Value, Node> nodes;
  /// Per value that is copied to its other side, the node that pays for it.
  llvm::DenseMap<mlir::Value, Node> readbacks, uploads;
  /// Per If between whose results the device could choose: on the host where the host branches.
  llvm::DenseMap<mlir::Operation *, Node> selects;
  /// The values that are preferred on the host.
  llvm::SetVector<mlir::Value> bounds;
  /// Together values that may be on either side and of which one is computed from the other, and
  /// what one operator prefers on the host.
  llvm::EquivalenceClasses<mlir::Value> derived;
  /// The operands of operators that run on the host for their strings, sequences or optionals.
  llvm::DenseMap<mlir::Value, mlir::OpOperand *> hostReaders;
  /// Values that are pinned, or made with one that is, and why.
  llvm::DenseMap<mlir::Value, onnx::SideCause> pinned;
  llvm::SmallVector<PinConflict> conflicts;
  llvm::BitVector onHost;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SIDEANALYSIS_H
