// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations without a template of their own, and pools that are norms.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

int64_t normalize(int64_t axis, Value tensor) {
  return axis < 0 ? axis + cast<SymTensorType>(tensor.getType()).getRank() : axis;
}

SmallVector<Value> decomposeMeanVariance(OnnxBuilder &b, MeanVarianceNormalizationOp op) {
  Value x = op.getX();
  Value centered = b.sub(x, b.reduce<ReduceMeanOp>(x, op.getAxes()));
  Value deviation = b.sqrt(b.reduce<ReduceMeanOp>(b.mul(centered, centered), op.getAxes()));
  return {b.div(centered, b.add(deviation, b.constant(elementTypeOf(x), 1e-9)))};
}

/// Where the norm is 0, so are the elements.
SmallVector<Value> decomposeLpNormalization(OnnxBuilder &b, LpNormalizationOp op) {
  Value x = op.getInput();
  Value norm = op.getP() == 1 ? b.reduce<ReduceL1Op>(x, op.getAxis())
                              : b.reduce<ReduceL2Op>(x, op.getAxis());
  Type element = elementTypeOf(x);
  Value isZero = b.equal(norm, b.constant(element, 0));
  return {b.div(x, b.where(isZero, b.constant(element, 1), norm))};
}

/// 1 where the position along the axis is that of the first maximum.
SmallVector<Value> decomposeHardmax(OnnxBuilder &b, HardmaxOp op) {
  Value x = op.getInput();
  ArrayRef<ExtentAttr> extents = *getExtents(x);
  int64_t axis = normalize(op.getAxis(), x);
  Value positions =
      b.make<RangeOp>(b.number(b.extent(0)), b.number(extents[axis]), b.number(b.extent(1)), 1);
  SmallVector<ExtentAttr> aligned(extents.size() - axis, b.extent(1));
  aligned.front() = extents[axis];
  Value maximum = b.make<ArgMaxOp>(x, axis, 1, 0);
  return {b.cast(b.equal(b.reshape(positions, aligned), maximum), elementTypeOf(x))};
}

SmallVector<Value> decomposeGlobalLpPool(OnnxBuilder &b, GlobalLpPoolOp op) {
  Value x = op.getX();
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(2, cast<SymTensorType>(x.getType()).getRank()));
  if (axes.empty())
    return {};
  if (op.getP() == 1)
    return {b.reduce<ReduceL1Op>(x, axes)};
  if (op.getP() == 2)
    return {b.reduce<ReduceL2Op>(x, axes)};
  auto p = static_cast<double>(op.getP());
  Type element = elementTypeOf(x);
  Value powers = b.make<PowOp>(b.make<AbsOp>(x), b.constant(element, p));
  return {b.make<PowOp>(b.reduce<ReduceSumOp>(powers, axes), b.constant(element, 1 / p))};
}

/// `running` moved towards a statistic of [1, channels, 1...].
Value moveStatistic(OnnxBuilder &b, Value running, Value statistic, double momentum) {
  Type element = elementTypeOf(running);
  Value now = b.cast(b.reshape(statistic, *getExtents(running)), element);
  return b.add(b.mul(running, b.constant(element, momentum)),
               b.mul(now, b.constant(element, 1 - momentum)));
}

/// In training, the statistics are those of the input itself, of all axes but the channels.
SmallVector<Value> decomposeBatchTraining(OnnxBuilder &b, BatchNormalizationOp op) {
  Value x = op.getX();
  auto rank = static_cast<int64_t>(getExtents(x)->size());
  if (op.getTrainingMode() == 0 || rank < 2)
    return {};
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    axes.push_back(axis);
  Value mean = b.reduce<ReduceMeanOp>(x, axes), centered = b.sub(x, mean);
  Value variance = b.reduce<ReduceMeanOp>(b.mul(centered, centered), axes);
  Type element = elementTypeOf(x);
  Value deviation = b.sqrt(b.add(variance, b.constant(element, op.getEpsilon().convertToDouble())));
  auto spread = [&](Value perChannel) {
    SmallVector<ExtentAttr> extents(rank, b.extent(1));
    extents[1] = getExtents(perChannel)->front();
    return b.cast(b.reshape(perChannel, extents), element);
  };
  Value scaled = b.mul(b.div(centered, deviation), spread(op.getScale()));
  double momentum = op.getMomentum().convertToDouble();
  return {b.add(scaled, spread(op.getB())), moveStatistic(b, op.getInputMean(), mean, momentum),
          moveStatistic(b, op.getInputVar(), variance, momentum)};
}

} // namespace

void cameo::populateNormalizationDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<BatchNormalizationOp>>(context, decomposeBatchTraining);
  patterns.add<Decomposition<GlobalLpPoolOp>>(context, decomposeGlobalLpPool);
  patterns.add<Decomposition<HardmaxOp>>(context, decomposeHardmax);
  patterns.add<Decomposition<LpNormalizationOp>>(context, decomposeLpNormalization);
  patterns.add<Decomposition<MeanVarianceNormalizationOp>>(context, decomposeMeanVariance);
}
