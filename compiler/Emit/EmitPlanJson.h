// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NAME.plan.json: what the program consists of, for people, diffs and tests. Keys are sorted.

#ifndef CAMEO_EMIT_EMITPLANJSON_H
#define CAMEO_EMIT_EMITPLANJSON_H

#include "Emit/EmitKernels.h"
#include "Support/Provenance.h"

namespace cameo {

/// Each node of `provenance` is named by a step, a weight or under "folded".
std::string emitPlanJson(const Program &program, const EmittedKernels &kernels,
                         const Provenance &provenance);

} // namespace cameo

#endif // CAMEO_EMIT_EMITPLANJSON_H
