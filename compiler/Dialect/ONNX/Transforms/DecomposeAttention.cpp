// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as the products, masks and the softmax that ONNX defines it by; rotary embeddings.

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// Both where there are two.
Value conjoin(OnnxBuilder &b, Value left, Value right) {
  return left && right ? b.make<AndOp>(left, right) : left ? left : right;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The operands of one Attention as [batch, heads, length, size], and the steps of its definition.
class AttentionSteps {
public:
  AttentionSteps(OnnxBuilder &b, AttentionOp op);

  SmallVector<Value> build();

private:
  Value unpackHeads(Value x, std::optional<int64_t> heads);
  Value packHeads(Value x);
  /// Heads that read the same keys, one behind the other along the queries: a view.
  Value joinQueries(Value x);
  Value splitQueries(Value x);

  Value multiplyByKeys();
  Value capScores(Value scores);
  /// Where a query may see a key by their positions and by a mask of bools; null for everywhere.
  Value buildVisible();
  /// The summand of the scores, as long as the keys; null for none.
  Value buildBias();
  Value padMask(Value fill);
  /// The softmax of the scores.
  Value buildProbabilities(Value scores);
  /// Where a query sees no key, so that its result is 0; null for nowhere.
  Value buildIsMasked(Value visible, Value bias);

  OnnxBuilder &b;
  AttentionOp op;
  Type element;
  bool isPacked;
  Value q, k, v, offset;
  ExtentAttr batch, queryHeads, keyHeads, queries, keys;
  /// How many heads of queries read each of the keys'.
  ExtentAttr shared;
};

AttentionSteps::AttentionSteps(OnnxBuilder &b, AttentionOp op)
    : b(b), op(op), element(elementTypeOf(op.getQ())),
      isPacked(getExtents(op.getQ())->size() == 3) {
  auto getHeads = [&](Value x, std::optional<int64_t> heads) {
    return isPacked ? b.extent(*heads) : (*getExtents(x))[1];
  };
  queryHeads = getHeads(op.getQ(), op.getQNumHeads());
  keyHeads = getHeads(op.getK(), op.getKvNumHeads());
  // Where only the run knows it, the view that joins them checks that it divides.
  ExtentFacts facts = getSymbolFacts(op);
  shared = provablyEqual(queryHeads, keyHeads, facts)
               ? b.extent(1)
               : simplify(queryHeads.floorDiv(keyHeads.max(1)), facts);
}

SmallVector<Value> AttentionSteps::build() {
  q = unpackHeads(op.getQ(), op.getQNumHeads());
  k = unpackHeads(op.getK(), op.getKvNumHeads());
  v = unpackHeads(op.getV(), op.getKvNumHeads());
  batch = (*getExtents(q))[0];
  queries = (*getExtents(q))[2];
  if (op.getPastKey()) {
    offset = b.number((*getExtents(op.getPastKey()))[2]);
    k = b.make<ConcatOp>(ValueRange{op.getPastKey(), k}, 2);
    v = b.make<ConcatOp>(ValueRange{op.getPastValue(), v}, 2);
  } else if (Value valid = op.getNonpadKvSeqlen()) {
    ExtentAttr one = b.extent(1);
    offset = b.sub(b.reshape(valid, {batch, one, one, one}), b.number(queries));
  }
  keys = (*getExtents(k))[2];

  Value raw = multiplyByKeys();
  Value capped = capScores(raw);
  Value visible = buildVisible(), bias = buildBias();
  Value biased = bias ? b.add(capped, bias) : capped;
  if (visible)
    biased = b.where(visible, biased, b.constant(element, kMinusInfinity));
  Value isMasked = buildIsMasked(visible, bias);
  Value probabilities = buildProbabilities(biased);
  // Zeros are put where least are, behind the product, if nobody else reads the probabilities.
  bool areRead = op.getQkMatmulOutputMode() == 3 && !op.getQkMatmulOutput().use_empty();
  if (isMasked && areRead)
    probabilities = b.where(isMasked, b.constant(element, 0), probabilities);
  Value result = splitQueries(b.make<MatMulOp>(joinQueries(probabilities), b.cast(v, element)));
  if (isMasked && !areRead)
    result = b.where(isMasked, b.constant(element, 0), result);
  Value scores[] = {raw, capped, biased, probabilities};
  return {packHeads(result), k, v, scores[op.getQkMatmulOutputMode()]};
}

Value AttentionSteps::unpackHeads(Value x, std::optional<int64_t> heads) {
  if (!isPacked)
    return x;
  ArrayRef<ExtentAttr> extents = *getExtents(x);
  ExtentAttr size = simplify(extents[2].floorDiv(*heads), getSymbolFacts(op));
  return b.transpose(b.reshape(x, {extents[0], extents[1], b.extent(*heads), size}), {0, 2, 1, 3});
}

Value AttentionSteps::packHeads(Value x) {
  return isPacked ? b.reshape(b.transpose(x, {0, 2, 1, 3}), *getExtents(op.getY())) : x;
}

Value AttentionSteps::joinQueries(Value x) {
  return b.reshape(x, {batch, keyHeads, queries * shared, (*getExtents(x))[3]});
}

Value AttentionSteps::splitQueries(Value x) {
  return b.reshape(x, {batch, queryHeads, queries, (*getExtents(x))[3]});
}

/// A scale of half precision goes into both factors by its root, lest their product overflows; else
/// into the queries alone, which are fewer than keys of a cache.
Value AttentionSteps::multiplyByKeys() {
  ExtentAttr size = (*getExtents(q))[3];
  bool isHalf = element.getIntOrFloatBitWidth() < 32;
  Value scale;
  std::optional<double> known;
  if (std::optional<APFloat> given = op.getScale())
    known = given->convertToFloat();
  else if (std::optional<int64_t> constant = size.getConstant())
    known = 1 / std::sqrt(static_cast<double>(*constant));
  if (known) {
    scale = b.constant(element, isHalf ? std::sqrt(*known) : *known);
  } else {
    Type real = isHalf ? Float32Type::get(element.getContext()) : element;
    Value root = b.sqrt(b.cast(b.number(size), real));
    Value inverse = b.div(b.constant(real, 1), isHalf ? b.sqrt(root) : root);
    scale = b.cast(inverse, element);
  }
  Value scaled = isHalf ? b.mul(k, scale) : k;
  Value product = b.make<MatMulOp>(joinQueries(b.mul(q, scale)), b.transpose(scaled, {0, 1, 3, 2}));
  return splitQueries(product);
}

Value AttentionSteps::capScores(Value scores) {
  double cap = op.getSoftcap().convertToFloat();
  if (!(cap > 0))
    return scores;
  Value limit = b.constant(element, cap);
  return b.mul(b.make<TanhOp>(b.div(scores, limit)), limit);
}

Value AttentionSteps::buildVisible() {
  Value visible;
  if (Value mask = op.getAttnMask(); mask && elementTypeOf(mask).isInteger(1))
    visible = padMask(b.constant(elementTypeOf(mask), 0));
  int64_t left = op.getLeftWindowSize(), right = op.getRightWindowSize();
  if (op.getIsCausal())
    right = 0;
  Value valid = op.getNonpadKvSeqlen();
  if (left < 0 && right < 0 && !valid)
    return visible;
  Value key = b.countAlong(keys, 4, 3), position = b.countAlong(queries, 4, 2);
  if (offset)
    position = b.add(position, offset);
  if (right >= 0) {
    Value last = right == 0 ? position : b.add(position, b.number(b.extent(right)));
    visible = conjoin(b, visible, b.make<LessOrEqualOp>(key, last));
  }
  if (left >= 0) {
    Value first = b.sub(position, b.number(b.extent(left)));
    visible = conjoin(b, visible, b.make<LessOrEqualOp>(first, key));
  }
  if (valid) {
    ExtentAttr one = b.extent(1);
    Value end = b.reshape(valid, {batch, one, one, one});
    visible = conjoin(b, visible, b.make<LessOp>(key, end));
  }
  return visible;
}

Value AttentionSteps::buildBias() {
  Value mask = op.getAttnMask();
  if (!mask || elementTypeOf(mask).isInteger(1))
    return {};
  return b.cast(padMask(b.constant(elementTypeOf(mask), kMinusInfinity)), element);
}

/// The mask may end in front of the last keys.
Value AttentionSteps::padMask(Value fill) {
  Value mask = op.getAttnMask();
  ExtentAttr length = getExtents(mask)->back();
  ExtentAttr missing = simplify(keys - length, getSymbolFacts(op));
  if (missing.isConstant(0))
    return mask;
  return b.make<PadOp>(mask, b.extents({b.extent(0), missing}), fill, b.integers(-1), "constant");
}

Value AttentionSteps::buildProbabilities(Value scores) {
  Type precise = element;
  if (std::optional<int64_t> number = op.getSoftmaxPrecision())
    precise = getElementType(op.getContext(), *number);
  return b.cast(b.make<SoftmaxOp>(b.cast(scores, precise), -1), element);
}

Value AttentionSteps::buildIsMasked(Value visible, Value bias) {
  // Causality alone leaves each query its first key.
  bool seesFirst = !op.getAttnMask() && !op.getNonpadKvSeqlen() && op.getLeftWindowSize() < 0;
  if (seesFirst || (!visible && !bias))
    return {};
  Value nothing = b.constant(element, kMinusInfinity), zero = b.constant(element, 0);
  Value all = visible ? b.where(visible, bias ? bias : zero, nothing) : bias;
  return b.equal(b.reduce<ReduceMaxOp>(all, {-1}), nothing);
}

SmallVector<Value> decomposeAttention(OnnxBuilder &b, AttentionOp op) {
  for (Value value : {op.getQ(), op.getK(), op.getV()})
    if (!getExtents(value))
      return {};
  for (Value value : {op.getAttnMask(), op.getPastKey(), op.getPastValue(), op.getNonpadKvSeqlen()})
    if (value && !getExtents(value))
      return {};
  return AttentionSteps(b, op).build();
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Halves of the last axis, one behind the other, each turned with its counterpart: the rows of 2
/// in the other order are one read, so that all of it is one kernel.
Value turnHalves(OnnxBuilder &b, Value x, Value cosine, Value sine) {
  SmallVector<ExtentAttr> whole(*getExtents(x)), rows(whole), single(*getExtents(cosine));
  ExtentAttr half = single.back();
  int64_t axis = static_cast<int64_t>(whole.size()) - 1;
  rows[axis] = b.extent(2);
  rows.push_back(half);
  single[axis] = b.extent(1);
  single.push_back(half);
  x = b.reshape(x, rows);
  Value others = b.reverse(x, axis);
  Value signs = b.cast(b.floats({-1, 1}, {2, 1}), elementTypeOf(x));
  Value turned = b.add(b.mul(x, b.reshape(cosine, single)),
                       b.mul(b.mul(others, signs), b.reshape(sine, single)));
  return b.reshape(turned, whole);
}

/// The same of neighbours.
Value turnPairs(OnnxBuilder &b, Value x, Value cosine, Value sine) {
  SmallVector<ExtentAttr> whole(*getExtents(x)), pairs(whole), single(whole);
  int64_t axis = static_cast<int64_t>(whole.size());
  pairs.back() = single.back() = getExtents(cosine)->back();
  pairs.push_back(b.extent(2));
  x = b.reshape(x, pairs);
  Value first = b.reshape(b.slice(x, axis, b.extent(0), b.extent(1)), single);
  Value second = b.reshape(b.slice(x, axis, b.extent(1), b.extent(2)), single);
  pairs[axis] = b.extent(1);
  Value real = b.reshape(b.sub(b.mul(cosine, first), b.mul(sine, second)), pairs);
  Value imaginary = b.reshape(b.add(b.mul(sine, first), b.mul(cosine, second)), pairs);
  return b.reshape(b.make<ConcatOp>(ValueRange{real, imaginary}, axis), whole);
}

/// (x1, x2) becomes (cos x1 - sin x2, sin x1 + cos x2), where the two are halves of a head or its
/// even and odd elements.
SmallVector<Value> decomposeRotaryEmbedding(OnnxBuilder &b, RotaryEmbeddingOp op) {
  Value x = op.getX(), cosine = op.getCosCache(), sine = op.getSinCache();
  if (!getExtents(x) || !getExtents(cosine) || !getExtents(sine))
    return {};
  ExtentFacts facts = getSymbolFacts(op);
  ArrayRef<ExtentAttr> whole = *getExtents(x);
  bool isPacked = whole.size() == 3;
  // The axis of heads, which the caches lack.
  unsigned heads = isPacked ? 2 : 1;
  SmallVector<ExtentAttr> extents(whole);
  if (isPacked) {
    extents[2] = b.extent(*op.getNumHeads());
    extents.push_back(simplify(whole[2].floorDiv(*op.getNumHeads()), facts));
  }
  ExtentAttr size = extents[3];
  ExtentAttr turned = op.getRotaryEmbeddingDim() > 0 ? b.extent(op.getRotaryEmbeddingDim()) : size;
  ExtentAttr half = simplify(turned.floorDiv(2), facts);

  auto spread = [&](Value cache) {
    if (op.getPositionIds())
      cache = b.make<GatherOp>(cache, op.getPositionIds(), 0);
    SmallVector<ExtentAttr> aligned(extents);
    aligned[heads] = b.extent(1);
    aligned[3] = half;
    return b.reshape(cache, aligned);
  };
  cosine = spread(cosine), sine = spread(sine);

  x = b.reshape(x, extents);
  Value part = turned == size ? x : b.slice(x, 3, b.extent(0), turned);
  Value result = op.getInterleaved() != 0 ? turnPairs(b, part, cosine, sine)
                                          : turnHalves(b, part, cosine, sine);
  if (turned != size)
    result = b.make<ConcatOp>(ValueRange{result, b.slice(x, 3, turned, size)}, 3);
  return {b.reshape(result, whole)};
}

} // namespace

void cameo::populateAttentionDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<AttentionOp>>(context, decomposeAttention);
  patterns.add<Decomposition<RotaryEmbeddingOp>>(context, decomposeRotaryEmbedding);
}
