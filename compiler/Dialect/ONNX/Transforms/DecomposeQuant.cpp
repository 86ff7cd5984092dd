// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantisation whose scale comes from the data.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// round(x), saturated to u8.
Value saturate(OnnxBuilder &b, Value x, Type target) {
  Type element = elementTypeOf(x);
  Value limited =
      b.make<ClipOp>(b.make<RoundOp>(x), b.constant(element, 0), b.constant(element, 255));
  return b.cast(limited, target);
}

SmallVector<Value> decomposeDynamicQuantize(OnnxBuilder &b, DynamicQuantizeLinearOp op) {
  Value x = op.getX();
  Type real = elementTypeOf(x), integer = elementTypeOf(op.getY());
  Value zero = b.constant(real, 0);
  Value low = b.make<MinOp>(ValueRange{zero, b.reduce<ReduceMinOp>(x, {}, /*keepsAxes=*/false)});
  Value high = b.make<MaxOp>(ValueRange{zero, b.reduce<ReduceMaxOp>(x, {}, /*keepsAxes=*/false)});
  Value scale = b.div(b.sub(high, low), b.constant(real, 255));
  Value zeroPoint = saturate(b, b.div(b.sub(zero, low), scale), integer);
  Value rounded = b.make<RoundOp>(b.div(x, scale));
  return {saturate(b, b.add(rounded, b.cast(zeroPoint, real)), integer), scale, zeroPoint};
}

} // namespace

void cameo::populateQuantDecompositions(RewritePatternSet &patterns) {
  patterns.add<Decomposition<DynamicQuantizeLinearOp>>(patterns.getContext(),
                                                       decomposeDynamicQuantize);
}
