// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations, and the sums in front of them.

#include "Import/Expansion/Expansion.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// An activation by which ONNX Runtime ends another operator.
struct FusedActivation {
  StringLiteral opType;
  /// The names of its parameters, in their order.
  std::array<StringLiteral, 2> parameters;
  size_t count;
  /// Whether these are operands.
  bool areOperands = false;
};

constexpr FusedActivation kFused[] = {
    {"Clip", {"min", "max"}, 2, true},
    {"Elu", {"alpha", ""}, 1},
    {"HardSigmoid", {"alpha", "beta"}, 2},
    {"HardSwish", {"", ""}, 0},
    {"LeakyRelu", {"alpha", ""}, 1},
    {"Relu", {"", ""}, 0},
    {"Sigmoid", {"", ""}, 0},
    {"Softplus", {"", ""}, 0},
    {"Softsign", {"", ""}, 0},
    {"Tanh", {"", ""}, 0},
    {"ThresholdedRelu", {"alpha", ""}, 1},
};

Value makeGelu(Expansion &b, Value x, StringRef approximate) {
  return b.make("Gelu", {x}, {b.attribute("approximate", approximate)});
}

Values expandGelu(Expansion &b, MsGeluOp op) { return {makeGelu(b, op.getX(), "none")}; }

Values expandFastGelu(Expansion &b, MsFastGeluOp op) {
  return {makeGelu(b, b.addIfThere(op.getX(), op.getBias()), "tanh")};
}

Values expandBiasGelu(Expansion &b, MsBiasGeluOp op) {
  return {makeGelu(b, b.add(op.getA(), op.getB()), "none")};
}

Values expandQuickGelu(Expansion &b, MsQuickGeluOp op) {
  return {b.make("Swish", {op.getX()}, {b.attribute("alpha", op.getAlpha())})};
}

Values expandBiasAdd(Expansion &b, MsBiasAddOp op) {
  return {b.add(b.add(op.getX(), op.getBias()), op.getSkip())};
}

Values expandBiasSplitGelu(Expansion &b, MsBiasSplitGeluOp op) {
  Value sum = b.add(op.getX(), op.getBias());
  std::optional<int64_t> channels = b.getExtent(op.getBias(), 0);
  if (!channels || *channels % 2 != 0)
    return b.malformed("has a bias that cannot be cut into halves");
  Value value = b.slice(sum, -1, 0, *channels / 2);
  Value gate = b.slice(sum, -1, *channels / 2, *channels);
  return {b.mul(value, makeGelu(b, gate, "none"))};
}

double valueOr(std::optional<llvm::APFloat> value, double otherwise) {
  return value ? value->convertToFloat() : otherwise;
}

/// `x` by a factor that is left out where it is 1.
Value scale(Expansion &b, Value x, double factor) {
  return factor == 1 ? x : b.mul(x, b.number(factor, x));
}

Values expandAffine(Expansion &b, AffineOp op) {
  Value scaled = scale(b, op.getX(), op.getAlpha().convertToFloat());
  return {b.add(scaled, b.number(op.getBeta().convertToFloat(), op.getX()))};
}

Values expandParametricSoftplus(Expansion &b, ParametricSoftplusOp op) {
  Value inner = b.make("Softplus", {scale(b, op.getX(), valueOr(op.getBeta(), 1))});
  return {b.mul(inner, b.number(valueOr(op.getAlpha(), 1), op.getX()))};
}

Values expandScaledTanh(Expansion &b, ScaledTanhOp op) {
  Value inner = b.make("Tanh", {scale(b, op.getInput(), valueOr(op.getBeta(), 1))});
  return {b.mul(inner, b.number(valueOr(op.getAlpha(), 1), op.getInput()))};
}

constexpr ExpansionRow kRows[] = {
    expansion<AffineOp, expandAffine>(),
    expansion<MsBiasAddOp, expandBiasAdd>(),
    expansion<MsBiasGeluOp, expandBiasGelu>(),
    expansion<MsBiasSplitGeluOp, expandBiasSplitGelu>(),
    expansion<MsFastGeluOp, expandFastGelu>(),
    expansion<MsGeluOp, expandGelu>(),
    expansion<MsQuickGeluOp, expandQuickGelu>(),
    expansion<ParametricSoftplusOp, expandParametricSoftplus>(),
    expansion<ScaledTanhOp, expandScaledTanh>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getActivationExpansions() { return kRows; }

Value cameo::importer::activate(Expansion &b, Value x, std::optional<StringRef> name,
                                ArrayRef<float> parameters) {
  if (!name || name->empty())
    return x;
  const auto *found =
      llvm::find_if(kFused, [&](const FusedActivation &row) { return row.opType == *name; });
  if (found == std::end(kFused)) {
    (void)b.unsupported("ends with activation " + escapeText(*name) +
                        ", which Cameo does not have there");
    return {};
  }
  SmallVector<Value> operands = {x};
  SmallVector<NamedAttribute> attributes;
  for (auto [parameter, value] :
       llvm::zip(ArrayRef(found->parameters).take_front(found->count), parameters))
    if (found->areOperands)
      operands.push_back(b.number(value, x));
    else
      attributes.push_back(b.attribute(parameter, llvm::APFloat(value)));
  return b.make(found->opType, operands, attributes);
}
