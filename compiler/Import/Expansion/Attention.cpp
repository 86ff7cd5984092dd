// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in the forms that ONNX Runtime has: as Attention of ONNX over [batch, heads, length,
// size], with a mask that says in one what padding, order and windows forbid.

#include "Import/Expansion/Expansion.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// The largest number of heads, or of elements that all of them have, so that sums of these fit.
constexpr int64_t kMostHidden = int64_t{1} << 40;

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// [batch, length, heads * size] as [batch, heads, length, size].
Value splitHeads(Expansion &b, Value x, int64_t heads) {
  return b.transpose(b.reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

/// The way back.
Value joinHeads(Expansion &b, Value x) {
  return b.reshape(b.transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

/// Part `index` of [batch, length, heads, parts, size].
Value takePart(Expansion &b, Value x, int64_t index) {
  Value part = b.make("Squeeze", {b.slice(x, 3, index, index + 1), b.integers({3})});
  return b.transpose(part, {0, 2, 1, 3});
}

/// Neighbouring parts of the last axis, of these sizes.
Values cut(Expansion &b, Value x, ArrayRef<int64_t> sizes) {
  Values parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    parts.push_back(b.slice(x, -1, begin, begin + size));
    begin += size;
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// 0, 1, ... below an extent, as a tensor of rank 1.
Value countUpTo(Expansion &b, Value extent) {
  Value end = b.make("Squeeze", {extent, b.integers({0})});
  return b.make("Range", {b.integer(0), end, b.integer(1)});
}

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
  return cut(b, bias, {hidden, hidden, *all - 2 * hidden});
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
  Values parts = cut(b, projected, sizes);
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

Value turn(Expansion &b, Value x, Value cosines, Value sines, Value positions, int64_t interleaved,
           int64_t turned, int64_t heads) {
  SmallVector<NamedAttribute> attributes = {b.attribute("interleaved", interleaved),
                                            b.attribute("rotary_embedding_dim", turned)};
  if (heads > 0)
    attributes.push_back(b.attribute("num_heads", heads));
  return b.make("RotaryEmbedding", {x, cosines, sines, positions}, attributes);
}

/// From where the first token of each row stands, where all of them do.
Value countPositions(Expansion &b, Value first, Value batch, Value length) {
  Value places = b.add(b.reshape(first, {-1, 1}),
                       b.make("Unsqueeze", {countUpTo(b, length), b.integers({0})}));
  return b.make("Expand", {places, b.concat({batch, length}, 0)});
}

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
  return {turn(b, x, op.getCosCache(), op.getSinCache(), positions, op.getInterleaved(),
               op.getRotaryEmbeddingDim(), heads)};
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

/// One GroupQueryAttention on its way: new tokens are written into the cache, then all of it is
/// read as far as it is filled.
class GroupedQueries {
public:
  GroupedQueries(Expansion &b, MsGroupQueryAttentionOp op) : b(b), op(op) {}

  Values build();

private:
  bool isSupported();
  LogicalResult unpack();
  void normalizeHeads();
  void findPositions();
  void turnHeads();
  Value writeInto(Value past, Value fresh);
  Value buildMask();

  Expansion &b;
  MsGroupQueryAttentionOp op;
  Value query, key, value;
  /// The number of new tokens; for each entry of the batch, how many there are with these, and
  /// where the first new one goes.
  Value length, filled, first;
  /// The position of each new token.
  Value places;
};

bool GroupedQueries::isSupported() {
  StringRef reason = op.getHeadSink() || op.getSmoothSoftmax() > 0 ? "adds a sink to its softmax"
                     : op.getKScale() || op.getVScale() || op.getKQuantType() != "NONE" ||
                             op.getVQuantType() != "NONE"
                         ? "has a quantised cache"
                     : op.getQkOutput() != 0 || b.getNode().hasOutput(3) ? "gives its scores"
                     : op.getSlidingWindowCache() != 0 ? "has a cache that wraps around"
                                                       : "";
  if (!reason.empty())
    (void)b.unsupported(reason + ", which Cameo does not have yet; export the model without");
  return reason.empty();
}

LogicalResult GroupedQueries::unpack() {
  int64_t heads = op.getNumHeads(), shared = op.getKvNumHeads();
  int64_t rank = b.getRank(op.getQuery(), "query");
  if (b.hasFailed())
    return failure();
  if (heads < 1 || heads > kMostHidden || shared < 1 || heads % shared != 0 || rank != 3 ||
      bool(op.getKey()) != bool(op.getValue()) || bool(op.getPastKey()) != bool(op.getPastValue()))
    return b.malformed(
               "needs operands of rank 3, key and value or none, past_key and past_value or "
               "none, and a positive kv_num_heads that divides num_heads"),
           failure();
  query = op.getQuery(), key = op.getKey(), value = op.getValue();
  if (!key) {
    std::optional<int64_t> all = b.getExtent(query, -1);
    if (!all || *all % (heads + 2 * shared) != 0)
      return b.malformed("packs queries, keys and values into what num_heads and kv_num_heads do "
                         "not divide"),
             failure();
    int64_t size = *all / (heads + 2 * shared);
    Values parts = cut(b, query, {heads * size, shared * size, shared * size});
    query = parts[0], key = parts[1], value = parts[2];
  }
  query = splitHeads(b, query, heads);
  key = splitHeads(b, key, shared);
  value = splitHeads(b, value, shared);
  return success(!b.hasFailed());
}

void GroupedQueries::normalizeHeads() {
  auto normalize = [&](Value x, Value weight) {
    return weight ? b.make("RMSNormalization", {x, weight},
                           {b.attribute("epsilon", op.getQkNormEpsilon())})
                  : x;
  };
  query = normalize(query, op.getQNormWeight());
  key = normalize(key, op.getKNormWeight());
}

/// A row that is shorter than the tokens that come was padded behind: it starts at 0.
void GroupedQueries::findPositions() {
  length = b.extentOf(query, 2);
  Type i64 = b.getBuilder().getI64Type();
  filled = b.add(b.cast(b.reshape(op.getSeqlensK(), {-1}), i64), b.integer(1));
  first = b.make("Max", {b.make("Sub", {filled, length}), b.integer(0)});
  places = countPositions(b, first, b.extentOf(query, 0), length);
}

void GroupedQueries::turnHeads() {
  if (op.getDoRotary() == 0)
    return;
  if (!op.getCosCache() || !op.getSinCache()) {
    (void)b.malformed("turns its heads, but has no cos_cache or sin_cache");
    return;
  }
  Value positions = op.getPositionIds() ? op.getPositionIds() : places;
  std::optional<int64_t> half = b.getExtent(op.getCosCache(), -1);
  std::optional<int64_t> size = b.getExtent(query, -1);
  int64_t turned = half && size && 2 * *half != *size ? 2 * *half : 0;
  for (Value *each : {&query, &key})
    *each = turn(b, *each, op.getCosCache(), op.getSinCache(), positions, op.getRotaryInterleaved(),
                 turned, /*heads=*/0);
}

/// The cache grows to the longest row where it is shorter.
Value GroupedQueries::writeInto(Value past, Value fresh) {
  if (!past)
    return fresh;
  Value total = b.cast(b.reshape(op.getTotalSequenceLength(), {1}), b.getBuilder().getI64Type());
  Value missing = b.make("Max", {b.make("Sub", {total, b.extentOf(past, 2)}), b.integers({0})});
  Value grown =
      b.make("Pad", {past, b.concat({b.integers({0}), missing}, 0), Value(), b.integers({2})});
  return b.make("TensorScatter", {grown, fresh, first}, {b.attribute("axis", int64_t{-2})});
}

/// Which keys a query may see: none behind its own place, none in front of its window.
Value GroupedQueries::buildMask() {
  Value keys = countUpTo(b, b.extentOf(key, 2));
  Value place = b.make("Unsqueeze", {places, b.integers({1, 3})});
  Value end =
      op.getCausal() != 0 ? place : b.make("Sub", {b.reshape(filled, {-1, 1, 1, 1}), b.integer(1)});
  Value visible = b.make("LessOrEqual", {keys, end});
  if (int64_t window = op.getLocalWindowSize(); window > 0)
    visible = b.make(
        "And", {visible, b.make("Greater", {keys, b.make("Sub", {place, b.integer(window)})})});
  Value bias = op.getAttentionBias();
  if (!bias)
    return visible;
  Value hidden = b.number(-std::numeric_limits<double>::infinity(), bias);
  // Behind the bias there is nothing to see.
  Value known = b.make("Slice", {visible, b.integers({0}), b.extentOf(bias, -1), b.integers({3})});
  return b.make("Where", {known, bias, hidden});
}

Values GroupedQueries::build() {
  if (!isSupported() || failed(unpack()))
    return {};
  normalizeHeads();
  findPositions();
  turnHeads();
  key = writeInto(op.getPastKey(), key);
  value = writeInto(op.getPastValue(), value);
  SmallVector<NamedAttribute> attributes;
  for (auto [name, number] : {std::pair(StringRef("scale"), op.getScale()),
                              std::pair(StringRef("softcap"), op.getSoftcap())})
    if (number && !number->isZero())
      attributes.push_back(b.attribute(name, *number));
  Value result = b.make("Attention", {query, key, value, buildMask()}, attributes);
  return {joinHeads(b, result), key, value, Value()};
}

Values expandGroupQueryAttention(Expansion &b, MsGroupQueryAttentionOp op) {
  return GroupedQueries(b, op).build();
}

constexpr ExpansionRow kRows[] = {
    expansion<MsAttentionOp, expandAttention>(),
    expansion<MsGroupQueryAttentionOp, expandGroupQueryAttention>(),
    expansion<MsMultiHeadAttentionOp, expandMultiHeadAttention>(),
    expansion<MsQAttentionOp, expandQAttention>(),
    expansion<MsRotaryEmbeddingOp, expandRotaryEmbedding>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getAttentionExpansions() { return kRows; }
