// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every verb reads, for CMake to precompile; nobody includes it.

#ifndef CAMEO_TOOLS_PRECOMPILED_H
#define CAMEO_TOOLS_PRECOMPILED_H

#include "Common.h"
#include "Import/TensorData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

#endif
