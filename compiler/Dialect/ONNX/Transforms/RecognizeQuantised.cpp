// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in which a QuantizeLinear and a DequantizeLinear stand around every operator: convolutions
// and products between them become those of bytes, and what only selects elements works on the
// bytes.
// In front of Simplify, which writes both as arithmetic on floats and folds weights to floats.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Transforms/ByteConvolution.h"
#include "Dialect/ONNX/Transforms/ByteProduct.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Dialect/ONNX/Transforms/QuantParameters.h"
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
// Convolutions and products
//===----------------------------------------------------------------------===//

/// Weights of one constant scale, or of one for each output channel, which are along `axis`.
bool isPerOutput(DequantizeLinearOp w, int64_t axis) {
  int64_t own = w.getAxis();
  if (own < 0)
    own += cast<SymTensorType>(w.getX().getType()).getRank();
  return isWhole(w) ||
         (isNumericConstant(w.getXScale()) && elementTypeOf(w.getY()).isF32() &&
          elementTypeOf(w.getXScale()).isF32() && own == axis && w.getBlockSize() == 0);
}

/// Products of bytes, less their zero points, whose sum cannot leave 32 bits: floats would not
/// wrap.
constexpr int64_t mostProducts = INT32_MAX / (255 * 255);

bool areBytes(ValueRange codes) {
  return llvm::all_of(codes, [](Value each) { return elementTypeOf(each).isInteger(8); });
}

/// Conv(DequantizeLinear(x), DequantizeLinear(w), b) is ConvInteger(x, w) * scales + b.
struct ConvolveBytes : OpRewritePattern<ConvOp> {
  ConvolveBytes(MLIRContext *context, ChannelBlocks target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto x = op.getX().getDefiningOp<DequantizeLinearOp>();
    auto w = op.getW().getDefiningOp<DequantizeLinearOp>();
    if (!x || !w || !getExtents(op.getX()) || !isWhole(x) || !isPerOutput(w, 0) ||
        !areBytes({x.getX(), w.getX()}) || !fitsSums(w.getX()))
      return failure();
    OnnxBuilder b(rewriter, op, {x, w});
    ByteConvolution conv(op, x.getX(), x.getXZeroPoint(), w.getX(), w.getXZeroPoint());
    Value sums = conv.build(b, target);
    if (!sums)
      return rewriter.notifyMatchFailure(op, "the target has no kernel for it");
    auto rank = static_cast<int64_t>(getExtents(op.getX())->size()) - 2;
    Value scale = b.mul(alignPlaces(b, w.getXScale(), rank), alignOne(b, x.getXScale()));
    Value y = b.mul(b.cast(sums, rewriter.getF32Type()), scale);
    if (op.getB())
      y = b.add(y, alignPlaces(b, op.getB(), rank));
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

/// A product of two dequantised matrices, the right one maybe transposed.
struct DequantisedProduct {
  DequantizeLinearOp x, w;
  bool isTransposed = false;

  DequantisedProduct(Value left, Value right, bool isTransposed = false)
      : x(left.getDefiningOp<DequantizeLinearOp>()), w(right.getDefiningOp<DequantizeLinearOp>()),
        isTransposed(isTransposed) {}

  /// Whether it is MatMulInteger of the codes, times their scales.
  bool isOfBytes() {
    if (!x || !w || !getExtents(x.getX()) || !getExtents(w.getX()) ||
        !areBytes({x.getX(), w.getX()}) || !getCodes().areMatrices() || !getCodes().hasWeights())
      return false;
    auto rank = static_cast<int64_t>(getExtents(w.getX())->size());
    std::optional<int64_t> depth = getExtents(x.getX())->back().getConstant();
    return isWhole(x) && isPerOutput(w, isTransposed ? 0 : rank - 1) && depth &&
           *depth <= mostProducts;
  }

  /// In f32, `factor` times.
  Value build(OnnxBuilder &b, double factor = 1) {
    Type real = Float32Type::get(x.getContext());
    Value scale = b.mul(alignPlaces(b, w.getXScale(), 0), alignOne(b, x.getXScale()));
    if (factor != 1)
      scale = b.mul(scale, b.constant(real, factor));
    return b.mul(b.cast(getCodes().build(b), real), scale);
  }

private:
  ByteProduct getCodes() {
    return {x.getX(), x.getXZeroPoint(), w.getX(), w.getXZeroPoint(), isTransposed};
  }
};

struct MultiplyBytes : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB());
    if (!product.isOfBytes())
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    b.replaceRoot(product.build(b));
    return success();
  }
};

struct MultiplyAddBytes : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB(), op.getTransB() != 0);
    if (op.getTransA() != 0 || !product.isOfBytes())
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    Value y = product.build(b, op.getAlpha().convertToDouble());
    if (double beta = op.getBeta().convertToDouble(); op.getC() && beta != 1)
      y = b.add(y, b.mul(op.getC(), b.constant(elementTypeOf(y), beta)));
    else if (op.getC())
      y = b.add(y, op.getC());
    b.replaceRoot(y);
    return success();
  }
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
  return isa<ConvIntegerOp, MatMulIntegerOp>(op) ||
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

/// To its first reader: until there its operand lives as bytes, wherever the model dequantises it.
void sink(DequantizeLinearOp op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  if (first)
    op->moveBefore(first);
}

struct RecognizeQuantisedPass : cameo::impl::RecognizeQuantisedPassBase<RecognizeQuantisedPass> {
  using RecognizeQuantisedPassBase::RecognizeQuantisedPassBase;

  void runOnOperation() override {
    if (PrecisionAttr::lookup(getOperation()) != Precision::Fast)
      return;
    FrozenRewritePatternSet patterns = getPatterns(getChannelBlocks(getOperation()));
    GreedyRewriteConfig config;
    // Branches and bodies keep their form: the Shape stage has named what they define.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Quantising moves towards inputs only, and every other rewrite leaves less to do.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SymbolFactsScope facts(function);
      if (failed(applyRewrites(function, patterns, config)))
        return signalPassFailure();
      SmallVector<DequantizeLinearOp> all;
      function.walk([&](DequantizeLinearOp op) { all.push_back(op); });
      llvm::for_each(all, sink);
    }
  }

private:
  FrozenRewritePatternSet getPatterns(const ChannelBlocks &blocks) {
    MLIRContext *context = &getContext();
    RewritePatternSet set(context);
    populateQuantExpansions(set);
    if (blocks.block == 0)
      return std::move(set);
    set.add<ConvolveBytes>(context, blocks);
    set.add<MultiplyBytes, MultiplyAddBytes>(context);
    set.add<DropRequantisation, QuantizeBeforeSelecting, QuantizeByProduct>(context);
    // Before a product stands between them.
    set.add<QuantizeWithoutRelu>(context, /*benefit=*/2);
    return std::move(set);
  }
};

} // namespace
