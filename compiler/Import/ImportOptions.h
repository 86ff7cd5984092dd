// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steers the import of a model, and the limits that it is held to.

#ifndef CAMEO_IMPORT_IMPORTOPTIONS_H
#define CAMEO_IMPORT_IMPORTOPTIONS_H

#include "Import/ExternalOperator.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cameo {

/// The newest files that are understood.
inline constexpr int64_t kMaxIrVersion = 14;
inline constexpr int64_t kMaxOpset = 28;
/// Ranks beyond are refused.
inline constexpr int64_t kMaxRank = 64;

/// A model's nodes cost time whether they are in the file or made of a few functions that double;
/// those of the first kind are in proportion to the file, those of the second must be held to
/// something that is.
inline constexpr int64_t kMaxNodes = 2'000'000;
inline constexpr int64_t kMaxInlinedNodes = 16'384;

struct ImportOptions {
  /// Whether initializers that are also graph inputs are constants (--freeze-initializers,
  /// --no-freeze-initializers). By default where all are inputs, as old exporters list them.
  std::optional<bool> freezeInitializers;
  /// By name: the rank of an input whose shape the model does not say (--rank).
  std::map<std::string, int64_t> ranks;
  /// Dims of inputs that the device counts, by name (--counted-dim): see CountedDims.h.
  std::vector<std::string> countedDims;
  /// Refuses a model that there is something to warn of (--reject-warnings).
  bool rejectWarnings = false;
  /// Refuses an output that is a sequence of maps (--zipmap refuse). It is otherwise the tensor of
  /// the maps' values.
  bool refusesMaps = false;
  /// Operators of the user's own (--external); they go before those that Cameo has.
  std::vector<ExternalOperator> externals;
  /// Whether the result has the file's hash.
  bool hashesFile = false;

  /// Nodes after inlining functions (--max-nodes); by default kMaxNodes, of which inlining may make
  /// kMaxInlinedNodes for each MiB of weights, and once more.
  std::optional<int64_t> maxNodes;
  /// Bytes of weights, in the file and outside it (--max-weight-bytes).
  int64_t maxWeightBytes = int64_t(64) << 30;
  /// Bytes of a value whose extents are constants (--max-tensor-bytes).
  int64_t maxTensorBytes = int64_t(256) << 30;
  /// Bytes that decoding may take beyond three times the file and 2 KiB a node
  /// (--max-structure-bytes).
  int64_t maxStructureBytes = int64_t(128) << 20;
};

} // namespace cameo

#endif // CAMEO_IMPORT_IMPORTOPTIONS_H
