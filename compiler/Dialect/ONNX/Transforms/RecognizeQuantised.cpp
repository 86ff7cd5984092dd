// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in which a QuantizeLinear and a DequantizeLinear stand around every operator: convolutions
// between them become convolutions of bytes, products of one row too, and what only selects
// elements works on the bytes.
// In front of Simplify, which writes both as arithmetic on floats and folds weights to floats.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Transforms/ByteConvolution.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_RECOGNIZEQUANTISEDPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

bool isOneConstant(Value value) {
  auto type = cast<SymTensorType>(value.getType());
  return isNumericConstant(value) && type.getNumElements().isConstant(1);
}

/// Whether one constant scale, and zero point, is for the whole tensor.
template <class Op> bool isWhole(Op op, Value scale, Value zeroPoint) {
  return op.getBlockSize() == 0 && isOneConstant(scale) && elementTypeOf(scale).isF32() &&
         (!zeroPoint || isOneConstant(zeroPoint));
}
bool isWhole(DequantizeLinearOp op) {
  return elementTypeOf(op.getY()).isF32() && isWhole(op, op.getXScale(), op.getXZeroPoint());
}
bool isWhole(QuantizeLinearOp op) { return isWhole(op, op.getYScale(), op.getYZeroPoint()); }

/// Whether neither 255 times a scale nor its inverse overflows or loses bits.
bool isOrdinary(Value scale) {
  auto number = dyn_cast_or_null<FloatAttr>(getUniformValue(scale));
  double value = number ? number.getValueAsDouble() : 0;
  return value > 1e-30 && value < 1e30;
}

bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto left = a ? a.getDefiningOp<ConstantOp>() : ConstantOp();
  auto right = b ? b.getDefiningOp<ConstantOp>() : ConstantOp();
  return left && right && left.getValue() == right.getValue();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// `parameter`, one for all or one for each channel, as it meets channels of so many axes.
Value alignChannels(OnnxBuilder &b, Value parameter, size_t spatialRank) {
  ExtentAttr count = cast<SymTensorType>(parameter.getType()).getNumElements();
  if (count.isConstant(1))
    return b.reshape(parameter, {});
  SmallVector<ExtentAttr> aligned(spatialRank + 1, b.extent(1));
  aligned.front() = count;
  return b.reshape(parameter, aligned);
}

/// Weights of one constant scale, or of one for each output channel, which are along `axis`.
bool isPerOutput(DequantizeLinearOp w, int64_t axis) {
  return isWhole(w) ||
         (isNumericConstant(w.getXScale()) && elementTypeOf(w.getY()).isF32() &&
          elementTypeOf(w.getXScale()).isF32() && w.getAxis() == axis && w.getBlockSize() == 0);
}

/// Products of bytes whose sum cannot leave 32 bits: floats would not wrap.
constexpr int64_t mostProducts = INT32_MAX / (255 * 128);

/// Conv(DequantizeLinear(x), DequantizeLinear(w), b) is ConvInteger(x, w) * scales + b.
struct ConvolveBytes : OpRewritePattern<ConvOp> {
  ConvolveBytes(MLIRContext *context, ChannelBlocks target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto x = op.getX().getDefiningOp<DequantizeLinearOp>();
    auto w = op.getW().getDefiningOp<DequantizeLinearOp>();
    if (!x || !w || !getExtents(op.getX()) || !isWhole(x) || !isPerOutput(w, 0) ||
        !fitsSums(w.getX()))
      return failure();
    for (Value codes : {x.getX(), w.getX()})
      if (!elementTypeOf(codes).isInteger(8))
        return failure();
    OnnxBuilder b(rewriter, op, {x, w});
    ByteConvolution conv(op, x.getX(), x.getXZeroPoint(), w.getX(), w.getXZeroPoint());
    Value sums = conv.build(b, target);
    if (!sums)
      return rewriter.notifyMatchFailure(op, "the target has no kernel for it");
    size_t rank = getExtents(op.getX())->size() - 2;
    Value scale =
        b.mul(alignChannels(b, w.getXScale(), rank), alignChannels(b, x.getXScale(), rank));
    Value y = b.mul(b.cast(sums, rewriter.getF32Type()), scale);
    if (op.getB())
      y = b.add(y, alignChannels(b, op.getB(), rank));
    b.replaceRoot(y);
    return success();
  }

private:
  static bool fitsSums(Value w) {
    std::optional<SmallVector<int64_t>> shape = getStaticShape(w);
    if (!shape || shape->empty())
      return false;
    int64_t depth = 1;
    for (int64_t extent : ArrayRef(*shape).drop_front())
      depth = std::min(depth * extent, mostProducts + 1);
    return depth <= mostProducts;
  }

