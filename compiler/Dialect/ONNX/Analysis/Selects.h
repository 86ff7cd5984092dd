// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that may both be computed: a condition of the device then chooses between results there,
// and is not read back.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

#include <optional>

namespace cameo {

/// How many operators stand in the branches of `branch`, if what both yield can be chosen from
/// element by element: they are scalar functions, which nothing makes fail, and agree in the types
/// of their results.
std::optional<int64_t> countSelectable(onnx::IfOp branch);

/// Whether the operator is a scalar function, and its operands are known to fit: it cannot fail
/// then.
bool isSafeFunction(mlir::Operation *op);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H
