// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions are worth Winograd's algorithm.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
#define CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

struct WinogradChoice {
  /// Outputs along a side of a tile, 0 for the definition, and taps along a side.
  int64_t tile = 0, taps = 0;
  /// Whether the image's phases are what is convolved: `stride` x `stride` images of each channel,
  /// in which the taps of neighbouring outputs are neighbours.
  bool isOfPhases = false;
  int64_t stride = 1;
  /// Whether the weights are transformed by the compiler and not in each call: they take
  /// (getSize() / taps)^2 times the memory then.
  bool isByCompiler = false;

  /// Elements along a side of what is multiplied: the more, the less exact.
  int64_t getSize() const { return tile + taps - 1; }
};

/// How `conv`, over channels in blocks, whole ones in each group, takes least time on the module's
/// target, as exact as the module wants it; weights grow only where that is worth a tenth of it.
WinogradChoice chooseWinograd(onnx::ConvOp conv, llvm::ArrayRef<onnx::WindowAxis> window,
                              const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
