// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixtures of experts: every expert is computed for every token, and those that a router has not
// chosen have weight 0, since how many tokens go to each only the run knows.

#include "Import/Expansion/Expansion.h"
#include "Import/Expansion/PackedBits.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// The longest row of packed weights, so that the number of its elements fits.
constexpr int64_t kMostBytes = int64_t{1} << 40;

/// One product of all experts: weights [experts, out, in], and a bias [experts, out] or null.
struct Layer {
  Value weights, bias;

  explicit operator bool() const { return weights != nullptr; }
};

/// [1 or experts, tokens, in] becomes [experts, tokens, out].
Value apply(Expansion &b, const Layer &layer, Value x) {
  Value product = b.make("MatMul", {x, b.transpose(layer.weights, {0, 2, 1})});
  return layer.bias ? b.add(product, b.make("Unsqueeze", {layer.bias, b.integers({1})})) : product;
}

/// MoE or QMoE, whose weights and attributes are alike.
template <class Op> class Mixture {
public:
  Mixture(Expansion &b, Op op, Layer fc1, Layer fc2, Layer fc3)
      : b(b), op(op), fc1(fc1), fc2(fc2), fc3(fc3) {}

  /// `routed`: [tokens, experts], how much of each expert a token takes.
  Value build(Value routed);

private:
  Value activate(Value x);
  Value gate(Value gates, Value linear);
  Value gateFused(Value both);

  Expansion &b;
  Op op;
  Layer fc1, fc2, fc3;
};

template <class Op> Value Mixture<Op>::activate(Value x) {
  StringRef type = op.getActivationType();
  if (type == "relu")
    return b.make("Relu", {x});
  if (type == "gelu")
    return b.make("Gelu", {x}, {b.attribute("approximate", "tanh")});
  if (type == "silu")
    return b.make("Swish", {x});
  if (type == "identity")
    return x;
  (void)b.malformed("has an unknown activation_type (known: relu, gelu, silu, swiglu, identity)");
  return {};
}

/// gates * sigmoid(alpha * gates) * (linear + beta), both of them bounded first.
template <class Op> Value Mixture<Op>::gate(Value gates, Value linear) {
  if (std::optional<llvm::APFloat> limit = op.getSwigluLimit()) {
    double most = limit->convertToFloat();
    gates = b.make("Min", {gates, b.number(most, gates)});
    linear = b.make("Clip", {linear, b.number(-most, linear), b.number(most, linear)});
  }
  Value swish = b.make("Swish", {gates}, {b.attribute("alpha", op.getActivationAlpha())});
  double beta = op.getActivationBeta().convertToFloat();
  return b.mul(swish, beta == 0 ? linear : b.add(linear, b.number(beta, linear)));
}

/// Gates and what they gate are neighbours in a row (1) or its halves (2).
template <class Op> Value Mixture<Op>::gateFused(Value both) {
  std::optional<int64_t> size = b.getExtent(fc1.weights, 1);
  if (!size || *size % 2 != 0) {
    (void)b.malformed("has fc1_experts_weights that are not pairs of gates and what they gate");
    return {};
  }
  if (op.getSwigluFusion() == 2)
    return gate(b.slice(both, -1, 0, *size / 2), b.slice(both, -1, *size / 2, *size));
  Value pairs = b.reshape(both, {0, 0, -1, 2});
  auto take = [&](int64_t index) {
    return b.make("Squeeze", {b.slice(pairs, -1, index, index + 1), b.integers({-1})});
  };
  return gate(take(0), take(1));
}

