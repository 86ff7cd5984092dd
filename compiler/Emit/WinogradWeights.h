// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of convolutions as conv_winograd reads them.

#ifndef CAMEO_EMIT_WINOGRADWEIGHTS_H
#define CAMEO_EMIT_WINOGRADWEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace cameo {

/// Taps [OC, IC, 3, 3] of float to [(tile + 2)^2, OC, IC], for a tile of 2 or 4: the elements of
/// G w G^T, each rounded once, with the G of codegen_templates/cpu/conv_winograd.h.
std::vector<char> transformWinogradWeights(llvm::ArrayRef<char> taps, int64_t tile);

} // namespace cameo

#endif // CAMEO_EMIT_WINOGRADWEIGHTS_H
