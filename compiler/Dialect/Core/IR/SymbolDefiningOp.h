// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op says of the symbols that it defines.

#ifndef CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_H
#define CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace cameo::core {

/// Where a symbol has its value.
enum class SymbolScope {
  /// From the op on, its own results included.
  Behind,
  /// In the regions of the op.
  Inside,
  /// In both: in a loop's body it is that of the iteration, afterwards that of the last one.
  InsideAndBehind
};

/// The values of a symbol that a loop carries: at first, and behind each of at most `trip`
/// iterations, which is null where nothing limits them.
struct CarriedExtent {
  ExtentAttr init, next, trip;
};

/// The most that a symbol can be that a loop carries so, where it is at most `next` behind an
/// iteration; null where nothing bounds it.
ExtentAttr getCarriedBound(SymbolAttr symbol, const CarriedExtent &carried);

struct SymbolDefinition {
  SymbolAttr symbol;
  SymbolScope scope;
  /// The most that the symbol can be, in other symbols; null where its range says all.
  ExtentAttr bound;
  /// Whether only the device has its value; the host has the bound.
  bool isOnDevice = false;
  /// The extent that the symbol is another name of, if it is one: it is on the device where this
  /// is.
  ExtentAttr extent = {};
  /// The values of a symbol that a loop carries.
  std::optional<CarriedExtent> carried = {};
};

using SymbolVisitor = llvm::function_ref<void(const SymbolDefinition &)>;

/// The symbols of a loop, and the extents that they have.
struct LoopSymbols {
  /// The number of the iteration.
  SymbolAttr iteration;
  /// How often the body ran, where that is first known afterwards; else null.
  SymbolAttr count;
  /// The most iterations; null where nothing limits them.
  ExtentAttr trip;
  /// The extents that each iteration leaves to the next: SymbolAttrs, their first values, and those
  /// in the next iteration.
  mlir::ArrayAttr carried;
  mlir::ArrayAttr init;
  llvm::ArrayRef<mlir::Attribute> next;
};

/// Implements visitSymbols() of a loop.
void visitLoopSymbols(const LoopSymbols &loop, SymbolVisitor visit);

} // namespace cameo::core

#include "Dialect/Core/IR/SymbolDefiningOp.h.inc"

#endif // CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_H
