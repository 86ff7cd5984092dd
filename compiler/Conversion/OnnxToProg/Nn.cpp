// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools, softmax and normalisations.

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

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// The parts that all pools share: members, input and result.
template <class Call, class Op>
void addPool(Call &call, Lowering &lower, Op op, ArrayRef<WindowAxis> window) {
  SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
  unsigned rank = x.getRank();
  call.window(window)
      .padEnd(llvm::map_to_vector(window, [](const WindowAxis &axis) { return axis.padEnd; }))
      .batch(x.getExtents()[0])
      .channels(x.getExtents()[1])
      .load(op.getX(), lower.dims(rank))
      .store(result, lower.dims(rank));
}

/// A pool of one result; `setKind` says what is its own.
template <class Op, class SetKind>
Value buildPool(Lowering &lower, Op op, ArrayRef<WindowAxis> window, SetKind setKind) {
  PoolCall call(lower);
  setKind(call);
  addPool(call, lower, op, window);
  return call.build().getResult(0);
}

struct MaxPoolLowering : OpRewritePattern<MaxPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPoolOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window))
      return failure();
    if (op.getIndices().use_empty()) {
      rewriter.replaceAllUsesWith(
          op.getY(), buildPool(lower, op, *window, [](auto &call) { call.kind("max"); }));
      rewriter.eraseOp(op);
      return success();
    }
    SymTensorType indices = tensorOf(op.getIndices());
    PoolCall call(lower);
    call.kind("max")
        .columnMajor(op.getStorageOrder() != 0)
        .storeIndex(indices, lower.dims(indices.getRank()));
    addPool(call, lower, op, *window);
    rewriter.replaceOp(op, call.build().getResults());
    return success();
  }
};

struct AveragePoolLowering : OpRewritePattern<AveragePoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AveragePoolOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window))
      return failure();
    rewriter.replaceOp(op, buildPool(lower, op, *window, [&](auto &call) {
                         call.kind("average").countIncludePad(op.getCountIncludePad() != 0);
                       }));
    return success();
  }
};

struct LpPoolLowering : OpRewritePattern<LpPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LpPoolOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    FailureOr<SmallVector<WindowAxis>> window = op.getWindow(lower.inference());
    if (failed(window))
      return failure();
    int64_t power = op.getP();
    rewriter.replaceOp(
        op, buildPool(lower, op, *window, [&](auto &call) { call.kind("lp").p(power); }));
    return success();
  }
};

/// Global pools are reductions over the spatial axes.
template <class Op> struct GlobalPoolLowering : OpRewritePattern<Op> {
  GlobalPoolLowering(MLIRContext *context, StringRef combine, bool mean)
      : OpRewritePattern<Op>(context), combine(combine), mean(mean) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    Rows rows = Rows::fromAxis(op.getX(), 2);
    Index source = rows.getSource(lower), stored = rows.getReducedIndex(lower, result.getRank());
    ReduceCall call(lower);
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    ExtentAttr count = rows.getRowExtent(lower);
    bool divide = mean;
    Value y = call.combine(combine, sum)
                  .rows(rows)
                  .load(op.getX(), source)
                  .store({}, result, stored,
                         [=](ScalarBuilder &b, ValueRange v) {
                           Value value = divide ? b.div(v[0], b.cast(b.extent(count), sum)) : v[0];
                           return SmallVector<Value>{b.cast(value, element)};
                         })
                  .build()
                  .getResult(0);
    rewriter.replaceOp(op, y);
    return success();
  }

private:
  StringRef combine;
  bool mean;
};

//===----------------------------------------------------------------------===//
// Softmax and normalisations
//===----------------------------------------------------------------------===//

template <class Op> struct SoftmaxLowering : OpRewritePattern<Op> {
  SoftmaxLowering(MLIRContext *context, bool isLog) : OpRewritePattern<Op>(context), isLog(isLog) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::alongAxis(op.getInput(), op.getAxis());
    SymTensorType result = tensorOf(op.getOutput());
    auto call = SoftmaxCall(lower)
                    .log(isLog)
                    .rows(rows)
                    .load(op.getInput(), rows.getSource(lower))
                    .store(result, rows.getSource(lower))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }

