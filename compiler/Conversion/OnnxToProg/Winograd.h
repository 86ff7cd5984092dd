// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions are worth Winograd's algorithm.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
#define CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

/// The outputs along a side of the tiles by which `conv`, over channels in blocks, takes least
/// time: 2 or 4, at most `largest`, or 0 for none. Symbols count as many extents as elsewhere.
int64_t chooseWinogradTile(onnx::ConvOp conv, llvm::ArrayRef<onnx::WindowAxis> window,
                           int64_t largest);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_WINOGRAD_H
