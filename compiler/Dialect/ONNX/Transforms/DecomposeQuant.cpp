// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantisation by one scale for a whole tensor, and of constants; by a scale that comes from the
// data; and products of quantised tensors.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/ByteKernels.h"
#include "Dialect/ONNX/Transforms/ByteConvolution.h"
#include "Dialect/ONNX/Transforms/ByteProduct.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/KeepCodes.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Dialect/ONNX/Transforms/QuantParameters.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// round(x), saturated to u8.
Value saturate(OnnxBuilder &b, Value x, Type target) {
  Type element = elementTypeOf(x);
  Value limited =
      b.make<ClipOp>(b.make<RoundOp>(x), b.constant(element, 0), b.constant(element, 255));
  return b.cast(limited, target);
}

SmallVector<Value> decomposeDynamicQuantize(OnnxBuilder &b, DynamicQuantizeLinearOp op) {
  Value x = op.getX();
  Type real = elementTypeOf(x), integer = elementTypeOf(op.getY());
  Value zero = b.constant(real, 0);
  Value low = b.make<MinOp>(ValueRange{zero, b.reduce<ReduceMinOp>(x, {}, /*keepsAxes=*/false)});
  Value high = b.make<MaxOp>(ValueRange{zero, b.reduce<ReduceMaxOp>(x, {}, /*keepsAxes=*/false)});
  Value range = b.sub(high, low);
  // Zeros alone have no range: any scale keeps them, and by 1 they can be divided.
  Value scale =
      b.where(b.equal(range, zero), b.constant(real, 1), b.div(range, b.constant(real, 255)));
  Value zeroPoint = saturate(b, b.div(b.sub(zero, low), scale), integer);
  Value rounded = b.make<RoundOp>(b.div(x, scale));
  return {saturate(b, b.add(rounded, b.cast(zeroPoint, real)), integer), scale, zeroPoint};
}

//===----------------------------------------------------------------------===//
// Scales that are given
//===----------------------------------------------------------------------===//

bool areRanked(ValueRange values) {
  return llvm::all_of(values, [](Value value) { return !value || getExtents(value); });
}

bool areOne(Value scale, Value zeroPoint) {
  return isOneParameter(scale) && (!zeroPoint || isOneParameter(zeroPoint));
}

/// `extents` with `axis` cut into blocks of `size`; none where they do not divide it.
SmallVector<ExtentAttr> cutBlocks(ArrayRef<ExtentAttr> extents, int64_t axis, int64_t size) {
  std::optional<int64_t> extent = extents[axis].getConstant();
  if (!extent || *extent % size != 0)
    return {};
  MLIRContext *context = extents[axis].getContext();
  SmallVector<ExtentAttr> cut(extents);
  cut[axis] = ExtentAttr::constant(context, *extent / size);
  cut.insert(cut.begin() + axis + 1, ExtentAttr::constant(context, size));
  return cut;
}

/// Elementwise where one scale is for all, so that layouts and idioms see through it, and where all
/// is constant, for folding to take, but for products by codes. Scales along an axis of what a run
/// computes are a kernel's.
SmallVector<Value> decomposeDequantize(OnnxBuilder &b, DequantizeLinearOp op) {
  bool isWhole = areRanked(op->getOperands()) && areOne(op.getXScale(), op.getXZeroPoint());
  if ((!isWhole && !llvm::all_of(op->getOperands(), isNumericConstant)) || keepsCodes(op))
    return {};
  ArrayRef<ExtentAttr> extents = *getExtents(op.getX());
  int64_t rank = static_cast<int64_t>(extents.size());
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  SmallVector<ExtentAttr> elements(extents), parameters;
  SmallVector<int64_t> blockOfPlaces;
  if (!isOneParameter(op.getXScale())) {
    parameters = llvm::to_vector(*getExtents(op.getXScale()));
    if (op.getBlockSize() == 0) {
      parameters.append(rank - 1 - axis, b.extent(1));
    } else if (elements = cutBlocks(extents, axis, op.getBlockSize()); !elements.empty()) {
      parameters.insert(parameters.begin() + axis + 1, b.extent(1));
    } else { // the last block is a shorter one
      elements = parameters = llvm::to_vector(extents);
      for (int64_t place : llvm::seq(*extents[axis].getConstant()))
        blockOfPlaces.push_back(place / op.getBlockSize());
    }
  }
  Type real = Float32Type::get(op.getContext());
  auto read = [&](Value parameter) {
    Value numbers = b.cast(parameter, real);
    if (isOneParameter(parameter))
      return b.reshape(numbers, {});
    if (!blockOfPlaces.empty())
      numbers = b.make<GatherOp>(numbers, b.integers(blockOfPlaces), axis);
    return b.reshape(numbers, parameters);
  };
  Value centred = b.reshape(b.cast(op.getX(), real), elements);
  if (op.getXZeroPoint())
    centred = b.sub(centred, read(op.getXZeroPoint()));
  Value product = b.mul(centred, read(op.getXScale()));
  return {b.reshape(b.cast(product, elementTypeOf(op.getY())), extents)};
}

