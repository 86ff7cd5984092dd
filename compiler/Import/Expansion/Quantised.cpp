// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators over quantised tensors: dequantised, computed, quantised again, which Simplify takes
// apart as it does for models that say so themselves.

#include "Import/Expansion/Expansion.h"
#include "Import/Expansion/PackedBits.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// A zero point that is left out is 0, of the type of `like`'s elements.
Value zeroPointOr(Expansion &b, Value given, Value like) {
  if (given || b.hasFailed())
    return given;
  auto type = RankedTensorType::get({}, b.getElementType(like));
  return b.constant(
      DenseElementsAttr::get(type, b.getBuilder().getIntegerAttr(type.getElementType(), 0)));
}

template <class Op> Values expandBinary(Expansion &b, Op op, StringRef opType) {
  Value left = b.dequantize(op.getA(), op.getAScale(), op.getAZeroPoint());
  Value right = b.dequantize(op.getB(), op.getBScale(), op.getBZeroPoint());
  return {b.quantize(b.make(opType, {left, right}), op.getCScale(),
                     zeroPointOr(b, op.getCZeroPoint(), op.getA()))};
}

Values expandAdd(Expansion &b, MsQLinearAddOp op) { return expandBinary(b, op, "Add"); }
Values expandMul(Expansion &b, MsQLinearMulOp op) { return expandBinary(b, op, "Mul"); }

Values expandSigmoid(Expansion &b, MsQLinearSigmoidOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  return {b.quantize(b.make("Sigmoid", {x}), op.getYScale(),
                     zeroPointOr(b, op.getYZeroPoint(), op.getX()))};
}

Values expandLeakyRelu(Expansion &b, MsQLinearLeakyReluOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  Value y = b.make("LeakyRelu", {x}, {b.attribute("alpha", op.getAlpha())});
  return {b.quantize(y, op.getYScale(), zeroPointOr(b, op.getYZeroPoint(), op.getX()))};
}

/// All axes from `axis` on were one row, before operator set 13.
Value makeSoftmax(Expansion &b, Value x, int64_t axis, bool coerces) {
  if (!coerces)
    return b.make("Softmax", {x}, {b.attribute("axis", axis)});
  Value rows = b.make("Flatten", {x}, {b.attribute("axis", axis)});
  Value result = b.make("Softmax", {rows}, {b.attribute("axis", int64_t{-1})});
  return b.make("Reshape", {result, b.make("Shape", {x})});
}

Values expandSoftmax(Expansion &b, MsQLinearSoftmaxOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  Value y = makeSoftmax(b, x, op.getAxis(), op.getOpset() < 13);
  return {b.quantize(y, op.getYScale(), op.getYZeroPoint())};
}

/// A permutation that moves the axis `from` to `to`.
SmallVector<int64_t> moveAxis(int64_t rank, int64_t from, int64_t to) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return axes;
}

/// `pool` of `x`, whose channels are last where `isLast`.
Value poolChannels(Expansion &b, Value x, bool isLast, llvm::function_ref<Value(Value)> pool) {
  if (!isLast)
    return pool(x);
  int64_t rank = b.getRank(x, "X");
  if (b.hasFailed() || rank < 3) {
    (void)b.malformed("needs an X of rank 3 or more");
    return {};
  }
  return b.transpose(pool(b.transpose(x, moveAxis(rank, rank - 1, 1))),
                     moveAxis(rank, 1, rank - 1));
}

Values expandGlobalAveragePool(Expansion &b, MsQLinearGlobalAveragePoolOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  Value y = poolChannels(b, x, op.getChannelsLast() != 0,
                         [&](Value first) { return b.make("GlobalAveragePool", {first}); });
  return {b.quantize(y, op.getYScale(), op.getYZeroPoint())};
}

Values expandAveragePool(Expansion &b, MsQLinearAveragePoolOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  Value y = poolChannels(b, x, op.getChannelsLast() != 0, [&](Value first) {
    return b.make("AveragePool", {first}, b.attributesWithout({"channels_last"}));
  });
  return {b.quantize(y, op.getYScale(), zeroPointOr(b, op.getYZeroPoint(), op.getX()))};
}

Values expandConcat(Expansion &b, MsQLinearConcatOp op) {
  OperandRange triples = op.getInputs();
  if (triples.size() % 3 != 0)
    return b.malformed("needs a tensor, a scale and a zero point for each part (got " +
                       Twine(triples.size()) + " inputs)");
  Values parts;
  for (size_t first = 0; first < triples.size(); first += 3)
    parts.push_back(b.dequantize(triples[first], triples[first + 1], triples[first + 2]));
  return {b.quantize(b.concat(parts, op.getAxis()), op.getYScale(), op.getYZeroPoint())};
}

