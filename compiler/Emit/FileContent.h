// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a generated file holds. Weights may be larger than the memory that is left, so they are not
// one string: whoever reads them gets piece after piece.

#ifndef CAMEO_EMIT_FILECONTENT_H
#define CAMEO_EMIT_FILECONTENT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>

namespace cameo {

class FileContent {
public:
  /// Takes a piece; false when no other is wanted.
  using PieceVisitor = llvm::function_ref<bool(llvm::StringRef)>;
  /// Makes the pieces, the same ones each time; whether all were taken.
  using Pieces = std::function<bool(PieceVisitor)>;

  FileContent() = default;
  template <typename Text, std::enable_if_t<std::is_convertible_v<Text, std::string>, bool> = true>
  /*implicit*/ FileContent(Text &&text) : text(std::forward<Text>(text)) {}
  FileContent(uint64_t bytes, Pieces pieces) : bytes(bytes), pieces(std::move(pieces)) {}

  uint64_t size() const { return pieces ? bytes : text.size(); }
  bool forEachPiece(PieceVisitor visit) const { return pieces ? pieces(visit) : visit(text); }
  /// Text of a file that is one string.
  llvm::StringRef getText() const {
    assert(!pieces && "bytes that are made when they are read");
    return text;
  }

private:
  std::string text;
  uint64_t bytes = 0;
  Pieces pieces;
};

/// Contents by path, relative to the folder of the library.
using EmittedFiles = std::map<std::string, FileContent>;

} // namespace cameo

#endif // CAMEO_EMIT_FILECONTENT_H
