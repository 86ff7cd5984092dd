// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention over a cache that new tokens are written into: GroupQueryAttention, whose cache may be
// quantised and whose softmax may have a sink, and SparseAttention, which sees some blocks of keys.

#include "Import/Expansion/Heads.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// The steps that the operators share: heads are split and turned, the new ones are written into
/// the cache, then all of it is read as far as it is filled.
class CachedAttention {
public:
  CachedAttention(Expansion &b, int64_t heads, int64_t shared)
      : b(b), heads(heads), shared(shared) {}

  LogicalResult unpack(Value packed, Value keys, Value values);
  /// `tokens`: for each entry of the batch, how many there are with the new ones.
  void findPositions(Value tokens);
  /// `positions` are those of tokens where they are null.
  void turn(Value cosines, Value sines, Value positions, int64_t interleaved);
  /// `past` with `fresh` in it; as long as `total`, the longest row, where it is shorter.
  Value writeInto(Value past, Value fresh, Value total);
  /// Keys that a query of the mask [batch, heads, queries, keys] may see: none behind its own place
  /// or, of one that is not causal, the last token.
  Value buildVisible(bool isCausal);
  /// The numbers of the present's keys: 0, 1, ....
  Value countKeys() { return countUpTo(b, b.extentOf(key, 2)); }

  Expansion &b;
  int64_t heads, shared;
  Value query, key, value;
  /// The number of new tokens; for each entry of the batch, how many there are with these, and
  /// where the first new one goes.
  Value length, filled, first;
  /// The position of each new token.
  Value places;
};

LogicalResult CachedAttention::unpack(Value packed, Value keys, Value values) {
  int64_t rank = b.getRank(packed, "query");
  if (b.hasFailed())
    return failure();
  if (heads < 1 || heads > kMostHidden || shared < 1 || heads % shared != 0 || rank != 3 ||
      bool(keys) != bool(values))
    return b.malformed("needs operands of rank 3, key and value or none, and a positive "
                       "kv_num_heads that divides num_heads"),
           failure();
  query = packed, key = keys, value = values;
  if (!key) {
    std::optional<int64_t> all = b.getExtent(query, -1);
    if (!all || *all % (heads + 2 * shared) != 0)
      return b.malformed("packs queries, keys and values into what num_heads and kv_num_heads do "
                         "not divide"),
             failure();
    int64_t size = *all / (heads + 2 * shared);
    Values parts = cutHeads(b, query, {heads * size, shared * size, shared * size});
    query = parts[0], key = parts[1], value = parts[2];
  }
  query = splitHeads(b, query, heads);
  key = splitHeads(b, key, shared);
  value = splitHeads(b, value, shared);
  return success(!b.hasFailed());
}

/// A row that is shorter than the tokens that come was padded behind: it starts at 0.
void CachedAttention::findPositions(Value tokens) {
  length = b.extentOf(query, 2);
  filled = tokens;
  first = b.make("Max", {b.make("Sub", {filled, length}), b.integer(0)});
  places = countPositions(b, first, b.extentOf(query, 0), length);
}

void CachedAttention::turn(Value cosines, Value sines, Value positions, int64_t interleaved) {
  if (!cosines || !sines) {
    (void)b.malformed("turns its heads, but has no cos_cache or sin_cache");
    return;
  }
  std::optional<int64_t> half = b.getExtent(cosines, -1), size = b.getExtent(query, -1);
  int64_t turned = half && size && 2 * *half != *size ? 2 * *half : 0;
  for (Value *each : {&query, &key})
    *each = turnHeads(b, *each, cosines, sines, positions ? positions : places, interleaved, turned,
                      /*heads=*/0);
}