Values expandWhere(Expansion &b, MsQLinearWhereOp op) {
  Value x = b.dequantize(op.getX(), op.getXScale(), op.getXZeroPoint());
  Value y = b.dequantize(op.getY(), op.getYScale(), op.getYZeroPoint());
  Value chosen = b.make("Where", {op.getCondition(), x, y});
  return {b.quantize(chosen, op.getZScale(), op.getZZeroPoint())};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A matrix with a scale for each column, or for all: columns are axis 1, or 0 where it is
/// transposed.
Value dequantizeColumns(Expansion &b, Value x, Value scale, Value zeroPoint, int64_t axis) {
  return b.make("DequantizeLinear", {x, scale, zeroPoint}, {b.attribute("axis", axis)});
}

/// alpha * (A * B + C * a_scale * b_scale), quantised where a scale is given for it.
Values expandQGemm(Expansion &b, MsQGemmOp op) {
  Value left = b.dequantize(op.getA(), op.getAScale(), op.getAZeroPoint());
  Value right = dequantizeColumns(b, op.getB(), op.getBScale(), op.getBZeroPoint(),
                                  op.getTransB() != 0 ? 0 : 1);
  Value bias;
  if (op.getC())
    bias = dequantizeColumns(b, op.getC(), b.mul(op.getAScale(), op.getBScale()), Value(), -1);
  Value product = b.make("Gemm", {left, right, bias},
                         {b.attribute("alpha", op.getAlpha()), b.attribute("beta", op.getAlpha()),
                          b.attribute("transA", static_cast<int64_t>(op.getTransA())),
                          b.attribute("transB", static_cast<int64_t>(op.getTransB()))});
  if (!op.getYScale())
    return {product};
  return {b.quantize(product, op.getYScale(), zeroPointOr(b, op.getYZeroPoint(), op.getA()))};
}

Values expandMatMulIntegerToFloat(Expansion &b, MsMatMulIntegerToFloatOp op) {
  Value product =
      b.make("MatMulInteger", {op.getA(), op.getB(), op.getAZeroPoint(), op.getBZeroPoint()});
  Value scaled = b.mul(b.cast(product, b.getElementType(op.getAScale())),
                       b.mul(op.getAScale(), op.getBScale()));
  return {b.addIfThere(scaled, op.getBias())};
}

Values expandDynamicQuantizeMatMul(Expansion &b, MsDynamicQuantizeMatMulOp op) {
  Values dynamic = b.makeAll("DynamicQuantizeLinear", 3, {op.getA()});
  Value product = b.make("MatMulInteger", {dynamic[0], op.getB(), dynamic[2], op.getBZeroPoint()});
  if (b.hasFailed())
    return {};
  Value scaled =
      b.mul(b.cast(product, b.getElementType(op.getA())), b.mul(dynamic[1], op.getBScale()));
  return {b.addIfThere(scaled, op.getBias())};
}

/// Weights of DynamicQuantizeLSTM, [directions, inputs, gates], as those of LSTM. A scale is for a
/// direction, or for each of its gates.
Value dequantizeGates(Expansion &b, Value weights, Value scale, Value zeroPoint) {
  int64_t rank = b.getRank(scale, "a scale");
  Type element = b.getElementType(scale);
  SmallVector<int64_t> spread = {1, 2};
  if (rank == 2)
    spread = {1};
  Value axes = b.integers(spread);
  Value centered = b.make(
      "Sub", {b.cast(weights, element), b.make("Unsqueeze", {b.cast(zeroPoint, element), axes})});
  Value scaled = b.mul(centered, b.make("Unsqueeze", {scale, axes}));
  return b.transpose(scaled, {0, 2, 1});
}

/// X is rounded as ONNX Runtime does, the states on the way are not.
Values expandDynamicQuantizeLstm(Expansion &b, MsDynamicQuantizeLSTMOp op) {
  Values x = b.makeAll("DynamicQuantizeLinear", 3, {op.getX()});
  Value w = dequantizeGates(b, op.getW(), op.getWScale(), op.getWZeroPoint());
  Value r = dequantizeGates(b, op.getR(), op.getRScale(), op.getRZeroPoint());
  return b.makeAll("LSTM", 3,
                   {b.dequantize(x[0], x[1], x[2]), w, r, op.getB(), op.getSequenceLens(),
                    op.getInitialH(), op.getInitialC(), op.getP()},
                   b.attributesWithout({}));
}

//===----------------------------------------------------------------------===//
// Types that ONNX did not quantise to yet
//===----------------------------------------------------------------------===//

Values expandQuantize(Expansion &b, MsQuantizeLinearOp op) {
  return {b.make("QuantizeLinear", {op.getX(), op.getYScale(), op.getYZeroPoint()},
                 b.attributesWithout({}))};
}

Values expandDequantize(Expansion &b, MsDequantizeLinearOp op) {
  return {b.make("DequantizeLinear", {op.getX(), op.getXScale(), op.getXZeroPoint()},
                 b.attributesWithout({}))};
}

/// The extents of a constant; none, with a diagnostic, for another value.
SmallVector<int64_t> getShape(Expansion &b, Value value, StringRef name) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (constant)
    return llvm::to_vector(cast<ShapedType>(constant.getValue().getType()).getShape());
  (void)b.unsupported("computes its " + name + ", which has to be a constant");
  return {};
}

