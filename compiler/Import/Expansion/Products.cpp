// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with what is fused around them, and those by weights of few bits.

#include "Dialect/ONNX/IR/CodedMatrix.h"
#include "Import/Expansion/Expansion.h"
#include "Import/Expansion/PackedBits.h"
#include "Support/CheckedSize.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

Values expandFusedConv(Expansion &b, MsFusedConvOp op) {
  Value product = b.make("Conv", {op.getX(), op.getW(), op.getB()},
                         b.attributesWithout({"activation", "activation_params"}));
  ArrayRef<float> parameters = op.getActivationParams().value_or(ArrayRef<float>());
  return {activate(b, b.addIfThere(product, op.getZ()), op.getActivation(), parameters)};
}

/// Channels, which are last, behind the batch, and the way back.
Value moveChannels(Expansion &b, Value x, int64_t rank, bool toFront) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (toFront)
    std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  else
    std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  return b.transpose(x, axes);
}

Values expandNhwcConv(Expansion &b, MsNhwcConvOp op) {
  int64_t rank = b.getRank(op.getX(), "X");
  if (b.hasFailed())
    return {};
  if (rank < 3)
    return b.malformed("needs an X of rank 3 or more (got " + Twine(rank) + ")");
  Value product = b.make("Conv", {moveChannels(b, op.getX(), rank, true), op.getW(), op.getB()},
                         b.attributesWithout({}));
  return {moveChannels(b, product, rank, false)};
}

Values expandFusedGemm(Expansion &b, MsFusedGemmOp op) {
  Value product = b.make("Gemm", {op.getA(), op.getB(), op.getC()},
                         b.attributesWithout({"activation", "activation_alpha", "activation_beta",
                                              "activation_gamma"}));
  SmallVector<float> parameters;
  for (std::optional<llvm::APFloat> given : {op.getActivationAlpha(), op.getActivationBeta()})
    if (given)
      parameters.push_back(given->convertToFloat());
  return {activate(b, product, op.getActivation(), parameters)};
}

/// An operand of FusedMatMul as MatMul takes it: `batch` moves the first axis behind those between,
/// `last` swaps the last two.
Value arrange(Expansion &b, Value x, StringRef name, bool last, bool batch) {
  if (!last && !batch)
    return x;
  int64_t rank = b.getRank(x, name);
  if (rank < 2)
    return x;
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (batch)
    std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end() - 1);
  if (last)
    std::swap(permutation[rank - 2], permutation[rank - 1]);
  return b.transpose(x, permutation);
}

Value scaleBy(Expansion &b, Value product, float alpha) {
  return alpha == 1 ? product : b.mul(product, b.number(alpha, product));
}

Values expandFusedMatMul(Expansion &b, MsFusedMatMulOp op) {
  Value left = arrange(b, op.getA(), "A", op.getTransA() != 0, op.getTransBatchA() != 0);
  Value right = arrange(b, op.getB(), "B", op.getTransB() != 0, op.getTransBatchB() != 0);
  return {scaleBy(b, b.make("MatMul", {left, right}), op.getAlpha().convertToFloat())};
}

Values expandTransposeMatMul(Expansion &b, MsTransposeMatMulOp op) {
  Value left = arrange(b, op.getA(), "A", op.getTransA() != 0, /*batch=*/false);
  Value right = arrange(b, op.getB(), "B", op.getTransB() != 0, /*batch=*/false);
  return {scaleBy(b, b.make("MatMul", {left, right}), op.getAlpha().convertToFloat())};
}

//===----------------------------------------------------------------------===//
// Weights of few bits
//===----------------------------------------------------------------------===//

/// The matrix of MatMulNBits: how its rows lie in bytes.
struct PackedMatrix {
  int64_t rows, length, blocks, blockSize;
  unsigned bits;
};

