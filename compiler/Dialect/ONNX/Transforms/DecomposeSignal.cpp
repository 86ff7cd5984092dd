// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window functions: sums of cosines over the positions of a window.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

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

} // namespace

void cameo::populateSignalDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<BlackmanWindowOp>>(context, decomposeBlackman);
  patterns.add<Decomposition<HammingWindowOp>>(context, decomposeHamming);
  patterns.add<Decomposition<HannWindowOp>>(context, decomposeHann);
}
