// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators about shapes: views, and tensors made from extents alone.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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

/// By one dim on the device its result has counted extents, of no more elements than there are,
/// which the device holds against the shape. The host looks at the elements of several.
struct ReshapeLowering : ViewLowering<ReshapeOp> {
  using ViewLowering::ViewLowering;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    std::optional<ExtentValues> shape = lower.values(op.getShape());
    if (tensorOf(op.getShape()).isHost() || !shape)
      return ViewLowering::matchAndRewrite(op, rewriter);
    SymbolAnalysis symbols(op->getParentOfType<func::FuncOp>());
    auto isOnDevice = [&](ExtentAttr extent) { return symbols.isOnDevice(extent); };
    if (llvm::count_if(*shape, isOnDevice) != 1)
      return ViewLowering::matchAndRewrite(op, rewriter);
    SmallVector<ExtentAttr> exact = op.getExactExtents(lower.inference(), *shape, isOnDevice);
    SymTensorType source = tensorOf(op.getData()), result = tensorOf(op.getReshaped());
    SmallVector<ExtentAttr> got, expected;
    for (auto [said, extent] : llvm::zip_equal(exact, result.getExtents()))
      if (said != extent) {
        got.push_back(said);
        expected.push_back(extent);
      }
    got.push_back(result.getNumElements());
    expected.push_back(source.getNumElements());
    lower.expectEqual(got, expected);
    rewriter.replaceOp(op, lower.view(op.getData(), result));
    return success();
  }
};

/// Squeeze and Unsqueeze: views, whose extents may follow from axes that only the run knows.
template <class Op> struct AxesLowering : ViewLowering<Op> {
  using ViewLowering<Op>::ViewLowering;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (op.getAxes()) {
      Lowering lower(rewriter, op);
      int64_t rank =
          std::max(tensorOf(op->getOperand(0)).getRank(), tensorOf(op->getResult(0)).getRank());
      FailureOr<AxisList> axes =
          AxisList::ofOperand(lower.inference(), op.getAxes(), rank, "axes (C1)");
      if (failed(axes))
        return failure();
      lower.checkAxes(*axes);
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
    if (std::optional<ExtentValues> delta = lower.values(op.getDelta()))
      lower.checkNonzero(delta->front(), "the delta is 0");
    else if (!result.getExtents().front().isConstant() && failed(bindCount(lower, op)))
      return rewriter.notifyMatchFailure(op, "start, limit or delta is not on the host");
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

private:
  /// ceil((limit - start) / delta), at least 0; -1, which is refused, where that is infinite (C2).
  static LogicalResult bindCount(Lowering &lower, RangeOp op) {
    ScalarBuilder b(lower.getRewriter(), lower.getLoc());
    Type element = elementTypeOf(op.getOutput());
    Type wide = element.isF64() ? element : Float32Type::get(op.getContext());
    SmallVector<Value> x;
    for (Value operand : op->getOperands()) {
      Value scalar = lower.scalar(operand, 0);
      if (!scalar)
        return failure();
      x.push_back(b.cast(scalar, wide));
    }
    Value steps = b.ceil(b.div(b.sub(x[1], x[0]), x[2]));
    lower.bindCount(
        tensorOf(op.getOutput()).getExtents().front(),
        b.select(b.isInf(steps), b.constant(wide, -1), b.max(steps, b.constant(wide, 0))));
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
               ReshapeLowering, ViewLowering<FlattenOp>, AxesLowering<SqueezeOp>,
               AxesLowering<UnsqueezeOp>>(patterns.getContext());
}
