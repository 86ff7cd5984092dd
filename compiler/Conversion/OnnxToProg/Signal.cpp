// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, as the sums that they are: a reduction per frequency, quadratic in their
// length.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

struct Complex {
  Value re, im;
};

/// One term of a sum over n: `x` times e^(i 2 pi k n / length), or the conjugate of that.
Complex rotate(ScalarBuilder &b, Complex x, Value k, Value n, Value length, bool isConjugate) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  Type real = x.re.getType(), exact = Float64Type::get(real.getContext());
  // The angle is reduced as an integer, where nothing is lost; its functions are computed in
  // double: what should cancel in a long sum cancels to the last bit of its terms, not of the
  // angle's.
  Value turns = b.div(b.cast(b.mod(b.mul(k, n), length), exact), b.cast(length, exact));
  Value angle = b.mul(turns, b.constant(exact, isConjugate ? -kTwoPi : kTwoPi));
  Value cosine = b.cast(b.cos(angle), real), sine = b.cast(b.sin(angle), real);
  if (!x.im)
    return {b.mul(x.re, cosine), b.mul(x.re, sine)};
  return {b.sub(b.mul(x.re, cosine), b.mul(x.im, sine)),
          b.add(b.mul(x.re, sine), b.mul(x.im, cosine))};
}

/// The part of `x` that the last coordinate asks for.
Value selectPart(ScalarBuilder &b, Complex x, Value part) {
  return b.select(b.equal(part, b.constant(part, 0)), x.re, x.im);
}

/// The numbers of a tensor whose last axis has one or two parts.
class Numbers {
public:
  /// The numbers at `index`, whose last coordinate is missing. The run checks the number of parts
  /// where it alone knows that.
  static Numbers read(Lowering &lower, Value tensor, const Index &index) {
    ExtentAttr parts = tensorOf(tensor).getExtents().back();
    if (!parts.isConstant()) {
      lower.check("ge", parts, lower.inference().constant(1), "invalid_argument", kNoParts);
      lower.check("le", parts, lower.inference().constant(2), "invalid_argument", kNoParts);
    }
    Numbers numbers(parts - 1);
    numbers.add(tensor, index, lower.constant(0));
    // A real number has no imaginary part: its own is read in that place, and does not count.
    if (!numbers.hasImaginary.isConstant(0))
      numbers.add(tensor, index, lower.extent(numbers.hasImaginary));
    return numbers;
  }
  /// Real ones, of a tensor without an axis of parts.
  static Numbers readReal(Lowering &lower, Value tensor, const Index &index) {
    Numbers numbers(lower.inference().constant(0));
    numbers.reads.push_back({tensor, index});
    return numbers;
  }

  ArrayRef<Read> getReads() const { return reads; }
  /// One of them, of what its reads gave.
  Complex get(ScalarBuilder &b, ValueRange parts, Type real) const {
    Complex number{b.cast(parts[0], real), {}};
    if (parts.size() < 2)
      return number;
    number.im = b.cast(parts[1], real);
    if (!hasImaginary.isConstant()) {
      Value flag = b.extent(hasImaginary);
      number.im = b.select(b.equal(flag, b.constant(flag, 1)), number.im, b.constant(real, 0));
    }
    return number;
  }

private:
  static constexpr StringLiteral kNoParts = "its numbers have neither one part nor two";

  explicit Numbers(ExtentAttr hasImaginary) : hasImaginary(hasImaginary) {}
  void add(Value tensor, Index index, AffineExpr part) {
    index.push_back(part);
    reads.push_back({tensor, index});
  }

  /// 0 or 1.
  ExtentAttr hasImaginary;
  SmallVector<Read> reads;
};

