// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the device runs: a mark on `onnx.Loop` and on `prog.loop`. The symbols that such a
// loop defines are the device's; the host has their bounds.

#ifndef CAMEO_DIALECT_CORE_IR_REPEATEDLOOPS_H
#define CAMEO_DIALECT_CORE_IR_REPEATEDLOOPS_H

#include "Dialect/Core/IR/CountedSymbols.h"

namespace cameo::core {

inline constexpr llvm::StringLiteral kRepeats = "cameo.repeats";

/// Whether the device runs the loop.
inline bool isRepeated(mlir::Operation *loop) { return loop->hasAttr(kRepeats); }

inline void setRepeated(mlir::Operation *loop, bool isRepeated) {
  if (isRepeated)
    loop->setAttr(kRepeats, mlir::UnitAttr::get(loop->getContext()));
  else
    loop->removeAttr(kRepeats);
}

/// The same as the other one; where the device runs `loop`, all its symbols are the device's.
inline void visitLoopSymbols(mlir::Operation *loop, const LoopSymbols &symbols,
                             SymbolVisitor visit) {
  llvm::ArrayRef<int64_t> counted = getCountedSymbols(loop);
  visitLoopSymbols(symbols, [&](SymbolDefinition definition) {
    definition.isOnDevice |= isRepeated(loop) || llvm::any_of(counted, [&](int64_t number) {
                               return symbols.carried[number] == definition.symbol;
                             });
    visit(definition);
  });
}

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_REPEATEDLOOPS_H
