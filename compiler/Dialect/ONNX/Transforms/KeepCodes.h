// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which constants of few bits stay as they are for products to read.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_KEEPCODES_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_KEEPCODES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

/// Whether products will read the codes of `op`, once what stands between has gone in front of it.
bool keepsCodes(onnx::DequantizeLinearOp op);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_KEEPCODES_H
