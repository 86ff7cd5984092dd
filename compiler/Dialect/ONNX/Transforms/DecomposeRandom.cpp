// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws by given probabilities: numbers spread evenly, compared with them.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The type that probabilities are computed in: a small one is nothing in a half.
Type getProbabilityType(Type element) {
  return element.isF64() ? element : Float32Type::get(element.getContext());
}

/// Numbers in [0, 1) of the extents and the type of `like`, which is not read.
Value buildUniform(OnnxBuilder &b, Value like, FloatAttr seed) {
  Builder attributes(like.getContext());
  return b.make<RandomUniformLikeOp>(like, IntegerAttr(), attributes.getF32FloatAttr(1),
                                     attributes.getF32FloatAttr(0), seed);
}

SmallVector<Value> decomposeBernoulli(OnnxBuilder &b, BernoulliOp op) {
  Value probability = b.cast(op.getInput(), getProbabilityType(elementTypeOf(op.getInput())));
  Value drawn = buildUniform(b, probability, op.getSeedAttr());
  return {b.cast(b.make<LessOp>(drawn, probability), elementTypeOf(op.getOutput()))};
}

/// The first class at which the running sum of the weights is more than a number drawn below their
/// sum: as many as have sums that are not. The greatest of the sums is their sum, even where the
/// order of additions makes another one of the last.
SmallVector<Value> decomposeMultinomial(OnnxBuilder &b, MultinomialOp op) {
  Type real = getProbabilityType(elementTypeOf(op.getInput()));
  Type i64 = IntegerType::get(op.getContext(), 64);
  Value logits = b.cast(op.getInput(), real);
  Value weights = b.make<ExpOp>(b.sub(logits, b.reduce<ReduceMaxOp>(logits, {1})));
  Value sums = b.make<CumSumOp>(weights, b.number(b.extent(1)), 0, 0);
  Value sum = b.reduce<ReduceMaxOp>(sums, {1});
  ArrayRef<ExtentAttr> result = *getExtents(op.getOutput()), input = *getExtents(op.getInput());
  Value every = b.make<ExpandOp>(sum, b.extents(result));
  Value drawn = b.mul(buildUniform(b, every, op.getSeedAttr()), sum);
  Value passed = b.make<LessOrEqualOp>(b.reshape(sums, {input[0], b.extent(1), input[1]}),
                                       b.reshape(drawn, {result[0], result[1], b.extent(1)}));
  Value number = b.reduce<ReduceSumOp>(b.cast(passed, i64), {2}, /*keepsAxes=*/false);
  return {b.cast(number, elementTypeOf(op.getOutput()))};
}

/// Where the run trains, kept elements are scaled by the inverse of the share that is kept. A
/// Dropout that never trains is no draw, and has a lowering.
SmallVector<Value> decomposeDropout(OnnxBuilder &b, DropoutOp op) {
  Value training = op.getTrainingMode(), ratio = op.getRatio();
  if (!training || !getExtents(op.getData()) || !getExtents(training) ||
      (ratio && !getExtents(ratio)))
    return {};
  if (auto mode = dyn_cast_or_null<IntegerAttr>(getUniformValue(training)))
    if (mode.getValue().isZero())
      return {};
  Type element = elementTypeOf(op.getData()), real = getProbabilityType(element);
  Value data = b.cast(op.getData(), real), one = b.constant(real, 1), zero = b.constant(real, 0);
  Value dropped = ratio ? b.cast(b.reshape(ratio, {}), real) : b.constant(real, 0.5);
  FloatAttr seed;
  if (std::optional<int64_t> given = op.getSeed())
    seed = Builder(op.getContext()).getF32FloatAttr(static_cast<float>(*given));
  Value trains = b.reshape(training, {});
  Value isKept = b.make<GreaterOrEqualOp>(buildUniform(b, data, seed), dropped);
  Value mask = b.make<OrOp>(b.make<NotOp>(trains), isKept);
  Value scale = b.where(trains, b.div(one, b.sub(one, dropped)), one);
  return {b.cast(b.where(mask, b.mul(data, scale), zero), element), mask};
}

} // namespace

void cameo::populateRandomDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<BernoulliOp>>(context, decomposeBernoulli);
  patterns.add<Decomposition<DropoutOp>>(context, decomposeDropout);
  patterns.add<Decomposition<MultinomialOp>>(context, decomposeMultinomial);
}
