// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where every value of a function is computed: the cheapest cut between host and device. What has
// to be on one side is tied to it, what the host could compute (HostCandidates) may fall on either,
// everything else is the device's.

#ifndef CAMEO_PLACEMENT_SIDEANALYSIS_H
#define CAMEO_PLACEMENT_SIDEANALYSIS_H

#include "Placement/HostCandidates.h"
#include "Placement/MinimumCut.h"

namespace cameo {

class SideAnalysis {
public:
  explicit SideAnalysis(mlir::func::FuncOp function);

  /// The side that computes the value; the host for what is on both without a copy.
  core::Side getSide(mlir::Value value) const;
  /// Whether the host has the value: computed there or read back.
  bool isOnHost(mlir::Value value) const;

private:
  using Node = MinimumCut::Node;
  static constexpr Node kHost = MinimumCut::kSource, kDevice = MinimumCut::kSink;

  void addArguments(mlir::func::FuncOp function);
  void addOp(mlir::Operation *op);
  void addLoop(onnx::LoopOp loop);
  void addYield(onnx::YieldOp yield);
  /// A node for a value that may be on either side, tied to the side of one that may not.
  Node addValue(mlir::Value value);
  Node getNode(mlir::Value value) const;
  /// `value` has to be where `reader` is, or be copied there, once.
  void read(mlir::Value value, Node reader, bool asArgument = false);

  HostCandidates candidates;
  MinimumCut cut;
  llvm::DenseMap<mlir::Value, Node> nodes;
  /// Per value that is copied to its other side, the node that pays for it.
  llvm::DenseMap<mlir::Value, Node> readbacks, uploads;
  llvm::BitVector onHost;
};

} // namespace cameo

#endif // CAMEO_PLACEMENT_SIDEANALYSIS_H
