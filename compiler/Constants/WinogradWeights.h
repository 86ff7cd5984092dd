// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of convolutions as conv_winograd reads them.

#ifndef CAMEO_CONSTANTS_WINOGRADWEIGHTS_H
#define CAMEO_CONSTANTS_WINOGRADWEIGHTS_H

#include "Dialect/Prog/IR/ProgDialect.h"

#include <vector>

namespace cameo {

/// Taps of float of `shape` [OC, IC, K, K] as the attribute says, for an algorithm of
/// codegen_templates/cpu/conv_winograd.h: the elements of G w G^T with its G, each rounded once.
std::vector<char> transformWinogradWeights(llvm::ArrayRef<char> taps, llvm::ArrayRef<int64_t> shape,
                                           prog::WinogradAttr algorithm);

} // namespace cameo

#endif // CAMEO_CONSTANTS_WINOGRADWEIGHTS_H
