// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of quantised tensors as other quantisers write them: DequantizeLinear, the operator of
// floats, QuantizeLinear. So both forms of a network are recognised by the same patterns, and come
// to the same kernels.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Dialect/ONNX/Transforms/QuantParameters.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// A tensor of bytes, and what they stand for.
struct Quantised {
  Value codes, scale, zeroPoint;

  /// Whether one constant scale, and zero point, is for all.
  bool isWhole() const {
    return isOneParameter(scale) && isOneParameter(zeroPoint) && areOfBytes();
  }
  /// Whether they are that, or constants for each place along `axis`.
  bool isAlong(int64_t axis) const {
    auto isVector = [&](Value parameter) {
      ArrayRef<ExtentAttr> extents = *getExtents(parameter);
      return extents.size() == 1 && extents.front() == (*getExtents(codes))[axis];
    };
    return isWhole() || (isVector(scale) && isVector(zeroPoint) && areOfBytes());
  }

  Value dequantise(OnnxBuilder &b, int64_t axis) const {
    return b.make<DequantizeLinearOp>(codes, scale, zeroPoint, axis, 0, 0);
  }

private:
  bool areOfBytes() const {
    return elementTypeOf(zeroPoint).isInteger(8) && elementTypeOf(scale).isF32() &&
           isNumericConstant(scale) && isNumericConstant(zeroPoint);
  }
};

/// Scales as QuantizeLinear wants them.
bool isPositive(Value scale) {
  auto number = dyn_cast_or_null<FloatAttr>(getUniformValue(scale));
  return number && number.getValueAsDouble() > 0 && number.getValue().isFinite();
}

template <class Op> bool areRanked(Op op) {
  return llvm::all_of(op->getOperands(), [](Value operand) { return getExtents(operand); });
}

Value quantise(OnnxBuilder &b, Value y, Value scale, Value zeroPoint) {
  return b.make<QuantizeLinearOp>(y, scale, zeroPoint, 1, 0, 0, 0, 1);
}

struct ExpandMatMul : OpRewritePattern<QLinearMatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QLinearMatMulOp op, PatternRewriter &rewriter) const override {
    if (!areRanked(op))
      return failure();
    Quantised left{op.getA(), op.getAScale(), op.getAZeroPoint()},
        right{op.getB(), op.getBScale(), op.getBZeroPoint()},
        result{op.getY(), op.getYScale(), op.getYZeroPoint()};
    auto columns = static_cast<int64_t>(getExtents(op.getB())->size()) - 1;
    if (!left.isWhole() || !right.isAlong(columns) || !result.isWhole() ||
        !isPositive(result.scale))
      return failure();
    OnnxBuilder b(rewriter, op);
    Value y = b.make<MatMulOp>(left.dequantise(b, 0), right.dequantise(b, columns));
    b.replaceRoot(quantise(b, y, result.scale, result.zeroPoint));
    return success();
  }
};

struct ExpandConv : OpRewritePattern<QLinearConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QLinearConvOp op, PatternRewriter &rewriter) const override {
    if (!areRanked(op))
      return failure();
    Quantised x{op.getX(), op.getXScale(), op.getXZeroPoint()},
        w{op.getW(), op.getWScale(), op.getWZeroPoint()},
        result{op.getY(), op.getYScale(), op.getYZeroPoint()};
    if (!x.isWhole() || !w.isAlong(0) || !result.isWhole() || !isPositive(result.scale))
      return failure();
    OnnxBuilder b(rewriter, op);
    Value bias;
    if (op.getB())
      bias = b.make<DequantizeLinearOp>(
          op.getB(), b.mul(alignPlaces(b, w.scale, 0), alignOne(b, x.scale)), Value(), 0, 0, 0);
    Value y = b.make<ConvOp>(x.dequantise(b, 0), w.dequantise(b, 0), bias, op.getAutoPadAttr(),
                             op.getDilationsAttr(), op.getGroupAttr(), op.getKernelShapeAttr(),
                             op.getPadsAttr(), op.getStridesAttr());
    b.replaceRoot(quantise(b, y, result.scale, result.zeroPoint));
    return success();
  }
};

} // namespace

void cameo::populateQuantExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandConv, ExpandMatMul>(patterns.getContext());
}