/// Replaces a table and zero points in bytes by their codes.
void unpackTable(Expansion &b, MsGatherBlockQuantizedOp op, Value &data, Value &zeroPoints) {
  auto bits = static_cast<unsigned>(op.getBits());
  SmallVector<int64_t> dims = getShape(b, data, "data");
  SmallVector<int64_t> blocks = getShape(b, op.getScales(), "scales");
  if (b.hasFailed())
    return;
  if (blocks.size() != dims.size()) {
    (void)b.malformed("has scales of another rank than data");
    return;
  }
  dims.back() *= 8 / bits;
  data = unpackCodes(b, data, "data", bits, dims);
  zeroPoints = zeroPoints ? unpackCodes(b, zeroPoints, "zero_points", bits, blocks)
                          : makeCodes(b, bits, blocks, uint8_t(1) << (bits - 1));
}

/// Codes of few bits as bytes, which Gather takes.
Value widen(Expansion &b, Value codes) {
  if (!codes || b.hasFailed())
    return codes;
  auto narrow = cast<IntegerType>(b.getElementType(codes));
  return b.cast(codes, IntegerType::get(narrow.getContext(), 8, narrow.getSignedness()));
}

/// Codes, scales and zero points are gathered, then become numbers: the table itself never does.
Values expandGatherBlockQuantized(Expansion &b, MsGatherBlockQuantizedOp op) {
  Value data = op.getData(), zeroPoints = op.getZeroPoints();
  int64_t rank = b.getRank(data, "data"), indexRank = b.getRank(op.getIndices(), "indices");
  if (b.hasFailed())
    return {};
  int64_t quantized = op.getQuantizeAxis(), gathered = op.getGatherAxis(), bits = op.getBits();
  if (rank < 2 || gathered < -rank || gathered >= rank || quantized < -rank || quantized >= rank)
    return b.malformed("has an axis that is out of range of data, which needs rank 2 or more");
  quantized += quantized < 0 ? rank : 0;
  gathered += gathered < 0 ? rank : 0;
  if (gathered == quantized)
    return b.malformed("gathers along the axis of its blocks");
  if (!isa<IntegerType>(b.getElementType(data)))
    return b.unsupported("has a table of floats of 8 bits or less, which Cameo does not gather");
  if (b.getElementType(data).isInteger(8)) {
    if (quantized != rank - 1 || (bits != 2 && bits != 4 && bits != 8))
      return b.unsupported("has bytes of " + Twine(bits) + " bits along axis " + Twine(quantized) +
                           " (known: 2, 4 and 8 along the last)");
    unpackTable(b, op, data, zeroPoints);
  }
  auto gather = [&](Value table) {
    return table ? b.make("Gather", {table, op.getIndices()}, {b.attribute("axis", gathered)})
                 : Value();
  };
  int64_t axis = gathered < quantized ? quantized + indexRank - 1 : quantized;
  return {b.make("DequantizeLinear",
                 {gather(widen(b, data)), gather(op.getScales()), gather(widen(b, zeroPoints))},
                 {b.attribute("axis", axis),
                  b.attribute("block_size", static_cast<int64_t>(op.getBlockSize()))})};
}

constexpr ExpansionRow kRows[] = {
    expansion<MsDequantizeLinearOp, expandDequantize>(),
    expansion<MsDynamicQuantizeLSTMOp, expandDynamicQuantizeLstm>(),
    expansion<MsDynamicQuantizeMatMulOp, expandDynamicQuantizeMatMul>(),
    expansion<MsGatherBlockQuantizedOp, expandGatherBlockQuantized>(),
    expansion<MsMatMulIntegerToFloatOp, expandMatMulIntegerToFloat>(),
    expansion<MsQGemmOp, expandQGemm>(),
    expansion<MsQLinearAddOp, expandAdd>(),
    expansion<MsQLinearAveragePoolOp, expandAveragePool>(),
    expansion<MsQLinearConcatOp, expandConcat>(),
    expansion<MsQLinearGlobalAveragePoolOp, expandGlobalAveragePool>(),
    expansion<MsQLinearLeakyReluOp, expandLeakyRelu>(),
    expansion<MsQLinearMulOp, expandMul>(),
    expansion<MsQLinearSigmoidOp, expandSigmoid>(),
    expansion<MsQLinearSoftmaxOp, expandSoftmax>(),
    expansion<MsQLinearWhereOp, expandWhere>(),
    expansion<MsQuantizeLinearOp, expandQuantize>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getQuantisedExpansions() { return kRows; }
