// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NAME.plan.json: what the program consists of, for people, diffs and tests. Keys are sorted.

#ifndef CAMEO_EMIT_EMITPLANJSON_H
#define CAMEO_EMIT_EMITPLANJSON_H

#include "Emit/EmitKernels.h"

namespace cameo {

std::string emitPlanJson(const Program &program, const EmittedKernels &kernels);

} // namespace cameo

#endif // CAMEO_EMIT_EMITPLANJSON_H
