// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that do nothing, undo or repeat the one before. Every rewrite gives the same bits for
// every input, NaN, infinities and -0 included (payloads of NaN apart).

#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

//===----------------------------------------------------------------------===//
// Nothing
//===----------------------------------------------------------------------===//

struct DropIdentity : OpRewritePattern<IdentityOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IdentityOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

/// Outside training. Where the mask is wanted too, that is the lowering's business.
/// Only one way to find coordinates reads a region: for the others nobody need bring one to the
/// host.
struct DropUnreadRegion : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    if (!op.getRoi() || op.getCoordinateTransformationMode() == "tf_crop_and_resize")
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getRoiMutable().clear(); });
    return success();
  }
};

struct DropDropout : OpRewritePattern<DropoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DropoutOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask().use_empty())
      return failure();
    if (Value training = op.getTrainingMode()) {
      auto mode = dyn_cast_or_null<IntegerAttr>(getUniformValue(training));
      if (!mode || !mode.getValue().isZero())
        return rewriter.notifyMatchFailure(op, "trains");
    }
    rewriter.replaceAllUsesWith(op.getOutput(), op.getData());
    rewriter.eraseOp(op);
    return success();
  }
};

bool isInteger(TypedAttr x, uint64_t value) {
  auto number = dyn_cast<IntegerAttr>(x);
  return number && number.getValue() == value;
}
bool isReal(TypedAttr x, double value) {
  auto number = dyn_cast<FloatAttr>(x);
  return number && number.getValueAsDouble() == value &&
         number.getValue().isNegative() == std::signbit(value);
}

/// x + 0 is not x for -0; x + -0 is, and so is x - 0.
bool isNeutral(AddOp, TypedAttr x) { return isInteger(x, 0) || isReal(x, -0.0); }
bool isNeutral(SubOp, TypedAttr x) { return isInteger(x, 0) || isReal(x, 0.0); }
bool isNeutral(MulOp, TypedAttr x) { return isInteger(x, 1) || isReal(x, 1.0); }
bool isNeutral(DivOp, TypedAttr x) { return isInteger(x, 1) || isReal(x, 1.0); }
bool isNeutral(AndOp, TypedAttr x) { return isInteger(x, 1); }
bool isNeutral(OrOp, TypedAttr x) { return isInteger(x, 0); }

/// A binary operator with a constant that changes nothing: on the right, or on either side.
template <class Op> struct DropNeutral : OpRewritePattern<Op> {
  DropNeutral(MLIRContext *context, bool commutes)
      : OpRewritePattern<Op>(context), commutes(commutes) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (unsigned constant : {1, 0}) {
      TypedAttr value = getUniformValue(op->getOperand(constant));
      Value other = op->getOperand(1 - constant);
      // The constant may have larger extents than what it leaves as it is.
      if (!value || !isNeutral(op, value) || other.getType() != op->getResult(0).getType() ||
          (constant == 0 && !commutes))
        continue;
      rewriter.replaceOp(op, other);
      return success();
    }
    return failure();
  }

private:
  bool commutes;
};

//===----------------------------------------------------------------------===//
// Cheaper
//===----------------------------------------------------------------------===//

/// x / 8 is x * 0.125: a number whose inverse is one too rounds both alike.
struct MultiplyByInverse : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    auto divisor = dyn_cast_or_null<FloatAttr>(getUniformValue(op.getB()));
    // The constant may have larger extents than what it divides.
    if (!divisor || op.getA().getType() != op.getC().getType())
      return failure();
    APFloat inverse = divisor.getValue();
    if (!divisor.getValue().getExactInverse(&inverse))
      return rewriter.notifyMatchFailure(op, "the inverse is rounded");
    OnnxBuilder b(rewriter, op);
    b.replaceRoot(b.mul(op.getA(), b.constant(divisor.getType(), inverse.convertToDouble())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Twice
//===----------------------------------------------------------------------===//

/// f(f(x)) = x
template <class Op> struct DropInvolution : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto first = op->getOperand(0).template getDefiningOp<Op>();
    if (!first)
      return failure();
    rewriter.replaceOp(op, first->getOperand(0));
    return success();
  }
};

