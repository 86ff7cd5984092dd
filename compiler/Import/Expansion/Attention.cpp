// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in the forms that ONNX Runtime has for whole sequences: as Attention of ONNX over
// [batch, heads, length, size], with a mask that says in one what padding and order forbid. And
// RotaryEmbedding.

#include "Import/Expansion/Heads.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// Part `index` of [batch, length, heads, parts, size].
Value takePart(Expansion &b, Value x, int64_t index) {
  Value part = b.make("Squeeze", {b.slice(x, 3, index, index + 1), b.integers({3})});
  return b.transpose(part, {0, 2, 1, 3});
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Where a padding mask lets a key be seen, as bools that broadcast to [batch, heads, queries,
/// keys]. It is a length for each entry of the batch, or a number for each key, or for each key and
/// query.
Value buildVisible(Expansion &b, Value mask, Value keys, StringRef name) {
  int64_t rank = b.getRank(mask, name);
  if (b.hasFailed())
    return {};
  if (rank == 1) {
    Value positions = b.cast(countUpTo(b, keys), b.getElementType(mask));
    return b.make("Less", {positions, b.reshape(mask, {-1, 1, 1, 1})});
  }
  if (rank != 2 && rank != 3) {
    (void)b.unsupported("has a " + name + " of rank " + Twine(rank) + " (known: 1, 2, 3)");
    return {};
  }
  Value seen = b.cast(mask, b.getBuilder().getI1Type());
  return b.make("Unsqueeze", {seen, rank == 2 ? b.integers({1, 2}) : b.integers({1})});
}

/// The bias of the scores: `fill` where a key is not visible, and `bias`, if there is one.
Value buildBias(Expansion &b, Value visible, double fill, Value bias, Value like) {
  if (!visible)
    return bias;
  Value padding = b.make("Where", {visible, b.number(0, like), b.number(fill, like)});
  return b.addIfThere(padding, bias);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention, Attention, QAttention
//===----------------------------------------------------------------------===//

/// The operands that these operators have in common behind their projections.
struct HeadsOf {
  Value query, key, value;
  Value mask;
  StringRef maskName;
  Value bias, pastKey, pastValue;
  /// The bias of keys that the mask hides; -10000 where it is not given.
  std::optional<llvm::APFloat> fill;
  std::optional<llvm::APFloat> scale;
  bool isCausal;
};

/// The extent of keys, with those of the past, as a tensor of one element.
Value countKeys(Expansion &b, const HeadsOf &heads) {
  Value keys = b.extentOf(heads.key, 2);
  return heads.pastKey ? b.add(b.extentOf(heads.pastKey, 2), keys) : keys;
}

/// Y as [batch, length, heads * size], then the present keys and values.
Values attend(Expansion &b, const HeadsOf &heads) {
  if (bool(heads.pastKey) != bool(heads.pastValue))
    return b.malformed("has one of past_key and past_value");
  Value visible;
  if (heads.mask)
    visible = buildVisible(b, heads.mask, countKeys(b, heads), heads.maskName);
  double fill = heads.fill ? heads.fill->convertToFloat() : -10000;
  Value bias = buildBias(b, visible, fill, heads.bias, heads.query);
  SmallVector<NamedAttribute> attributes = {
      b.attribute("is_causal", static_cast<int64_t>(heads.isCausal))};
  if (heads.scale && !heads.scale->isZero())
    attributes.push_back(b.attribute("scale", *heads.scale));
  Values results = b.makeAll(
      "Attention", 3, {heads.query, heads.key, heads.value, bias, heads.pastKey, heads.pastValue},
      attributes);
  return {joinHeads(b, results[0]), results[1], results[2]};
}

/// The three parts of a bias for queries, keys and values, each one's heads in a row.
Values cutBias(Expansion &b, Value bias, Value query, int64_t heads) {
  if (!bias)
    return {Value(), Value(), Value()};
  bool isPacked = b.getRank(query, "query") == 5;
  std::optional<int64_t> size = b.getExtent(query, -1), all = b.getExtent(bias, 0);
  if (b.hasFailed() || !size || !all) {
    (void)b.unsupported("has a bias for heads whose size only the run knows");
    return Values(3);
  }
  int64_t hidden = isPacked ? heads * *size : *size;
  return cutHeads(b, bias, {hidden, hidden, *all - 2 * hidden});
}

Value withBias(Expansion &b, Value heads, Value bias, int64_t count) {
  return bias ? b.add(heads, b.reshape(bias, {count, 1, -1})) : heads;
}

/// Queries, keys and values as heads, whichever of them are packed into one.
Values unpackOperands(Expansion &b, MsMultiHeadAttentionOp op) {
  int64_t heads = op.getNumHeads();
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  int64_t queryRank = b.getRank(query, "query"), keyRank = key ? b.getRank(key, "key") : 0;
  if (!key && queryRank == 5)
    return {takePart(b, query, 0), takePart(b, query, 1), takePart(b, query, 2)};
  if (queryRank != 3 || !key || (keyRank == 5) == bool(value) || keyRank < 3 || keyRank > 5)
    return b.malformed("needs a query of rank 3 with key and value, or operands that are packed as "
                       "rank 5");
  if (keyRank == 5)
    return {splitHeads(b, query, heads), takePart(b, key, 0), takePart(b, key, 1)};
  if (keyRank == 4)
    return {splitHeads(b, query, heads), key, value};
  return {splitHeads(b, query, heads), splitHeads(b, key, heads), splitHeads(b, value, heads)};
}

Values expandMultiHeadAttention(Expansion &b, MsMultiHeadAttentionOp op) {
  if (op.getPastSequenceLength() || op.getCacheIndirection())
    return b.unsupported("shares its cache among beams; search by the caller");
  if (b.getNode().hasOutput(3))
    return b.unsupported("gives qk, which only debugging reads");
  if (op.getNumHeads() < 1)
    return b.malformed("needs a positive num_heads");
  Values parts = unpackOperands(b, op);
  if (b.hasFailed())
    return {};
  Values bias = cutBias(b, op.getBias(), op.getQuery(), op.getNumHeads());
  // Keys that are heads already have had their bias.
  bool areHeads = op.getKey() && b.getRank(op.getKey(), "key") == 4;
  for (size_t part = 0; part < (areHeads ? 1 : 3); ++part)
    parts[part] = withBias(b, parts[part], bias[part], op.getNumHeads());
  Values results =
      attend(b, {parts[0], parts[1], parts[2], op.getKeyPaddingMask(), "key_padding_mask",
                 op.getAttentionBias(), op.getPastKey(), op.getPastValue(), op.getMaskFilterValue(),
                 op.getScale(), op.getUnidirectional() != 0});
  results.resize(4);
  return results;
}

/// The keys (0) or the values (1) of a cache [2, batch, heads, length, size].
Value takeCache(Expansion &b, Value past, int64_t index) {
  if (!past)
    return {};
  return b.make("Squeeze", {b.slice(past, 0, index, index + 1), b.integers({0})});
}

/// Attention and QAttention behind their product, which gives queries, keys and values in a row.
template <class Op>
Values attendProjected(Expansion &b, Op op, Value projected, ArrayRef<int64_t> sizes,
                       Value attentionBias) {
  if (op.getDoRotary() != 0 || op.getPastPresentShareBuffer().value_or(0) != 0)
    return b.unsupported("turns its heads, or shares a buffer of past and present; "
                         "GroupQueryAttention does both");
  Values parts = cutHeads(b, projected, sizes);
  for (Value &part : parts)
    part = splitHeads(b, part, op.getNumHeads());
  Values results =
      attend(b, {parts[0], parts[1], parts[2], op.getMaskIndex(), "mask_index", attentionBias,
                 takeCache(b, op.getPast(), 0), takeCache(b, op.getPast(), 1),
                 op.getMaskFilterValue(), op.getScale(), op.getUnidirectional() != 0});
  if (!b.getNode().hasOutput(1) || b.hasFailed())
    return {results.front(), Value()};
  Value zero = b.integers({0});
  Value present = b.concat(
      {b.make("Unsqueeze", {results[1], zero}), b.make("Unsqueeze", {results[2], zero})}, 0);
  return {results.front(), present};
}

/// The sizes of queries, keys and values, each of `weights`' third where nothing says more.
SmallVector<int64_t> getProjectedSizes(Expansion &b, Value weights,
                                       std::optional<ArrayRef<int64_t>> given) {
  if (given && !given->empty())
    return llvm::to_vector(*given);
  std::optional<int64_t> all = b.getExtent(weights, 1);
  if (!all || *all % 3 != 0) {
    (void)b.malformed("has weights that are not of queries, keys and values");
    return {};
  }
  return {*all / 3, *all / 3, *all / 3};
}

LogicalResult verifySizes(Expansion &b, ArrayRef<int64_t> sizes, int64_t heads) {
  if (b.hasFailed())
    return failure();
  bool fits = heads >= 1 && sizes.size() == 3 && llvm::all_of(sizes, [&](int64_t size) {
                return size > 0 && size <= kMostHidden && size % heads == 0;
              });
  if (!fits)
    (void)b.malformed("needs a positive num_heads that divides three sizes");
  return success(fits);
}

Values expandAttention(Expansion &b, MsAttentionOp op) {
  if (op.getPastSequenceLength())
    return b.unsupported("shares a buffer of past and present; GroupQueryAttention does so");
  auto sizes = getProjectedSizes(b, op.getWeights(), op.getQkvHiddenSizes());
  if (failed(verifySizes(b, sizes, op.getNumHeads())))
    return {};
  Value projected = b.addIfThere(b.make("MatMul", {op.getInput(), op.getWeights()}), op.getBias());
  return attendProjected(b, op, projected, sizes, op.getAttentionBias());
}

Values expandQAttention(Expansion &b, MsQAttentionOp op) {
  auto sizes = getProjectedSizes(b, op.getWeight(), std::nullopt);
  if (failed(verifySizes(b, sizes, op.getNumHeads())))
    return {};
  Value product = b.make("MatMulInteger", {op.getInput(), op.getWeight(), op.getInputZeroPoint(),
                                           op.getWeightZeroPoint()});
  Value scaled = b.mul(b.cast(product, b.getElementType(op.getBias())),
                       b.mul(op.getInputScale(), op.getWeightScale()));
  return attendProjected(b, op, b.add(scaled, op.getBias()), sizes, Value());
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// How many heads a row of rank 3 has: as many as caches of whole heads divide it into.
int64_t countHeads(Expansion &b, MsRotaryEmbeddingOp op) {
  if (op.getNumHeads() > 0)
    return op.getNumHeads();
  std::optional<int64_t> hidden = b.getExtent(op.getInput(), -1),
                         half = b.getExtent(op.getCosCache(), -1);
  if (hidden && half && *half > 0 && *hidden % (2 * *half) == 0)
    return *hidden / (2 * *half);
  (void)b.unsupported("needs num_heads, or caches whose size is a constant");
  return 0;
}

Values expandRotaryEmbedding(Expansion &b, MsRotaryEmbeddingOp op) {
  if (op.getIsPackedBatching() != 0 || op.getScale().convertToFloat() != 1)
    return b.unsupported("packs its batch, or scales its positions");
  Value x = op.getInput(), positions = op.getPositionIds();
  int64_t rank = b.getRank(x, "input"), positionRank = b.getRank(positions, "position_ids");
  if (b.hasFailed())
    return {};
  int64_t heads = rank == 3 ? countHeads(b, op) : 0;
  if (positionRank < 2)
    positions = countPositions(b, positions, b.extentOf(x, 0), b.extentOf(x, rank == 3 ? 1 : 2));
  return {turnHeads(b, x, op.getCosCache(), op.getSinCache(), positions, op.getInterleaved(),
                    op.getRotaryEmbeddingDim(), heads)};
}

constexpr ExpansionRow kRows[] = {
    expansion<MsAttentionOp, expandAttention>(),
    expansion<MsMultiHeadAttentionOp, expandMultiHeadAttention>(),
    expansion<MsQAttentionOp, expandQAttention>(),
    expansion<MsRotaryEmbeddingOp, expandRotaryEmbedding>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getAttentionExpansions() { return kRows; }
