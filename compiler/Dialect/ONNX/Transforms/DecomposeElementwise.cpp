// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators of any number of operands, as several of few: a kernel takes a pointer for
// each, and CUDA has room for 4 KB of arguments.

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::onnx;

namespace {

/// With its result, a kernel of as many tensors as fusion allows.
constexpr size_t kMostOperands = 15;

/// `Op` from the left, `kMostOperands` at a time: in the order of the operator itself, so that
/// nothing is rounded differently.
template <class Op> Value fold(OnnxBuilder &b, OperandRange operands) {
  Value folded = operands.front();
  for (OperandRange rest = operands.drop_front(); !rest.empty();) {
    size_t count = std::min(rest.size(), kMostOperands - 1);
    SmallVector<Value> some{folded};
    llvm::append_range(some, rest.take_front(count));
    folded = b.make<Op>(some);
    rest = rest.drop_front(count);
  }
  return folded;
}

template <class Op> SmallVector<Value> decomposeFold(OnnxBuilder &b, Op op) {
  if (op->getNumOperands() <= kMostOperands)
    return {};
  return {fold<Op>(b, op->getOperands())};
}

SmallVector<Value> decomposeMean(OnnxBuilder &b, MeanOp op) {
  if (op->getNumOperands() <= kMostOperands)
    return {};
  auto type = cast<core::SymTensorType>(op.getMean().getType());
  Value count = b.constant(type.getElementType(), static_cast<double>(op->getNumOperands()));
  return {b.div(fold<SumOp>(b, op->getOperands()), count)};
}

/// With the type known, what only gave it need not be computed, nor lie where Cast runs.
SmallVector<Value> decomposeCastLike(OnnxBuilder &b, CastLikeOp op) {
  Type element = cast<core::SymTensorType>(op.getOutput().getType()).getElementType();
  return {b.make<CastOp>(op.getInput(), op.getRoundMode(), op.getSaturate(),
                         core::getElementInfo(element)->number)};
}

} // namespace

void cameo::populateElementwiseDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<SumOp>>(context, decomposeFold<SumOp>);
  patterns.add<Decomposition<MaxOp>>(context, decomposeFold<MaxOp>);
  patterns.add<Decomposition<MinOp>>(context, decomposeFold<MinOp>);
  patterns.add<Decomposition<MeanOp>>(context, decomposeMean);
  patterns.add<Decomposition<CastLikeOp>>(context, decomposeCastLike);
}
