// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A normalisation of channels by constants is `x * factor + shift`: into the weights and the bias
// of the convolution or product before it, else two operators of a constant each. Operators that
// are built on constants here are folded by the patterns for that.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Whether all of the statistics are constants that fold exactly as they would be computed: smaller
/// floats would be rounded where the operator does not round.
bool isConstant(BatchNormalizationOp op) {
  Type element = elementTypeOf(op.getX());
  return op.getTrainingMode() == 0 && (element.isF32() || element.isF64()) &&
         llvm::all_of(op.getOperands().drop_front(), [&](Value parameter) {
           return isNumericConstant(parameter) && elementTypeOf(parameter) == element;
         });
}

/// The normalisation as `x * factor + shift`, each of one element per channel.
struct Affine {
  Value factor, shift;

  /// The normalisation of `x + offset`, where there is an offset.
  Affine(OnnxBuilder &b, BatchNormalizationOp op, Value offset = {}) {
    Value epsilon = b.constant(elementTypeOf(op.getX()), op.getEpsilon().convertToFloat());
    factor = b.div(op.getScale(), b.sqrt(b.add(op.getInputVar(), epsilon)));
    Value mean = offset ? b.sub(op.getInputMean(), offset) : op.getInputMean();
    shift = b.sub(op.getB(), b.mul(mean, factor));
  }
};

/// `perChannel` for a tensor of `rank` axes whose channels are axis `axis`.
Value alignChannels(OnnxBuilder &b, Value perChannel, size_t rank, size_t axis) {
  SmallVector<ExtentAttr> extents(rank - axis, b.extent(1));
  extents.front() = getExtents(perChannel)->front();
  return b.reshape(perChannel, extents);
}

/// The producer of the normalised tensor, if for this operator alone, and as often.
template <class Op> Op getOnlyProducer(BatchNormalizationOp op) {
  auto producer = op.getX().template getDefiningOp<Op>();
  bool isOwn = producer && producer->hasOneUse() && producer->getBlock() == op->getBlock();
  return isOwn ? producer : Op();
}

/// A constant that only `user` has, so that a changed one takes its place.
bool isOwnConstant(Value value) { return isNumericConstant(value) && value.hasOneUse(); }

void replaceNormalized(OnnxBuilder &b, BatchNormalizationOp op, Value normalized) {
  // Outside training the statistics are what they were.
  b.replaceRoot({normalized, op.getInputMean(), op.getInputVar()});
}

struct FoldIntoConv : OpRewritePattern<BatchNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormalizationOp op, PatternRewriter &rewriter) const override {
    auto conv = getOnlyProducer<ConvOp>(op);
    if (!conv || !isConstant(op) || !isOwnConstant(conv.getW()) ||
        (conv.getB() && !isNumericConstant(conv.getB())))
      return failure();
    OnnxBuilder b(rewriter, op, {conv});
    Affine affine(b, op, conv.getB());
    Value factor = b.reshape(affine.factor, getFactorExtents(b, conv));
    Value weights = b.mul(conv.getW(), factor);
    replaceNormalized(b, op,
                      b.make<ConvOp>(conv.getX(), weights, affine.shift, conv.getAutoPadAttr(),
                                     conv.getDilationsAttr(), conv.getGroupAttr(),
                                     conv.getKernelShapeAttr(), conv.getPadsAttr(),
                                     conv.getStridesAttr()));
    return success();
  }

private:
  /// Output channels are the first axis of the weights.
  static SmallVector<ExtentAttr> getFactorExtents(OnnxBuilder &b, ConvOp conv) {
    ArrayRef<ExtentAttr> weights = *getExtents(conv.getW());
    SmallVector<ExtentAttr> extents(weights.size(), b.extent(1));
    extents.front() = weights.front();
    return extents;
  }
};

struct FoldIntoGemm : OpRewritePattern<BatchNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormalizationOp op, PatternRewriter &rewriter) const override {
    auto gemm = getOnlyProducer<GemmOp>(op);
    if (!gemm || !isConstant(op) || !isOwnConstant(gemm.getB()) ||
        (gemm.getC() && !(isNumericConstant(gemm.getC()) && gemm.getBeta().convertToFloat() == 1)))
      return failure();
    OnnxBuilder b(rewriter, op, {gemm});
    Affine affine(b, op, gemm.getC());
    Value factor = affine.factor;
    if (gemm.getTransB())
      factor = alignChannels(b, factor, 2, 0);
    replaceNormalized(b, op,
                      b.make<GemmOp>(gemm.getA(), b.mul(gemm.getB(), factor), affine.shift,
                                     gemm.getAlphaAttr(), rewriter.getF32FloatAttr(1.0f),
                                     gemm.getTransAAttr(), gemm.getTransBAttr()));
    return success();
  }
};

struct SpellAffine : OpRewritePattern<BatchNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormalizationOp op, PatternRewriter &rewriter) const override {
    std::optional<ArrayRef<ExtentAttr>> extents = getExtents(op.getX());
    if (!isConstant(op) || !extents || extents->size() < 2)
      return failure();
    OnnxBuilder b(rewriter, op);
    Affine affine(b, op);
    Value scaled = b.mul(op.getX(), alignChannels(b, affine.factor, extents->size(), 1));
    replaceNormalized(b, op, b.add(scaled, alignChannels(b, affine.shift, extents->size(), 1)));
    return success();
  }
};

} // namespace

void cameo::populateNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldIntoConv, FoldIntoGemm>(patterns.getContext(), /*benefit=*/2);
  patterns.add<SpellAffine>(patterns.getContext());
}
