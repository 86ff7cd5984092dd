// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of floats and of bytes, over logical images.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/ONNX/IR/ByteKernels.h"
#include "Dialect/Prog/IR/Convolutions.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// Says of a convolution what its template has no member for.
template <class Call> prog::CallOp buildConv(Call &call, ArrayRef<WindowAxis> window) {
  prog::CallOp built = call.build();
  built->setAttr(prog::kPadEnd, ArrayAttr::get(built.getContext(),
                                               llvm::map_to_vector(
                                                   window, [](const WindowAxis &axis) -> Attribute {
                                                     return axis.padEnd;
                                                   })));
  return built;
}

/// Conv and ConvTranspose: the template's product plus a bias per channel.
template <class Op, class Call> struct ConvLowering : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    if (failed(window))
      return failure();
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    SmallVector<Read> reads;
    if (op.getB())
      reads.push_back({op.getB(), {lower.dim(1)}});
    Call call(lower);
    call.window(*window)
        .batch(x.getExtents()[0])
        .groups(op.getGroup())
        .inChannels(x.getExtents()[1])
        .outChannels(result.getExtents()[1])
        .x(op.getX())
        .w(op.getW())
        .store(reads, result, lower.dims(result.getRank()), [=](ScalarBuilder &b, ValueRange v) {
          Value value = v.size() > 1 ? b.add(v[0], b.cast(v[1], sum)) : v[0];
          return SmallVector<Value>{b.cast(value, element)};
        });
    prog::CallOp built = std::is_same_v<Op, ConvOp> ? buildConv(call, *window) : call.build();
    rewriter.replaceOp(op, built.getResult(0));
    return success();
  }
};

/// A convolution of bytes, with the image's zero point taken off: off every tap, since padding
/// reads it too, so by a sum of weights for each channel.
struct ConvIntegerLowering : OpRewritePattern<ConvIntegerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvIntegerOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    std::optional<int64_t> zeroPoint = getZeroPoint(op.getXZeroPoint());
    auto weights = op.getW().getDefiningOp<ConstantOp>();
    if (failed(window) || !zeroPoint || !weights ||
        !hasByteKernel(op, window, ChannelBlocks::lookup(op)))
      return rewriter.notifyMatchFailure(op, "the target has no kernel for it");
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    SmallVector<Read> reads;
    if (*zeroPoint != 0)
      reads.push_back({sumWeights(lower, weights, *zeroPoint, result), {lower.dim(1)}});
    ConvIntegerCall call(lower);
    call.window(*window)
        .batch(x.getExtents()[0])
        .groups(op.getGroup())
        .inChannels(x.getExtents()[1])
        .outChannels(result.getExtents()[1])
        .padValue(*zeroPoint)
        .x(op.getX())
        .w(op.getW())
        .store(reads, result, lower.dims(4), [](ScalarBuilder &b, ValueRange v) {
          return SmallVector<Value>{v.size() > 1 ? b.sub(v[0], v[1]) : v[0]};
        });
    rewriter.replaceOp(op, buildConv(call, *window).getResult(0));
    return success();
  }

private:
  /// The sums of each output channel's weights times `factor`.
  static Value sumWeights(Lowering &lower, ConstantOp weights, int64_t factor,
                          SymTensorType result) {
    PatternRewriter &rewriter = lower.getRewriter();
    auto type =
        SymTensorType::get({result.getExtents()[1]}, rewriter.getI32Type(), result.getSide());
    return prog::WeightOp::create(rewriter, weights.getLoc(), type, weights.getValue(),
                                  prog::SumAttr::get(rewriter.getContext(), factor));
  }
};

} // namespace

void cameo::populateConvPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvLowering<ConvOp, ConvCall>, ConvLowering<ConvTransposeOp, ConvTransposeCall>,
               ConvIntegerLowering>(patterns.getContext());
}
