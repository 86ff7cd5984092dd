// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants in a layout.

#ifndef CAMEO_CONSTANTS_PACKELEMENTS_H
#define CAMEO_CONSTANTS_PACKELEMENTS_H

#include "Dialect/Core/IR/CoreDialect.h"

#include <vector>

namespace cameo {

/// Takes a piece of bytes; false when no other is wanted.
using PieceVisitor = llvm::function_ref<bool(llvm::StringRef)>;

/// The elements of a constant in row-major order; of one that has the same everywhere, one.
struct WeightElements {
  llvm::ArrayRef<char> bytes;
  size_t elementBytes = 1;
  bool isUniform = false;

  const char *get(size_t element) const {
    return bytes.data() + (isUniform ? 0 : element * elementBytes);
  }
};

/// Where a layout has the elements of a tensor. It does not need the type's context any more.
class ElementPacker {
public:
  /// All extents of `type` are constants.
  explicit ElementPacker(core::SymTensorType type);

  /// Hands on the bytes of the tensor in pieces, with zeros where no element is; whether all were
  /// taken.
  bool run(const WeightElements &elements, PieceVisitor visit) const;

private:
  /// A physical dim: which logical axis it steps along, and how far.
  struct Dim {
    int64_t extent, axis, step;
  };
  /// Logical indices, by axis.
  using Index = llvm::SmallVector<int64_t, 6>;

  bool writeDense(const WeightElements &elements, PieceVisitor visit) const;
  bool writeBits(const WeightElements &elements, PieceVisitor visit) const;
  bool writeBlocks(const WeightElements &elements, PieceVisitor visit) const;
  void appendRow(const WeightElements &elements, const Index &first,
                 std::vector<char> &piece) const;

  size_t count;
  /// The bits of an element where several share a byte, else 0.
  unsigned bits = 0;
  /// The axes of a blocked layout, else none.
  llvm::SmallVector<Dim, 8> dims;
  Index shape, strides;
  /// The index of the first element in memory, which may be one of a halo.
  Index origin;
};

} // namespace cameo

#endif // CAMEO_CONSTANTS_PACKELEMENTS_H
