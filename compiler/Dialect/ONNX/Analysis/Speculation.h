// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose next iterations may be computed before it is known whether they run: the host then
// looks at a condition of the device once for several.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SPECULATION_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SPECULATION_H

#include "Dialect/ONNX/Analysis/SideAnalysis.h"

namespace cameo {

/// Whether the host, to have `value`, reads something back in `body`.
bool isReadBackIn(mlir::Block &body, mlir::Value value, const SideAnalysis &sides);

/// Whether the host reads something back in every iteration, for the loop's condition, and an
/// iteration too many is cheap, cannot fail and leaves nothing behind: its carried values are
/// chosen from by what the condition was, element by element.
bool isWorthSpeculating(onnx::LoopOp loop, const SideAnalysis &sides);

/// How many iterations of the model's loop one of `loop` stands for, for reports.
int64_t getIterationsInOne(onnx::LoopOp loop);
void setIterationsInOne(onnx::LoopOp loop, int64_t iterations);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SPECULATION_H
