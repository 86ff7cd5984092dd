// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a constant as the weights have them: its elements behind the steps that it goes
// through. Nothing here needs a context any more once it is made.

#ifndef CAMEO_CONSTANTS_CONSTANTBYTES_H
#define CAMEO_CONSTANTS_CONSTANTBYTES_H

#include "Constants/PackElements.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <memory>
#include <optional>

namespace cameo {

/// The elements of a constant in row-major order, and what keeps their memory.
struct ConstantSource {
  WeightElements elements;
  std::shared_ptr<const void> memory;

  /// Elements with memory of their own; that of one where `isUniform`.
  static ConstantSource own(std::vector<char> bytes, size_t elementBytes, bool isUniform);
};

class ConstantBytes {
public:
  /// Elements of `type`, which is dense, behind `steps` that fit it (applySteps()). A step
  /// that computes is taken now, a layout each time that the bytes are read.
  ConstantBytes(core::SymTensorType type, mlir::ArrayAttr steps, ConstantSource source);

  /// Puts the elements into their layout now. Their source is let go.
  void pack();

  /// In pieces, the same ones each time; whether all were taken.
  bool forEachPiece(PieceVisitor visit) const;

private:
  std::vector<char> getBytes() const;

  ConstantSource source;
  /// The length of all pieces.
  size_t size;
  /// Where the elements go; none where the memory has them so.
  std::optional<ElementPacker> packer;
};

} // namespace cameo

#endif // CAMEO_CONSTANTS_CONSTANTBYTES_H
