// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move elements without computing: views where the order stays, copies with an index
// expression where it changes, slices of a common destination for Concat.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

SmallVector<Value> passThrough(ScalarBuilder &, ValueRange x) { return {x[0]}; }

/// Whether there is a zero to fill with: strings and complex numbers are moved, and nothing else.
bool hasZero(SymTensorType type) { return isa<IntegerType, FloatType>(type.getElementType()); }
constexpr StringLiteral kNoZero = "what it fills with is a string or a complex number";

struct TransposeLowering : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getTransposed());
    int64_t rank = result.getRank();
    Index index(rank);
    for (int64_t axis = 0; axis < rank; ++axis) {
      int64_t source = op.getPerm() ? (*op.getPerm())[axis] : rank - 1 - axis;
      index[source] = lower.dim(axis);
    }
    rewriter.replaceOp(op, lower.copy(op.getData(), index, result));
    return success();
  }
};

/// Expand, and what else repeats a tensor along axes of extent 1.
struct ExpandLowering : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    if (tensorOf(op.getInput()) == result) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    Index index = lower.broadcast(tensorOf(op.getInput()).getExtents(), result.getExtents());
    rewriter.replaceOp(op, lower.copy(op.getInput(), index, result));
    return success();
  }
};

struct ConcatLowering : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getConcatResult());
    unsigned rank = result.getRank();
    int64_t given = op.getAxis();
    unsigned axis = given < 0 ? given + rank : given;
    Value joined = lower.empty(result);
    ExtentAttr offset = ExtentAttr::constant(op.getContext(), 0);
    for (Value input : op.getInputs()) {
      SymTensorType type = tensorOf(input);
      ArrayRef<ExtentAttr> extents = type.getExtents();
      for (auto [other, extent] : llvm::enumerate(extents))
        if (other != axis)
          lower.check("eq", extent, result.getExtents()[other], "invalid_argument",
                      "joined tensors differ in an extent");
      // Each piece has its own, since a kernel has all extents that its Lowering knows.
      Lowering piece(rewriter, op);
      Index stored = piece.dims(rank);
      stored[axis] = piece.dim(axis) + piece.extent(offset);
      joined = piece.kernelInto(joined, extents, {{input, piece.dims(rank)}}, stored, passThrough);
      offset = lower.named("offset", offset + extents[axis]);
    }
    rewriter.replaceOp(op, joined);
    return success();
  }
};

struct SplitLowering : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    SymTensorType input = tensorOf(op.getInput());
    int64_t given = op.getAxis();
    unsigned axis = given < 0 ? given + input.getRank() : given;
    ExtentAttr offset = ExtentAttr::constant(op.getContext(), 0);
    SmallVector<Value> pieces;
    for (Value output : op.getOutputs()) {
      Lowering lower(rewriter, op);
      SymTensorType type = tensorOf(output);
      Index index = lower.dims(type.getRank());
      index[axis] = lower.dim(axis) + lower.extent(offset);
      pieces.push_back(lower.copy(op.getInput(), index, type));
      offset = op.getSplit() ? lower.named("offset", offset + type.getExtents()[axis])
                             : endOfEvenPiece(op, pieces.size(), offset, axis);
    }
    if (op.getSplit())
      Lowering(rewriter, op)
          .check("eq", offset, input.getExtents()[axis], "invalid_argument",
                 "the pieces of a split do not make up the whole");
    rewriter.replaceOp(op, pieces);
    return success();
  }

private:
  /// Where the `count`-th of pieces that are as long as the first ends, which begins at `begin`;
  /// the whole may end first. A sum of their lengths would have `count` parts.
  static ExtentAttr endOfEvenPiece(SplitOp op, int64_t count, ExtentAttr begin, unsigned axis) {
    ExtentAttr chunk = tensorOf(op.getOutputs()[0]).getExtents()[axis];
    ExtentAttr size = tensorOf(op.getOutputs()[count - 1]).getExtents()[axis];
    ExtentAttr end = begin + size;
    return size == chunk ? end : (chunk * count).min(tensorOf(op.getInput()).getExtents()[axis]);
  }
};

