// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: a function of each element, a way to combine, a function of the whole; and what else
// goes along rows: positions of extremes, running sums.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

/// The differences between the operators: `combine` is a word of the template's record, the default
/// functions leave a value as it is.
struct ReduceForm {
  StringRef combine = "sum";
  virtual ~ReduceForm() = default;
  virtual Value element(ScalarBuilder &, Value x) const { return x; }
  /// `count` is the number of elements reduced, in the accumulator's type.
  virtual Value whole(ScalarBuilder &, Value sum, function_ref<Value()> count) const { return sum; }
};

template <class Op> struct FormOf;
template <> struct FormOf<ReduceSumOp> : ReduceForm {};
template <> struct FormOf<ReduceProdOp> : ReduceForm {
  FormOf() { combine = "prod"; }
};
template <> struct FormOf<ReduceMaxOp> : ReduceForm {
  FormOf() { combine = "max"; }
};
template <> struct FormOf<ReduceMinOp> : ReduceForm {
  FormOf() { combine = "min"; }
};
template <> struct FormOf<ReduceMeanOp> : ReduceForm {
  Value whole(ScalarBuilder &b, Value sum, function_ref<Value()> count) const override {
    return b.div(sum, count());
  }
};
template <> struct FormOf<ReduceL1Op> : ReduceForm {
  Value element(ScalarBuilder &b, Value x) const override { return b.abs(x); }
};
template <> struct FormOf<ReduceSumSquareOp> : ReduceForm {
  Value element(ScalarBuilder &b, Value x) const override { return b.mul(x, x); }
};
template <> struct FormOf<ReduceL2Op> : FormOf<ReduceSumSquareOp> {
  Value whole(ScalarBuilder &b, Value sum, function_ref<Value()>) const override {
    // Integers have no root of their own.
    if (isa<FloatType>(sum.getType()))
      return b.sqrt(sum);
    return b.cast(b.sqrt(b.cast(sum, Float64Type::get(sum.getContext()))), sum.getType());
  }
};
template <> struct FormOf<ReduceLogSumOp> : ReduceForm {
  Value whole(ScalarBuilder &b, Value sum, function_ref<Value()>) const override {
    return b.log(sum);
  }
};

/// A tensor that was reduced with all axes, with those of the result only.
Value withExtentsOf(Lowering &lower, Value reduced, SymTensorType result) {
  return reduced.getType() == result ? reduced : lower.view(reduced, result);
}

template <class Op> struct ReduceLowering : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    std::optional<Rows> rows =
        Rows::ofReduction(lower, op.getData(), op.getAxes(), op.getNoopWithEmptyAxes() != 0);
    if (!rows)
      return rewriter.notifyMatchFailure(op, "the axes are not on the host");
    SymTensorType result = tensorOf(op.getReduced());
    Value reduced = reduce(lower, *rows, op, rows->getReducedType(result), FormOf<Op>());
    rewriter.replaceOp(op, withExtentsOf(lower, reduced, result));
    return success();
  }

private:
  static Value reduce(Lowering &lower, const Rows &rows, Op op, SymTensorType result,
                      const ReduceForm &form) {
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    ExtentAttr count = rows.getRowExtent(lower);
    auto whole = [&form, element, sum, count](ScalarBuilder &b, Value value) {
      Value reduced = form.whole(b, value, [&] { return b.cast(b.extent(count), sum); });
      return SmallVector<Value>{b.cast(reduced, element)};
    };
    if (rows.reduced.empty())
      return lower.kernel(result.getExtents(), {{op.getData(), lower.dims(rows.outer.size())}},
                          result, lower.dims(result.getRank()),
                          [&](ScalarBuilder &b, ValueRange x) {
                            return whole(b, form.element(b, b.cast(x[0], sum)));
                          });
    return ReduceCall(lower)
        .combine(form.combine, sum)
        .rows(rows)
        .load({{op.getData(), rows.getSource(lower)}},
              [&](ScalarBuilder &b, ValueRange x) {
                return SmallVector<Value>{form.element(b, b.cast(x[0], sum))};
              })
        .store({}, result, rows.getReducedIndex(lower, result.getRank()),
               [&](ScalarBuilder &b, ValueRange x) { return whole(b, x[0]); })
        .build()
        .getResult(0);
  }
};

