// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the user wants values (--place): regular expressions over their ONNX names, each with a
// side. The cut obeys.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

class SidePins {
public:
  /// Reads `REGEX=host` and `REGEX=device`; refuses others, at `op`.
  static llvm::FailureOr<SidePins> read(llvm::ArrayRef<std::string> texts, mlir::Operation *op);

  bool isEmpty() const { return pins.empty(); }
  /// The side of the last pin that matches the whole of the value's name.
  std::optional<core::Side> lookup(mlir::Value value) const;
  /// Refuses, at `function`, pins that match none of its values.
  llvm::LogicalResult checkNames(mlir::Operation *function) const;

private:
  /// What is wrong with the text of a pin, or nothing.
  std::string add(llvm::StringRef text);

  struct Pin {
    std::string text, name;
    llvm::Regex pattern;
    core::Side side;
  };

  std::vector<Pin> pins;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