/// The room behind a short cache is a tensor of its own, not a Pad, so that the plan sees a cache
/// that is long enough stay as it is.
Value CachedAttention::writeInto(Value past, Value fresh, Value total) {
  if (!past)
    return fresh;
  Value missing = b.make("Max", {b.make("Sub", {total, b.extentOf(past, 2)}), b.integers({0})});
  Value shape = b.concat(
      {b.make("Shape", {past}, {b.attribute("end", int64_t{2})}), missing, b.extentOf(past, 3)}, 0);
  Value blank = b.make("Expand", {b.cast(b.integer(0), b.getElementType(past)), shape});
  return b.make("TensorScatter", {b.concat({past, blank}, 2), fresh, first},
                {b.attribute("axis", int64_t{-2})});
}

Value CachedAttention::buildVisible(bool isCausal) {
  Value end = isCausal ? b.make("Unsqueeze", {places, b.integers({1, 3})})
                       : b.make("Sub", {b.reshape(filled, {-1, 1, 1, 1}), b.integer(1)});
  return b.make("LessOrEqual", {countKeys(), end});
}

Value toIntegers(Expansion &b, Value x, ArrayRef<int64_t> extents) {
  return b.cast(b.reshape(x, extents), b.getBuilder().getI64Type());
}

//===----------------------------------------------------------------------===//
// Quantised caches
//===----------------------------------------------------------------------===//

/// How one of the two caches holds its elements.
class CacheForm {
public:
  /// Fails where ONNX Runtime has no such form.
  static FailureOr<CacheForm> read(Expansion &b, Value past, Value scale, StringRef quantType,
                                   std::optional<int64_t> bits);

  Value store(Expansion &b, Value x) const;
  /// As elements of `like`.
  Value load(Expansion &b, Value cache, Type like) const;

private:
  /// Null for elements that are as they come.
  Value scale;
  Type element;
  bool isPacked = false;
};

FailureOr<CacheForm> CacheForm::read(Expansion &b, Value past, Value scale, StringRef quantType,
                                     std::optional<int64_t> bits) {
  CacheForm form;
  if (quantType == "NONE")
    return form;
  if (!past || !scale || (quantType != "PER_TENSOR" && quantType != "PER_CHANNEL"))
    return b.malformed("has a quantised cache without past_key, past_value and their scales, or of "
                       "a type other than PER_TENSOR and PER_CHANNEL"),
           failure();
  form.scale = scale;
  form.element = b.getElementType(past);
  form.isPacked = form.element.isUnsignedInteger(8);
  if (bits.value_or(8) != (form.isPacked ? 4 : 8))
    return b.malformed("has a cache of other elements than kv_cache_bit_width says: int8 or "
                       "float8e4m3fn of 8 bits, uint8 of two that have 4"),
           failure();
  return form;
}

Value CacheForm::store(Expansion &b, Value x) const {
  if (!scale)
    return x;
  Value steps = b.make("Div", {b.cast(x, b.getElementType(scale)), scale});
  if (isa<FloatType>(element))
    return b.cast(steps, element);
  double most = isPacked ? 7 : 127;
  Value codes =
      b.make("Clip", {b.make("Round", {steps}), b.number(-most - 1, steps), b.number(most, steps)});
  if (!isPacked)
    return b.cast(codes, element);
  // The first of two is in the low bits.
  Value pairs = b.reshape(b.cast(b.add(codes, b.number(8, codes)), element), {0, 0, 0, -1, 2});
  auto take = [&](int64_t index) {
    return b.make("Squeeze", {b.slice(pairs, -1, index, index + 1), b.integers({-1})});
  };
  return b.add(take(0), b.mul(take(1), b.cast(b.integer(16), element)));
}

Value CacheForm::load(Expansion &b, Value cache, Type like) const {
  if (!scale)
    return cache;
  Value codes = cache;
  if (isPacked) {
    Value sixteen = b.cast(b.integer(16), element), last = b.integers({-1});
    Value low = b.make("Unsqueeze", {b.make("Mod", {cache, sixteen}), last});
    Value high = b.make("Unsqueeze", {b.make("Div", {cache, sixteen}), last});
    codes = b.reshape(b.concat({low, high}, -1), {0, 0, 0, -1});
  }
  Value steps = b.cast(codes, b.getElementType(scale));
  if (isPacked)
    steps = b.make("Sub", {steps, b.number(8, steps)});
  return b.cast(b.mul(steps, scale), like);
}

