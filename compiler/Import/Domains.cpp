// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Domains.h"

#include "Import/Import.h"
#include "llvm/ADT/STLExtras.h"

using namespace cameo::importer;

const Domain *cameo::importer::findDomain(llvm::StringRef name) {
  static constexpr Domain kDomains[] = {
      {"", "", kMaxOpset},
      {"ai.onnx.ml", "ml.", 5},
      {"ai.onnx.preview", "preview.", 1},
      {"ai.onnx.preview.training", "training.", 1},
      {"com.microsoft", "ms.", 1},
  };
  const Domain *found =
      llvm::find_if(kDomains, [&](const Domain &domain) { return domain.name == name; });
  return found == std::end(kDomains) ? nullptr : found;
}

llvm::StringRef cameo::importer::getRemedy(llvm::StringRef domain, llvm::StringRef opType) {
  using llvm::StringLiteral;
  constexpr StringLiteral kOfMachine = "save the model with ORT_ENABLE_EXTENDED or less, which "
                                       "writes no operators for one machine";
  constexpr StringLiteral kSearch = "export the decoder alone, and search in the caller";
  // An empty operator stands for all of the domain.
  static constexpr StringLiteral kRemedies[][3] = {
      {"com.microsoft.nchwc", "", kOfMachine},      {"com.ms.internal.nhwc", "", kOfMachine},
      {"com.microsoft", "NhwcFusedConv", kOfMachine}, {"com.microsoft", "BeamSearch", kSearch},
      {"com.microsoft", "GreedySearch", kSearch},   {"com.microsoft", "Sampling", kSearch},
      {"com.microsoft", "WhisperBeamSearch", kSearch},
      {"trt.plugins", "", "export the model without plugins of TensorRT"},
  };
  for (const auto &[ofDomain, ofOperator, remedy] : kRemedies)
    if (ofDomain == domain && (ofOperator.empty() || ofOperator == opType))
      return remedy;
  return "";
}
