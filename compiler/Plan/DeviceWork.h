// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that may stand in a graph whose nodes run or not as the device says.

#ifndef CAMEO_PLAN_DEVICEWORK_H
#define CAMEO_PLAN_DEVICEWORK_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Whether the host only enqueues the op, or computes scalars for what it enqueues.
bool isDeviceWork(mlir::Operation *op);

} // namespace cameo

#endif // CAMEO_PLAN_DEVICEWORK_H