  ChannelBlocks target;
};

/// Gemm(DequantizeLinear(x), DequantizeLinear(w), b) of one row is a Conv of one pixel, and so of
/// bytes: it takes as long as reading its weights.
struct ConvolveRow : OpRewritePattern<GemmOp> {
  ConvolveRow(MLIRContext *context, ChannelBlocks target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    auto x = op.getA().getDefiningOp<DequantizeLinearOp>();
    auto w = op.getB().getDefiningOp<DequantizeLinearOp>();
    bool isPlain = op.getTransA() == 0 && op.getAlpha().convertToDouble() == 1 &&
                   (!op.getC() || op.getBeta().convertToDouble() == 1);
    if (!target.block || !x || !w || !isPlain || !isWhole(x))
      return failure();
    std::optional<SmallVector<int64_t>> shape = getStaticShape(op.getB()),
                                        row = getStaticShape(op.getA());
    bool isTransposed = op.getTransB() != 0;
    if (!shape || !row || row->front() != 1 || !isPerOutput(w, isTransposed ? 0 : 1))
      return failure();
    int64_t channels = (*shape)[isTransposed ? 0 : 1], depth = row->back();
    std::optional<ConstantElements> codes = ConstantElements::read(w.getX());
    if (!codes || !elementTypeOf(w.getX()).isInteger(8) || !elementTypeOf(x.getX()).isInteger(8) ||
        !getZeroPoint(x.getXZeroPoint()) || codes->getNumElements() == 0 || depth > mostProducts)
      return failure();

    OnnxBuilder b(rewriter, op, {x, w});
    ExtentAttr one = b.extent(1);
    auto type = cast<SymTensorType>(w.getX().getType())
                    .withExtents({b.extent(channels), b.extent(depth), one, one});
    ConstantWriter weights(type);
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t k = 0; k < depth; ++k)
        *weights.getElement(channel * depth + k) =
            *codes->getElement(isTransposed ? channel * depth + k : k * channels + channel);
    Value image = b.make<DequantizeLinearOp>(b.reshape(x.getX(), {one, b.extent(depth), one, one}),
                                             x.getXScale(), x.getXZeroPoint(), x.getAxisAttr(),
                                             x.getBlockSizeAttr(), x.getOutputDtypeAttr());
    Value kernel = b.make<DequantizeLinearOp>(
        b.constant(type, weights.finish(getOutputName(w.getX().getLoc(), 0))), w.getXScale(),
        w.getXZeroPoint(), rewriter.getIntegerAttr(w.getAxisAttr().getType(), 0),
        w.getBlockSizeAttr(), w.getOutputDtypeAttr());
    DenseI64ArrayAttr none; // of a single tap
    Value y = b.make<ConvOp>(image, kernel, Value(), "NOTSET", none, 1, none, none, none);
    y = b.reshape(y, {one, b.extent(channels)});
    b.replaceRoot(op.getC() ? b.add(y, op.getC()) : y);
    return success();
  }

private:
  ChannelBlocks target;
};

/// Whether `value` is computed, element by element, from sums of bytes; `seen` are the operators
/// that were asked.
bool isOfSums(Value value, SmallPtrSetImpl<Operation *> &seen) {
  auto op = value.getDefiningOp<OnnxOp>();
  // All that stands between two convolutions, several times.
  constexpr unsigned most = 64;
  if (!op || seen.size() == most || !seen.insert(op).second)
    return false;
  bool isElementwise =
      op.hasScalarBody() || isa<QuantizeLinearOp, DequantizeLinearOp, BatchNormalizationOp>(op);
  return isa<ConvIntegerOp>(op) ||
         (isElementwise &&
          llvm::any_of(op->getOperands(), [&](Value operand) { return isOfSums(operand, seen); }));
}
bool isOfSums(Value value) {
  SmallPtrSet<Operation *, 16> seen;
  return isOfSums(value, seen);
}

/// A Relu whose 0 becomes the least number is none: so does what it cuts off.
struct QuantizeWithoutRelu : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    auto relu = op.getX().getDefiningOp<ReluOp>();
    if (!relu || !isWhole(op) || !isOrdinary(op.getYScale()) ||
        !elementTypeOf(op.getY()).isInteger(8) ||
        getZeroPoint(op.getYZeroPoint()) != op.getRange().first)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(relu.getX()); });
    return success();
  }
};

