// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations with the sums in front of them, and images as they were prepared once.

#include "Import/Expansion/Expansion.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

Values expandSimplifiedNormalization(Expansion &b, SimplifiedLayerNormalizationOp op) {
  if (b.getNode().hasOutput(1))
    return b.unsupported("gives inv_std_var, which only training reads");
  return {b.make("RMSNormalization", {op.getX(), op.getScale()}, b.attributesWithout({})), Value()};
}

Value addSkip(Expansion &b, Value input, Value skip, Value bias) {
  return b.addIfThere(b.add(input, skip), bias);
}

Values expandSkipNormalization(Expansion &b, MsSkipLayerNormalizationOp op) {
  Value sum = addSkip(b, op.getInput(), op.getSkip(), op.getBias());
  Values normal = b.makeAll("LayerNormalization", 3, {sum, op.getGamma(), op.getBeta()},
                            {b.attribute("epsilon", op.getEpsilon())});
  return {normal[0], normal[1], normal[2], sum};
}

Values expandSkipSimplifiedNormalization(Expansion &b, MsSkipSimplifiedLayerNormalizationOp op) {
  if (b.getNode().hasOutput(1) || b.getNode().hasOutput(2))
    return b.unsupported("gives mean or inv_std_var, which only training reads");
  Value sum = addSkip(b, op.getInput(), op.getSkip(), op.getBias());
  Value normal =
      b.make("RMSNormalization", {sum, op.getGamma()}, {b.attribute("epsilon", op.getEpsilon())});
  return {normal, Value(), Value(), sum};
}

/// How many tokens of each row count: ONNX Runtime finds the first 0 of the mask.
Value countTokens(Expansion &b, MsEmbedLayerNormalizationOp op) {
  if (!b.getNode().hasOutput(1))
    return {};
  if (Value mask = op.getMask())
    return b.make("ReduceSum", {mask, b.integers({1})}, {b.attribute("keepdims", int64_t{0})});
  Value batch = b.extentOf(op.getInputIds(), 0);
  return b.cast(b.make("Expand", {b.integers({0}), batch}), b.getElementType(op.getInputIds()));
}

Values expandEmbedNormalization(Expansion &b, MsEmbedLayerNormalizationOp op) {
  Value positions = op.getPositionIds();
  if (!positions) {
    Value length = b.make("Squeeze", {b.extentOf(op.getInputIds(), 1), b.integers({0})});
    positions = b.make("Range", {b.integer(0), length, b.integer(1)});
  }
  Value words = b.make("Gather", {op.getWordEmbedding(), op.getInputIds()});
  Value sum = b.add(words, b.make("Gather", {op.getPositionEmbedding(), positions}));
  if (bool(op.getSegmentIds()) != bool(op.getSegmentEmbedding()))
    return b.malformed("has one of segment_ids and segment_embedding");
  if (Value segments = op.getSegmentIds())
    sum = b.add(sum, b.make("Gather", {op.getSegmentEmbedding(), segments}));
  Value tokens = countTokens(b, op);
  Value normal = b.make("LayerNormalization", {sum, op.getGamma(), op.getBeta()},
                        {b.attribute("epsilon", op.getEpsilon())});
  return {normal, tokens, sum};
}

/// GroupNorm or SkipGroupNorm, of `x` in the place of its X.
template <class Op> Value normalizeGroups(Expansion &b, Op op, Value x) {
  int64_t rank = b.getRank(x, "X");
  if (b.hasFailed())
    return {};
  if (rank < 3) {
    (void)b.malformed("needs an X of rank 3 or more (got " + Twine(rank) + ")");
    return {};
  }
  SmallVector<int64_t> toFirst = {0, rank - 1}, toLast = {0};
  for (int64_t axis = 1; axis < rank - 1; ++axis)
    toFirst.push_back(axis);
  for (int64_t axis = 2; axis < rank; ++axis)
    toLast.push_back(axis);
  toLast.push_back(1);
  bool isLast = op.getChannelsLast() != 0;
  Type element = b.getElementType(x);
  Value normal = b.make("GroupNormalization",
                        {isLast ? b.transpose(x, toFirst) : x, b.cast(op.getGamma(), element),
                         b.cast(op.getBeta(), element)},
                        {b.attribute("epsilon", op.getEpsilon()),
                         b.attribute("num_groups", static_cast<int64_t>(op.getGroups()))});
  if (op.getActivation() != 0)
    normal = b.make("Swish", {normal});
  return isLast ? b.transpose(normal, toLast) : normal;
}

