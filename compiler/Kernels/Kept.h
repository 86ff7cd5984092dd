// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices that one compilation hands to a later one (--emit-plan, --plan): by node the variants
// that its call is to have, whatever they cost.

#ifndef CAMEO_KERNELS_KEPT_H
#define CAMEO_KERNELS_KEPT_H

#include "Kernels/Ranges.h"

namespace cameo {

struct KeptVariant {
  /// The name of its record.
  std::string variant;
  std::vector<std::pair<std::string, int64_t>> choices;
  /// The most of the range's number; none of the last range.
  std::optional<int64_t> most;
};
/// By a node as reports have it, `Conv:conv1`, its ranges; none where calls stay what they are.
using KeptVariants = std::vector<std::pair<std::string, std::vector<KeptVariant>>>;

/// Has later passes choose these.
void keepVariants(mlir::ModuleOp module, const KeptVariants &kept);
/// The choices in an explained module behind Select, by nodes in their order. Nodes of
/// several calls are left out.
KeptVariants getChosenVariants(mlir::ModuleOp selected);

/// Whether variants are kept for the node of `problem`.
bool isKept(const Problem &problem);
/// The choice that is kept for it, which there is; an error at the node, and failure, where this
/// version has no such variant or one of its guards does not hold.
llvm::FailureOr<RangedChoice> getKept(llvm::StringRef contract, const Problem &problem);

} // namespace cameo

#endif // CAMEO_KERNELS_KEPT_H