/// Sums of `terms` terms, each at an index of `result` followed by the term's number.
Value sum(Lowering &lower, SymTensorType result, ExtentAttr terms, ArrayRef<Read> reads,
          BodyFunction term, BodyFunction whole) {
  int64_t rank = result.getRank();
  Type real = getAccumulatorType(result.getElementType());
  Rows rows;
  rows.outer.assign(result.getExtents().begin(), result.getExtents().end());
  rows.reduced = {terms};
  return ReduceCall(lower)
      .combine("sum", real)
      .rows(rows)
      .load(reads, std::move(term))
      .store({}, result, lower.dims(rank), std::move(whole))
      .build()
      .getResult(0);
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
    lower.check("eq", axis->contains(last), lower.inference().constant(0), "invalid_argument",
                "the axis of real and imaginary parts is transformed");

    // What the input lacks is zero; half of the inverse's input, if onesided, follows from the
    // other.
    bool isInverse = op.getInverse() != 0, isHalf = isInverse && op.getOnesided() != 0;
    ExtentAttr most = isHalf ? length->floorDiv(2) + 1 : *length;
    ExtentAttr terms = axis->at(0, input.getExtents()).min(most);
    Index source;
    SmallVector<ExtentAttr> flags;
    for (int64_t number = 0; number < last; ++number) {
      flags.push_back(axis->contains(number));
      source.push_back(lower.dim(number) * lower.extent(-flags.back() + 1) +
                       lower.dim(last + 1) * lower.extent(flags.back()));
    }
    Numbers numbers = Numbers::read(lower, op.getInput(), source);
    Type real = getAccumulatorType(result.getElementType());
    ExtentAttr points = *length;
    auto term = [=](ScalarBuilder &b, ValueRange x) -> SmallVector<Value> {
      Value n = b.index(last + 1), count = b.extent(points), k;
      for (auto [number, flag] : llvm::enumerate(flags)) {
        if (flag.isConstant(0))
          continue;
        Value part = b.mul(b.extent(flag), b.index(number));
        k = k ? b.add(k, part) : part;
      }
      Complex rotated = rotate(b, numbers.get(b, x, real), k, n, count, !isInverse);
      if (!isHalf)
        return {selectPart(b, rotated, b.index(last))};
      // Each but the first, and the middle one of an even length, stands for its conjugate too.
      Value isAlone = b.logicalOr(b.equal(n, b.constant(n, 0)), b.equal(b.add(n, n), count));
      return {b.select(isAlone, rotated.re, b.add(rotated.re, rotated.re))};
    };
    Type element = result.getElementType();
    auto whole = [=](ScalarBuilder &b, ValueRange x) {
      Value total = isInverse ? b.div(x[0], b.cast(b.extent(points), real)) : x[0];
      return SmallVector<Value>{b.cast(total, element)};
    };
    rewriter.replaceOp(op, sum(lower, result, terms, numbers.getReads(), term, whole));
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

    // Dims: batch, frame, frequency, part, position in the frame.
    Index source{lower.dim(0), lower.dim(1) * lower.extent(step->front()) + lower.dim(4)};
    Numbers numbers = op.hasParts() ? Numbers::read(lower, op.getSignal(), source)
                                    : Numbers::readReal(lower, op.getSignal(), source);
    SmallVector<Read> reads(numbers.getReads());
    size_t parts = reads.size();
    if (op.getWindow())
      reads.push_back({op.getWindow(), {lower.dim(4)}});
    Type real = getAccumulatorType(result.getElementType());
    auto term = [=](ScalarBuilder &b, ValueRange x) -> SmallVector<Value> {
      Complex value = rotate(b, numbers.get(b, x.take_front(parts), real), b.index(2), b.index(4),
                             b.extent(length), /*isConjugate=*/true);
      Value part = selectPart(b, value, b.index(3));
      return {x.size() > parts ? b.mul(part, b.cast(x.back(), real)) : part};
    };
    Type element = result.getElementType();
    auto whole = [=](ScalarBuilder &b, ValueRange x) {
      return SmallVector<Value>{b.cast(x[0], element)};
    };
    rewriter.replaceOp(op, sum(lower, result, length, reads, term, whole));
    return success();
  }
};

} // namespace

void cameo::populateSignalPatterns(RewritePatternSet &patterns) {
  patterns.add<DFTLowering, STFTLowering>(patterns.getContext());
}
