// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols that a branch or a loop of the host leaves to the device: extents that counts decide in
// it. A mark on `prog.if` and `prog.loop` has the numbers of these among their symbols.

#ifndef CAMEO_DIALECT_CORE_IR_COUNTEDSYMBOLS_H
#define CAMEO_DIALECT_CORE_IR_COUNTEDSYMBOLS_H

#include "Dialect/Core/IR/SymbolDefiningOp.h"
#include "mlir/IR/Builders.h"

namespace cameo::core {

inline constexpr llvm::StringLiteral kCountedSymbols = "cameo.counted";

/// The numbers of the symbols of `op` that only the device has, ascending.
inline llvm::ArrayRef<int64_t> getCountedSymbols(mlir::Operation *op) {
  auto numbers = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kCountedSymbols);
  return numbers ? numbers.asArrayRef() : llvm::ArrayRef<int64_t>();
}

inline bool isCountedSymbol(mlir::Operation *op, size_t number) {
  return llvm::is_contained(getCountedSymbols(op), static_cast<int64_t>(number));
}

inline void setCountedSymbols(mlir::Operation *op, llvm::ArrayRef<int64_t> numbers) {
  if (numbers.empty())
    op->removeAttr(kCountedSymbols);
  else
    op->setAttr(kCountedSymbols, mlir::DenseI64ArrayAttr::get(op->getContext(), numbers));
}

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_COUNTEDSYMBOLS_H
