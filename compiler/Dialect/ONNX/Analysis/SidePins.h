// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values have to be whatever it costs, by their ONNX names: the user wants them there
// (--place, --plan), or the device has no kernel for their operators (--fallback). The cut obeys.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

class SidePins {
public:
  struct Pin {
    core::Side side;
    /// Pinned or NoKernel.
    onnx::SideCause cause;
  };

  /// Reads `REGEX=host` and `REGEX=device`, refuses others, at `op`; `onHost` are names of values.
  /// An expression is bounded before it is compiled: in depth, in size with repetitions written
  /// out, and it has no back-references.
  static llvm::FailureOr<SidePins> read(llvm::ArrayRef<std::string> texts,
                                        llvm::ArrayRef<std::string> onHost, mlir::Operation *op);
  /// The text of a pin for one name.
  static std::string format(llvm::StringRef name, core::Side side);

  bool isEmpty() const { return literals.empty() && patterns.empty(); }
  /// The last pin that matches the whole of the value's name.
  std::optional<Pin> lookup(mlir::Value value) const;
  /// Refuses, at `function`, pins that match none of its values.
  llvm::LogicalResult checkNames(mlir::Operation *function) const;
  bool matchesAny(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  /// What is wrong with the text of a pin, or nothing.
  std::string add(llvm::StringRef text);

  struct Numbered {
    /// Of two that match the later one counts.
    size_t number;
    Pin pin;
  };
  struct Pattern {
    std::string text, name;
    llvm::Regex expression;
    Numbered pin;
  };

  /// Expressions that are plain names, of which a plan has one for every value.
  llvm::StringMap<Numbered> literals;
  std::vector<Pattern> patterns;
  size_t count = 0;
  /// The states of all patterns together.
  uint64_t states = 0;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