template <class Op> Value Mixture<Op>::build(Value routed) {
  bool isGated = op.getActivationType() == "swiglu";
  if (op.getUseSparseMixer() != 0) {
    (void)b.unsupported("routes by a sparse mixer, which ONNX Runtime has on GPUs only");
    return {};
  }
  if (isGated && (op.getSwigluFusion() == 0) != bool(fc3)) {
    (void)b.malformed("needs fc3_experts_weights for swiglu where swiglu_fusion is 0, and none "
                      "where it is 1 or 2");
    return {};
  }
  std::optional<int64_t> hidden = b.getExtent(fc2.weights, 1);
  if (!hidden) {
    (void)b.unsupported("has experts whose size only the run knows");
    return {};
  }
  Value tokens = b.reshape(op.getInput(), {1, -1, *hidden});
  Value inner = apply(b, fc1, tokens);
  if (isGated)
    inner = fc3 ? gate(inner, apply(b, fc3, tokens)) : gateFused(inner);
  else
    inner = fc3 ? b.mul(activate(inner), apply(b, fc3, tokens)) : activate(inner);
  Value results = apply(b, fc2, inner);
  if (b.hasFailed())
    return {};
  // An infinity of an expert that was not chosen is no part of the sum.
  Value share = b.cast(b.make("Unsqueeze", {b.transpose(routed, {1, 0}), b.integers({2})}),
                       b.getElementType(results));
  Value zero = b.number(0, results);
  Value parts = b.make("Where", {b.make("Equal", {share, zero}), zero, b.mul(results, share)});
  Value sum = b.make("ReduceSum", {parts, b.integers({0})}, {b.attribute("keepdims", int64_t{0})});
  return b.make("Reshape", {sum, b.make("Shape", {op.getInput()})});
}

//===----------------------------------------------------------------------===//
// Routing
//===----------------------------------------------------------------------===//

/// The `k` largest of each row of `scores`, and where they are.
Values choose(Expansion &b, Value scores, int64_t k) {
  return b.makeAll("TopK", 2, {scores, b.integers({k})});
}

/// `chosen` at the places of each row, 0 elsewhere.
Value spread(Expansion &b, Value scores, Value places, Value chosen) {
  Value blank = b.make("Expand", {b.number(0, scores), b.make("Shape", {scores})});
  return b.make("ScatterElements", {blank, places, chosen}, {b.attribute("axis", int64_t{1})});
}

Value takeChosen(Expansion &b, Value from, Value places) {
  return b.make("GatherElements", {from, places}, {b.attribute("axis", int64_t{1})});
}

Value softmax(Expansion &b, Value x) { return b.make("Softmax", {x}); }

Values expandMoE(Expansion &b, MsMoEOp op) {
  Value scores = b.cast(op.getRouterProbs(), b.getBuilder().getF32Type());
  Values top = choose(b, scores, op.getK());
  Value chosen = op.getNormalizeRoutingWeights() != 0 ? softmax(b, top[0])
                                                      : takeChosen(b, softmax(b, scores), top[1]);
  Mixture<MsMoEOp> mixture(b, op, {op.getFc1ExpertsWeights(), op.getFc1ExpertsBias()},
                           {op.getFc2ExpertsWeights(), op.getFc2ExpertsBias()},
                           {op.getFc3ExpertsWeights(), op.getFc3ExpertsBias()});
  return {mixture.build(spread(b, scores, top[1], chosen))};
}

//===----------------------------------------------------------------------===//
// QMoE
//===----------------------------------------------------------------------===//

struct QuantisedLayer {
  Value codes, scales, zeroPoints, bias;
  StringRef name;
  int64_t bits;
};

