// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Remedies.h"

using namespace llvm;

namespace {

struct Remedy {
  StringLiteral domain, opType, text;
};

constexpr StringLiteral kMaps = "maps are no values here: make the tensor in the caller";
constexpr StringLiteral kText = "text is not computed with: make words and their numbers in the "
                                "caller, and export what is behind them";

constexpr StringLiteral kMachine =
    "save the model with ORT_ENABLE_EXTENDED or less, which writes no "
    "operators for one machine";
constexpr StringLiteral kSearch = "export the decoder alone, and search in the caller";

/// An empty operator stands for all of a domain.
constexpr Remedy kRemedies[] = {
    {"ai.onnx.ml", "CastMap", kMaps},
    {"ai.onnx.ml", "DictVectorizer", kMaps},
    {"com.microsoft", "BeamSearch", kSearch},
    {"com.microsoft", "GreedySearch", kSearch},
    {"com.microsoft", "NhwcFusedConv", kMachine},
    {"com.microsoft", "Sampling", kSearch},
    {"com.microsoft", "Tokenizer", kText},
    {"com.microsoft", "WhisperBeamSearch", kSearch},
    {"com.microsoft.nchwc", "", kMachine},
    {"com.ms.internal.nhwc", "", kMachine},
    {"trt.plugins", "", "export the model without plugins of TensorRT"},
};

} // namespace

StringRef cameo::importer::getRemedy(StringRef domain, StringRef opType) {
  for (const Remedy &remedy : kRemedies)
    if (remedy.domain == domain && (remedy.opType.empty() || remedy.opType == opType))
      return remedy.text;
  return "";
}
