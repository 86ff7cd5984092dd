// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in which a QuantizeLinear and a DequantizeLinear stand around every operator: convolutions
// and products between them become those of bytes, and what only selects elements works on the
// bytes.
// In front of Simplify, which writes both as arithmetic on floats and folds weights to floats.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/ByteKernels.h"
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

/// `op` of what its scale has divided already.
Value quantizeByOne(OnnxBuilder &b, QuantizeLinearOp op, Value quotient) {
  return b.make<QuantizeLinearOp>(quotient, b.constant(Float32Type::get(op.getContext()), 1),
                                  op.getYZeroPoint(), op.getAxisAttr(), op.getBlockSizeAttr(),
                                  op.getOutputDtypeAttr(), op.getPrecisionAttr(),
                                  op.getSaturateAttr());
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
constexpr int64_t mostProduct = 255 * 255;
constexpr int64_t mostProducts = INT32_MAX / mostProduct;

bool areBytes(ValueRange codes) {
  return llvm::all_of(codes, [](Value each) { return elementTypeOf(each).isInteger(8); });
}

/// Whether each reader quantises `value` by one constant.
bool isOnlyQuantised(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](Operation *user) {
    auto quantize = dyn_cast<QuantizeLinearOp>(user);
    return quantize && isWhole(quantize) && isOrdinary(quantize.getYScale());
  });
}

/// x - zero point, in f32.
Value centre(OnnxBuilder &b, DequantizeLinearOp op) {
  Type real = Float32Type::get(op.getContext());
  Value ones = b.constant(real, 1);
  if (!isOneParameter(op.getXScale()))
    ones =
        b.floats(std::vector<float>(getExtents(op.getXScale())->front().getConstant().value(), 1));
  return b.make<DequantizeLinearOp>(op.getX(), ones, op.getXZeroPoint(), op.getAxisAttr(),
                                    op.getBlockSizeAttr(), op.getOutputDtypeAttr());
}

/// A convolution of a dequantised image by dequantised weights.
struct DequantisedConvolution {
  ConvOp op;
  DequantizeLinearOp x, w;
  /// The bias in i32; null without one, and where it does not have the scale of the sums.
  Value bias;

  explicit DequantisedConvolution(ConvOp op)
      : op(op), x(op.getX().getDefiningOp<DequantizeLinearOp>()),
        w(op.getW().getDefiningOp<DequantizeLinearOp>()) {
    std::optional<int64_t> depth = areCodes() ? getDepth() : std::nullopt;
    if (op.getB() && depth)
      bias = getBiasCodes(op.getB(), x.getXScale(), w.getXScale(), *depth * mostProduct);
  }

  bool areCodes() {
    return x && w && getExtents(op.getX()) && isWhole(x) && isPerOutput(w, 0) &&
           areBytes({x.getX(), w.getX()});
  }
  /// Whether sums of integers cannot wrap.
  bool fitsSums() { return areCodes() && getDepth(); }
  /// The number of axes behind the channels.
  int64_t getRank() { return static_cast<int64_t>(getExtents(op.getX())->size()) - 2; }
  Value getScale(OnnxBuilder &b) {
    Value right = alignPlaces(b, w.getXScale(), getRank()), left = alignOne(b, x.getXScale());
    return b.mul(right, left);
  }

private:
  /// How many products each sum has; nullopt where those may leave 32 bits.
  std::optional<int64_t> getDepth() {
    std::optional<SmallVector<int64_t>> shape = getStaticShape(w.getX());
    if (!shape || shape->empty())
      return std::nullopt;
    int64_t depth = 1;
    for (int64_t extent : ArrayRef(*shape).drop_front())
      depth = std::min(depth * extent, mostProducts + 1);
    return depth <= mostProducts ? std::optional(depth) : std::nullopt;
  }
};