/// The weights as numbers of the type of `like`.
Layer dequantizeLayer(Expansion &b, const QuantisedLayer &layer, int64_t blockSize, Value like) {
  if (!layer.codes || b.hasFailed())
    return {};
  std::optional<int64_t> experts = b.getExtent(layer.codes, 0), rows = b.getExtent(layer.codes, 1),
                         bytes = b.getExtent(layer.codes, 2);
  bool isKnown = layer.bits == 2 || layer.bits == 4 || layer.bits == 8;
  if (!experts || !rows || !bytes || *rows < 1 || *bytes < 1 || *bytes > kMostBytes || !isKnown ||
      !layer.scales) {
    (void)b.malformed("needs " + layer.name + "_scales, and " + layer.name +
                      "_experts_weights of rank 3 and 2, 4 or 8 bits");
    return {};
  }
  int64_t length = *bytes * 8 / layer.bits, block = blockSize > 0 ? blockSize : length;
  if (length % block != 0) {
    (void)b.malformed("has a block_size that does not divide the rows of " + layer.name);
    return {};
  }
  auto bits = static_cast<unsigned>(layer.bits);
  SmallVector<int64_t> blocks = {*experts, *rows, length / block};
  Value codes = unpackCodes(b, layer.codes, (layer.name + "_experts_weights").str(), bits,
                            {*experts, *rows, length});
  // Zero points of whole rows are packed along these.
  SmallVector<int64_t> packed(ArrayRef(blocks).take_front(blockSize > 0 ? 3 : 2));
  Value zeroPoints = layer.zeroPoints
                         ? b.reshape(unpackCodes(b, layer.zeroPoints,
                                                 (layer.name + "_zero_points").str(), bits, packed),
                                     blocks)
                         : makeCodes(b, bits, blocks, uint8_t(1) << (bits - 1));
  Value scales = b.cast(b.reshape(layer.scales, blocks), b.getElementType(like));
  Value weights = b.make("DequantizeLinear", {codes, scales, zeroPoints},
                         {b.attribute("axis", int64_t{2}), b.attribute("block_size", block)});
  return {weights, layer.bias};
}

/// The weights of the chosen are those of `router_weights` or, as ONNX Runtime's kernel for the CPU
/// has it, the softmax among them, normalised or not.
Value routeQuantised(Expansion &b, MsQMoEOp op) {
  Type f32 = b.getBuilder().getF32Type();
  Value scores = b.cast(op.getRouterProbs(), f32);
  Values top = choose(b, scores, op.getK());
  if (!op.getRouterWeights())
    return spread(b, scores, top[1], softmax(b, top[0]));
  Value chosen = takeChosen(b, b.cast(op.getRouterWeights(), f32), top[1]);
  if (op.getNormalizeRoutingWeights() != 0)
    chosen = b.make("Div", {chosen, b.make("ReduceSum", {chosen, b.integers({1})})});
  return spread(b, scores, top[1], chosen);
}

Values expandQMoE(Expansion &b, MsQMoEOp op) {
  if (op.getQuantType() != "int")
    return b.unsupported("has weights that are quantised to floats (quant_type " +
                         escapeText(op.getQuantType()) + "), which ONNX Runtime has on GPUs only");
  if (op.getWeightsPrepacked() > 0)
    return b.unsupported("has weights that ONNX Runtime packed for one machine; save the model "
                         "with weights_prepacked 0");
  int64_t bits = op.getExpertWeightBits(), block = op.getBlockSize().value_or(0);
  Value like = op.getInput();
  Layer fc1 =
      dequantizeLayer(b,
                      {op.getFc1ExpertsWeights(), op.getFc1Scales(), op.getFc1ZeroPoints(),
                       op.getFc1ExpertsBias(), "fc1", op.getFc1ExpertWeightBits().value_or(bits)},
                      block, like);
  Layer fc2 =
      dequantizeLayer(b,
                      {op.getFc2ExpertsWeights(), op.getFc2Scales(), op.getFc2ZeroPoints(),
                       op.getFc2ExpertsBias(), "fc2", op.getFc2ExpertWeightBits().value_or(bits)},
                      block, like);
  Layer fc3 =
      dequantizeLayer(b,
                      {op.getFc3ExpertsWeights(), op.getFc3Scales(), op.getFc3ZeroPoints(),
                       op.getFc3ExpertsBias(), "fc3", op.getFc3ExpertWeightBits().value_or(bits)},
                      block, like);
  if (b.hasFailed())
    return {};
  return {Mixture<MsQMoEOp>(b, op, fc1, fc2, fc3).build(routeQuantised(b, op))};
}

constexpr ExpansionRow kRows[] = {
    expansion<MsMoEOp, expandMoE>(),
    expansion<MsQMoEOp, expandQMoE>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getExpertExpansions() { return kRows; }