/// log(sum(exp(x))) around the row's maximum, so that no exponential overflows.
struct ReduceLogSumExpLowering : OpRewritePattern<ReduceLogSumExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceLogSumExpOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    std::optional<Rows> rows =
        Rows::ofReduction(lower, op.getData(), op.getAxes(), op.getNoopWithEmptyAxes() != 0);
    if (!rows)
      return rewriter.notifyMatchFailure(op, "the axes are not on the host");
    SymTensorType type = tensorOf(op.getReduced()), result = rows->getReducedType(type);
    if (rows->reduced.empty()) {
      rewriter.replaceOp(op, lower.copy(op.getData(), lower.dims(result.getRank()), result));
      return success();
    }
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    unsigned outer = rows->outer.size();
    SymTensorType maximumType = SymTensorType::get(rows->outer, sum, result.getSide());
    Value maximum =
        ReduceCall(lower)
            .combine("max", sum)
            .rows(*rows)
            .load({{op.getData(), rows->getSource(lower)}},
                  [&](ScalarBuilder &b, ValueRange x) {
                    return SmallVector<Value>{b.cast(x[0], sum)};
                  })
            .store({}, maximumType, lower.dims(outer),
                   [](ScalarBuilder &b, ValueRange x) {
                     // Around 0 where the maximum is infinite.
                     return SmallVector<Value>{b.select(b.isInf(x[0]), b.constant(x[0], 0), x[0])};
                   })
            .build()
            .getResult(0);
    auto call = ReduceCall(lower)
                    .combine("sum", sum)
                    .rows(*rows)
                    .load({{op.getData(), rows->getSource(lower)}, {maximum, lower.dims(outer)}},
                          [&](ScalarBuilder &b, ValueRange x) {
                            return SmallVector<Value>{b.exp(b.sub(b.cast(x[0], sum), x[1]))};
                          })
                    .store({{maximum, lower.dims(outer)}}, result,
                           rows->getReducedIndex(lower, result.getRank()),
                           [&](ScalarBuilder &b, ValueRange x) {
                             return SmallVector<Value>{b.cast(b.add(b.log(x[0]), x[1]), element)};
                           })
                    .build();
    rewriter.replaceOp(op, withExtentsOf(lower, call.getResult(0), type));
    return success();
  }
};

/// A reduction for the norms, a kernel for the quotients.
struct NormalizerLowering : OpRewritePattern<NormalizerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NormalizerOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::alongAxis(op.getX(), -1);
    SymTensorType result = tensorOf(op.getY());
    Type element = result.getElementType();
    Type sum = elementTypeOf(op.getX()).isF64() ? Type(rewriter.getF64Type()) : element;
    bool isMaximum = op.getNorm() == "MAX", isSquare = op.getNorm() == "L2";
    unsigned outer = rows.outer.size();
    Value norms =
        ReduceCall(lower)
            .combine(isMaximum ? "max" : "sum", sum)
            .rows(rows)
            .load({{op.getX(), rows.getSource(lower)}},
                  [&](ScalarBuilder &b, ValueRange x) {
                    Value value = b.cast(x[0], sum);
                    return SmallVector<Value>{isMaximum  ? value
                                              : isSquare ? b.mul(value, value)
                                                         : b.abs(value)};
                  })
            .store({}, SymTensorType::get(rows.outer, sum, result.getSide()), lower.dims(outer),
                   [&](ScalarBuilder &b, ValueRange x) {
                     return SmallVector<Value>{isSquare ? b.sqrt(x[0]) : x[0]};
                   })
            .build()
            .getResult(0);
    Value quotients =
        lower.kernel(result.getExtents(),
                     {{op.getX(), lower.dims(result.getRank())}, {norms, lower.dims(outer)}},
                     result, lower.dims(result.getRank()), [&](ScalarBuilder &b, ValueRange x) {
                       Value value = b.cast(x[0], sum);
                       Value quotient =
                           b.select(b.equal(x[1], b.constant(sum, 0)), value, b.div(value, x[1]));
                       return SmallVector<Value>{b.cast(quotient, element)};
                     });
    rewriter.replaceOp(op, quotients);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Positions and running results
