// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose result has as many elements as the data say: a template finds how many and which,
// into memory for the most that there may be; the number becomes the symbol that the result's
// extents name; then the result, which is dense, is filled.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

SymTensorType integers(Lowering &lower, ArrayRef<ExtentAttr> extents, Side side) {
  return SymTensorType::get(extents, lower.getRewriter().getI64Type(), side);
}

SymTensorType integers(Lowering &lower, ExtentAttr extent, Side side) {
  return integers(lower, ArrayRef(extent), side);
}

ExtentAttr product(Lowering &lower, ArrayRef<ExtentAttr> extents) {
  ExtentAttr all = lower.inference().constant(1);
  for (ExtentAttr extent : extents)
    all = all * extent;
  return all;
}

/// A tensor's slices along an axis or, without one, its elements.
struct SliceAxis {
  SmallVector<ExtentAttr> outer;
  ExtentAttr extent;
  SmallVector<ExtentAttr> inner;

  static SliceAxis of(Lowering &lower, Value tensor, std::optional<int64_t> axis) {
    ArrayRef<ExtentAttr> extents = tensorOf(tensor).getExtents();
    if (!axis)
      return {{}, product(lower, extents), {}};
    size_t number = *axis < 0 ? *axis + extents.size() : *axis;
    return {SmallVector<ExtentAttr>(extents.take_front(number)), extents[number],
            SmallVector<ExtentAttr>(extents.drop_front(number + 1))};
  }

  /// Where slices stand in a result that has them along the same axis.
  size_t axis() const { return outer.size(); }

  /// The slices of `tensor` at `positions`.
  Value take(Lowering &lower, Value tensor, Value positions, SymTensorType result) const {
    return GatherCall(lower)
        .outer(outer)
        .index(tensorOf(positions).getExtents())
        .inner(inner)
        .axisExtent(extent)
        .data(tensor)
        .indices(positions)
        .store(result, lower.dims(result.getRank()))
        .build()
        .getResult(0);
  }
};

/// The call in front of this one that computes the same; null if there is none.
prog::CallOp findSame(prog::CallOp call) {
  for (Operation *op = call->getPrevNode(); op; op = op->getPrevNode())
    if (isa<prog::CallOp>(op) &&
        OperationEquivalence::isEquivalentTo(call, op, OperationEquivalence::IgnoreLocations))
      return cast<prog::CallOp>(op);
  return {};
}

/// The row-major positions of the points of `shape` at which `holds`, of what is read there, is
/// true, ascending; `count` is their number from here on.
Value findPositions(Lowering &lower, ArrayRef<ExtentAttr> shape, const Read &read,
                    const BodyFunction &holds, ExtentAttr count, Side side) {
  auto call = NonzeroCall(lower)
                  .shape(shape)
                  .load({read}, holds)
                  .positions(integers(lower, product(lower, shape), side))
                  .count(integers(lower, lower.inference().constant(1), side))
                  .build();
  // Where an earlier operator has told the count it has mostly found the places, too.
  if (prog::CallOp same = lower.isOwnCount(count) ? prog::CallOp() : findSame(call)) {
    lower.getRewriter().eraseOp(call);
    call = same;
  } else {
    lower.bindCounted(count, call.getResult(1));
  }
  return lower.view(call.getResult(0), integers(lower, count, side));
}

/// `value` is not 0, which a NaN is not either.
SmallVector<Value> isNonzero(ScalarBuilder &b, ValueRange x) {
  return {b.cast(x[0], IntegerType::get(x[0].getContext(), 1))};
}

//===----------------------------------------------------------------------===//
// NonZero
//===----------------------------------------------------------------------===//

struct NonZeroLowering : OpRewritePattern<NonZeroOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NonZeroOp op, PatternRewriter &rewriter) const override {
    if (isa<StringType>(elementTypeOf(op.getX())))
      return rewriter.notifyMatchFailure(op, "strings are not supported");
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    ArrayRef<ExtentAttr> shape = tensorOf(op.getX()).getExtents();
    Value positions = findPositions(lower, shape, {op.getX(), lower.dims(shape.size())}, isNonzero,
                                    result.getExtents()[1], result.getSide());
    rewriter.replaceOp(op, takeApart(lower, positions, shape, result));
    return success();
  }

private:
  /// Coordinate d0 of position d1 in `shape`.
  static Value takeApart(Lowering &lower, Value positions, ArrayRef<ExtentAttr> shape,
                         SymTensorType result) {
    return lower.kernel(
        result.getExtents(), {{positions, {lower.dim(1)}}}, result, lower.dims(2),
        [&](ScalarBuilder &b, ValueRange x) {
          Value stride = b.constant(x[0], 1), extent = stride;
          for (size_t axis = 0; axis < shape.size(); ++axis) {
            Value isAxis = b.equal(b.index(0), b.constant(x[0], static_cast<double>(axis)));
            stride = b.select(isAxis, b.extent(product(lower, shape.drop_front(axis + 1))), stride);
            extent = b.select(isAxis, b.extent(shape[axis]), extent);
          }
          return SmallVector<Value>{b.mod(b.div(x[0], stride), extent)};
        });
  }
};

//===----------------------------------------------------------------------===//
// Compress
//===----------------------------------------------------------------------===//