//===----------------------------------------------------------------------===//
// Caches that slide
//===----------------------------------------------------------------------===//

/// A cache of a fixed capacity that drops tokens in front of a window, so many at once that its
/// tokens always begin at row 0, in order. Attention reads its rows and, behind them, the new
/// tokens.
class SlidingCache {
public:
  /// `first` and `places` as of CachedAttention; `filled` are the tokens with the new ones.
  SlidingCache(Expansion &b, int64_t window, Value past, const CachedAttention &steps);

  /// Which keys each query sees, [batch, 1, queries, keys].
  Value buildVisible() const;
  /// The columns of a bias, which are positions, as those of the keys.
  Value takeBias(Value bias) const;
  /// A cache like `past` of the tokens that stay: of all rows, those of the old cache and the new
  /// ones.
  Value keep(Value rows, Value past) const;

private:
  /// How many of the first `tokens` tokens are in the cache.
  Value countResident(Value tokens) const;
  Value asColumn(Value x) const { return b.make("Unsqueeze", {x, b.integers({1})}); }

  Expansion &b;
  int64_t window;
  const CachedAttention &steps;
  Value capacity;
  /// The position of row 0, [batch], and of each key, [batch, keys]: none sees a row without a
  /// token.
  Value begin, positions;
};

SlidingCache::SlidingCache(Expansion &b, int64_t window, Value past, const CachedAttention &steps)
    : b(b), window(window), steps(steps), capacity(b.extentOf(past, 2)) {
  Value resident = countResident(steps.first);
  begin = b.make("Sub", {steps.first, resident});
  Value rows = countUpTo(b, capacity);
  Value old =
      b.make("Where", {b.make("Less", {rows, asColumn(resident)}), b.add(rows, asColumn(begin)),
                       b.integer(std::numeric_limits<int64_t>::max())});
  positions = b.concat({old, steps.places}, 1);
}

/// As the operator's documentation has it: behind the capacity go as many at once as it has more
/// than the window, and one.
Value SlidingCache::countResident(Value tokens) const {
  Value group =
      b.make("Max", {b.make("Sub", {capacity, b.integers({window - 1})}), b.integers({1})});
  Value over = b.make("Max", {b.make("Sub", {tokens, capacity}), b.integers({0})});
  Value steps = b.make("Div", {b.add(over, b.make("Sub", {group, b.integers({1})})), group});
  return b.make("Sub", {tokens, b.mul(steps, group)});
}

Value SlidingCache::buildVisible() const {
  Value keys = b.make("Unsqueeze", {positions, b.integers({1, 2})});
  Value place = b.make("Unsqueeze", {steps.places, b.integers({1, 3})});
  Value behind = b.make("Sub", {place, b.integer(window)});
  return b.make("And", {b.make("LessOrEqual", {keys, place}), b.make("Greater", {keys, behind})});
}

Value SlidingCache::takeBias(Value bias) const {
  Value last = b.make("Sub", {b.extentOf(bias, 3), b.integers({1})});
  Value columns = b.make("Unsqueeze", {b.make("Min", {positions, last}), b.integers({1, 2})});
  Value batch = b.extentOf(positions, 0);
  Value inner = b.make("Shape", {bias}, {b.attribute("start", int64_t{1})});
  Value each = b.make("Expand", {bias, b.concat({batch, inner}, 0)});
  Value shape =
      b.concat({batch, b.extentOf(bias, 1), b.extentOf(bias, 2), b.extentOf(columns, 3)}, 0);
  return b.make("GatherElements", {each, b.make("Expand", {columns, shape})},
                {b.attribute("axis", int64_t{3})});
}