//===----------------------------------------------------------------------===//

template <class Op> struct ArgReduceLowering : OpRewritePattern<Op> {
  ArgReduceLowering(MLIRContext *context, StringRef compare)
      : OpRewritePattern<Op>(context), compare(compare) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::alongAxis(op.getData(), op.getAxis());
    SymTensorType result = tensorOf(op.getReduced());
    auto call = ArgReduceCall(lower)
                    .cmp(compare, elementTypeOf(op.getData()), op.getSelectLastIndex() != 0)
                    .rows(rows)
                    .load(op.getData(), rows.getSource(lower))
                    .store(result, rows.getReducedIndex(lower, result.getRank()))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }

private:
  StringRef compare;
};

template <class Op> struct CumulativeLowering : OpRewritePattern<Op> {
  CumulativeLowering(MLIRContext *context, StringRef combine)
      : OpRewritePattern<Op>(context), combine(combine) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    FailureOr<AxisList> axis = getAxis(lower, op.getAxis(), result.getRank());
    if (failed(axis))
      return failure();
    Rows rows = Rows::along(op.getX(), *axis);
    if (!axis->isConstant())
      boundRows(lower, rows, tensorOf(op.getX()).getExtents());
    Type sum = getAccumulatorType(result.getElementType());
    auto call = CumulativeCall(lower)
                    .combine(combine, sum)
                    .rows(rows)
                    .exclusive(op.getExclusive() != 0)
                    .reverse(op.getReverse() != 0)
                    .load(op.getX(), rows.getSource(lower))
                    .store(result, rows.getSource(lower))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }

private:
  /// The axis that the compiler knows or, on either side, the run.
  static FailureOr<AxisList> getAxis(Lowering &lower, Value axis, int64_t rank) {
    StringRef name = "axis (C1)";
    FailureOr<AxisList> known = AxisList::ofOperand(lower.inference(), axis, rank, name);
    if (failed(known) || known->isKnown())
      return known;
    return AxisList::get(lower.inference(), {lower.bindPosition("axis", axis, -rank, rank)}, rank,
                         name);
  }

  /// Each axis is an outer one or the one that is run along; which, the device may say.
  static void boundRows(Lowering &lower, Rows &rows, ArrayRef<ExtentAttr> extents) {
    for (auto [extent, most] : llvm::zip_equal(rows.outer, extents))
      extent = lower.bounded("outer", extent, most.max(1));
    for (auto [extent, most] : llvm::zip_equal(rows.reduced, extents))
      extent = lower.bounded("row", extent, most.max(1));
  }

  StringRef combine;
};

} // namespace

void cameo::populateReducePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<ReduceLowering<ReduceL1Op>, ReduceLowering<ReduceL2Op>, ReduceLowering<ReduceLogSumOp>,
           ReduceLowering<ReduceMaxOp>, ReduceLowering<ReduceMeanOp>, ReduceLowering<ReduceMinOp>,
           ReduceLowering<ReduceProdOp>, ReduceLowering<ReduceSumOp>,
           ReduceLowering<ReduceSumSquareOp>, ReduceLogSumExpLowering, NormalizerLowering>(context);
  patterns.add<ArgReduceLowering<ArgMaxOp>>(context, "arg_max");
  patterns.add<ArgReduceLowering<ArgMinOp>>(context, "arg_min");
  patterns.add<CumulativeLowering<CumSumOp>>(context, "sum");
  patterns.add<CumulativeLowering<CumProdOp>>(context, "prod");
}
