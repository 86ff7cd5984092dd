// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms: calls of one template, whose table of roots of unity is a constant where the
// length is, and else computed by the run.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

constexpr double kTwoPi = 6.283185307179586476925286766559;
/// Tables of more points are computed by the run: a constant would be larger than most models.
constexpr int64_t kMaxConstantPoints = 1 << 16;

/// Cosines, then sines, of 2 pi k / points.
DenseElementsAttr getRoots(RankedTensorType type, int64_t points) {
  auto real = cast<FloatType>(type.getElementType());
  SmallVector<APFloat> roots;
  for (double (*function)(double) : {static_cast<double (*)(double)>(std::cos), std::sin})
    for (int64_t k : llvm::seq<int64_t>(points)) {
      APFloat root(function(kTwoPi * static_cast<double>(k) / static_cast<double>(points)));
      bool losesInfo;
      root.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      roots.push_back(root);
    }
  return DenseElementsAttr::get(type, roots);
}

/// The same, made by a kernel: a sine is the cosine of a quarter of a turn less. The angle is
/// reduced as an integer, where nothing is lost.
Value computeRoots(Lowering &lower, SymTensorType type, ExtentAttr points) {
  Type real = type.getElementType(), exact = Float64Type::get(real.getContext());
  auto body = [=](ScalarBuilder &b, ValueRange) {
    Value count = b.extent(points), quarters = b.mul(b.index(1), b.constant(count, 4));
    Value turned = b.sub(quarters, b.mul(b.index(0), count));
    Value whole = b.cast(b.mul(count, b.constant(count, 4)), exact);
    Value angle = b.mul(b.div(b.cast(turned, exact), whole), b.constant(exact, kTwoPi));
    return SmallVector<Value>{b.cast(b.cos(angle), real)};
  };
  return lower.kernel(type.getExtents(), {}, type, lower.dims(2), body);
}

/// The roots of unity that `fourier` takes.
Value makeRoots(Lowering &lower, Type real, Side side, ExtentAttr points) {
  // A negative length ends the run where the result gets memory.
  auto type = SymTensorType::get({lower.inference().constant(2), points.max(0)}, real, side);
  std::optional<int64_t> count = points.getConstant();
  if (!count || *count > kMaxConstantPoints)
    return computeRoots(lower, type, points);
  DenseElementsAttr roots = getRoots(RankedTensorType::get({2, *count}, real), *count);
  return prog::WeightOp::create(lower.getRewriter(), lower.getLoc(), type, roots);
}

/// How many parts the numbers along the last axis of a tensor have, which the run checks where it
/// alone knows that.
ExtentAttr getParts(Lowering &lower, Value tensor) {
  constexpr StringLiteral kNoParts = "its numbers have neither one part nor two";
  ExtentAttr parts = tensorOf(tensor).getExtents().back();
  if (parts.isConstant())
    return parts;
  lower.check("ge", parts, lower.inference().constant(1), "invalid_argument", kNoParts);
  lower.check("le", parts, lower.inference().constant(2), "invalid_argument", kNoParts);
  return parts;
}

