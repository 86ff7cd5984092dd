// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols as values: what each is where a statement is added. A symbol that a branch or a body
// defines ends with it.

#ifndef CAMEO_PREPARE_SYMBOLVALUES_H
#define CAMEO_PREPARE_SYMBOLVALUES_H

#include "Dialect/Host/IR/HostDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace cameo {

class SymbolValues {
public:
  using Table = llvm::ScopedHashTable<llvm::StringRef, mlir::Value>;
  /// A block of C++.
  struct Scope {
    explicit Scope(SymbolValues &values) : scope(values.table) {}
    Table::ScopeTy scope;
  };

  void define(llvm::StringRef symbol, mlir::Value value) {
    table.insert(symbol, value);
    isEmpty = false;
  }
  /// A number, or what the device has counted; null for one that has no value here.
  mlir::Value lookup(llvm::StringRef symbol) const { return table.lookup(symbol); }
  /// Whether no symbol was ever defined.
  bool empty() const { return isEmpty; }
  /// Whether the host has the value of a symbol here.
  bool isKnown(llvm::StringRef symbol) const;
  /// Whether that holds for all symbols of an extent; in `block` itself, if one is given.
  bool areKnown(core::ExtentAttr extent, mlir::Block *block = nullptr) const;
  /// An extent, whose symbols are known.
  mlir::Value evaluate(mlir::OpBuilder &builder, mlir::Location location,
                       core::ExtentAttr extent) const;
  llvm::SmallVector<mlir::Value> evaluate(mlir::OpBuilder &builder, mlir::Location location,
                                          llvm::ArrayRef<core::ExtentAttr> extents) const;

private:
  Table table;
  Scope outermost{*this};
  bool isEmpty = true;
};

} // namespace cameo

#endif // CAMEO_PREPARE_SYMBOLVALUES_H
