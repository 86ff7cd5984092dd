// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators about shapes: views, and tensors made from extents alone.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// Operators whose result holds the elements of operand 0 in the same order.
template <class Op> struct ViewLowering : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Value source = op->getOperand(0);
    SymTensorType result = tensorOf(op->getResult(0));
    lower.check("eq", result.getNumElements(), tensorOf(source).getNumElements(),
                "invalid_argument", "a new shape has another number of elements");
    rewriter.replaceOp(op, lower.view(source, result));
    return success();
  }
};

/// The axes that Unsqueeze adds and Squeeze removes, where only the run knows them: host scalars,
/// each counted from the front of the tensor of more axes.
class RuntimeAxes {
public:
  RuntimeAxes(Lowering &lower, Value tensor, int64_t rank)
      : rewriter(lower.getRewriter()), location(lower.getLoc()), b(rewriter, location) {
    int64_t count = *tensorOf(tensor).getNumElements().getConstant();
    for (int64_t number = 0; number < count; ++number) {
      Value axis = b.cast(lower.scalar(tensor, number), rewriter.getI64Type());
      Value isNegative = b.less(axis, constant(0));
      axes.push_back(b.select(isNegative, b.add(axis, constant(rank)), axis));
    }
  }

  /// Binds the extents of Unsqueeze's result: 1 for an axis that is added, else the next of
  /// `input`.
  void bindUnsqueezed(ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> result) {
    for (auto [axis, symbol] : llvm::enumerate(result)) {
      Value kept = constant(-1);
      for (auto [source, extent] : llvm::enumerate(input))
        kept = b.select(isKeptAs(axis, source), b.extent(extent), kept);
      bind(symbol, b.select(contains(axis), constant(1), kept));
    }
  }

  /// Binds those of Squeeze's result: the extents of the axes that stay, in order.
  void bindSqueezed(ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> result) {
    for (auto [axis, symbol] : llvm::enumerate(result)) {
      Value kept = constant(-1);
      for (auto [source, extent] : llvm::enumerate(input))
        kept = b.select(isKeptAs(source, axis), b.extent(extent), kept);
      bind(symbol, kept);
    }
  }

private:
  Value constant(int64_t value) {
    return b.constant(rewriter.getI64Type(), static_cast<double>(value));
  }

  Value contains(int64_t axis) {
    Value any = b.constant(rewriter.getI1Type(), 0);
    for (Value own : axes)
      any = b.logicalOr(any, b.equal(own, constant(axis)));
    return any;
  }

  /// Whether `axis` of the tensor of more axes is `other` of the tensor of fewer.
  Value isKeptAs(int64_t axis, int64_t other) {
    Value position = constant(axis);
    for (Value own : axes)
      position = b.sub(position, b.cast(b.less(own, constant(axis)), rewriter.getI64Type()));
    return b.logicalAnd(b.logicalNot(contains(axis)), b.equal(position, constant(other)));
  }

  /// Axes that come twice or are none of the tensor's leave an extent without a source: -1.
  void bind(ExtentAttr symbol, Value value) {
    prog::BindOp::create(rewriter, location, symbol.getSymbolName(), value,
                         ExtentAttr::constant(rewriter.getContext(), 0), ExtentAttr(),
                         rewriter.getStringAttr("invalid_argument"));
  }

  PatternRewriter &rewriter;
  Location location;
  ScalarBuilder b;
  SmallVector<Value> axes;
};

/// Whether the Shape stage has left the extents of `result` to the lowering: with known axes each
/// is 1 or one of `input`'s.
bool hasRuntimeAxes(ArrayRef<ExtentAttr> input, ArrayRef<ExtentAttr> result) {
  return llvm::any_of(result, [&](ExtentAttr extent) {
    return extent.isSymbol() && !llvm::is_contained(input, extent);
  });
}

/// Squeeze and Unsqueeze: views, whose extents may have to be found first.
template <class Op> struct AxesLowering : ViewLowering<Op> {
  using ViewLowering<Op>::ViewLowering;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    SymTensorType input = tensorOf(op->getOperand(0)), result = tensorOf(op->getResult(0));
    if (hasRuntimeAxes(input.getExtents(), result.getExtents())) {
      Lowering lower(rewriter, op);
      RuntimeAxes axes(lower, op.getAxes(), std::max(input.getRank(), result.getRank()));
      if constexpr (std::is_same_v<Op, SqueezeOp>)
        axes.bindSqueezed(input.getExtents(), result.getExtents());
      else
        axes.bindUnsqueezed(input.getExtents(), result.getExtents());
    }
    return ViewLowering<Op>::matchAndRewrite(op, rewriter);
  }
};

struct IdentityLowering : OpRewritePattern<IdentityOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IdentityOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

struct ConstantOfShapeLowering : OpRewritePattern<ConstantOfShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstantOfShapeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    TypedAttr fill;
    if (auto value = dyn_cast_or_null<DenseElementsAttr>(op.getValueAttr()))
      fill = cast<TypedAttr>(*value.getValues<Attribute>().begin());
    Value filled = lower.kernel(result.getExtents(), {}, result, lower.dims(result.getRank()),
                                [&](ScalarBuilder &b, ValueRange) -> SmallVector<Value> {
                                  if (!fill)
                                    return {b.constant(result.getElementType(), 0)};
                                  return {prog::SConstantOp::create(rewriter, op.getLoc(), fill)};
                                });
    rewriter.replaceOp(op, filled);
    return success();
  }
};

struct RangeLowering : OpRewritePattern<RangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RangeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    auto single = [&](Value value) {
      return Read{value, Index(tensorOf(value).getRank(), lower.constant(0))};
    };
    Value range = lower.kernel(result.getExtents(), {single(op.getStart()), single(op.getDelta())},
                               result, lower.dims(1), [&](ScalarBuilder &b, ValueRange x) {
                                 Value i = b.cast(b.index(0), result.getElementType());
                                 return SmallVector<Value>{b.add(x[0], b.mul(i, x[1]))};
                               });
    rewriter.replaceOp(op, range);
    return success();
  }
};

struct EyeLikeLowering : OpRewritePattern<EyeLikeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EyeLikeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    int64_t diagonal = op.getK();
    Value eye = lower.kernel(
        result.getExtents(), {}, result, lower.dims(2), [&](ScalarBuilder &b, ValueRange) {
          Value offset = b.constant(rewriter.getI64Type(), static_cast<double>(diagonal));
          Value on = b.equal(b.add(b.index(0), offset), b.index(1));
          return SmallVector<Value>{b.cast(on, result.getElementType())};
        });
    rewriter.replaceOp(op, eye);
    return success();
  }
};

} // namespace

void cameo::populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<ConstantOfShapeLowering, EyeLikeLowering, IdentityLowering, RangeLowering,
               ViewLowering<FlattenOp>, ViewLowering<ReshapeOp>, AxesLowering<SqueezeOp>,
               AxesLowering<UnsqueezeOp>>(patterns.getContext());
}
