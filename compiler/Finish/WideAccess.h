// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a body's operands are neighbours where those along its index's last coordinate
// are: what may move as one access.

#ifndef CAMEO_FINISH_WIDEACCESS_H
#define CAMEO_FINISH_WIDEACCESS_H

#include "Dialect/Prog/IR/ElementOffset.h"

namespace cameo {

/// Bytes of the widest access.
inline constexpr int64_t kAccessBytes = 16;

/// How an offset changes from one value of the last coordinate to the next.
enum class Walk {
  Stays,
  /// To the neighbour; the offset of the first of a chunk is a multiple of the chunk.
  ToNeighbour,
  Otherwise
};

/// The walk through chunks of `chunk` values of dim `last`, a power of two, each from a multiple of
/// it on. `symbols` are those of the offset's map.
Walk getWalk(const prog::ElementOffset &offset, unsigned last, int64_t chunk,
             llvm::ArrayRef<mlir::Attribute> symbols);

} // namespace cameo

#endif // CAMEO_FINISH_WIDEACCESS_H