/// Conv(DequantizeLinear(x), DequantizeLinear(w), b) is ConvInteger(x, w) * scales + b, or
/// (ConvInteger(x, w) + b) * scales where b has codes of their scale.
struct ConvolveBytes : OpRewritePattern<ConvOp> {
  ConvolveBytes(MLIRContext *context, ChannelBlocks target)
      : OpRewritePattern(context, /*benefit=*/2), target(target) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    DequantisedConvolution floats(op);
    if (!floats.fitsSums())
      return failure();
    auto [x, w] = std::pair(floats.x, floats.w);
    OnnxBuilder b(rewriter, op, {x, w});
    ByteConvolution conv(op, x.getX(), x.getXZeroPoint(), w.getX(), w.getXZeroPoint());
    Value sums = conv.build(b, target);
    if (!sums)
      return rewriter.notifyMatchFailure(op, "the target has no kernel for it");
    if (floats.bias)
      sums = b.add(sums, alignPlaces(b, floats.bias, floats.getRank()));
    Value scale = floats.getScale(b);
    Value y = b.mul(b.cast(sums, rewriter.getF32Type()), scale);
    if (op.getB() && !floats.bias)
      y = b.add(y, alignPlaces(b, op.getB(), floats.getRank()));
    b.replaceRoot(y);
    return success();
  }

private:
  ChannelBlocks target;
};

/// The same by floats, whose sums are those of integers up to 2^24, where they are quantised.
struct ConvolveCodes : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    DequantisedConvolution floats(op);
    if (!floats.areCodes() || (op.getB() && !floats.bias) || !isOnlyQuantised(op.getY()))
      return failure();
    OnnxBuilder b(rewriter, op, {floats.x, floats.w});
    Value bias = floats.bias ? b.cast(floats.bias, rewriter.getF32Type()) : Value();
    Value x = centre(b, floats.x), w = centre(b, floats.w);
    Value sums =
        b.make<ConvOp>(x, w, bias, op.getAutoPadAttr(), op.getDilationsAttr(), op.getGroupAttr(),
                       op.getKernelShapeAttr(), op.getPadsAttr(), op.getStridesAttr());
    b.replaceRoot(b.mul(sums, floats.getScale(b)));
    return success();
  }
};

/// A product of two dequantised matrices, the right one maybe transposed.
struct DequantisedProduct {
  DequantizeLinearOp x, w;
  bool isTransposed = false;

  DequantisedProduct(Value left, Value right, bool isTransposed = false)
      : x(left.getDefiningOp<DequantizeLinearOp>()), w(right.getDefiningOp<DequantizeLinearOp>()),
        isTransposed(isTransposed) {}

  /// Whether both are bytes whose scales a product of the codes can be multiplied by.
  bool areCodes() {
    if (!x || !w || !getExtents(x.getX()) || !getExtents(w.getX()) ||
        !areBytes({x.getX(), w.getX()}) || !getCodes().areMatrices())
      return false;
    auto rank = static_cast<int64_t>(getExtents(w.getX())->size());
    return isWhole(x) && isPerOutput(w, isTransposed ? 0 : rank - 1);
  }
  /// Whether it is MatMulInteger of the codes, times their scales.
  bool isOfBytes() {
    if (!areCodes() || !getCodes().hasWeights())
      return false;
    std::optional<int64_t> depth = getExtents(x.getX())->back().getConstant();
    return depth && *depth <= mostProducts;
  }
  /// The codes of a bias that has the scale of the sums; null for any other, and without one.
  Value getBias(GemmOp op) {
    std::optional<int64_t> depth = getExtents(x.getX())->back().getConstant();
    if (!op.getC() || op.getAlpha() != op.getBeta() || !depth || *depth > mostProducts)
      return {};
    return getBiasCodes(op.getC(), x.getXScale(), w.getXScale(), *depth * mostProduct);
  }

  /// In i32.
  Value build(OnnxBuilder &b) { return getCodes().build(b); }
  Value getScale(OnnxBuilder &b, double factor = 1) {
    Value right = alignPlaces(b, w.getXScale(), 0), left = alignOne(b, x.getXScale());
    if (factor != 1)
      left = b.mul(left, b.constant(elementTypeOf(left), factor));
    return b.mul(right, left);
  }

private:
  ByteProduct getCodes() {
    return {x.getX(), x.getXZeroPoint(), w.getX(), w.getXZeroPoint(), isTransposed};
  }
};

