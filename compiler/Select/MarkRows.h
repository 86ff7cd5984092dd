// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls whose rows lie crosswise: of what they load, as it is after fusion, neighbours in memory
// are in neighbouring rows. Their templates then work on several rows at once (`across_rows`).

#ifndef CAMEO_SELECT_MARKROWS_H
#define CAMEO_SELECT_MARKROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Marks all calls of row templates that have the member. Results stay the same bits.
void markRows(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_SELECT_MARKROWS_H
