// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of templates that another one of the device's kernels takes over, as its record says
// (`replaces`): by other sums than the definition's.

#ifndef CAMEO_SELECT_REPLACETEMPLATES_H
#define CAMEO_SELECT_REPLACETEMPLATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Replaces what calls on the device call, where --precision lets it, and counts them; calls that
/// can round their factors are told to what. Runs behind whatever knows calls by what they call.
unsigned replaceTemplates(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_SELECT_REPLACETEMPLATES_H
