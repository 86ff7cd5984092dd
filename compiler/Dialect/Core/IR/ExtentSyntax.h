// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the text form, shared by printer and parser.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTSYNTAX_H
#define CAMEO_DIALECT_CORE_IR_EXTENTSYNTAX_H

#include "llvm/ADT/StringExtras.h"

namespace cameo::core {

inline constexpr llvm::StringLiteral kFloorDivKeyword = "floordiv";
inline constexpr llvm::StringLiteral kCeilDivKeyword = "ceildiv";
inline constexpr llvm::StringLiteral kModKeyword = "mod";
inline constexpr llvm::StringLiteral kMinKeyword = "min";
inline constexpr llvm::StringLiteral kMaxKeyword = "max";
inline constexpr llvm::StringLiteral kProductKeyword = "product";

/// A character of a bare identifier, as MLIR's lexer has it.
inline bool isSymbolCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

/// Whether a symbol of this name prints without quotes.
inline bool isBareSymbolName(llvm::StringRef name) {
  return !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name, isSymbolCharacter) && name != kFloorDivKeyword &&
         name != kCeilDivKeyword && name != kModKeyword && name != kMinKeyword &&
         name != kMaxKeyword && name != kProductKeyword;
}

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTSYNTAX_H
