// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ExtentAttr: the symbolic integer in which Cameo states every size, from import to emission.
// It is a uniqued attribute in normal form, so that equal sizes are one pointer: `B * S` and
// `S * B`, `(N + 1) - 1` and `N`. The normal form is a polynomial with int64 coefficients over
// atoms: a symbol, `a floordiv b`, `a mod b`, `min(...)`, `max(...)`, and, where multiplying two
// long sums would blow up, an unexpanded sum (see README.md, "Extents").
//
// Contract. Building an extent never changes its value: wherever the expression as written has a
// value (no division by zero), the normal form has the same one, for every integer assignment of
// its symbols, negative ones included. `ExtentFacts` in ExtentFacts.h does the rest, which needs
// facts (a dim is positive, two dims are equal). Nothing here traps or overflows: a coefficient
// beyond int64, a division by the constant 0 and an expression beyond `kMaxExtentSize` give
// `unknown`, which every operation propagates and which is equal to nothing.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENT_H
#define CAMEO_DIALECT_CORE_IR_EXTENT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cameo::core {

class ExtentAttr;
struct ExtentTerm;
namespace detail {
struct ExtentAttrStorage;
} // namespace detail

/// The kind of an extent's root. Every kind but `Polynomial` and `Unknown` is an atom. A constant
/// is a `Polynomial`: of one term without factors, or of no term (zero).
enum class ExtentKind : uint8_t { Symbol, FloorDiv, Mod, Min, Max, Polynomial, Unknown };

/// Two sums are multiplied out while the product has at most this many terms.
inline constexpr size_t kMaxExtentProductTerms = 64;
/// `min` and `max` are flattened while they have at most this many operands.
inline constexpr size_t kMaxExtentOperands = 16;
/// An extent that would print with more nodes, or nest deeper, is `unknown`.
inline constexpr uint32_t kMaxExtentSize = 2048;
inline constexpr uint32_t kMaxExtentDepth = 96;
/// Beyond this the Shape stage defines a symbol as the extent, so that what is computed from it
/// stays far from the limits above.
inline constexpr uint32_t kLongExtentSize = 128;
inline constexpr uint32_t kLongExtentDepth = 24;

