// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of attention: heads are an axis of their own, or packed into the last one.

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The extents of queries, keys or values, whichever way heads are packed.
struct Heads {
  ExtentAttr batch, heads, length, size;
};

/// The parts of a packed extent; fails when `count` is known not to divide it.
FailureOr<ExtentAttr> unpack(ExtentInference &infer, ExtentAttr packed, int64_t count,
                             StringRef tag) {
  std::optional<int64_t> extent = packed.getConstant();
  if (extent && *extent % count != 0)
    return infer.emitError() << "has a number of heads that does not divide an extent (" << tag
                             << ", got " << count << " and " << *extent << ")";
  return simplify(packed.floorDiv(count), infer.facts());
}

/// Reads `value`; everything is unknown when the rank is.
FailureOr<Heads> readHeads(ExtentInference &infer, Value value, std::optional<int64_t> heads,
                           StringRef tag) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(value);
  if (!extents)
    return Heads{infer.unknown(), infer.unknown(), infer.unknown(), infer.unknown()};
  if (extents->size() == 4)
    return Heads{(*extents)[0], (*extents)[1], (*extents)[2], (*extents)[3]};
  if (!heads || *heads < 1)
    return infer.emitError() << "needs a positive number of heads (" << tag << ")";
  FailureOr<ExtentAttr> size = unpack(infer, (*extents)[2], *heads, tag);
  if (failed(size))
    return failure();
  return Heads{(*extents)[0], infer.constant(*heads), (*extents)[1], *size};
}

/// Whether an element type, by its number, is one that softmax may be computed in.
bool isSoftmaxPrecision(int64_t number) { return llvm::is_contained({1, 10, 11, 16}, number); }

LogicalResult verifyAttentionAttributes(ExtentInference &infer, AttentionOp op) {
  int64_t mode = op.getQkMatmulOutputMode();
  if (mode < 0 || mode > 3)
    return infer.emitError() << "has qk_matmul_output_mode out of range (C7, got " << mode
                             << ", need 0 to 3)";
  std::optional<int64_t> precision = op.getSoftmaxPrecision();
  if (precision && !isSoftmaxPrecision(*precision))
    return infer.emitError() << "has a softmax_precision that is no float type (C7, got "
                             << *precision << ")";
  for (int64_t size : {op.getLeftWindowSize(), op.getRightWindowSize()})
    if (size < -1)
      return infer.emitError() << "has a window size out of range (C7, got " << size
                               << ", need at least -1)";
  if (!op.getPastKey() != !op.getPastValue() || (op.getPastKey() && op.getNonpadKvSeqlen()))
    return infer.emitError() << "needs past_key and past_value together, and not with "
                             << "nonpad_kv_seqlen (C4)";
  return success();
}

