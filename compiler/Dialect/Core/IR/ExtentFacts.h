// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about the symbols of extents, and what follows from it: ranges, divisibility,
// equalities, and simplification under them. All answers are sound and incomplete: "provably" that
// is false means "not shown", never "shown false". No answer depends on pointer values or on the
// order in which facts were given, but that of two equalities of one symbol the first is kept.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTFACTS_H
#define CAMEO_DIALECT_CORE_IR_EXTENTFACTS_H

#include "Dialect/Core/IR/Extent.h"
#include "Dialect/Core/IR/ExtentRange.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"

namespace cameo::core {

/// The most that a symbol without a definition can be: it is a dim of a tensor.
inline constexpr int64_t kMaxSymbolExtent = int64_t(1) << 40;

class SymbolAttr;

struct SymbolFact {
  int64_t min = 0;
  int64_t max = kMaxSymbolExtent;
  /// The symbol is a multiple of it; at least 1.
  int64_t divisor = 1;
  /// Null, or the expression to use in the symbol's place.
  ExtentAttr equalTo;
  /// Null, or the most that the symbol can be, in other symbols.
  ExtentAttr bound;
  /// The usual value of the symbol, if somebody gave one. It is no fact: only costs go by it.
  std::optional<int64_t> likely;
};

/// Facts by symbol name. Copyable; given by the caller to each query, one thread at a time.
class ExtentFacts {
public:
  ExtentFacts() = default;
  /// The facts about symbols without definitions.
  static const ExtentFacts &none();
  /// The facts that the definitions in a dictionary give, by name. Each is read where it is asked
  /// for, so that this costs nothing however many symbols there are.
  explicit ExtentFacts(mlir::DictionaryAttr definitions) : definitions(definitions) {}

  /// Takes over the facts of a symbol's definition.
  void set(SymbolAttr symbol);

  /// The facts of one symbol, the defaults if none were given.
  SymbolFact lookup(llvm::StringRef symbol) const;

  /// Replaces the range, for a symbol that is not a dim (an offset, a value of the model).
  void setRange(llvm::StringRef symbol, int64_t min, int64_t max);
  /// Narrows the range; fails, changing nothing, if no value would be left.
  llvm::LogicalResult restrictRange(llvm::StringRef symbol, int64_t min, int64_t max);
  /// Adds a divisor (at least 1).
  void addDivisor(llvm::StringRef symbol, int64_t divisor);
  void setLikely(llvm::StringRef symbol, int64_t value) { edit(symbol).likely = value; }
  /// Makes `symbol` equal to `expr`. Succeeds without effect if that is known already. Fails,
  /// changing nothing, if it contradicts the facts, if the symbol has another equality that this
  /// one does not follow from, or if `expr` is unknown or depends on the symbol. Where `expr` is
  /// itself a symbol, range and divisor pass on to it.
  llvm::LogicalResult setEqual(llvm::StringRef symbol, ExtentAttr expr);

  /// `expr` with every symbol that has an equality replaced, to the end.
  ExtentAttr resolve(ExtentAttr expr) const;

private:
  /// The facts about a symbol, to be changed.
  SymbolFact &edit(llvm::StringRef symbol);

  /// The given definitions; facts that were learned since go before them.
  mlir::DictionaryAttr definitions;
  llvm::StringMap<SymbolFact> facts;
  /// The results of `range` since something was learned last: the same few differences are asked
  /// for over and over.
  mutable llvm::DenseMap<ExtentAttr, ExtentRange> ranges;
  friend ExtentRange range(ExtentAttr expr, const ExtentFacts &facts);
};

/// The values of an integer type, as far as they are extents; all of 64 bits and of other types.
ExtentRange getIntegerRange(mlir::Type type);
/// An interval that contains every value of `expr`; unbounded for `unknown`.
ExtentRange range(ExtentAttr expr, const ExtentFacts &facts);
/// The value of `expr` where costs are weighed: its symbols have their likely values, or 64 within
/// their ranges. 64 for `unknown`.
int64_t estimate(ExtentAttr expr, const ExtentFacts &facts);
/// The largest number known to divide `expr`: 0 if it is zero, 1 if nothing is known.
int64_t divisibility(ExtentAttr expr, const ExtentFacts &facts);

bool provablyEqual(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts);
/// lhs <= rhs, by the range of rhs - lhs.
bool provablyLessEqual(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts);
bool provablyLess(ExtentAttr lhs, ExtentAttr rhs, const ExtentFacts &facts);

/// The normal form under the facts: equalities replaced, `x floordiv c` and `x mod c` decided where
/// the range of x decides them, `min` and `max` without dominated operands, `(B * H) floordiv H`
/// without H where H cannot be 0. Equal to `expr` for every assignment that satisfies the facts.
ExtentAttr simplify(ExtentAttr expr, const ExtentFacts &facts);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTFACTS_H