struct DFTLowering : OpRewritePattern<DFTOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DFTOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType input = tensorOf(op.getInput()), result = tensorOf(op.getOutput());
    FailureOr<AxisList> axis = op.getAxisList(lower.inference());
    if (failed(axis))
      return failure();
    FailureOr<ExtentAttr> length = op.getLength(lower.inference(), *axis);
    if (failed(length) || length->isUnknown())
      return rewriter.notifyMatchFailure(op, "its axis or length is not on the host");
    int64_t last = input.getRank() - 1;
    ExtentAttr zero = lower.inference().constant(0), one = lower.inference().constant(1);
    lower.check("eq", axis->contains(last), zero, "invalid_argument",
                "the axis of real and imaginary parts is transformed");

    // Dims: all but the last, of which the transformed one is 0; position along that one; part.
    Index source;
    SmallVector<ExtentAttr> batch;
    for (int64_t number = 0; number < last; ++number) {
      ExtentAttr flag = axis->contains(number);
      source.push_back(flag.isConstant(1)
                           ? lower.dim(last)
                           : lower.dim(number) + lower.dim(last) * lower.extent(flag));
      batch.push_back(axis->select(number, one, input.getExtents()[number]));
    }
    source.push_back(lower.dim(last + 1));
    // Elements that the input lacks are zero; half of the inverse's input, if onesided, follows
    // from the other.
    bool isInverse = op.getInverse() != 0, isHalf = isInverse && op.getOnesided() != 0;
    ExtentAttr points = *length, most = isHalf ? points.floorDiv(2) + 1 : points;
    Type element = result.getElementType(), real = getAccumulatorType(element);
    auto load = [=](ScalarBuilder &b, ValueRange x) {
      return SmallVector<Value>{b.cast(x[0], real)};
    };
    auto store = [=](ScalarBuilder &b, ValueRange x) {
      Value total = isInverse ? b.div(x[0], b.cast(b.extent(points), real)) : x[0];
      return SmallVector<Value>{b.cast(total, element)};
    };
    prog::CallOp call = FourierCall(lower)
                            .realOutput(isHalf)
                            .inverse(isInverse)
                            .batch(batch)
                            .points(points)
                            .terms(axis->at(0, input.getExtents()).min(most))
                            .bins(axis->at(0, result.getExtents()))
                            .roots(makeRoots(lower, real, result.getSide(), points))
                            .parts(getParts(lower, op.getInput()))
                            .load({{op.getInput(), source}}, load)
                            .store({}, result, source, store)
                            .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct STFTLowering : OpRewritePattern<STFTOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(STFTOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType signal = tensorOf(op.getSignal()), result = tensorOf(op.getOutput());
    std::optional<ExtentValues> step = lower.values(op.getFrameStep());
    std::optional<ExtentValues> given = lower.values(op.getFrameLength());
    if (!step || (op.getFrameLength() && !given))
      return rewriter.notifyMatchFailure(op, "the frames are not on the host");
    ExtentAttr length = given            ? given->front()
                        : op.getWindow() ? tensorOf(op.getWindow()).getExtents().front()
                                         : signal.getExtents()[1];
    lower.check("le", lower.inference().constant(1), step->front(), "invalid_argument",
                "the frame step is not positive");
    lower.check("le", length, signal.getExtents()[1], "invalid_argument",
                "a frame is longer than the signal");

    // Dims: batch, frame, position in the frame, part.
    Index source{lower.dim(0), lower.dim(1) * lower.extent(step->front()) + lower.dim(2)};
    ExtentAttr parts = lower.inference().constant(1);
    if (op.hasParts()) {
      parts = getParts(lower, op.getSignal());
      source.push_back(lower.dim(3));
    }
    SmallVector<Read> reads{{op.getSignal(), source}};
    if (op.getWindow())
      reads.push_back({op.getWindow(), {lower.dim(2)}});
    Type element = result.getElementType(), real = getAccumulatorType(element);
    auto load = [=](ScalarBuilder &b, ValueRange x) {
      Value number = b.cast(x[0], real);
      return SmallVector<Value>{x.size() > 1 ? b.mul(number, b.cast(x[1], real)) : number};
    };
    prog::CallOp call = FourierCall(lower)
                            .realOutput(false)
                            .inverse(false)
                            .batch(result.getExtents().take_front(2))
                            .points(length)
                            .terms(length)
                            .bins(result.getExtents()[2])
                            .parts(parts)
                            .roots(makeRoots(lower, real, result.getSide(), length))
                            .load(reads, load)
                            .store(result, lower.dims(4))
                            .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

} // namespace

void cameo::populateSignalPatterns(RewritePatternSet &patterns) {
  patterns.add<DFTLowering, STFTLowering>(patterns.getContext());
}