/// The zero points as codes, one for each block of a row; those that are floats, as they are.
Value readZeroPoints(Expansion &b, MsMatMulNBitsOp op, const PackedMatrix &matrix) {
  Value given = op.getZeroPoints();
  SmallVector<int64_t> dims = {matrix.rows, matrix.blocks};
  if (!given)
    return makeCodes(b, matrix.bits, dims, uint8_t(1) << (matrix.bits - 1));
  if (isa<FloatType>(b.getElementType(given)))
    return b.reshape(given, dims);
  return unpackCodes(b, given, "zero_points", matrix.bits, dims);
}

/// Codes minus their zero points, times their scales: [rows, blocks * blockSize].
Value dequantizeBlocks(Expansion &b, Value codes, Value scales, Value zeroPoints,
                       const PackedMatrix &matrix) {
  if (!isa<FloatType>(b.getElementType(zeroPoints)))
    return b.make("DequantizeLinear", {codes, scales, zeroPoints},
                  {b.attribute("axis", int64_t{1}), b.attribute("block_size", matrix.blockSize)});
  Type element = b.getElementType(scales);
  SmallVector<int64_t> blocked = {matrix.rows, matrix.blocks, matrix.blockSize},
                       column = {matrix.rows, matrix.blocks, 1};
  Value numbers = b.reshape(b.cast(codes, element), blocked);
  Value centered = b.make("Sub", {numbers, b.reshape(b.cast(zeroPoints, element), column)});
  return b.reshape(b.mul(centered, b.reshape(scales, column)),
                   {matrix.rows, matrix.blocks * matrix.blockSize});
}

Values expandMatMulNBits(Expansion &b, MsMatMulNBitsOp op) {
  if (op.getGIdx())
    return b.unsupported("orders its rows by g_idx; export it without");
  if (op.getWeightPrepacked() != 0)
    return b.unsupported("has weights that ONNX Runtime packed for one machine; save the model "
                         "without session.disable_prepacking being 0");
  int64_t bits = op.getBits(), block = op.getBlockSize(), rows = op.getN(), length = op.getK();
  if (bits != 2 && bits != 4 && bits != 8)
    return b.unsupported("has weights of " + Twine(bits) + " bits (known: 2, 4, 8)");
  if (block < 16 || !llvm::isPowerOf2_64(block) || rows < 1 || length < 1)
    return b.malformed("needs a block_size that is a power of two from 16 on, and positive N and K "
                       "(got " +
                       Twine(block) + ", " + Twine(rows) + " and " + Twine(length) + ")");
  int64_t blocks = (length - 1) / block + 1;
  if (!(CheckedSize(blocks) * block).isValid())
    return b.malformed("has other bytes of B than N, K and block_size say");
  PackedMatrix matrix{rows, length, blocks, block, static_cast<unsigned>(bits)};
  Value zeroPoints = readZeroPoints(b, op, matrix);
  bool areCodes = zeroPoints && !isa<FloatType>(b.getElementType(zeroPoints));
  Value codes =
      unpackCodes(b, op.getB(), "B", matrix.bits, {rows, blocks * block}, areCodes ? length : -1);
  if (!codes || !zeroPoints)
    return {};
  Value scales = b.reshape(op.getScales(), {rows, blocks});
  Value weights = dequantizeBlocks(b, codes, scales, zeroPoints, matrix);
  constexpr int64_t bytes = 4; // of the levels 1 (float) to 4
  if (auto made = weights ? weights.getDefiningOp<DequantizeLinearOp>() : DequantizeLinearOp();
      made && op.getAccuracyLevel() == bytes)
    allowBytes(made);
  if (!areCodes && blocks * block != length)
    weights = b.slice(weights, 1, 0, length);
  Value product = b.make("MatMul", {op.getA(), b.transpose(weights, {1, 0})});
  return {b.addIfThere(product, op.getBias())};
}

constexpr ExpansionRow kRows[] = {
    expansion<MsFusedConvOp, expandFusedConv>(),
    expansion<MsFusedGemmOp, expandFusedGemm>(),
    expansion<MsFusedMatMulOp, expandFusedMatMul>(),
    expansion<MsMatMulNBitsOp, expandMatMulNBits>(),
    expansion<MsNhwcConvOp, expandNhwcConv>(),
    expansion<MsTransposeMatMulOp, expandTransposeMatMul>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getProductExpansions() { return kRows; }