Values expandGroupNorm(Expansion &b, MsGroupNormOp op) {
  return {normalizeGroups(b, op, op.getX())};
}

/// A skip of rank 2 is one for all places of an image, and so is the bias for all images.
Values expandSkipGroupNorm(Expansion &b, MsSkipGroupNormOp op) {
  bool isLast = op.getChannelsLast() != 0;
  auto spread = [&](Value x, ArrayRef<int64_t> last, ArrayRef<int64_t> first) {
    return b.make("Unsqueeze", {x, b.integers(isLast ? last : first)});
  };
  Value skip = op.getSkip();
  if (b.getRank(skip, "skip") == 2)
    skip = spread(skip, {1, 2}, {2, 3});
  Value sum = b.add(op.getX(), skip);
  if (op.getBias())
    sum = b.add(sum, isLast ? op.getBias() : spread(op.getBias(), {}, {1, 2}));
  return {normalizeGroups(b, op, sum), sum};
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

Values expandCrop(Expansion &b, CropOp op) {
  int64_t rank = b.getRank(op.getInput(), "input");
  ArrayRef<int64_t> none, border = op.getBorder().value_or(none),
                          scale = op.getScale().value_or(none);
  if (b.hasFailed())
    return {};
  if (rank != 4 || border.size() != 4 || (!scale.empty() && scale.size() != 2))
    return b.malformed(
        "needs an input of rank 4, four borders, and a scale of two numbers or none");
  int64_t left = border[0], top = border[1], right = border[2], bottom = border[3];
  if (llvm::any_of(border, [](int64_t each) { return each < 0; }) ||
      llvm::any_of(scale, [](int64_t each) { return each < 0; }))
    return b.malformed("has a negative border or scale");
  Value from = b.integers({top, left}), axes = b.integers({2, 3});
  Value to = b.make("Sub", {b.make("Shape", {op.getInput()}, {b.attribute("start", int64_t{2})}),
                            b.integers({bottom, right})});
  if (!scale.empty())
    to = b.add(from, b.integers(scale));
  return {b.make("Slice", {op.getInput(), from, to, axes})};
}

Values expandImageScaler(Expansion &b, ImageScalerOp op) {
  Value scaled = b.mul(op.getInput(), b.number(op.getScale().convertToFloat(), op.getInput()));
  ArrayRef<float> bias = op.getBias().value_or(ArrayRef<float>());
  if (bias.empty())
    return {scaled};
  auto type =
      RankedTensorType::get({static_cast<int64_t>(bias.size()), 1, 1}, b.getBuilder().getF32Type());
  Value each = b.constant(DenseElementsAttr::get(type, bias));
  return {b.add(scaled, b.cast(each, b.getElementType(op.getInput())))};
}

constexpr ExpansionRow kRows[] = {
    expansion<CropOp, expandCrop>(),
    expansion<ImageScalerOp, expandImageScaler>(),
    expansion<MsEmbedLayerNormalizationOp, expandEmbedNormalization>(),
    expansion<MsGroupNormOp, expandGroupNorm>(),
    expansion<MsSkipGroupNormOp, expandSkipGroupNorm>(),
    expansion<MsSkipLayerNormalizationOp, expandSkipNormalization>(),
    expansion<MsSkipSimplifiedLayerNormalizationOp, expandSkipSimplifiedNormalization>(),
    expansion<SimplifiedLayerNormalizationOp, expandSimplifiedNormalization>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getNormalizationExpansions() { return kRows; }
