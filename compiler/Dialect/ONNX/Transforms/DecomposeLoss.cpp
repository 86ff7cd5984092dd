// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses: the score of each label is gathered, ignored labels count nothing.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

struct Labels {
  Value values, weights;
  std::optional<int64_t> ignored;
  StringRef reduction;
};

/// The loss of log-probabilities [N, C, d1, ...].
Value buildLoss(OnnxBuilder &b, Value logProbabilities, Labels labels) {
  Type element = elementTypeOf(logProbabilities);
  Value zero = b.constant(element, 0), isIgnored, target = labels.values;
  if (labels.ignored) {
    Type integer = elementTypeOf(target);
    auto mark = b.constant(integer, static_cast<double>(*labels.ignored));
    isIgnored = b.equal(target, mark);
    // Any label that there is: what it gives is not used.
    target = b.where(isIgnored, b.constant(integer, 0), target);
  }
  Value channel = b.integers({1});
  Value picked =
      b.make<GatherElementsOp>(logProbabilities, b.make<UnsqueezeOp>(target, channel), 1);
  Value loss = b.make<NegOp>(b.make<SqueezeOp>(picked, channel));
  Value weights;
  if (labels.weights)
    weights = b.make<GatherOp>(labels.weights, target, 0);
  else if (isIgnored)
    weights = b.constant(element, 1);
  if (weights)
    loss = b.mul(loss, weights);
  if (isIgnored) {
    loss = b.where(isIgnored, zero, loss);
    weights = b.where(isIgnored, zero, weights);
  }
  if (labels.reduction == "none")
    return loss;
  if (labels.reduction == "mean" && !weights)
    return b.reduce<ReduceMeanOp>(loss, {}, /*keepsAxes=*/false);
  Value sum = b.reduce<ReduceSumOp>(loss, {}, /*keepsAxes=*/false);
  if (labels.reduction == "sum")
    return sum;
  return b.div(sum, b.reduce<ReduceSumOp>(weights, {}, /*keepsAxes=*/false));
}

SmallVector<Value> decomposeNll(OnnxBuilder &b, NegativeLogLikelihoodLossOp op) {
  return {buildLoss(b, op.getInput(),
                    {op.getTarget(), op.getWeight(), op.getIgnoreIndex(), op.getReduction()})};
}

SmallVector<Value> decomposeCrossEntropy(OnnxBuilder &b, SoftmaxCrossEntropyLossOp op) {
  Value logProbabilities = b.make<LogSoftmaxOp>(op.getScores(), 1);
  Value loss = buildLoss(b, logProbabilities,
                         {op.getLabels(), op.getWeights(), op.getIgnoreIndex(), op.getReduction()});
  return {loss, logProbabilities};
}

} // namespace

void cameo::populateLossDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<NegativeLogLikelihoodLossOp>>(context, decomposeNll);
  patterns.add<Decomposition<SoftmaxCrossEntropyLossOp>>(context, decomposeCrossEntropy);
}