/// Whether a slice is the first elements, in row-major order, of an input of the model, which no
/// kernel could make in place of the whole.
static bool isFrontOfInput(SliceOp op, ArrayRef<AxisSlice> slices) {
  auto argument = dyn_cast<BlockArgument>(op.getData());
  SymTensorType data = tensorOf(op.getData()), result = tensorOf(op.getOutput());
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()) || data.getLayout() ||
      result.getLayout() || data.getSide() != result.getSide())
    return false;
  bool isOutermost = true;
  for (auto [slice, whole, part] :
       llvm::zip_equal(slices, data.getExtents(), result.getExtents())) {
    if (!slice.first.isConstant(0) || !slice.step.isConstant(1) || (part != whole && !isOutermost))
      return false;
    isOutermost &= whole.isConstant(1);
  }
  return true;
}

struct SliceLowering : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    FailureOr<AxisList> axes = op.getAxisList(lower.inference());
    FailureOr<SmallVector<AxisSlice>> slices = op.getAxisSlices(lower.inference());
    if (failed(axes) || failed(slices))
      return failure();
    lower.checkAxes(*axes);
    for (ExtentAttr step : lower.values(op.getSteps()).value_or(ExtentValues()))
      lower.checkNonzero(step, "a step is 0");
    Index index;
    for (auto [axis, slice] : llvm::enumerate(*slices)) {
      if (slice.first.isUnknown())
        return rewriter.notifyMatchFailure(op, "where the slice begins is not on the host");
      ExtentAttr first = slice.first;
      if (tensorOf(op.getStarts()).isDevice())
        first = lower.bounded("first", first, tensorOf(op.getData()).getExtents()[axis]);
      index.push_back(lower.dim(axis) * lower.extent(slice.step) + lower.extent(first));
    }
    rewriter.replaceOp(op, isFrontOfInput(op, *slices) ? lower.view(op.getData(), result)
                                                       : lower.copy(op.getData(), index, result));
    return success();
  }
};

struct TileLowering : OpRewritePattern<TileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TileOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    Index index;
    for (auto [axis, extent] : llvm::enumerate(tensorOf(op.getInput()).getExtents())) {
      bool isWhole = extent == result.getExtents()[axis];
      index.push_back(extent.isConstant(1) ? lower.constant(0)
                      : isWhole            ? lower.dim(axis)
                                           : lower.dim(axis) % lower.extent(extent));
    }
    rewriter.replaceOp(op, lower.copy(op.getInput(), index, result));
    return success();
  }
};

struct PadLowering : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType input = tensorOf(op.getData()), result = tensorOf(op.getOutput());
    FailureOr<AxisList> axes = op.getAxisList(lower.inference());
    if (failed(axes) || !axes->isKnown() || !lower.values(op.getPads()))
      return rewriter.notifyMatchFailure(op, "the pads are not on the host");
    FailureOr<AxisPads> pads = op.getAxisPads(lower.inference());
    if (failed(pads))
      return failure();
    lower.checkAxes(*axes);
    if (!hasZero(result))
      return rewriter.notifyMatchFailure(op, kNoZero);
    SmallVector<Read> fill;
    if (Value value = op.getConstantValue())
      fill.push_back({value, Index(tensorOf(value).getRank(), lower.constant(0))});
    Type element = result.getElementType();
    auto call = PadCall(lower)
                    .mode(op.getMode())
                    .rank(input.getRank())
                    .input(input.getExtents())
                    .output(result.getExtents())
                    .begin(pads->begin)
                    .x(op.getData())
                    .value(fill,
                           [element](ScalarBuilder &b, ValueRange x) {
                             return SmallVector<Value>{x.empty() ? b.constant(element, 0) : x[0]};
                           })
                    .store(result, lower.dims(input.getRank()))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct TriluLowering : OpRewritePattern<TriluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TriluOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    if (!hasZero(result))
      return rewriter.notifyMatchFailure(op, kNoZero);
    unsigned rank = result.getRank();
    SmallVector<Read> reads{{op.getInput(), lower.dims(rank)}};
    if (op.getK())
      reads.push_back({op.getK(), Index(tensorOf(op.getK()).getRank(), lower.constant(0))});
    Value triangle = lower.kernel(
        result.getExtents(), reads, result, lower.dims(rank), [&](ScalarBuilder &b, ValueRange x) {
          Value row = b.index(rank - 2), column = b.index(rank - 1);
          Value diagonal = op.getK() ? b.add(row, x[1]) : row;
          Value keep =
              op.getUpper() ? b.lessEqual(diagonal, column) : b.lessEqual(column, diagonal);
          return SmallVector<Value>{b.select(keep, x[0], b.constant(x[0], 0))};
        });
    rewriter.replaceOp(op, triangle);
    return success();
  }
};