/// That a gate of LinearAttention is [batch, length, heads], or has `other` as its last extent
/// (C6).
LogicalResult verifyGate(ExtentInference &infer, Value gate, const Heads &keys, ExtentAttr other,
                         StringRef name) {
  if (failed(infer.requireRank(gate, name, 3, 3)) ||
      failed(infer.requireShape(gate, {keys.batch, keys.length, infer.unknown()}, name)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = gate ? infer.extents(gate) : std::nullopt;
  std::optional<int64_t> got = extents ? extents->back().getConstant() : std::nullopt;
  std::optional<int64_t> heads = keys.heads.getConstant(), size = other.getConstant();
  if (!got || !heads || !size || got == heads || got == size)
    return success();
  return infer.emitError() << "has a " << name << " of another size (got " << *got << ", need "
                           << *heads << " or " << *size << ")";
}

/// Whether query heads can share key heads (C3).
LogicalResult verifySharing(ExtentInference &infer, ExtentAttr queries, ExtentAttr keys,
                            StringRef tag) {
  std::optional<int64_t> q = queries.getConstant(), kv = keys.getConstant();
  if (q && kv && (*kv < 1 || *q % *kv != 0))
    return infer.emitError() << "has heads that cannot be shared (" << tag << ", got " << *q
                             << " and " << *kv << ")";
  return success();
}

/// Whether a mask fits scores of the extents `scores` (C6).
LogicalResult verifyMask(ExtentInference &infer, Value mask, ArrayRef<ExtentAttr> scores) {
  std::optional<ArrayRef<ExtentAttr>> extents = mask ? infer.extents(mask) : std::nullopt;
  if (!extents)
    return success();
  for (auto [got, need] :
       llvm::zip_equal(extents->drop_back(), scores.take_back(extents->size()).drop_back()))
    if (failed(infer.requireBroadcast(got, need, "attn_mask (C6)")))
      return failure();
  std::optional<int64_t> got = extents->back().getConstant(), most = scores.back().getConstant();
  if (got && most && *got > *most)
    return infer.emitError() << "has an attn_mask that is longer than the keys (C6, got " << *got
                             << ", need at most " << *most << ")";
  return success();
}

} // namespace

LogicalResult AttentionOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyAttentionAttributes(infer, *this)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> rankOf = infer.extents(getQ());
  int64_t least = rankOf ? rankOf->size() : 3, most = rankOf ? rankOf->size() : 4;
  if (failed(infer.requireRank(getQ(), "Q (C1)", 3, 4)) ||
      failed(infer.requireRank(getK(), "K (C1)", least, most)) ||
      failed(infer.requireRank(getV(), "V (C1)", least, most)) ||
      failed(infer.requireRank(getAttnMask(), "attn_mask (C6)", 1, 4)))
    return failure();
  FailureOr<Heads> q = readHeads(infer, getQ(), getQNumHeads(), "C2");
  FailureOr<Heads> k = failed(q) ? q : readHeads(infer, getK(), getKvNumHeads(), "C2");
  FailureOr<Heads> v = failed(k) ? k : readHeads(infer, getV(), getKvNumHeads(), "C2");
  if (failed(v))
    return failure();
  if (failed(infer.requireEqual(k->batch, q->batch, "the batch of Q (C1)")) ||
      failed(infer.requireEqual(v->batch, q->batch, "the batch of Q (C1)")) ||
      failed(infer.requireEqual(v->length, k->length, "the length of K (C1)")) ||
      failed(infer.requireEqual(v->heads, k->heads, "the heads of K (C1)")) ||
      failed(infer.requireEqual(k->size, q->size, "a head of Q (C1)")) ||
      failed(verifySharing(infer, q->heads, k->heads, "C3")) ||
      failed(infer.requireShape(getNonpadKvSeqlen(), {q->batch}, "nonpad_kv_seqlen (C5)")))
    return failure();
  ExtentAttr total = k->length;
  if (getPastKey()) {
    std::optional<ArrayRef<ExtentAttr>> past = infer.extents(getPastKey());
    ExtentAttr before = past && past->size() == 4 ? (*past)[2] : infer.unknown();
    if (failed(infer.requireShape(getPastKey(), {q->batch, k->heads, before, k->size},
                                  "past_key (C4)")) ||
        failed(infer.requireShape(getPastValue(), {q->batch, k->heads, before, v->size},
                                  "past_value (C4)")))
      return failure();
    total = before + k->length;
  }
  if (failed(verifyMask(infer, getAttnMask(), {q->batch, q->heads, q->length, total})))
    return failure();
  Type keyType = infer.elementType(0), valueType = elementTypeOf(getV());
  if (!rankOf)
    infer.setUnranked(0, keyType);
  else if (rankOf->size() == 4)
    infer.setResult(0, keyType, {q->batch, q->heads, q->length, v->size});
  else
    infer.setResult(0, keyType, {q->batch, q->length, q->heads * v->size});
  // Without a past these are keys and values themselves.
  bool isPast = bool(getPastKey());
  infer.setResult(1, keyType, {isPast ? q->batch : k->batch, k->heads, total, k->size});
  infer.setResult(2, valueType,
                  {isPast ? q->batch : v->batch, isPast ? k->heads : v->heads,
                   isPast ? total : v->length, v->size});
  infer.setResult(3, keyType, {q->batch, q->heads, q->length, total});
  return success();
}

Type FlexAttentionOp::getPreciseType() {
  MLIRContext *context = getContext();
  Type element = elementTypeOf(getQ());
  std::optional<int64_t> number = getSoftmaxPrecision();
  if (!number)
    return element.isF64() ? element : Float32Type::get(context);
  return isSoftmaxPrecision(*number) ? getElementType(context, *number) : Type();
}

SmallVector<Type> FlexAttentionOp::getBodyArgumentTypes(ExtentInference &infer) {
  Type precise = getPreciseType();
  std::optional<ArrayRef<ExtentAttr>> q = infer.extents(getQ()), k = infer.extents(getK());
  if (!precise)
    return {};
  if (!q || !k || q->size() != 4 || k->size() != 4)
    return {SymTensorType::get(precise)};
  return {SymTensorType::get({(*q)[0], (*q)[1], (*q)[2], (*k)[2]}, precise)};
}

/// Fails when a position that is known is beyond a cache (C4).
static LogicalResult verifyPositions(ExtentInference &infer, RotaryEmbeddingOp op) {
  std::optional<ExtentValues> positions =
      op.getPositionIds() ? infer.values(op.getPositionIds()) : std::nullopt;
  for (Value cache : {op.getCosCache(), op.getSinCache()}) {
    std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(cache);
    std::optional<int64_t> length = extents ? extents->front().getConstant() : std::nullopt;
    for (ExtentAttr position : positions.value_or(ExtentValues())) {
      std::optional<int64_t> known = position.getConstant();
      if (length && known && (*known < 0 || *known >= *length))
        return infer.emitError() << "has a position beyond its cache (C4, got " << *known
                                 << ", need [0, " << *length << "))";
    }
  }
  return success();
}

