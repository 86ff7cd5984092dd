// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window functions, sums of cosines over the positions of a window; bands of the mel scale.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// constant + first * cos(2 pi i / length) + second * cos(4 pi i / length), in f32 as ONNX has it.
/// The length is the size, or 1 less for a symmetric window.
template <class Op>
Value buildWindow(OnnxBuilder &b, Op op, double constant, double first, double second) {
  ExtentAttr size = getExtents(op.getOutput())->front();
  Type real = Float32Type::get(op.getContext());
  Value positions = b.cast(
      b.make<RangeOp>(b.number(b.extent(0)), b.number(size), b.number(b.extent(1)), 1), real);
  Value length = b.cast(b.number(op.getPeriodic() ? size : size - 1), real);
  auto term = [&](double factor, double frequency) {
    Value angle = b.div(b.mul(positions, b.constant(real, frequency)), length);
    return b.mul(b.make<CosOp>(angle), b.constant(real, factor));
  };
  constexpr double kTwoPi = 6.283185307179586;
  Value window = b.add(b.constant(real, constant), term(first, kTwoPi));
  if (second != 0)
    window = b.add(window, term(second, 2 * kTwoPi));
  return b.cast(window, elementTypeOf(op.getOutput()));
}

SmallVector<Value> decomposeHann(OnnxBuilder &b, HannWindowOp op) {
  return {buildWindow(b, op, 0.5, -0.5, 0)};
}
SmallVector<Value> decomposeHamming(OnnxBuilder &b, HammingWindowOp op) {
  return {buildWindow(b, op, 25.0 / 46, -21.0 / 46, 0)};
}
SmallVector<Value> decomposeBlackman(OnnxBuilder &b, BlackmanWindowOp op) {
  return {buildWindow(b, op, 0.42, -0.5, 0.08)};
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

constexpr double kMelFactor = 2595, kMelHertz = 700;

Type real64(OnnxBuilder &b) { return Float64Type::get(b.extent(0).getContext()); }

/// 0, 1, ... below `count`, of f64.
Value countUp(OnnxBuilder &b, ExtentAttr count) {
  Value numbers = b.make<RangeOp>(b.number(b.extent(0)), b.number(count), b.number(b.extent(1)), 1);
  return b.cast(b.reshape(numbers, {count}), real64(b));
}

/// The number of one element, of f64 and rank 0.
Value scalarOf(OnnxBuilder &b, Value value) { return b.cast(b.reshape(value, {}), real64(b)); }

/// 2595 * log10(1 + hertz / 700)
Value toMel(OnnxBuilder &b, Value hertz) {
  auto number = [&](double value) { return b.constant(real64(b), value); };
  Value log = b.make<LogOp>(b.add(number(1), b.div(hertz, number(kMelHertz))));
  return b.mul(log, number(kMelFactor / std::log(10.0)));
}

Value toHertz(OnnxBuilder &b, Value mel) {
  auto number = [&](double value) { return b.constant(real64(b), value); };
  Value power = b.make<PowOp>(number(10), b.div(mel, number(kMelFactor)));
  return b.mul(number(kMelHertz), b.sub(power, number(1)));
}

/// The bins at which triangles begin (0), peak (1) and end (2): as far apart in mel.
SmallVector<Value> findEdges(OnnxBuilder &b, MelWeightMatrixOp op, ExtentAttr triangles) {
  Value low = toMel(b, scalarOf(b, op.getLowerEdgeHertz()));
  Value high = toMel(b, scalarOf(b, op.getUpperEdgeHertz()));
  Value step = b.div(b.sub(high, low), b.cast(b.number(triangles + 2), real64(b)));
  Value bins = b.add(scalarOf(b, op.getDftLength()), b.constant(real64(b), 1));
  SmallVector<Value> edges;
  for (double first : {0, 1, 2}) {
    Value places = b.add(countUp(b, triangles), b.constant(real64(b), first));
    Value hertz = toHertz(b, b.add(b.mul(places, step), low));
    edges.push_back(b.make<FloorOp>(b.div(b.mul(bins, hertz), scalarOf(b, op.getSampleRate()))));
  }
  return edges;
}

/// A triangle rises up to its peak and falls behind it; one that does not rise has its peak only.
SmallVector<Value> decomposeMelWeights(OnnxBuilder &b, MelWeightMatrixOp op) {
  ArrayRef<ExtentAttr> extents = *getExtents(op.getOutput());
  ExtentAttr bins = extents[0], triangles = extents[1];
  SmallVector<Value> edges = findEdges(b, op, triangles);
  Value begin = edges[0], peak = edges[1], end = edges[2];
  Value bin = b.reshape(countUp(b, bins), {bins, b.extent(1)});
  Value zero = b.constant(real64(b), 0), one = b.constant(real64(b), 1);
  Value rise = b.sub(peak, begin), fall = b.sub(end, peak);
  auto atLeast = [&](Value x, Value y) { return b.make<GreaterOrEqualOp>(x, y); };
  auto both = [&](Value x, Value y) { return b.make<AndOp>(x, y); };
  auto byWidth = [&](Value x, Value width) {
    return b.div(x, b.where(b.equal(width, zero), one, width));
  };
  Value isRising = both(atLeast(bin, begin), atLeast(peak, bin));
  Value rising = b.where(isRising, byWidth(b.sub(bin, begin), rise), zero);
  Value flat = b.cast(b.equal(bin, peak), real64(b));
  Value left = b.where(b.equal(rise, zero), flat, rising);
  Value isFalling = both(atLeast(bin, peak), b.make<LessOp>(bin, end));
  Value weights = b.where(isFalling, byWidth(b.sub(end, bin), fall), left);
  return {b.cast(weights, elementTypeOf(op.getOutput()))};
}

} // namespace

void cameo::populateSignalDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<BlackmanWindowOp>>(context, decomposeBlackman);
  patterns.add<Decomposition<HammingWindowOp>>(context, decomposeHamming);
  patterns.add<Decomposition<HannWindowOp>>(context, decomposeHann);
  patterns.add<Decomposition<MelWeightMatrixOp>>(context, decomposeMelWeights);
}
