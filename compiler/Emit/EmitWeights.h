// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights: a blob with a header, and how it gets into the program.

#ifndef CAMEO_EMIT_EMITWEIGHTS_H
#define CAMEO_EMIT_EMITWEIGHTS_H

#include "Emit/Program.h"

namespace cameo {

/// The facts about the weights in the table of the model.
struct WeightsInfo {
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

/// Adds the weights' files, none when the program has no weights.
mlir::FailureOr<WeightsInfo> emitWeights(const Program &program, EmittedFiles &files);

} // namespace cameo

#endif // CAMEO_EMIT_EMITWEIGHTS_H