private:
  bool isLog;
};

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias`, all but the first optional. `reads` are
/// scale and bias where they are read; the arithmetic is that of x's accumulator, or what is wider.
prog::CallOp normalize(Lowering &lower, const Rows &rows, Value x, SymTensorType result,
                       double epsilon, bool centered, SmallVector<Read> reads,
                       SymTensorType statistics = {}, bool keepsAxes = false) {
  Type element = result.getElementType(), sum = getAccumulatorType(elementTypeOf(x));
  Type scaled = element.isF64() ? element : sum;
  NormalizeCall call(lower);
  call.rows(rows)
      .epsilon(epsilon)
      .centered(centered)
      .load(x, rows.getSource(lower))
      .store(reads, result, rows.getSource(lower), [=](ScalarBuilder &b, ValueRange v) {
        Value value = b.cast(v[0], scaled);
        if (v.size() > 1)
          value = b.mul(value, b.cast(v[1], scaled));
        if (v.size() > 2)
          value = b.add(value, b.cast(v[2], scaled));
        return SmallVector<Value>{b.cast(value, element)};
      });
  // Statistics that nobody wants go nowhere.
  SymTensorType type =
      statistics ? statistics : SymTensorType::get(rows.outer, sum, result.getSide());
  Index at =
      keepsAxes ? rows.getReducedIndex(lower, type.getRank()) : lower.dims(rows.outer.size());
  return call.storeMean(type, at).storeInvStd(type, at).build();
}

struct LayerNormalizationLowering : OpRewritePattern<LayerNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormalizationOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::fromAxis(op.getX(), op.getAxis());
    SmallVector<Read> reads;
    for (Value parameter : {op.getScale(), op.getB()})
      if (parameter)
        reads.push_back({parameter, lower.broadcast(tensorOf(parameter).getExtents(),
                                                    tensorOf(op.getX()).getExtents())});
    prog::CallOp call =
        normalize(lower, rows, op.getX(), tensorOf(op.getY()), op.getEpsilon().convertToFloat(),
                  true, reads, tensorOf(op.getMean()), true);
    rewriter.replaceOp(op, call.getResults());
    return success();
  }
};

struct RMSNormalizationLowering : OpRewritePattern<RMSNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RMSNormalizationOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::fromAxis(op.getX(), op.getAxis());
    Read scale{op.getScale(), lower.broadcast(tensorOf(op.getScale()).getExtents(),
                                              tensorOf(op.getX()).getExtents())};
    rewriter.replaceOp(op, normalize(lower, rows, op.getX(), tensorOf(op.getY()),
                                     op.getEpsilon().convertToFloat(), false, {scale})
                               .getResult(0));
    return success();
  }
};

struct InstanceNormalizationLowering : OpRewritePattern<InstanceNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InstanceNormalizationOp op,
                                PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::fromAxis(op.getInput(), 2);
    SmallVector<Read> reads{{op.getScale(), {lower.dim(1)}}, {op.getB(), {lower.dim(1)}}};
    rewriter.replaceOp(op, normalize(lower, rows, op.getInput(), tensorOf(op.getOutput()),
                                     op.getEpsilon().convertToFloat(), true, reads)
                               .getResult(0));
    return success();
  }
};

/// Channels in groups are one more axis; the statistics are those of a group.
struct GroupNormalizationLowering : OpRewritePattern<GroupNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupNormalizationOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    ExtentAttr groups = lower.inference().constant(op.getNumGroups());
    ExtentAttr channels = result.getExtents()[1].floorDiv(groups);
    SmallVector<ExtentAttr> extents{result.getExtents()[0], groups, channels};
    llvm::append_range(extents, result.getExtents().drop_front(2));
    SymTensorType grouped = result.withExtents(extents);
    Value x = lower.view(op.getX(), tensorOf(op.getX()).withExtents(extents));
    Rows rows = Rows::fromAxis(x, 2);
    Index channel{lower.dim(1) * lower.extent(channels) + lower.dim(2)};
    SmallVector<Read> reads{{op.getScale(), channel}, {op.getBias(), channel}};
    Value y = normalize(lower, rows, x, grouped, op.getEpsilon().convertToFloat(), true, reads)
                  .getResult(0);
    rewriter.replaceOp(op, lower.view(y, result));
    return success();
  }
};

/// base^exponent for a base that is not negative: quarters up to 7/4 by square roots, which are
/// exact to a unit and which vectors have.
Value makePower(ScalarBuilder &b, Value base, double exponent) {
  double quarters = 4 * exponent;
  if (quarters != std::floor(quarters) || quarters < 1 || quarters > 7)
    return b.pow(base, b.constant(base, exponent));
  auto count = static_cast<unsigned>(quarters);
  Value root = b.sqrt(base), power;
  auto multiply = [&](Value factor) { power = power ? b.mul(power, factor) : factor; };
  if (count & 4)
    multiply(base);
  if (count & 2)
    multiply(root);
  if (count & 1)
    multiply(b.sqrt(root));
  return power;
}

/// Sums of squares over neighbouring channels, and an epilogue that divides by a power of them.
struct LRNLowering : OpRewritePattern<LRNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LRNOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ExtentAttr inner = lower.inference().constant(1);
    for (ExtentAttr extent : tensorOf(op.getX()).getExtents().drop_front(2))
      inner = inner * extent; // checked: an extent that does not fit is `unknown`
    if (inner.isUnknown())
      return rewriter.notifyMatchFailure(op, "the number of its pixels does not fit");
    rewriter.replaceOp(op, sumNeighbours(lower, op, inner));
    return success();
  }

private:
  /// Over an image, which volumes and lines are seen as.
  static Value sumNeighbours(Lowering &lower, LRNOp op, ExtentAttr inner) {
    SymTensorType x = tensorOf(op.getX()), result = tensorOf(op.getY());
    SmallVector<ExtentAttr> image(x.getExtents());
    if (image.size() != 4)
      image = {image[0], image[1], inner, lower.inference().constant(1)};
    auto see = [&](Value value, SymTensorType as) {
      return tensorOf(value) == as ? value : lower.view(value, as);
    };
    int64_t before = (op.getSize() - 1) / 2;
    Read read{see(op.getX(), x.withExtents(image)), lower.dims(4)};
    Value y = SumNeighboursCall(lower)
                  .batch(image[0])
                  .channels(image[1])
                  .rows(image[2])
                  .cols(image[3])
                  .before(before)
                  .after(op.getSize() - 1 - before)
                  .load({read}, square(op))
                  .store({read}, result.withExtents(image), lower.dims(4), divide(op))
                  .build()
                  .getResult(0);
    return see(y, result);
  }

  static BodyFunction square(LRNOp op) {
    Type sum = getAccumulatorType(elementTypeOf(op.getX()));
    return [sum](ScalarBuilder &b, ValueRange v) {
      Value x = b.cast(v[0], sum);
      return SmallVector<Value>{b.mul(x, x)};
    };
  }

  /// Operands: the squares' sum, and x.
  static BodyFunction divide(LRNOp op) {
    double alpha = op.getAlpha().convertToFloat(), beta = op.getBeta().convertToFloat();
    double bias = op.getBias().convertToFloat(), scale = alpha / static_cast<double>(op.getSize());
    Type element = elementTypeOf(op.getY());
    return [=](ScalarBuilder &b, ValueRange v) {
      Value base = b.add(b.mul(v[0], b.constant(v[0], scale)), b.constant(v[0], bias));
      bool mayBeNegative = alpha < 0 || bias < 0;
      Value power = mayBeNegative ? b.pow(base, b.constant(base, beta)) : makePower(b, base, beta);
      return SmallVector<Value>{b.cast(b.div(b.cast(v[1], v[0].getType()), power), element)};
    };
  }
};

/// Inference only: a function of each element and its channel's parameters.
struct BatchNormalizationLowering : OpRewritePattern<BatchNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormalizationOp op, PatternRewriter &rewriter) const override {
    if (op.getTrainingMode() != 0)
      return rewriter.notifyMatchFailure(op, "it is in training mode");
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    unsigned rank = result.getRank();
    Index channel{rank > 1 ? lower.dim(1) : lower.constant(0)};
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    double epsilon = op.getEpsilon().convertToFloat();
    SmallVector<Read> reads{{op.getX(), lower.dims(rank)}};
    for (Value parameter : {op.getScale(), op.getB(), op.getInputMean(), op.getInputVar()})
      reads.push_back({parameter, channel});
    Value y = lower.kernel(
        result.getExtents(), reads, result, lower.dims(rank), [&](ScalarBuilder &b, ValueRange v) {
          SmallVector<Value> x;
          for (Value value : v)
            x.push_back(b.cast(value, sum));
          Value factor = b.div(x[1], b.sqrt(b.add(x[4], b.constant(sum, epsilon))));
          Value value = b.add(b.mul(b.sub(x[0], x[3]), factor), x[2]);
          return SmallVector<Value>{b.cast(value, element)};
        });
    rewriter.replaceAllUsesWith(op.getY(), y);
    // Without training the statistics leave as they came.
    for (auto [result, operand] :
         llvm::zip_equal(op->getResults().drop_front(), op->getOperands().take_back(2)))
      if (!result.use_empty())
        rewriter.replaceAllUsesWith(result, lower.onSide(operand, tensorOf(result).getSide()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Inference only: the identity, and a mask of ones.
struct DropoutLowering : OpRewritePattern<DropoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DropoutOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    std::optional<ExtentValues> training =
        op.getTrainingMode() ? lower.values(op.getTrainingMode()) : std::nullopt;
    if (op.getTrainingMode() && !(training && training->front().isConstant(0)))
      return rewriter.notifyMatchFailure(op, "it is in training mode");
    rewriter.replaceAllUsesWith(op.getOutput(),
                                lower.onSide(op.getData(), tensorOf(op.getOutput()).getSide()));
    if (!op.getMask().use_empty()) {
      SymTensorType type = tensorOf(op.getMask());
      Value mask = lower.kernel(type.getExtents(), {}, type, lower.dims(type.getRank()),
                                [&](ScalarBuilder &b, ValueRange) {
                                  return SmallVector<Value>{b.constant(type.getElementType(), 1)};
                                });
      rewriter.replaceAllUsesWith(op.getMask(), mask);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cameo::populateNnPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<GlobalPoolLowering<GlobalAveragePoolOp>>(context, "sum", true);
  patterns.add<GlobalPoolLowering<GlobalMaxPoolOp>>(context, "max", false);
  patterns.add<SoftmaxLowering<SoftmaxOp>>(context, false);
  patterns.add<SoftmaxLowering<LogSoftmaxOp>>(context, true);
  patterns
      .add<AveragePoolLowering, BatchNormalizationLowering, DropoutLowering,
           GroupNormalizationLowering, InstanceNormalizationLowering, LayerNormalizationLowering,
           LRNLowering, LpPoolLowering, MaxPoolLowering, RMSNormalizationLowering>(context);
}
