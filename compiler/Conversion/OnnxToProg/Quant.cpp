// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantisation by given scales: loop nests that read scale and zero point once for the whole
// tensor, for each place along an axis, or for each block of places.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/ONNX/IR/CodedMatrix.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// The axis of `x` along which scales differ, and how many places share one: 0 for a scale for
/// each.
struct Blocks {
  int64_t axis, size;
};

/// Where the element `dims` of `x` finds its scale, or zero point.
Index getParameterIndex(Lowering &lower, Value parameter, SymTensorType x, Blocks blocks) {
  SymTensorType type = tensorOf(parameter);
  bool isOne =
      type.getNumElements().isConstant(1) ||
      (blocks.size == 0 && !hasScalesAlong(type.getExtents(), x.getExtents(), blocks.axis));
  if (isOne)
    return Index(type.getRank(), lower.constant(0));
  int64_t axis = blocks.axis < 0 ? blocks.axis + x.getRank() : blocks.axis;
  if (blocks.size == 0)
    return lower.broadcast(type.getExtents(), x.getExtents().take_front(axis + 1));
  Index index = lower.dims(x.getRank());
  index[axis] = index[axis].floorDiv(blocks.size);
  return index;
}

/// A kernel over the elements of `x` whose body gets one of them, its scale and its zero point,
/// null where there is none.
Value buildQuantKernel(Lowering &lower, Value x, Value scale, Value zeroPoint, Blocks blocks,
                       SymTensorType result,
                       llvm::function_ref<Value(ScalarBuilder &, Value, Value, Value)> body) {
  SymTensorType type = tensorOf(x);
  SmallVector<Read> reads{{x, lower.dims(type.getRank())}};
  for (Value parameter : {scale, zeroPoint})
    if (parameter)
      reads.push_back({parameter, getParameterIndex(lower, parameter, type, blocks)});
  return lower.kernel(type.getExtents(), reads, result, lower.dims(type.getRank()),
                      [&](ScalarBuilder &b, ValueRange read) {
                        return SmallVector<Value>{
                            body(b, read[0], read[1], zeroPoint ? read[2] : Value())};
                      });
}

struct DequantizeLinearLowering : OpRewritePattern<DequantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeLinearOp op, PatternRewriter &rewriter) const override {
    if (isReadAsCodes(op))
      return rewriter.notifyMatchFailure(op, "whoever reads it reads the codes");
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    Type real = rewriter.getF32Type();
    auto body = [&](ScalarBuilder &b, Value x, Value scale, Value zeroPoint) {
      Value centred = b.cast(x, real);
      if (zeroPoint)
        centred = b.sub(centred, b.cast(zeroPoint, real));
      return b.cast(b.mul(centred, b.cast(scale, real)), result.getElementType());
    };
    rewriter.replaceOp(op, buildQuantKernel(lower, op.getX(), op.getXScale(), op.getXZeroPoint(),
                                            {op.getAxis(), op.getBlockSize()}, result, body));
    return success();
  }
};

struct QuantizeLinearLowering : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    Type element = result.getElementType(), divided = op.getDivisionType();
    Type real = rewriter.getF32Type();
    auto body = [&](ScalarBuilder &b, Value x, Value scale, Value zeroPoint) {
      Value quotient = b.cast(b.div(b.cast(x, divided), b.cast(scale, divided)), real);
      if (isa<IntegerType>(element))
        quotient = b.round(quotient);
      if (zeroPoint)
        quotient = b.add(quotient, b.cast(zeroPoint, real));
      if (isa<IntegerType>(element)) {
        auto [least, most] = op.getRange();
        quotient = b.min(b.max(quotient, b.constant(real, least)), b.constant(real, most));
      }
      return b.cast(quotient, element, op.getSaturate() != 0);
    };
    rewriter.replaceOp(op, buildQuantKernel(lower, op.getX(), op.getYScale(), op.getYZeroPoint(),
                                            {op.getAxis(), op.getBlockSize()}, result, body));
    return success();
  }
};

} // namespace

void cameo::populateQuantPatterns(RewritePatternSet &patterns) {
  patterns.add<DequantizeLinearLowering, QuantizeLinearLowering>(patterns.getContext());
}
