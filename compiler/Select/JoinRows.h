// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows along several neighbouring axes that lie as one: their templates then see one long run, not
// a short one for each place of the axes in front.

#ifndef CAMEO_SELECT_JOINROWS_H
#define CAMEO_SELECT_JOINROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Joins reduced axes of calls where every functor reads and writes them as neighbours of one
/// tensor or not at all. Results stay the same bits.
void joinRows(mlir::func::FuncOp function);

} // namespace cameo

#endif // CAMEO_SELECT_JOINROWS_H
