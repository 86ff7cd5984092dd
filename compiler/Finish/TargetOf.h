// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of the target that a module is for.

#ifndef CAMEO_FINISH_TARGETOF_H
#define CAMEO_FINISH_TARGETOF_H

#include "Target/Target.h"

namespace cameo {

/// Null where the module says none.
inline const Target *findTargetOf(mlir::Operation *module) {
  core::TargetAttr target = core::TargetAttr::lookup(module);
  const Platform *platform = target ? findPlatform(target.getName()) : nullptr;
  return platform ? platform->target : nullptr;
}

} // namespace cameo

#endif // CAMEO_FINISH_TARGETOF_H
