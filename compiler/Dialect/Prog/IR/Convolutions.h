// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_DIALECT_PROG_IR_CONVOLUTIONS_H
#define CAMEO_DIALECT_PROG_IR_CONVOLUTIONS_H

#include "llvm/ADT/StringRef.h"

namespace cameo::prog {

/// On a call of a convolution, from Structure to Select: the pads behind the image, an extent for
/// each axis. Kernels over dense images need not know them, but an image with a halo has them.
constexpr llvm::StringLiteral kPadEnd = "pad_end";

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_CONVOLUTIONS_H
