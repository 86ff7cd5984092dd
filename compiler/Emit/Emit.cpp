// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/Emit.h"

#include "Emit/CppNames.h"
#include "Emit/EmitHost.h"
#include "Emit/EmitKernels.h"
#include "Emit/EmitPlanJson.h"
#include "Emit/EmitProject.h"
#include "Emit/EmitWeights.h"
#include "Emit/Program.h"
#include "Emit/Sources.h"

using namespace mlir;
using namespace cameo;

FailureOr<EmittedFiles> cameo::emitProgram(ModuleOp module, const EmitOptions &options,
                                           const Provenance &provenance) {
  if (!isLibraryName(options.name))
    return module.emitError("'") << options.name << "' cannot be the name of a library", failure();
  FailureOr<Program> program = Program::analyze(module, options);
  if (failed(program))
    return failure();
  EmittedFiles files;
  FailureOr<WeightsInfo> weights = emitWeights(*program, files);
  if (failed(weights))
    return failure();
  CppScope scope;
  FailureOr<EmittedKernels> kernels = emitKernels(*program, scope);
  if (failed(kernels))
    return failure();
  files.insert(kernels->files.begin(), kernels->files.end());
  if (failed(emitHost(*program, *kernels, *weights, scope, files)))
    return failure();
  files[options.name + ".plan.json"] = emitPlanJson(*program, *kernels, provenance);
  emitProject(*program, *weights, files);
  return files;
}
