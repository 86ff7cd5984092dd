// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/Cost.h"

#include "Fusion/IndexSpace.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

unsigned cameo::countOps(BodyOpInterface body) {
  auto ops = body.getBodyBlock()->getOps<ScalarOpInterface>();
  return std::max<unsigned>(std::distance(ops.begin(), ops.end()), 1);
}

bool cameo::isStrided(ArrayRef<AffineExpr> index, unsigned rank) {
  if (index.empty() || rank == 0)
    return false;
  return llvm::any_of(index.drop_back(),
                      [&](AffineExpr expr) { return expr && expr.isFunctionOfDim(rank - 1); });
}

bool cameo::isInjective(ArrayRef<AffineExpr> index, const llvm::SmallBitVector &ones) {
  // The dims that a coordinate of the element determines: d, 2 * d + offset.
  llvm::SmallBitVector determined(ones);
  for (AffineExpr expr : index) {
    auto strip = [&](AffineExprKind kind, auto isStripped) {
      while (expr.getKind() == kind && isStripped(cast<AffineBinaryOpExpr>(expr).getRHS()))
        expr = cast<AffineBinaryOpExpr>(expr).getLHS();
    };
    strip(AffineExprKind::Add, [](AffineExpr rhs) { return rhs.isSymbolicOrConstant(); });
    strip(AffineExprKind::Mul, [](AffineExpr rhs) { return isa<AffineConstantExpr>(rhs); });
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      determined.set(dim.getPosition());
  }
  return determined.all();
}

unsigned cameo::getEvaluationCost(KernelOp kernel, const FusionLimits &limits) {
  unsigned cost = 0;
  for (auto op : kernel.getBodyBlock()->getOps<ScalarOpInterface>())
    cost += op.getCost();
  for (auto [input, map] : llvm::zip_equal(kernel.getIns(), kernel.getInputMaps()))
    if (getTensor(input))
      cost += isStrided(map.getResults(), kernel.getRank()) ? limits.stridedRead : 1;
  return cost;
}

unsigned cameo::countFullReads(KernelOp kernel) {
  ExtentAttr points = getTensor(kernel.getResult(0)).getNumElements();
  return llvm::count_if(kernel.getIns(), [&](Value input) {
    SymTensorType type = getTensor(input);
    return type && type.getNumElements() == points;
  });
}