/// The same, of one scale for all.
SmallVector<Value> decomposeQuantize(OnnxBuilder &b, QuantizeLinearOp op) {
  if (!areRanked(op->getOperands()) || !areOne(op.getYScale(), op.getYZeroPoint()))
    return {};
  Type real = Float32Type::get(op.getContext()), element = elementTypeOf(op.getY());
  Type divided = op.getDivisionType();
  auto read = [&](Value parameter, Type as) { return b.reshape(b.cast(parameter, as), {}); };
  Value quotient = b.cast(b.div(b.cast(op.getX(), divided), read(op.getYScale(), divided)), real);
  if (isa<IntegerType>(element))
    quotient = b.make<RoundOp>(quotient);
  bool isZero = element.isInteger(8) && getZeroPoint(op.getYZeroPoint()) == 0;
  if (op.getYZeroPoint() && !isZero)
    quotient = b.add(quotient, read(op.getYZeroPoint(), real));
  // A conversion to whole bytes saturates.
  if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 8) {
    auto [least, most] = op.getRange();
    Value above = b.make<MaxOp>(ValueRange{quotient, b.constant(real, least)});
    quotient = b.make<MinOp>(ValueRange{above, b.constant(real, most)});
  }
  return {b.cast(quotient, element, op.getSaturate() != 0)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The scale and the zero point that a product is quantised by.
struct Requantisation {
  Value left, right, result, zeroPoint;
};

/// round(product * left * right / result) + zero point, saturated.
Value requantise(OnnxBuilder &b, Value product, const Requantisation &by, Type target) {
  Type real = Float32Type::get(target.getContext());
  Value scale =
      b.div(b.mul(b.cast(by.left, real), b.cast(by.right, real)), b.cast(by.result, real));
  Value rounded = b.make<RoundOp>(b.mul(b.cast(product, real), scale));
  bool isSigned = !target.isUnsignedInteger();
  Value limited =
      b.make<ClipOp>(b.add(rounded, b.cast(by.zeroPoint, real)),
                     b.constant(real, isSigned ? -128 : 0), b.constant(real, isSigned ? 127 : 255));
  return b.cast(limited, target);
}

SmallVector<Value> decomposeMatMulInteger(OnnxBuilder &b, MatMulIntegerOp op) {
  if (!areRanked(op->getOperands()))
    return {};
  ByteProduct product{op.getA(), op.getAZeroPoint(), op.getB(), op.getBZeroPoint()};
  if (product.isPlain())
    return {};
  return {product.build(b)};
}

SmallVector<Value> decomposeQLinearMatMul(OnnxBuilder &b, QLinearMatMulOp op) {
  auto isInteger = [](Value value) { return elementTypeOf(value).isInteger(); };
  if (!areRanked(op->getOperands()) || !isInteger(op.getA()) || !isInteger(op.getB()) ||
      !isInteger(op.getYZeroPoint()))
    return {};
  Value left = op.getA(), right = op.getB(), y = op.getY();
  Value product = ByteProduct{left, op.getAZeroPoint(), right, op.getBZeroPoint()}.build(b);
  Requantisation by{alignRows(b, op.getAScale(), left), alignColumns(b, op.getBScale(), right),
                    alignRows(b, op.getYScale(), y), alignRows(b, op.getYZeroPoint(), y)};
  return {requantise(b, product, by, elementTypeOf(op.getY()))};
}

/// The convolution of bytes as floats compute it, in i32. Products of two bytes are below 2^16:
/// sums of so many as leave 24 bits are exact in f32, all others in f64.
template <class Op> Value convolveFloats(OnnxBuilder &b, Op op) {
  ArrayRef<ExtentAttr> weight = *getExtents(op.getW());
  int64_t behind = static_cast<int64_t>(weight.size()) - 1;
  int64_t taps = 1;
  for (ExtentAttr extent : weight.drop_front())
    taps = llvm::SaturatingMultiply<uint64_t>(taps, extent.getConstant().value_or(INT32_MAX));
  MLIRContext *context = op.getContext();
  Type real = taps <= 256 ? Type(Float32Type::get(context)) : Type(Float64Type::get(context));
  Value product =
      b.make<ConvOp>(subtractZero(b, op.getX(), alignOne(b, op.getXZeroPoint()), real),
                     subtractZero(b, op.getW(), alignPlaces(b, op.getWZeroPoint(), behind), real),
                     Value(), op.getAutoPadAttr(), op.getDilationsAttr(), op.getGroupAttr(),
                     op.getKernelShapeAttr(), op.getPadsAttr(), op.getStridesAttr());
  return b.cast(product, IntegerType::get(context, 32));
}

/// The same by the target's kernels, where it has some.
template <class Op> Value convolve(OnnxBuilder &b, Op op, const ChannelBlocks &target) {
  ByteConvolution bytes(op, op.getX(), op.getXZeroPoint(), op.getW(), op.getWZeroPoint());
  Value sums = bytes.build(b, target);
  return sums ? sums : convolveFloats(b, op);
}

struct DecomposeConvInteger : OpRewritePattern<ConvIntegerOp> {
  DecomposeConvInteger(MLIRContext *context, const ChannelBlocks &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(ConvIntegerOp op, PatternRewriter &rewriter) const override {
    if (!areRanked(op->getOperands()))
      return failure();
    ExtentFacts facts = getSymbolFacts(op);
    LocalInference infer(op, facts);
    if (hasByteKernel(op, op.getWindow(infer), target))
      return rewriter.notifyMatchFailure(op, "the target has a kernel for it");
    OnnxBuilder b(rewriter, op);
    b.replaceRoot(convolve(b, op, target));
    return success();
  }

private:
  ChannelBlocks target;
};

struct DecomposeQLinearConv : OpRewritePattern<QLinearConvOp> {
  DecomposeQLinearConv(MLIRContext *context, const ChannelBlocks &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(QLinearConvOp op, PatternRewriter &rewriter) const override {
    if (!areRanked(op->getOperands()))
      return failure();
    OnnxBuilder b(rewriter, op);
    int64_t spatial = static_cast<int64_t>(getExtents(op.getW())->size()) - 2;
    Value product = convolve(b, op, target);
    if (op.getB())
      product = b.add(product, alignPlaces(b, op.getB(), spatial));
    Requantisation by{alignOne(b, op.getXScale()), alignPlaces(b, op.getWScale(), spatial),
                      alignOne(b, op.getYScale()), alignOne(b, op.getYZeroPoint())};
    b.replaceRoot(requantise(b, product, by, elementTypeOf(op.getY())));
    return success();
  }

private:
  ChannelBlocks target;
};

} // namespace

void cameo::populateQuantDecompositions(RewritePatternSet &patterns, const ChannelBlocks &target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeConvInteger, DecomposeQLinearConv>(context, target);
  patterns.add<Decomposition<DequantizeLinearOp>>(context, decomposeDequantize);
  patterns.add<Decomposition<DynamicQuantizeLinearOp>>(context, decomposeDynamicQuantize);
  patterns.add<Decomposition<MatMulIntegerOp>>(context, decomposeMatMulInteger);
  patterns.add<Decomposition<QLinearMatMulOp>>(context, decomposeQLinearMatMul);
  patterns.add<Decomposition<QuantizeLinearOp>>(context, decomposeQuantize);
}