/// Scaled sums are multiplied by the inverse of the scale that they are quantised by: a division
/// takes longer than everything else behind them.
struct QuantizeByProduct : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    auto scale = dyn_cast_or_null<FloatAttr>(getUniformValue(op.getYScale()));
    if (!isWhole(op) || !isOrdinary(op.getYScale()) || scale.getValueAsDouble() == 1 ||
        !elementTypeOf(op.getX()).isF32() || op.getPrecision() != 0 || !isOfSums(op.getX()))
      return failure();
    OnnxBuilder b(rewriter, op);
    Type real = rewriter.getF32Type();
    Value product = b.mul(op.getX(), b.constant(real, 1 / scale.getValueAsDouble()));
    b.replaceRoot(b.make<QuantizeLinearOp>(
        product, b.constant(real, 1), op.getYZeroPoint(), op.getAxisAttr(), op.getBlockSizeAttr(),
        op.getOutputDtypeAttr(), op.getPrecisionAttr(), op.getSaturateAttr()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// What selects elements
//===----------------------------------------------------------------------===//

/// QuantizeLinear of a selection among dequantised elements is a selection among quantised ones:
/// exact, since quantising never decreases, and nothing is quantised that was not dequantised.
struct QuantizeBeforeSelecting : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    Operation *selects = op.getX().getDefiningOp();
    if (!isWhole(op) || !selects || !selects->hasTrait<SelectsElements>() || !hasOneUse(selects) ||
        !elementTypeOf(op.getY()).isInteger(8))
      return failure();
    SmallVector<unsigned> data = getData(selects);
    for (unsigned number : data) {
      auto dequantize = selects->getOperand(number).getDefiningOp<DequantizeLinearOp>();
      if (!dequantize || !isWhole(dequantize))
        return failure();
    }
    OnnxBuilder b(rewriter, op, selects);
    SmallVector<Value> operands(selects->getOperands());
    for (unsigned number : data)
      operands[number] =
          b.make<QuantizeLinearOp>(operands[number], op.getYScale(), op.getYZeroPoint(),
                                   op.getAxisAttr(), op.getBlockSizeAttr(), op.getOutputDtypeAttr(),
                                   op.getPrecisionAttr(), op.getSaturateAttr());
    Operation *moved = b.clone(selects, operands);
    Value selected = moved->getResult(cast<OpResult>(op.getX()).getResultNumber());
    selected.setType(op.getY().getType());
    b.replaceRoot(selected);
    return success();
  }

private:
  /// Of all its results together.
  static bool hasOneUse(Operation *op) {
    return std::distance(op->use_begin(), op->use_end()) == 1;
  }

  static SmallVector<unsigned> getData(Operation *op) {
    SmallVector<unsigned> data;
    for (OpOperand &operand : op->getOpOperands())
      if (getOperandClass(op, operand.getOperandNumber()) == OperandClass::Data)
        data.push_back(operand.getOperandNumber());
    return data;
  }
};

/// QuantizeLinear(DequantizeLinear(x)) by the same parameters is x: (x - zero) * scale / scale is
/// off by far less than a half.
struct DropRequantisation : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    auto before = op.getX().getDefiningOp<DequantizeLinearOp>();
    if (!before || !isWhole(op) || !isWhole(before) || op.getPrecision() != 0 ||
        !areEqual(op.getYScale(), before.getXScale()) ||
        !areEqual(op.getYZeroPoint(), before.getXZeroPoint()) ||
        elementTypeOf(op.getY()) != elementTypeOf(before.getX()) ||
        !elementTypeOf(op.getY()).isInteger(8) || !isOrdinary(op.getYScale()))
      return failure();
    rewriter.replaceOp(op, before.getX());
    return success();
  }
};

struct RecognizeQuantisedPass : cameo::impl::RecognizeQuantisedPassBase<RecognizeQuantisedPass> {
  using RecognizeQuantisedPassBase::RecognizeQuantisedPassBase;

  void runOnOperation() override {
    ChannelBlocks blocks = getChannelBlocks(getOperation());
    if (PrecisionAttr::lookup(getOperation()) != Precision::Fast || blocks.block == 0)
      return;
    FrozenRewritePatternSet patterns = getPatterns(blocks);
    GreedyRewriteConfig config;
    // Branches and bodies keep their form: the Shape stage has named what they define.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Quantising moves towards inputs only, and every other rewrite leaves less to do.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SymbolFactsScope facts(function);
      if (failed(applyRewrites(function, patterns, config)))
        return signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet getPatterns(const ChannelBlocks &blocks) {
    MLIRContext *context = &getContext();
    RewritePatternSet set(context);
    set.add<ConvolveBytes, ConvolveRow>(context, blocks);
    set.add<DropRequantisation, QuantizeBeforeSelecting, QuantizeByProduct>(context);
    // Before a product stands between them.
    set.add<QuantizeWithoutRelu>(context, /*benefit=*/2);
    return std::move(set);
  }
};

} // namespace
