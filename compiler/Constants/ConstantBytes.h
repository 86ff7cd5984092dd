// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a constant as the weights have them: its elements, through a transform if it has
// one, in the layout of its type. Nothing here needs a context any more once it is made.

#ifndef CAMEO_CONSTANTS_CONSTANTBYTES_H
#define CAMEO_CONSTANTS_CONSTANTBYTES_H

#include "Constants/PackElements.h"
#include "Dialect/Prog/IR/ProgDialect.h"

#include <memory>
#include <optional>

namespace cameo {

class ConstantBytes {
public:
  /// In the layout of `type`, whose extents are constants.
  explicit ConstantBytes(core::SymTensorType type);

  /// Its elements in row-major order: bytes of its own, those of one element where `isUniform`; or
  /// such as `owner` keeps.
  void setElements(std::vector<char> bytes, bool isUniform);
  void setElements(llvm::ArrayRef<char> bytes, std::shared_ptr<const void> owner);

  /// Puts the taps, of `shape` [OC, IC, K, K], through a transform. The layout is of what comes
  /// out.
  void transform(llvm::ArrayRef<int64_t> shape, prog::WinogradAttr algorithm);
  /// Makes the bytes now, not each time that they are read. Their source is let go.
  void pack();

  /// In pieces, the same ones each time; whether all were taken.
  bool forEachPiece(PieceVisitor visit) const;

private:
  std::vector<char> getBytes() const;

  /// The length of all pieces.
  size_t size;
  /// Where the elements go; none where the memory has them so.
  std::optional<ElementPacker> packer;
  WeightElements elements;
  std::shared_ptr<const void> memory;
};

} // namespace cameo

#endif // CAMEO_CONSTANTS_CONSTANTBYTES_H