Value SlidingCache::keep(Value rows, Value past) const {
  Value left = b.make("Sub", {steps.filled, countResident(steps.filled)});
  Value wanted = b.add(asColumn(left), countUpTo(b, capacity));
  Value isOld = b.make("Less", {wanted, asColumn(steps.first)});
  Value fresh = b.add(b.make("Sub", {wanted, asColumn(steps.first)}), capacity);
  Value row = b.make("Where", {isOld, b.make("Sub", {wanted, asColumn(begin)}), fresh});
  // Behind the last token any row will do.
  row = b.make("Min", {row, b.make("Sub", {b.extentOf(rows, 2), b.integers({1})})});
  Value index =
      b.make("Expand", {b.make("Unsqueeze", {row, b.integers({1, 3})}), b.make("Shape", {past})});
  return b.make("GatherElements", {rows, index}, {b.attribute("axis", int64_t{2})});
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

class GroupedQueries {
public:
  GroupedQueries(Expansion &b, MsGroupQueryAttentionOp op)
      : b(b), op(op), steps(b, op.getNumHeads(), op.getKvNumHeads()) {}

  Values build();

private:
  bool isSupported();
  void normalizeHeads();
  Value buildVisible();
  Value buildMask(Value visible, Value bias);
  SmallVector<NamedAttribute> getAttributes();
  Value attendWithScores(Value mask, Value visible, Value &scores);

  Expansion &b;
  MsGroupQueryAttentionOp op;
  CachedAttention steps;
};

bool GroupedQueries::isSupported() {
  if (bool(op.getPastKey()) != bool(op.getPastValue()))
    (void)b.malformed("has one of past_key and past_value");
  if (op.getSlidingWindowCache() == 0)
    return !b.hasFailed();
  std::optional<int64_t> capacity =
      op.getPastKey() ? b.getExtent(op.getPastKey(), 2) : std::nullopt;
  int64_t window = op.getLocalWindowSize();
  if (window < 1 || window > kMostHidden || !op.getPastKey() || op.getCausal() == 0 ||
      (capacity && *capacity < window))
    (void)b.malformed("has sliding_window_cache without a causal mask, a positive "
                      "local_window_size, or a past_key of at least that length");
  else if (b.getNode().hasOutput(3))
    (void)b.unsupported("has output_qk of a cache that slides, which Cameo does not have; export "
                        "the model without either");
  return !b.hasFailed();
}

void GroupedQueries::normalizeHeads() {
  auto normalize = [&](Value x, Value weight) {
    return weight ? b.make("RMSNormalization", {x, weight},
                           {b.attribute("epsilon", op.getQkNormEpsilon())})
                  : x;
  };
  steps.query = normalize(steps.query, op.getQNormWeight());
  steps.key = normalize(steps.key, op.getKNormWeight());
}

/// Keys that a query may see, in its window where there is one.
Value GroupedQueries::buildVisible() {
  Value visible = steps.buildVisible(op.getCausal() != 0);
  int64_t window = op.getLocalWindowSize();
  if (window <= 0)
    return visible;
  Value place = b.make("Unsqueeze", {steps.places, b.integers({1, 3})});
  Value begin = b.make("Sub", {place, b.integer(window)});
  return b.make("And", {visible, b.make("Greater", {steps.countKeys(), begin})});
}

/// `visible`, or the bias where there is one, which ends in front of keys that nobody sees.
Value GroupedQueries::buildMask(Value visible, Value bias) {
  if (!bias)
    return visible;
  Value hidden = b.number(-std::numeric_limits<double>::infinity(), bias);
  Value known = b.make("Slice", {visible, b.integers({0}), b.extentOf(bias, -1), b.integers({3})});
  return b.make("Where", {known, bias, hidden});
}

SmallVector<NamedAttribute> GroupedQueries::getAttributes() {
  SmallVector<NamedAttribute> attributes;
  for (auto [name, number] : {std::pair(StringRef("scale"), op.getScale()),
                              std::pair(StringRef("softcap"), op.getSoftcap())})
    if (number && !number->isZero())
      attributes.push_back(b.attribute(name, *number));
  return attributes;
}

/// Attention in steps, for a softmax that has one more number in its sum, and for `scores`, which
/// are those in front of the softmax or behind it.
Value GroupedQueries::attendWithScores(Value mask, Value visible, Value &scores) {
  constexpr int64_t behindMask = 2;
  SmallVector<NamedAttribute> attributes = getAttributes();
  attributes.push_back(b.attribute("qk_matmul_output_mode", behindMask));
  Value masked =
      b.makeAll("Attention", 4, {steps.query, steps.key, steps.value, mask}, attributes)[3];
  Value sink = op.getHeadSink();
  if (!sink && op.getSmoothSoftmax() > 0)
    sink = b.make("Expand", {b.number(0, masked), b.integers({steps.heads})});
  Value weights = masked;
  if (sink) {
    Value rows =
        b.concat({b.make("Shape", {masked}, {b.attribute("end", int64_t{3})}), b.integers({1})}, 0);
    Value column = b.make("Expand", {b.reshape(sink, {1, -1, 1, 1}), rows});
    weights = b.concat({masked, column}, -1);
  }
  weights = b.make("Softmax", {weights});
  if (sink)
    weights = b.slice(weights, -1, 0, -1);
  scores =
      op.getQkOutput() == 1 ? b.make("Where", {visible, masked, b.number(0, masked)}) : weights;
  Value grouped = b.reshape(weights, {0, steps.shared, -1, 0});
  return b.reshape(b.make("MatMul", {grouped, steps.value}), {0, steps.heads, -1, 0});
}

Values GroupedQueries::build() {
  if (!isSupported() || failed(steps.unpack(op.getQuery(), op.getKey(), op.getValue())))
    return {};
  FailureOr<CacheForm> keys = CacheForm::read(b, op.getPastKey(), op.getKScale(),
                                              op.getKQuantType(), op.getKvCacheBitWidth());
  FailureOr<CacheForm> values = CacheForm::read(b, op.getPastValue(), op.getVScale(),
                                                op.getVQuantType(), op.getKvCacheBitWidth());
  if (failed(keys) || failed(values))
    return {};
  normalizeHeads();
  steps.findPositions(b.add(toIntegers(b, op.getSeqlensK(), {-1}), b.integer(1)));
  if (op.getDoRotary() != 0)
    steps.turn(op.getCosCache(), op.getSinCache(), op.getPositionIds(), op.getRotaryInterleaved());
  Type element = b.getElementType(op.getQuery());
  Value freshKey = keys->store(b, steps.key), freshValue = values->store(b, steps.value);
  Value presentKey, presentValue, visible, mask, result, scores;
  auto read = [&](Value key, Value value) {
    steps.key = keys->load(b, key, element);
    steps.value = values->load(b, value, element);
  };
  if (op.getSlidingWindowCache() != 0) {
    SlidingCache cache(b, op.getLocalWindowSize(), op.getPastKey(), steps);
    Value allKeys = b.concat({op.getPastKey(), freshKey}, 2);
    Value allValues = b.concat({op.getPastValue(), freshValue}, 2);
    presentKey = cache.keep(allKeys, op.getPastKey());
    presentValue = cache.keep(allValues, op.getPastValue());
    read(allKeys, allValues);
    visible = cache.buildVisible();
    Value bias = op.getAttentionBias();
    mask = buildMask(visible, bias ? cache.takeBias(bias) : bias);
  } else {
    Value total = toIntegers(b, op.getTotalSequenceLength(), {1});
    presentKey = steps.writeInto(op.getPastKey(), freshKey, total);
    presentValue = steps.writeInto(op.getPastValue(), freshValue, total);
    read(presentKey, presentValue);
    visible = buildVisible();
    mask = buildMask(visible, op.getAttentionBias());
  }
  if (op.getHeadSink() || op.getSmoothSoftmax() > 0 || b.getNode().hasOutput(3))
    result = attendWithScores(mask, visible, scores);
  else
    result = b.make("Attention", {steps.query, steps.key, steps.value, mask}, getAttributes());
  return {joinHeads(b, result), presentKey, presentValue, scores};
}

Values expandGroupQueryAttention(Expansion &b, MsGroupQueryAttentionOp op) {
  return GroupedQueries(b, op).build();
}

//===----------------------------------------------------------------------===//
// SparseAttention
//===----------------------------------------------------------------------===//

/// Which blocks of keys the queries of a block see, [layouts, blocks, blocks], of a table of rows:
/// where each one's columns begin in the list of these.
Value readBlocks(Expansion &b, Value rows, Value columns) {
  Value numbers = countUpTo(b, b.extentOf(columns, 1));
  Value begins = b.make("Unsqueeze", {b.slice(rows, 1, 0, -1), b.integers({2})});
  Value ends = b.make("Unsqueeze",
                      {b.slice(rows, 1, 1, std::numeric_limits<int64_t>::max()), b.integers({2})});
  Value isListed =
      b.make("And", {b.make("LessOrEqual", {begins, numbers}), b.make("Less", {numbers, ends})});
  Value blocks = b.make("Sub", {b.extentOf(rows, 1), b.integers({1})});
  Value names =
      b.make("Equal", {b.make("Unsqueeze", {columns, b.integers({2})}), countUpTo(b, blocks)});
  Type number = b.getBuilder().getF32Type();
  Value counts = b.make("MatMul", {b.cast(isListed, number), b.cast(names, number)});
  return b.make("Greater", {counts, b.number(0, counts)});
}

Values expandSparseAttention(Expansion &b, MsSparseAttentionOp op) {
  CachedAttention steps(b, op.getNumHeads(), op.getKvNumHeads());
  if (failed(steps.unpack(op.getQuery(), op.getKey(), op.getValue())))
    return {};
  std::optional<int64_t> layouts = b.getExtent(op.getBlockRowIndices(), 0);
  int64_t size = op.getSparseBlockSize();
  if (!layouts || *layouts < 1 || steps.heads % *layouts != 0 || size < 1)
    return b.malformed("needs block_row_indices of a number of layouts that divides num_heads, and "
                       "a positive sparse_block_size");
  steps.findPositions(toIntegers(b, op.getKeyTotalSequenceLengths(), {-1}));
  if (op.getDoRotary() != 0)
    steps.turn(op.getCosCache(), op.getSinCache(), /*positions=*/{}, op.getRotaryInterleaved());
  Value total = toIntegers(b, op.getTotalSequenceLength(), {1});
  steps.key = steps.writeInto(op.getPastKey(), steps.key, total);
  steps.value = steps.writeInto(op.getPastValue(), steps.value, total);

  Type i64 = b.getBuilder().getI64Type();
  Value blocks =
      readBlocks(b, b.cast(op.getBlockRowIndices(), i64), b.cast(op.getBlockColIndices(), i64));
  auto getBlock = [&](Value position) { return b.make("Div", {position, b.integer(size)}); };
  Value rows =
      b.make("Gather", {blocks, getBlock(steps.places)}, {b.attribute("axis", int64_t{1})});
  Value seen =
      b.make("Gather", {rows, getBlock(steps.countKeys())}, {b.attribute("axis", int64_t{3})});
  // Heads take layouts in turn: [layouts, batch, queries, keys] becomes [batch, heads, ...].
  Value inHeads = b.make(
      "Tile", {b.transpose(seen, {1, 0, 2, 3}), b.integers({1, steps.heads / *layouts, 1, 1})});
  Value mask = b.make("And", {inHeads, steps.buildVisible(/*isCausal=*/true)});
  SmallVector<NamedAttribute> attributes;
  if (op.getScale() && !op.getScale()->isZero())
    attributes.push_back(b.attribute("scale", *op.getScale()));
  Value result = b.make("Attention", {steps.query, steps.key, steps.value, mask}, attributes);
  return {joinHeads(b, result), steps.key, steps.value};
}

constexpr ExpansionRow kRows[] = {
    expansion<MsGroupQueryAttentionOp, expandGroupQueryAttention>(),
    expansion<MsSparseAttentionOp, expandSparseAttention>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getCachedAttentionExpansions() { return kRows; }
