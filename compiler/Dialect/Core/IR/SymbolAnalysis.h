// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function says of its symbols: who defines each, what is known of it, when it has its
// value, and the most that it can be. Found in one walk; holds until a definition changes.

#ifndef CAMEO_DIALECT_CORE_IR_SYMBOLANALYSIS_H
#define CAMEO_DIALECT_CORE_IR_SYMBOLANALYSIS_H

#include "Dialect/Core/IR/SymbolDefiningOp.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace cameo::core {

/// The most that symbols can be, as far as it has been asked for; null where nothing bounds one.
using SymbolBounds = llvm::DenseMap<llvm::StringRef, ExtentAttr>;

class SymbolAnalysis {
public:
  explicit SymbolAnalysis(mlir::Operation *function);

  /// The facts that the definitions give.
  const ExtentFacts &getFacts() const { return facts; }
  /// The op that defines a symbol; null for a dim of an input.
  mlir::Operation *getDefiner(llvm::StringRef symbol) const;

  /// The usual value of an extent, where all its symbols have one.
  std::optional<int64_t> getLikely(ExtentAttr extent) const;

  /// Whether only the device ever has the value of a symbol of `extent`.
  bool isOnDevice(ExtentAttr extent) const;
  /// Whether the host has the value of every symbol of `extent` when `op` begins.
  bool areKnownBefore(ExtentAttr extent, mlir::Operation *op) const;
  /// The most that an extent can be, in symbols that have their values when `op` begins; the extent
  /// itself where nothing bounds it.
  ExtentAttr getBound(ExtentAttr extent, mlir::Operation *op) const;
  /// The most that an extent can be in symbols that the host may know; itself as above.
  ExtentAttr getHostBound(ExtentAttr extent) const;
  /// Whether one of the extents is bounded by what another one leaves, so that their product is at
  /// most less than the product of the most that each can be.
  bool areBoundedTogether(llvm::ArrayRef<ExtentAttr> extents) const;
  /// The most that an extent can be for the host in any iteration of the loops around it; itself as
  /// above.
  ExtentAttr getLoopBound(ExtentAttr extent) const;
  /// The most that an extent can be, in symbols for which `isKept` holds; itself as above. `known`
  /// is what earlier calls with the same `isKept` found.
  ExtentAttr getBound(ExtentAttr extent, llvm::function_ref<bool(llvm::StringRef)> isKept,
                      SymbolBounds &known) const;

private:
  struct Definition {
    mlir::Operation *op = nullptr;
    SymbolScope scope = SymbolScope::Behind;
    ExtentAttr bound;
    bool isOnDevice = false;
  };

  bool isKnownBefore(llvm::StringRef symbol, mlir::Operation *op) const;
  ExtentAttr getSymbolBound(llvm::StringRef symbol) const;

  llvm::DenseMap<llvm::StringRef, Definition> definitions;
  ExtentFacts facts;
  /// By name, of symbols of which something was said, or that follow from such.
  llvm::StringMap<int64_t> likely;
  /// The results of getLoopBound().
  mutable SymbolBounds loopBounds;
};

/// The symbols that types and attributes name: each of these is looked through once.
class SymbolUses {
public:
  llvm::ArrayRef<llvm::StringRef> get(mlir::Type type);
  llvm::ArrayRef<llvm::StringRef> get(mlir::Attribute attribute);
  /// Visits the symbols of an op: those of its attributes, and of the types of its results and its
  /// regions' arguments.
  void forEach(mlir::Operation *op, llvm::function_ref<void(llvm::StringRef)> visit);

private:
  llvm::ArrayRef<llvm::StringRef> find(const void *key,
                                       llvm::function_ref<void(mlir::AttrTypeWalker &)> walk);

  llvm::DenseMap<const void *, llvm::SmallVector<llvm::StringRef, 2>> uses;
};

/// The symbols of a function's inputs, SymbolAttrs.
llvm::ArrayRef<mlir::Attribute> getInputSymbols(mlir::Operation *function);
void setInputSymbols(mlir::Operation *function, llvm::ArrayRef<SymbolAttr> symbols);

/// Lets rewrites ask for facts one at a time: while it lives, the function carries what its
/// definitions say in an attribute, which getSymbolFacts() finds in constant time.
class SymbolFactsScope {
public:
  explicit SymbolFactsScope(mlir::Operation *function);
  ~SymbolFactsScope();
  SymbolFactsScope(const SymbolFactsScope &) = delete;
  SymbolFactsScope &operator=(const SymbolFactsScope &) = delete;

private:
  mlir::Operation *function;
};

/// The facts about the symbols of the function that holds `op`: within a SymbolFactsScope in
/// constant time, by an analysis of the function otherwise.
ExtentFacts getSymbolFacts(mlir::Operation *op);

/// Within a SymbolFactsScope: a symbol that the function does not have yet, named after `hint`, for
/// the caller to define. The scope knows it from here on.
SymbolAttr addSymbol(mlir::Operation *op, llvm::StringRef hint, SymbolFact fact);

/// Holds all extents inside `function`, in types and attributes, against the definitions of their
/// symbols: each is defined once, and has a value wherever it is named. Diagnoses the first that
/// has not. Linear in the function.
llvm::LogicalResult verifySymbols(mlir::Operation *function);

/// Removes definitions whose symbols nothing names any more, and which check nothing.
void eraseUnusedSymbols(mlir::Operation *function);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_SYMBOLANALYSIS_H