struct CompressLowering : OpRewritePattern<CompressOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompressOp op, PatternRewriter &rewriter) const override {
    SymTensorType result = tensorOf(op.getOutput());
    if (isa<StringType>(result.getElementType()))
      return rewriter.notifyMatchFailure(op, "strings are not supported");
    Lowering lower(rewriter, op);
    auto slices = SliceAxis::of(lower, op.getInput(), op.getAxis());
    // Conditions behind the last slice say nothing, and slices behind the last condition go.
    ExtentAttr conditions = tensorOf(op.getCondition()).getExtents()[0];
    ExtentAttr asked = simplify(slices.extent.min(conditions), lower.getFacts());
    Value positions = findPositions(lower, asked, {op.getCondition(), lower.dims(1)}, isNonzero,
                                    result.getExtents()[slices.axis()], result.getSide());
    rewriter.replaceOp(op, slices.take(lower, op.getInput(), positions, result));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

/// The template fills a table of as many boxes as each class may have; those that are there are
/// taken out of it.
struct NonMaxSuppressionLowering : OpRewritePattern<NonMaxSuppressionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NonMaxSuppressionOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getSelectedIndices());
    // Without a maximum that is 0, and the template has a class: a kernel over no point.
    if (!op.getMaxOutputBoxesPerClass() || result.getExtents()[0].isConstant(0)) {
      rewriter.replaceOp(op, lower.kernel(result.getExtents(), {}, result, lower.dims(2),
                                          [&](ScalarBuilder &b, ValueRange) {
                                            return SmallVector<Value>{
                                                b.constant(rewriter.getI64Type(), 0)};
                                          }));
      return success();
    }
    std::optional<ExtentValues> known = lower.values(op.getMaxOutputBoxesPerClass());
    if (!known)
      return rewriter.notifyMatchFailure(op, "max_output_boxes_per_class is not on the host");
    ArrayRef<ExtentAttr> scores = tensorOf(op.getScores()).getExtents();
    ExtentAttr batch = scores[0], classes = scores[1], boxes = scores[2];
    ExtentAttr most = simplify(boxes.min(known->front()).max(0), lower.getFacts());
    Value table = chooseBoxes(lower, op, most, result.getSide());
    Value positions = findPositions(lower, {batch, classes, most}, {table, boxOf(lower)}, isThere,
                                    result.getExtents()[0], result.getSide());
    ExtentAttr entries = product(lower, {batch, classes, most});
    SliceAxis slices{{}, entries, {result.getExtents()[1]}};
    rewriter.replaceOp(op, slices.take(lower, table, positions, result));
    return success();
  }

private:
  static Value chooseBoxes(Lowering &lower, NonMaxSuppressionOp op, ExtentAttr most, Side side) {
    ArrayRef<ExtentAttr> scores = tensorOf(op.getScores()).getExtents();
    SmallVector<Read> reads{{op.getScores(), lower.dims(3)}};
    if (Value threshold = op.getScoreThreshold())
      reads.push_back({threshold, Index(tensorOf(threshold).getRank(), lower.constant(0))});
    auto call = NonMaxSuppressionCall(lower)
                    .batch(scores[0])
                    .classes(scores[1])
                    .boxes(scores[2])
                    .most(most)
                    .centerPointBox(op.getCenterPointBox() != 0)
                    .corners(op.getBoxes())
                    .iouThreshold(op.getIouThreshold())
                    .load(reads, getCandidate)
                    .table(integers(
                        lower, {scores[0], scores[1], most, lower.inference().constant(3)}, side))
                    .build();
    return call.getResult(0);
  }

  /// A score, NaN where it is not above the threshold.
  static SmallVector<Value> getCandidate(ScalarBuilder &b, ValueRange x) {
    if (x.size() == 1)
      return {x[0]};
    return {b.select(b.less(x[1], x[0]), x[0],
                     b.constant(x[0], std::numeric_limits<double>::quiet_NaN()))};
  }

  static Index boxOf(Lowering &lower) {
    Index index = lower.dims(3);
    index.push_back(lower.constant(2));
    return index;
  }

  /// Behind the last box of a class stands -1.
  static SmallVector<Value> isThere(ScalarBuilder &b, ValueRange x) {
    return {b.lessEqual(b.constant(x[0], 0), x[0])};
  }
};

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

struct UniqueLowering : OpRewritePattern<UniqueOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UniqueOp op, PatternRewriter &rewriter) const override {
    SymTensorType result = tensorOf(op.getY());
    if (isa<StringType, ComplexType>(result.getElementType()))
      return rewriter.notifyMatchFailure(op, "strings and complex numbers are not supported");
    Lowering lower(rewriter, op);
    auto slices = SliceAxis::of(lower, op.getX(), op.getAxis());
    Side side = result.getSide();
    SymTensorType each = integers(lower, slices.extent, side);
    auto call = UniqueCall(lower)
                    .rows(product(lower, slices.outer))
                    .slices(slices.extent)
                    .columns(product(lower, slices.inner))
                    .sorted(op.getSorted() != 0)
                    .data(op.getX())
                    .indices(each)
                    .inverse(each)
                    .counts(each)
                    .count(integers(lower, lower.inference().constant(1), side))
                    .build();
    ExtentAttr count = result.getExtents()[slices.axis()];
    lower.bindCounted(count, call.getResult(3));
    Value indices = lower.view(call.getResult(0), tensorOf(op.getIndices()));
    Value counts = lower.view(call.getResult(2), tensorOf(op.getCounts()));
    Value taken = slices.take(lower, op.getX(), indices, result);
    rewriter.replaceOp(op, {taken, indices, call.getResult(1), counts});
    return success();
  }
};

} // namespace

void cameo::populateCountedPatterns(RewritePatternSet &patterns) {
  patterns.add<CompressLowering, NonMaxSuppressionLowering, NonZeroLowering, UniqueLowering>(
      patterns.getContext());
}
