// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fusing may cost. Units are those of ScalarOpInterface::getCost: 1 is an instruction or two,
// or the read of an element next to the last one. Numbers of a machine are in the target
// (Target/Machines.td).

#ifndef CAMEO_FUSION_COST_H
#define CAMEO_FUSION_COST_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace cameo {

/// Limits of one body.
struct FusionLimits {
  unsigned maxOps, maxOperands;
  /// Limit of a kernel's ops: no more than maxOps.
  unsigned maxKernelOps;
  /// Limit of a body's work at each of its points on elements that a kernel of their own would have
  /// computed less often.
  unsigned recompute;
  /// The cost of reading an element apart from the last one.
  unsigned stridedRead;
};

/// So many places compute the same value again at most.
inline constexpr unsigned kMostRecomputations = 4;

/// The scalar ops of a body, 1 if it only copies; constants, extents and coordinates are free.
unsigned countOps(prog::BodyOpInterface body);
/// Price of one evaluation, reads included.
unsigned getEvaluationCost(prog::KernelOp kernel, const FusionLimits &limits);
/// How many operands have as many elements as the iteration has points.
unsigned countFullReads(prog::KernelOp kernel);
/// Whether no two points of an iteration can read the same element; dims in `ones`
/// have one coordinate only.
bool isInjective(llvm::ArrayRef<mlir::AffineExpr> index, const llvm::SmallBitVector &ones);
/// Whether neighbours along the innermost of `rank` dims are read apart from each other.
bool isStrided(llvm::ArrayRef<mlir::AffineExpr> index, unsigned rank);

} // namespace cameo

#endif // CAMEO_FUSION_COST_H
