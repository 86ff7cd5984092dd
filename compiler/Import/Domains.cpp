// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Domains.h"

#include "Import/ImportOptions.h"
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
