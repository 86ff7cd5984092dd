// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All dialects and passes, for tools that name them on a command line.

#ifndef CAMEO_PIPELINE_REGISTER_H
#define CAMEO_PIPELINE_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace cameo {

void registerDialects(mlir::DialectRegistry &registry);
void registerPasses();

} // namespace cameo

#endif // CAMEO_PIPELINE_REGISTER_H
