// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_SELECT_LAYOUTS_H
#define CAMEO_SELECT_LAYOUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

struct LayoutCounts {
  /// Ops on channels in blocks, and repacks of values that are no constants.
  unsigned blocked = 0, repacks = 0;
};

/// Puts the channels of a function's trunks into blocks: types, halos, repacks, and kernels and
/// calls that iterate by blocks. Convolutions' weights are transformed as far as all weights are
/// at most `budget` times what they were; 0: twice that, or 16 MiB more where that is more. Failure
/// where a plan keeps variants that cannot be.
llvm::FailureOr<LayoutCounts> assignLayouts(mlir::func::FuncOp function, double budget);

} // namespace cameo

#endif // CAMEO_SELECT_LAYOUTS_H