/// f(f(x)) = f(x)
template <class Op> struct DropRepetition : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op->getOperand(0).template getDefiningOp<Op>())
      return failure();
    rewriter.replaceOp(op, op->getOperand(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// How many bits of magnitude an integer type has.
unsigned getMagnitudeBits(IntegerType type) {
  return type.isUnsigned() || type.getWidth() == 1 ? type.getWidth() : type.getWidth() - 1;
}

/// Whether every value of `from` is one of `to`.
bool holdsAll(Type to, Type from) {
  auto fromInteger = dyn_cast<IntegerType>(from), toInteger = dyn_cast<IntegerType>(to);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromInteger && toInteger) {
    bool losesSign = !fromInteger.isUnsigned() && fromInteger.getWidth() > 1 &&
                     (toInteger.isUnsigned() || toInteger.getWidth() == 1);
    return !losesSign && getMagnitudeBits(fromInteger) <= getMagnitudeBits(toInteger);
  }
  if (fromInteger && toFloat)
    return toFloat.getWidth() >= 16 &&
           getMagnitudeBits(fromInteger) <= toFloat.getFPMantissaWidth();
  if (fromFloat && toFloat)
    return (toFloat.isF64() && fromFloat.getWidth() <= 64) ||
           (toFloat.isF32() && fromFloat.getWidth() <= 32);
  return false;
}

/// A conversion that loses nothing in front of another one.
struct JoinCasts : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    if (op.getInput().getType() == op.getOutput().getType()) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    auto first = op.getInput().getDefiningOp<CastOp>();
    if (!first)
      return failure();
    Type from = elementTypeOf(first.getInput()), between = elementTypeOf(op.getInput()),
         to = elementTypeOf(op.getOutput());
    if (!holdsAll(between, from))
      return failure();
    // A float that is too large for an integer gives the largest one, an integer its low bits.
    if (isa<IntegerType>(from) && isa<FloatType>(between) && isa<IntegerType>(to) &&
        !to.isInteger(1) && !holdsAll(to, from))
      return failure();
    OnnxBuilder b(rewriter, op, {first});
    b.replaceRoot(
        b.make<CastOp>(first.getInput(), op.getRoundMode(), op.getSaturate(), op.getTo()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

SmallVector<int64_t> getPermutation(TransposeOp op) {
  if (op.getPerm())
    return SmallVector<int64_t>(*op.getPerm());
  SmallVector<int64_t> reversed;
  for (int64_t axis = cast<SymTensorType>(op.getData().getType()).getRank(); axis-- > 0;)
    reversed.push_back(axis);
  return reversed;
}

struct DropTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (!llvm::is_sorted(getPermutation(op)))
      return failure();
    rewriter.replaceOp(op, op.getData());
    return success();
  }
};

struct JoinTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto first = op.getData().getDefiningOp<TransposeOp>();
    if (!first)
      return failure();
    SmallVector<int64_t> inner = getPermutation(first), joined;
    for (int64_t axis : getPermutation(op))
      joined.push_back(inner[axis]);
    OnnxBuilder b(rewriter, op, {first});
    b.replaceRoot(b.make<TransposeOp>(first.getData(), rewriter.getDenseI64ArrayAttr(joined)));
    return success();
  }
};

bool isView(Operation *op) {
  return isa_and_nonnull<FlattenOp, ReshapeOp, SqueezeOp, UnsqueezeOp>(op);
}

/// Views of views are one Reshape. The first must be known to keep the number of elements: where it
/// is not, a run that breaks that has to end with an error.
struct JoinViews : RewritePattern {
  JoinViews(MLIRContext *context, StringRef name) : RewritePattern(name, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto type = cast<SymTensorType>(op->getResult(0).getType());
    if (op->getOperand(0).getType() == type) {
      rewriter.replaceOp(op, op->getOperand(0));
      return success();
    }
    Operation *first = op->getOperand(0).getDefiningOp();
    if (!isView(first))
      return failure();
    Value source = first->getOperand(0);
    ExtentAttr count = cast<SymTensorType>(source.getType()).getNumElements();
    if (count.isUnknown() ||
        count != cast<SymTensorType>(first->getResult(0).getType()).getNumElements())
      return rewriter.notifyMatchFailure(op, "the first view may fail at run time");
    OnnxBuilder b(rewriter, op, {first});
    b.replaceRoot(b.reshape(source, type.getExtents()));
    return success();
  }
};

} // namespace

void cameo::populateAlgebraPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DropDropout, DropIdentity, DropTranspose, DropUnreadRegion, JoinCasts,
               JoinTransposes, MultiplyByInverse>(context);
  patterns.add<DropNeutral<AddOp>, DropNeutral<AndOp>, DropNeutral<MulOp>, DropNeutral<OrOp>>(
      context, /*commutes=*/true);
  patterns.add<DropNeutral<DivOp>, DropNeutral<SubOp>>(context, /*commutes=*/false);
  patterns.add<DropInvolution<BitwiseNotOp>, DropInvolution<NegOp>, DropInvolution<NotOp>>(context);
  patterns.add<DropRepetition<AbsOp>, DropRepetition<CeilOp>, DropRepetition<FloorOp>,
               DropRepetition<ReluOp>, DropRepetition<RoundOp>, DropRepetition<SignOp>>(context);
  for (StringRef view : {FlattenOp::getOperationName(), ReshapeOp::getOperationName(),
                         SqueezeOp::getOperationName(), UnsqueezeOp::getOperationName()})
    patterns.add<JoinViews>(context, view);
}
