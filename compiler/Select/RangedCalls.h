// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of which there are several, each for a range of what only the run knows.

#ifndef CAMEO_SELECT_RANGEDCALLS_H
#define CAMEO_SELECT_RANGEDCALLS_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Kernels/Ranges.h"

namespace cameo {

struct RangedCalls {
  /// One for each range, in their order.
  llvm::SmallVector<prog::CallOp, 3> copies;
  /// The op that has the results: the only copy, or the outermost branch.
  mlir::Operation *whole;
};

/// Puts a copy of `call` for each range into a branch of its own, to become one of the range's
/// variant of `contract`. A call with one range stays, as does one that is to be in memory that
/// others have part of: that has the usual range alone, and `choice` with it.
RangedCalls branchByRanges(prog::CallOp call, llvm::StringRef contract, RangedChoice &choice);

} // namespace cameo

#endif // CAMEO_SELECT_RANGEDCALLS_H
