// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes the generated sources a folder that builds: CMakeLists.txt, README.md, a program, and
// copies of the runtime and the templates.

#ifndef CAMEO_EMIT_EMITPROJECT_H
#define CAMEO_EMIT_EMITPROJECT_H

#include "Emit/EmitWeights.h"

namespace cameo {

void emitProject(const Program &program, const WeightsInfo &weights, EmittedFiles &files);

} // namespace cameo

#endif // CAMEO_EMIT_EMITPROJECT_H
