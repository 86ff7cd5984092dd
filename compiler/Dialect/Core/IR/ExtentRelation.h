// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user says of the values of a model, as text: `k in 1..64`, `y.shape[0] == 4 * batch`,
// `pads = [0, 0, 1, 1]`. Sides are extents; what they name besides dims is left to who knows the
// model.
//
//   relation  ::= sum (`==` | `<=` | `<` | `>=` | `>`) sum | sum `in` sum `..` sum
//               | sum `likely` integer
//   value     ::= name `=` (sum | `[` (sum (`,` sum)*)? `]`)
//   reference ::= name | name `.shape` `[` integer `]` | name `[` integer `]`

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTRELATION_H
#define CAMEO_DIALECT_CORE_IR_EXTENTRELATION_H

#include "Dialect/Core/IR/Extent.h"

namespace cameo::core {

/// A name in a relation: of a dim or of a value's only element, of an extent of a value's, or of an
/// element of a value's in row-major order.
struct ExtentReference {
  enum class Kind { Plain, Extent, Element };

  std::string name;
  Kind kind = Kind::Plain;
  int64_t index = 0;

  bool operator==(const ExtentReference &other) const {
    return name == other.name && kind == other.kind && index == other.index;
  }
};

/// `left` is at least `least` and at most `most`; null where nothing is said. Where both are the
/// same it is equal. Or it only is `likely` so much, of which nothing follows.
struct ExtentRelation {
  std::string text;
  ExtentAttr left, least, most;
  std::optional<int64_t> likely;
  /// The references that the symbols of the extents stand for, by their numbers.
  llvm::SmallVector<ExtentReference> references;

  bool isEquality() const { return least == most; }
  /// The symbol that stands for a reference.
  static std::string getSymbol(size_t number) { return "#" + std::to_string(number); }
};

/// The extent of every element of a value.
struct ExtentAssignment {
  std::string text, name;
  bool isList = false;
  llvm::SmallVector<ExtentAttr> elements;
  llvm::SmallVector<ExtentReference> references;
};

/// Parses the whole of `text`; on failure `error` says what was wrong, and shows where by a `^`.
mlir::FailureOr<ExtentRelation> parseExtentRelation(llvm::StringRef text,
                                                    mlir::MLIRContext *context, std::string &error);
mlir::FailureOr<ExtentAssignment>
parseExtentAssignment(llvm::StringRef text, mlir::MLIRContext *context, std::string &error);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTRELATION_H
