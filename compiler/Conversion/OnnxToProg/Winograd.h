// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions are worth Winograd's algorithm.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
#define CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

struct WinogradChoice {
  /// Outputs along a side of a tile: 2, 4, or 0 for the definition.
  int64_t tile = 0;
  /// Whether the weights are transformed by the compiler and not in each call: they take
  /// (tile + 2)^2 / 9 times the memory then.
  bool isByCompiler = false;
};

/// How `conv`, over channels in blocks, takes least time, by tiles of at most `largest`; weights
/// grow only where that is worth a tenth of it.
WinogradChoice chooseWinograd(onnx::ConvOp conv, llvm::ArrayRef<onnx::WindowAxis> window,
                              int64_t largest, const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