struct MultiplyBytes : OpRewritePattern<MatMulOp> {
  MultiplyBytes(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB());
    if (!product.isOfBytes())
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    Value scale = product.getScale(b);
    b.replaceRoot(b.mul(b.cast(product.build(b), rewriter.getF32Type()), scale));
    return success();
  }
};

/// The same by floats, whose sums are those of integers up to 2^24, where they are quantised.
struct MultiplyCodes : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB());
    if (!product.areCodes() || !isOnlyQuantised(op.getY()))
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    Value x = centre(b, product.x), w = centre(b, product.w);
    Value sums = b.make<MatMulOp>(x, w);
    b.replaceRoot(b.mul(sums, product.getScale(b)));
    return success();
  }
};

struct MultiplyAddBytes : OpRewritePattern<GemmOp> {
  MultiplyAddBytes(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB(), op.getTransB() != 0);
    if (op.getTransA() != 0 || !product.isOfBytes())
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    Value scale = product.getScale(b, op.getAlpha().convertToDouble());
    Value bias = product.getBias(op), sums = product.build(b);
    if (bias)
      sums = b.add(sums, bias);
    Value y = b.mul(b.cast(sums, rewriter.getF32Type()), scale);
    double beta = op.getBeta().convertToDouble();
    if (op.getC() && !bias)
      y = b.add(y, beta == 1 ? op.getC() : b.mul(op.getC(), b.constant(elementTypeOf(y), beta)));
    b.replaceRoot(y);
    return success();
  }
};

struct MultiplyAddCodes : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    DequantisedProduct product(op.getA(), op.getB(), op.getTransB() != 0);
    if (op.getTransA() != 0 || !product.areCodes() || !isOnlyQuantised(op.getY()))
      return failure();
    Value bias = product.getBias(op);
    if (op.getC() && !bias)
      return failure();
    OnnxBuilder b(rewriter, op, {product.x, product.w});
    if (bias)
      bias = b.cast(bias, rewriter.getF32Type());
    APFloat one(1.0F);
    Value x = centre(b, product.x), w = centre(b, product.w);
    Value sums = b.make<GemmOp>(x, w, bias, one, one, op.getTransA(), op.getTransB());
    b.replaceRoot(b.mul(sums, product.getScale(b, op.getAlpha().convertToDouble())));
    return success();
  }
};

/// Scaled sums are quantised by one factor, the scale of the sums over that of the result, as
/// QLinearConv and QLinearMatMul do it.
struct RequantizeSums : OpRewritePattern<QuantizeLinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeLinearOp op, PatternRewriter &rewriter) const override {
    auto scaled = op.getX().getDefiningOp<MulOp>();
    auto by = dyn_cast_or_null<FloatAttr>(getUniformValue(op.getYScale()));
    if (!scaled || !areSums(scaled.getA()) || !readScale(scaled.getB()) || !isWhole(op) ||
        !isOrdinary(op.getYScale()) || by.getValueAsDouble() == 1 || op.getPrecision() != 0)
      return failure();
    OnnxBuilder b(rewriter, op, {scaled});
    Value factor = b.div(scaled.getB(), alignOne(b, op.getYScale()));
    b.replaceRoot(quantizeByOne(b, op, b.mul(scaled.getA(), factor)));
    return success();
  }

private:
  static bool areSums(Value value) {
    if (auto cast = value.getDefiningOp<CastOp>())
      return elementTypeOf(cast.getInput()).isInteger(32) && elementTypeOf(value).isF32();
    return isa_and_nonnull<MatMulOp, GemmOp, ConvOp>(value.getDefiningOp());
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
    Value inverse = b.constant(rewriter.getF32Type(), 1 / scale.getValueAsDouble());
    b.replaceRoot(quantizeByOne(b, op, b.mul(op.getX(), inverse)));
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
  /// Whether all its results together have one use.
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
    if (PrecisionAttr::lookup(getOperation()) > Precision::Fast)
      return;
    FrozenRewritePatternSet patterns = getPatterns(ChannelBlocks::lookup(getOperation()));
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
    set.add<ConvolveCodes, MultiplyCodes, MultiplyAddCodes>(context);
    // Before QuantizeByProduct, which takes any sums.
    set.add<RequantizeSums>(context, /*benefit=*/2);
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
