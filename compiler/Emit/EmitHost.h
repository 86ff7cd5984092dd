// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host program: NAME.h and NAME.cpp. Describes the model, reads symbols from inputs, sizes and
// places buffers, and runs the steps.

#ifndef CAMEO_EMIT_EMITHOST_H
#define CAMEO_EMIT_EMITHOST_H

#include "Emit/EmitKernels.h"
#include "Emit/EmitWeights.h"

namespace cameo {

/// Adds the header and the host program to `files`. `scope` is the namespace of the generated code.
mlir::LogicalResult emitHost(const Program &program, const EmittedKernels &kernels,
                             const WeightsInfo &weights, CppScope &scope, EmittedFiles &files);

} // namespace cameo

#endif // CAMEO_EMIT_EMITHOST_H