/// Where DepthToSpace reads: the input's channel is made of the offsets in the block and the
/// output's channel, in the order that the mode says.
struct DepthToSpaceLowering : OpRewritePattern<DepthToSpaceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DepthToSpaceOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    int64_t block = op.getBlocksize();
    AffineExpr c = lower.dim(1), y = lower.dim(2), x = lower.dim(3);
    AffineExpr inBlock = (y % block) * block + x % block;
    AffineExpr channel = op.getMode() == "DCR" ? inBlock * lower.extent(result.getExtents()[1]) + c
                                               : c * (block * block) + inBlock;
    Index index{lower.dim(0), channel, y.floorDiv(block), x.floorDiv(block)};
    rewriter.replaceOp(op, lower.copy(op.getInput(), index, result));
    return success();
  }
};

struct SpaceToDepthLowering : OpRewritePattern<SpaceToDepthOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpaceToDepthOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    int64_t block = op.getBlocksize();
    AffineExpr c = lower.dim(1), inBlock, channel;
    if (op.getMode() == "DCR") {
      AffineExpr channels = lower.extent(tensorOf(op.getInput()).getExtents()[1]);
      inBlock = c.floorDiv(channels);
      channel = c % channels;
    } else {
      inBlock = c % (block * block);
      channel = c.floorDiv(block * block);
    }
    Index index{lower.dim(0), channel, lower.dim(2) * block + inBlock.floorDiv(block),
                lower.dim(3) * block + inBlock % block};
    rewriter.replaceOp(op, lower.copy(op.getInput(), index, result));
    return success();
  }
};

/// Where each element comes from is data: indices of both axes for every step of every sequence,
/// then a gather, which raises the error for a length that is none.
struct ReverseSequenceLowering : OpRewritePattern<ReverseSequenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReverseSequenceOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    ArrayRef<ExtentAttr> extents = tensorOf(op.getInput()).getExtents();
    auto call = GatherNdCall(lower)
                    .batch({})
                    .index(extents.take_front(2))
                    .inner(extents.drop_front(2))
                    .tuple(2)
                    .axes(extents.take_front(2))
                    .data(op.getInput())
                    .indices(findSources(op, lower, result.getSide()))
                    .store(result, lower.dims(result.getRank()))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }

private:
  /// A pair of indices for each pair of positions along the axes 0 and 1.
  static Value findSources(ReverseSequenceOp op, Lowering &lower, Side side) {
    ArrayRef<ExtentAttr> extents = tensorOf(op.getInput()).getExtents();
    ExtentAttr steps = extents[op.getTimeAxis()];
    SmallVector<ExtentAttr> pairs{extents[0], extents[1], lower.inference().constant(2)};
    auto type = SymTensorType::get(pairs, lower.getRewriter().getI64Type(), side);
    Read length{op.getSequenceLens(), {lower.dim(op.getBatchAxis())}};
    return lower.kernel(pairs, length, type, lower.dims(3), [&](ScalarBuilder &b, ValueRange x) {
      Value step = b.index(op.getTimeAxis()), zero = b.integer(0), one = b.integer(1);
      Value mirrored = b.sub(b.sub(x[0], one), step);
      Value source = b.select(b.less(step, x[0]), mirrored, step);
      // A negative one would count from the end, and one that is too long fit later steps.
      Value isNone = b.logicalOr(b.less(x[0], zero), b.less(b.extent(steps), x[0]));
      Value none = b.max(x[0], b.extent(steps));
      Value isTime = b.equal(b.index(2), b.integer(op.getTimeAxis()));
      return SmallVector<Value>{
          b.select(isTime, b.select(isNone, none, source), b.index(op.getBatchAxis()))};
    });
  }
};

} // namespace

void cameo::populateMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<ConcatLowering, DepthToSpaceLowering, ExpandLowering, PadLowering,
               ReverseSequenceLowering, SliceLowering, SpaceToDepthLowering, SplitLowering,
               TileLowering, TransposeLowering, TriluLowering>(patterns.getContext());
}
