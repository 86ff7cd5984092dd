// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches whose results have extents that the device counts: a mark on `prog.if`. The symbols that
// such a branch defines are the device's; the host has their bounds.

#ifndef CAMEO_DIALECT_CORE_IR_COUNTEDBRANCHES_H
#define CAMEO_DIALECT_CORE_IR_COUNTEDBRANCHES_H

#include "mlir/IR/Builders.h"

namespace cameo::core {

inline constexpr llvm::StringLiteral kCounts = "cameo.counts";

/// Whether the device has the branch's symbols.
inline bool isCounted(mlir::Operation *branch) { return branch->hasAttr(kCounts); }

inline void setCounted(mlir::Operation *branch, bool isCounted) {
  if (isCounted)
    branch->setAttr(kCounts, mlir::UnitAttr::get(branch->getContext()));
  else
    branch->removeAttr(kCounts);
}

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_COUNTEDBRANCHES_H
