// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of convolutions as conv_winograd reads them.

#ifndef CAMEO_EMIT_WINOGRADWEIGHTS_H
#define CAMEO_EMIT_WINOGRADWEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace cameo {

/// Taps [OC, IC, numTaps, numTaps] of float to [(tile + numTaps - 1)^2, OC, IC], for an algorithm
/// of codegen_templates/cpu/conv_winograd.h: the elements of G w G^T with its G, each rounded once.
std::vector<char> transformWinogradWeights(llvm::ArrayRef<char> taps, int64_t numTaps,
                                           int64_t tile);

} // namespace cameo

#endif // CAMEO_EMIT_WINOGRADWEIGHTS_H
