// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's word for where values are computed: expressions over their ONNX names (--place,
// --plan).

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_PINEXPRESSIONS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_PINEXPRESSIONS_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

class PinExpressions {
public:
  /// Reads `REGEX=host` and `REGEX=device`, refuses others, at `op`. An expression is bounded
  /// before it is compiled: in depth, in size with repetitions written out, and it has no
  /// back-references.
  static llvm::FailureOr<PinExpressions> read(llvm::ArrayRef<std::string> texts,
                                              mlir::Operation *op);
  /// The text of a pin for one name.
  static std::string format(llvm::StringRef name, core::Side side);

  bool isEmpty() const { return literals.empty() && patterns.empty(); }
  /// That of the last pin that matches the whole name.
  std::optional<core::Side> lookup(llvm::StringRef name) const;
  /// Refuses, at `function`, pins that match none of its names.
  llvm::LogicalResult checkNames(mlir::func::FuncOp function,
                                 llvm::ArrayRef<llvm::StringRef> names) const;
  bool matchesAny(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  /// Takes a pin; says how its text is wrong, or nothing.
  std::string add(llvm::StringRef text);

  struct Numbered {
    /// The later of two that match is taken.
    size_t number;
    core::Side side;
  };
  struct Pattern {
    std::string name;
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

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_PINEXPRESSIONS_H
