// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that may both be computed: a condition of the device then chooses between results there,
// and is not read back.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

#include <optional>

namespace cameo {

/// The work of the device to choose between two branches.
struct Selection {
  /// How many operators stand in them.
  int64_t operators = 0;
  /// Whether one of these may raise an error, which is told only where its branch is taken.
  bool mayRaise = false;
};

/// The work to compute both branches of `branch`, if their results can be chosen from element by
/// element: their operators take time in proportion to their data, nothing but elements that
/// kernels read makes one fail, and they agree in the types of their results.
std::optional<Selection> findSelection(onnx::IfOp branch);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SELECTS_H
