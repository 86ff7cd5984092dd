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

constexpr Remedy kRemedies[] = {
    {"ai.onnx.ml", "CastMap", kMaps},
    {"ai.onnx.ml", "DictVectorizer", kMaps},
    {"com.microsoft", "Tokenizer", kText},
};

} // namespace

StringRef cameo::importer::getRemedy(StringRef domain, StringRef opType) {
  for (const Remedy &remedy : kRemedies)
    if (remedy.domain == domain && remedy.opType == opType)
      return remedy.text;
  return "";
}
