// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When ONNX's operators came into being, of all that its first operator sets did not have. It is
// ONNX's history, not a list of what Cameo has: an operator that is added to the dialect is here
// already (tests/Import/upgrade_history.py holds it against the operators of onnx).

#include "Import/Upgrade/Upgrade.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace cameo::importer;

namespace {

constexpr FirstVersion kFirstVersions[] = {
    {"Acos", 7},
    {"Acosh", 9},
    {"AffineGrid", 20},
    {"Asin", 7},
    {"Asinh", 9},
    {"Atan", 7},
    {"Atanh", 9},
    {"Attention", 23},
    {"Bernoulli", 15},
    {"BitCast", 26},
    {"BitShift", 11},
    {"BitwiseAnd", 18},
    {"BitwiseNot", 18},
    {"BitwiseOr", 18},
    {"BitwiseXor", 18},
    {"BlackmanWindow", 17},
    {"CastLike", 15},
    {"CausalConvWithState", 27},
    {"Celu", 12},
    {"CenterCropPad", 18},
    {"Col2Im", 18},
    {"Compress", 9},
    {"ConcatFromSequence", 11},
    {"ConstantOfShape", 9},
    {"ConvInteger", 10},
    {"Cos", 7},
    {"Cosh", 9},
    {"CumProd", 26},
    {"CumSum", 11},
    {"DFT", 17},
    {"DeformConv", 19},
    {"DequantizeLinear", 10},
    {"Det", 11},
    {"DynamicQuantizeLinear", 11},
    {"Einsum", 12},
    {"Erf", 9},
    {"Expand", 8},
    {"EyeLike", 9},
    {"GatherElements", 11},
    {"GatherND", 11},
    {"Gelu", 20},
    {"GreaterOrEqual", 12},
    {"GridSample", 16},
    {"GroupNormalization", 18},
    {"HammingWindow", 17},
    {"HannWindow", 17},
    {"HardSwish", 14},
    {"ImageDecoder", 20},
    {"IsInf", 10},
    {"IsNaN", 9},
    {"LayerNormalization", 17},
    {"LessOrEqual", 12},
    {"LinearAttention", 27},
    {"MatMulInteger", 10},
    {"MaxUnpool", 9},
    {"MeanVarianceNormalization", 9},
    {"MelWeightMatrix", 17},
    {"Mish", 18},
    {"Mod", 10},
    {"Multinomial", 7},
    {"NegativeLogLikelihoodLoss", 12},
    {"NonMaxSuppression", 10},
    {"NonZero", 9},
    {"OneHot", 9},
    {"Optional", 15},
    {"OptionalGetElement", 15},
    {"OptionalHasElement", 15},
    {"QLinearConv", 10},
    {"QLinearMatMul", 10},
    {"QuantizeLinear", 10},
    {"RMSNormalization", 23},
    {"Range", 11},
    {"RegexFullMatch", 20},
    {"Resize", 10},
    {"ReverseSequence", 10},
    {"RoiAlign", 10},
    {"RotaryEmbedding", 23},
    {"Round", 11},
    {"STFT", 17},
    {"Scan", 8},
    {"Scatter", 9},
    {"ScatterElements", 11},
    {"ScatterND", 11},
    {"SequenceAt", 11},
    {"SequenceConstruct", 11},
    {"SequenceEmpty", 11},
    {"SequenceErase", 11},
    {"SequenceInsert", 11},
    {"SequenceLength", 11},
    {"SequenceMap", 17},
    {"Shrink", 9},
    {"Sign", 9},
    {"Sin", 7},
    {"Sinh", 9},
    {"SoftmaxCrossEntropyLoss", 12},
    {"SplitToSequence", 11},
    {"StringConcat", 20},
    {"StringNormalizer", 10},
    {"StringSplit", 20},
    {"SwiGLU", 28},
    {"Swish", 24},
    {"Tan", 7},
    {"TensorScatter", 24},
    {"TfIdfVectorizer", 9},
    {"ThresholdedRelu", 10},
    {"Trilu", 14},
    {"Unique", 11},
    {"Where", 9},
    {"ml.TreeEnsemble", 5},
};

} // namespace

ArrayRef<FirstVersion> cameo::importer::getFirstVersions() { return kFirstVersions; }

int64_t cameo::importer::getFirstVersion(StringRef opType) {
  const FirstVersion *row = lower_bound(
      kFirstVersions, opType, [](const FirstVersion &a, StringRef b) { return a.opType < b; });
  return row != std::end(kFirstVersions) && row->opType == opType ? row->version : 1;
}
