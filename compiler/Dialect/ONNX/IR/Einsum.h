// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equation of onnx.Einsum, read once for inference and once for lowering.

#ifndef CAMEO_DIALECT_ONNX_IR_EINSUM_H
#define CAMEO_DIALECT_ONNX_IR_EINSUM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cameo::onnx {

/// Which axes of the operands and the result are one and the same: each has the number of a
/// *label*, a letter of the equation or an axis that `...` stands for.
struct EinsumLabels {
  /// Per operand, the label of each axis.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands;
  llvm::SmallVector<int64_t> result;
  /// How many labels there are, and how many of them, the first ones, `...` stands for: only those
  /// broadcast.
  int64_t count = 0;
  int64_t broadcast = 0;
};

/// Reads an equation for operands of the given ranks. On failure says what is wrong in `error`.
std::optional<EinsumLabels> readEinsum(llvm::StringRef equation, llvm::ArrayRef<int64_t> ranks,
                                       std::string &error);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_EINSUM_H
