// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of inputs that a model gives no shape. Every rank is tried: the one with which the whole
// model can be built, and least of what it declares is contradicted, is what its operators want.

#ifndef CAMEO_IMPORT_INPUTRANKS_H
#define CAMEO_IMPORT_INPUTRANKS_H

#include "Import/GraphBuilder.h"
#include "Import/ImportOptions.h"

namespace cameo::importer {

/// Inputs that no rank, or more than one, suits are refused with what the user can say.
inline constexpr int64_t kMaxTriedRank = 8;

/// Sets `builds.ranks`: what the user says, and else what the operators want. Refuses an input that
/// several ranks suit, and what the user says of one that is none or has a shape.
llvm::LogicalResult findInputRanks(Model &model, const ImportOptions &options,
                                   TensorLoader &tensors, SharedBuilds &builds,
                                   mlir::MLIRContext *context, Reporter &reporter);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_INPUTRANKS_H
