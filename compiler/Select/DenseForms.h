// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of contracts over dense images that another template computes.

#ifndef CAMEO_SELECT_DENSEFORMS_H
#define CAMEO_SELECT_DENSEFORMS_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// A convolution that reads one element of each channel becomes a product per image and group:
/// weights times the planes, which lie as rows of a matrix. Whether it was one.
bool multiplyPlanes(prog::CallOp conv);
/// Sums over neighbouring channels become a pool over volumes, whose first axis channels are: the
/// 1-norm of squares is their sum.
void poolChannels(prog::CallOp sums);
/// A constant right operand of a product, or of a recurrent layer, gets the blocks of columns that
/// its kernels read, `block` columns each. Whether it got them.
bool packColumns(prog::CallOp call, int64_t block);

} // namespace cameo

#endif // CAMEO_SELECT_DENSEFORMS_H
