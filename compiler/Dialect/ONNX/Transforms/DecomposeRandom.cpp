// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws by given probabilities: numbers spread evenly, compared with them.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// What probabilities are computed in: a small one is nothing in a half.
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

} // namespace

void cameo::populateRandomDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<BernoulliOp>>(context, decomposeBernoulli);
  patterns.add<Decomposition<MultinomialOp>>(context, decomposeMultinomial);
}
