// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The offsets that index maps are (Dialect/Prog/IR/ElementOffset.h) as C++.

#ifndef CAMEO_EMIT_OFFSETPRINTER_H
#define CAMEO_EMIT_OFFSETPRINTER_H

#include "Dialect/Prog/IR/ElementOffset.h"
#include "Emit/CppCode.h"

#include <functional>

namespace cameo {

/// An expression and whether it is a sum, which needs parentheses as a factor.
struct OffsetCode {
  Code code;
  bool isSum = false;
};

/// The functions that offsets and extents are spelled with.
inline constexpr llvm::StringRef kExtentFunctions[] = {"floor_div", "floor_mod", "max", "min"};

/// Prints offsets as C++.
class OffsetPrinter {
public:
  /// `symbols` are those of the maps; `facts` decide where `/` and `%` of C++ do; `extent` spells
  /// an extent that is no constant.
  OffsetPrinter(llvm::ArrayRef<mlir::Attribute> symbols, const core::ExtentFacts &facts,
                std::function<OffsetCode(core::ExtentAttr)> extent)
      : symbols(symbols), facts(facts), extent(std::move(extent)) {}

  /// `map` has one result.
  Code print(mlir::AffineMap map);
  /// Whether a coordinate of the index was printed.
  bool usesIndex() const { return indexUsed; }

private:
  OffsetCode printExpr(mlir::AffineExpr expr);
  OffsetCode printBinary(mlir::AffineBinaryOpExpr expr);
  OffsetCode printExtent(core::ExtentAttr value);
  OffsetCode multiply(const OffsetCode &value, core::ExtentAttr by);
  core::ExtentRange getRange(mlir::AffineExpr expr);

  llvm::ArrayRef<mlir::Attribute> symbols;
  const core::ExtentFacts &facts;
  std::function<OffsetCode(core::ExtentAttr)> extent;
  bool indexUsed = false;
};

} // namespace cameo

#endif // CAMEO_EMIT_OFFSETPRINTER_H
