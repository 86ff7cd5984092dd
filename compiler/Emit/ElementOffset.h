// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an element lies: the index maps of a body as offsets into dense arrays, and the smallest
// loop nest that still tells all of them apart. Strides are extents, so they fold when dims are
// known and stay polynomials when they are not.

#ifndef CAMEO_EMIT_ELEMENTOFFSET_H
#define CAMEO_EMIT_ELEMENTOFFSET_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Emit/CppCode.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <functional>

namespace cameo {

/// An offset in elements: the sum of `scale * atom` over its terms, plus `constant`.
struct ElementOffset {
  struct Term {
    /// A dim of the iteration, or a quotient, remainder or product that is not linear in them.
    mlir::AffineExpr atom;
    core::ExtentAttr scale;
  };
  llvm::SmallVector<Term, 4> terms;
  core::ExtentAttr constant;
};

/// The offset of the element of a dense array of extents `physical` at `map(index)[symbols]`.
ElementOffset getElementOffset(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols,
                               llvm::ArrayRef<core::ExtentAttr> physical);
/// The same of an array of these strides.
ElementOffset getStridedOffset(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols,
                               llvm::ArrayRef<core::ExtentAttr> strides);

/// Merges neighbouring dims of `extents` that every offset walks as one, and drops dims of extent
/// 1; rewrites the offsets. Dims in `fixed` are asked for by number and stay. Returns the number
/// that each old dim has now, 0 for those that are gone.
llvm::SmallVector<unsigned> coalesce(llvm::SmallVectorImpl<core::ExtentAttr> &extents,
                                     llvm::MutableArrayRef<ElementOffset> offsets,
                                     const llvm::SmallBitVector &fixed);

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
  /// an extent that is no constant, and `number` what says where in a larger array the elements
  /// are: a constant in front of them, and what the first of several coordinates is multiplied by.
  OffsetPrinter(llvm::ArrayRef<mlir::Attribute> symbols, const core::ExtentFacts &facts,
                std::function<OffsetCode(core::ExtentAttr)> extent,
                std::function<Code(llvm::StringRef base, int64_t)> number)
      : symbols(symbols), facts(facts), extent(std::move(extent)), number(std::move(number)) {}

  Code print(const ElementOffset &offset);
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
  std::function<Code(llvm::StringRef base, int64_t)> number;
  bool indexUsed = false;
};

} // namespace cameo

#endif // CAMEO_EMIT_ELEMENTOFFSET_H
