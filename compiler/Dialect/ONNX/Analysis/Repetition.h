// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the device can run: what ends them is its own, and so is all that they do.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_REPETITION_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_REPETITION_H

#include "Dialect/ONNX/Analysis/SideAnalysis.h"

namespace cameo {

/// Whether the host reads something back in every iteration, for the loop's condition, and has
/// nothing else to do in the body, which is operators of the device on tensors that have bounds,
/// and branches among such.
bool canRepeatOnDevice(onnx::LoopOp loop, const SideAnalysis &sides);

/// Whether the value is made inside a loop that the device runs, is its argument or what is left of
/// it.
bool isOfRepetition(mlir::Value value);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_REPETITION_H