/// A symbolic integer in normal form; see the head of this file.
class ExtentAttr
    : public mlir::Attribute::AttrBase<ExtentAttr, mlir::Attribute, detail::ExtentAttrStorage> {
public:
  using Base::Base;

  static constexpr llvm::StringLiteral name = "cameo.extent";

  static ExtentAttr constant(mlir::MLIRContext *context, int64_t value);
  static ExtentAttr symbol(mlir::MLIRContext *context, llvm::StringRef name);
  static ExtentAttr unknown(mlir::MLIRContext *context);

  ExtentKind getKind() const;
  bool isUnknown() const { return getKind() == ExtentKind::Unknown; }
  bool isSymbol() const { return getKind() == ExtentKind::Symbol; }
  /// The name of a symbol, lent by the context; only for `isSymbol()`.
  llvm::StringRef getSymbolName() const;
  /// The value of a constant; none for anything else.
  std::optional<int64_t> getConstant() const;
  bool isConstant() const { return getConstant().has_value(); }
  bool isConstant(int64_t value) const { return getConstant() == value; }

  /// The operands of `floordiv` and `mod` (two), `min` and `max` (two or more, sorted).
  llvm::ArrayRef<ExtentAttr> getOperands() const;
  /// The value as a sum of products, highest degree first; an atom is one term of itself. Empty
  /// for zero. Not for `unknown`.
  llvm::ArrayRef<ExtentTerm> getTerms() const;
  /// How many nodes the extent prints with, and how deep they nest.
  uint32_t getSize() const;
  uint32_t getDepth() const;
  /// Whether it is worth a symbol of its own.
  bool isLong() const { return getSize() > kLongExtentSize || getDepth() > kLongExtentDepth; }

  ExtentAttr operator+(ExtentAttr other) const;
  ExtentAttr operator-(ExtentAttr other) const;
  ExtentAttr operator*(ExtentAttr other) const;
  ExtentAttr operator+(int64_t other) const { return *this + constant(getContext(), other); }
  ExtentAttr operator-(int64_t other) const { return *this - constant(getContext(), other); }
  ExtentAttr operator*(int64_t other) const { return *this * constant(getContext(), other); }
  ExtentAttr operator-() const { return *this * -1; }

  /// Mathematical division: rounds to minus infinity, `mod` has the sign of the divisor.
  ExtentAttr floorDiv(ExtentAttr divisor) const;
  ExtentAttr mod(ExtentAttr divisor) const;
  /// Rounds to plus infinity; it has no atom of its own: `-((-a) floordiv b)`, or
  /// `(a + b - 1) floordiv b` where b is a positive constant.
  ExtentAttr ceilDiv(ExtentAttr divisor) const;
  ExtentAttr floorDiv(int64_t divisor) const { return floorDiv(constant(getContext(), divisor)); }
  ExtentAttr ceilDiv(int64_t divisor) const { return ceilDiv(constant(getContext(), divisor)); }
  ExtentAttr mod(int64_t divisor) const { return mod(constant(getContext(), divisor)); }

  ExtentAttr min(ExtentAttr other) const;
  ExtentAttr max(ExtentAttr other) const;
  ExtentAttr min(int64_t other) const { return min(constant(getContext(), other)); }
  ExtentAttr max(int64_t other) const { return max(constant(getContext(), other)); }

  /// Replaces symbols, all at once; a null attribute keeps the symbol.
  ExtentAttr substitute(llvm::function_ref<ExtentAttr(llvm::StringRef)> replacement) const;
  ExtentAttr substitute(const llvm::DenseMap<llvm::StringRef, ExtentAttr> &replacements) const;
  /// Replaces the extent, or the largest factors and operands in it that `replacement` knows; a
  /// null attribute keeps one. Terms are no parts: of a sum some may be replaced, but not two
  /// together.
  ExtentAttr replaceParts(llvm::function_ref<ExtentAttr(ExtentAttr)> replacement) const;
  /// Appends the names used, in the order in which they print.
  void collectSymbols(llvm::SetVector<llvm::StringRef> &symbols) const;
  /// The value under an assignment; none if the extent is unknown, a symbol has no value, a
  /// divisor is zero, or a step overflows int64.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> value) const;

  /// Prints the text form, which `parseExtent` reads back to the same attribute:
  /// `2 * N + 1`, `768 * B * S`, `(H + 31) floordiv 32`, `min(N, 5)`, `"batch size"`, `?`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
};

/// One summand: coefficient (never 0) times factors, sorted, a power being a repeated factor.
/// A factor is an atom or an unexpanded sum; of the latter a term has none or at least two.
struct ExtentTerm {
  int64_t coefficient;
  llvm::ArrayRef<ExtentAttr> factors;
};

/// A total order by structure (kind, degree, name), the same in every run; <0, 0, >0.
int compareExtents(ExtentAttr lhs, ExtentAttr rhs);

/// Parses the text form out of IR. `*`, `floordiv`, `ceildiv` and `mod` bind alike, to the left.
mlir::FailureOr<ExtentAttr> parseExtent(mlir::AsmParser &parser);
/// Parses the whole of `text`, as given on a command line; on failure `error` says what was wrong,
/// and at which column.
mlir::FailureOr<ExtentAttr> parseExtent(llvm::StringRef text, mlir::MLIRContext *context,
                                        std::string &error);

/// Prints a C++ expression of type int64_t with as few parentheses as it needs. Symbols print as
/// `symbolName` says; `floor_div(a, b)`, `floor_mod(a, b)`, `min(a, b)`, `max(a, b)` must be
/// functions (not templates) on int64_t, since arguments may be plain literals. Not for `unknown`.
void printExtent(llvm::raw_ostream &os, ExtentAttr extent,
                 llvm::function_ref<std::string(llvm::StringRef)> symbolName);

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, ExtentAttr extent) {
  extent.print(os);
  return os;
}

} // namespace cameo::core

MLIR_DECLARE_EXPLICIT_TYPE_ID(cameo::core::ExtentAttr)

#endif // CAMEO_DIALECT_CORE_IR_EXTENT_H
