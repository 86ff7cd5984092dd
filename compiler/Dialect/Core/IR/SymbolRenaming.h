// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New names for the symbols of ops that were copied. A symbol is defined once in a function, so a
// region that is cloned or inlined a second time must define others:
//
//   Operation *copy = builder.clone(*op);
//   SymbolRenaming names(function);
//   names.renameDefinedIn(copy);
//
// What the copy names and does not define, it goes on naming.

#ifndef CAMEO_DIALECT_CORE_IR_SYMBOLRENAMING_H
#define CAMEO_DIALECT_CORE_IR_SYMBOLRENAMING_H

#include "Dialect/Core/IR/SymbolDefiningOp.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace cameo::core {

class SymbolRenaming {
public:
  /// Knows the names that `function` has; one object serves many copies.
  explicit SymbolRenaming(mlir::Operation *function);

  /// Gives the symbols that `op` and the ops inside it define new names, in all types and
  /// attributes from `op` inwards.
  void renameDefinedIn(mlir::Operation *op);
  /// The same for ops that were copied together: what one defines, the others may name.
  void renameDefinedIn(llvm::ArrayRef<mlir::Operation *> ops);

private:
  mlir::StringAttr getFresh(mlir::StringAttr name);

  llvm::StringSet<> taken;
  /// The last number behind a name that was taken.
  llvm::StringMap<unsigned> numbers;
};

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_SYMBOLRENAMING_H