LogicalResult RotaryEmbeddingOp::inferExtents(ExtentInference &infer) {
  infer.setType(0, getX().getType());
  if (failed(infer.requireRank(getX(), "X (C1)", 3, 4)))
    return failure();
  FailureOr<Heads> x = readHeads(infer, getX(), getNumHeads(), "C1");
  if (failed(x))
    return failure();
  int64_t part = getRotaryEmbeddingDim();
  std::optional<int64_t> size = x->size.getConstant();
  if (part < 0 || part % 2 != 0 || (size && part > *size) || (part == 0 && size && *size % 2 != 0))
    return infer.emitError() << "has rotary_embedding_dim out of range or odd (C2, got " << part
                             << " of " << x->size.str() << ")";
  ExtentAttr turned = part != 0 ? infer.constant(part) : x->size;
  ExtentAttr half = simplify(turned.floorDiv(2), infer.facts());
  SmallVector<ExtentAttr> cache = {x->batch, x->length, half};
  if (getPositionIds())
    cache = {infer.unknown(), half};
  if (failed(infer.requireShape(getCosCache(), cache, "cos_cache (C3)")) ||
      failed(infer.requireShape(getSinCache(), cache, "sin_cache (C3)")))
    return failure();
  if (failed(infer.requireShape(getPositionIds(), {x->batch, x->length}, "position_ids (C4)")))
    return failure();
  return verifyPositions(infer, *this);
}

LogicalResult LinearAttentionOp::inferExtents(ExtentInference &infer) {
  bool gated = getUpdateRule() == "gated" || getUpdateRule() == "gated_delta";
  bool delta = getUpdateRule() == "delta" || getUpdateRule() == "gated_delta";
  if (!gated && !delta && getUpdateRule() != "linear")
    return infer.emitError() << "has an unknown update_rule (C4) (got "
                             << cameo::quoteText(getUpdateRule()) << ")";
  if (gated != bool(getDecay()) || delta != bool(getBeta()))
    return infer.emitError() << "lacks decay or beta, or has one that its rule does not (C4)";
  if (getChunkSize() < 1)
    return infer.emitError() << "has a chunk_size that is not positive (C5)";
  for (Value value : {getQuery(), getKey(), getValue()})
    if (failed(infer.requireRank(value, "query, key or value (C1)", 3, 3)))
      return failure();
  FailureOr<Heads> q = readHeads(infer, getQuery(), getQNumHeads(), "C2");
  FailureOr<Heads> k = failed(q) ? q : readHeads(infer, getKey(), getKvNumHeads(), "C2");
  FailureOr<Heads> v = failed(k) ? k : readHeads(infer, getValue(), getKvNumHeads(), "C2");
  if (failed(v) || failed(verifySharing(infer, q->heads, k->heads, "C2")) ||
      failed(infer.requireEqual(k->size, q->size, "a head of query (C2)")))
    return failure();
  for (const Heads &heads : {*k, *v})
    if (failed(infer.requireEqual(heads.batch, q->batch, "the batch of query (C1)")) ||
        failed(infer.requireEqual(heads.length, q->length, "the length of query (C1)")))
      return failure();
  SmallVector<ExtentAttr> state = {q->batch, k->heads, k->size, v->size};
  if (failed(infer.requireShape(getPastState(), state, "past_state (C3)")))
    return failure();
  if (failed(verifyGate(infer, getDecay(), *k, k->heads * k->size, "decay (C6)")) ||
      failed(verifyGate(infer, getBeta(), *k, infer.constant(1), "beta (C6)")))
    return failure();
  Type element = infer.elementType(0);
  infer.setResult(0, element, {q->batch, q->length, q->heads * v->size});
  infer.setResult(1, getPastState() ? elementTypeOf(getPastState()) : element, state);
  return success();
}

LogicalResult CausalConvWithStateOp::inferExtents(ExtentInference &infer) {
  if (!llvm::is_contained({"silu", "swish", "none"}, getActivation()))
    return infer.emitError() << "has an unknown activation (C3) (got "
                             << cameo::quoteText(getActivation()) << ")";
  if (failed(infer.requireRank(getInput(), "input (C1)", 3, 3)) ||
      failed(infer.requireRank(getWeight(), "weight (C1)", 3, 3)))
    return failure();
  infer.setType(0, getInput().getType());
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput()),
                                      weight = infer.extents(getWeight());
  ExtentAttr unknown = infer.unknown();
  ExtentAttr batch = input ? (*input)[0] : unknown, channels = input ? (*input)[1] : unknown;
  ExtentAttr kernel = weight ? (*weight)[2] : unknown;
  if (kernel.isConstant(0))
    return infer.emitError() << "has a kernel without elements (C1)";
  SmallVector<ExtentAttr> state = {batch, channels, kernel - 1};
  if (failed(
          infer.requireShape(getWeight(), {channels, infer.constant(1), kernel}, "weight (C1)")) ||
      failed(infer.requireShape(getBias(), {channels}, "bias (C2)")) ||
      failed(infer.requireShape(getPastState(), state, "past_state (C2)")))
    return failure();
  infer.setResult(1, infer.elementType(0), state);
  return success();
}
