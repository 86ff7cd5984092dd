// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants in a layout.

#ifndef CAMEO_EMIT_PACKELEMENTS_H
#define CAMEO_EMIT_PACKELEMENTS_H

#include "Dialect/Core/IR/CoreDialect.h"

namespace cameo {

/// Puts the elements of `dense`, in row-major order, where the layout of `type` has them in
/// `target`, which is all zeros; what has no element stays so. All extents are constants.
void packElements(core::SymTensorType type, llvm::ArrayRef<char> dense,
                  llvm::MutableArrayRef<char> target);

} // namespace cameo

#endif // CAMEO_EMIT_PACKELEMENTS_H
