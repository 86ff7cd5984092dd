// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks tensors as they lie in memory, so that any part of them can be made on its own.

#include "Constants/PackElements.h"

#include "cameo/pack/bits.h"
#include "cameo/pack/blocks.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

/// How many bytes are made before they are handed on.
constexpr size_t kPieceBytes = size_t(1) << 20;

template <size_t Bytes>
void copyElements(const WeightElements &elements, char *to, size_t from, size_t stride,
                  int64_t count) {
  for (int64_t element = 0; element < count; ++element, to += Bytes, from += stride)
    std::memcpy(to, elements.get(from), Bytes);
}

/// Every `stride`-th element; of the usual sizes as loads and stores, not as calls.
void copyElements(const WeightElements &elements, char *to, size_t from, size_t stride,
                  int64_t count) {
  switch (elements.elementBytes) {
  case 1:
    return copyElements<1>(elements, to, from, stride, count);
  case 2:
    return copyElements<2>(elements, to, from, stride, count);
  case 4:
    return copyElements<4>(elements, to, from, stride, count);
  default:
    for (; count > 0; --count, to += elements.elementBytes, from += stride)
      std::memcpy(to, elements.get(from), elements.elementBytes);
  }
}

} // namespace

ElementPacker::ElementPacker(SymTensorType type)
    : count(static_cast<size_t>(*type.getNumElements().getConstant())) {
  if (type.isPacked())
    bits = type.getElementType().getIntOrFloatBitWidth();
  BlockedLayoutAttr layout = type.getBlockedLayout();
  if (!layout)
    return;
  int64_t rank = type.getRank();
  SmallVector<blocked_axis, 6> axes;
  for (auto [axis, extent] : llvm::enumerate(type.getExtents()))
    axes.push_back({*extent.getConstant(), 1, layout.getHaloOf(static_cast<int64_t>(axis), rank)});
  for (auto [axis, length] : llvm::zip_equal(layout.getAxes(), layout.getBlocks()))
    axes[axis].length = length;
  for (auto [axis, blocked] : llvm::enumerate(axes)) {
    dims.push_back({blocked.steps(), static_cast<int64_t>(axis), blocked.length});
    shape.push_back(blocked.extent);
    origin.push_back(blocked.first());
  }
  for (int64_t axis : layout.getAxes())
    dims.push_back({axes[axis].length, axis, 1});
  strides.assign(rank, 1);
  for (int64_t axis = rank - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * shape[axis];
}

bool ElementPacker::run(const WeightElements &elements, PieceVisitor visit) const {
  if (bits != 0)
    return writeBits(elements, visit);
  return dims.empty() ? writeDense(elements, visit) : writeBlocks(elements, visit);
}

bool ElementPacker::writeDense(const WeightElements &elements, PieceVisitor visit) const {
  if (!elements.isUniform)
    return visit(StringRef(elements.bytes.data(), elements.bytes.size()));
  size_t most = std::max<size_t>(kPieceBytes / elements.elementBytes, 1);
  std::vector<char> piece(std::min(most, count) * elements.elementBytes);
  copyElements(elements, piece.data(), 0, 0, static_cast<int64_t>(std::min(most, count)));
  for (size_t left = count; left > 0; left -= std::min(left, most))
    if (!visit(StringRef(piece.data(), std::min(left, most) * elements.elementBytes)))
      return false;
  return true;
}

/// One stream of bits, lowest bits first, out of elements that have a byte each.
bool ElementPacker::writeBits(const WeightElements &elements, PieceVisitor visit) const {
  // Pieces begin at whole bytes: eight elements are `bits` of those.
  static_assert(kPieceBytes % 8 == 0);
  for (size_t begin = 0; begin < count; begin += kPieceBytes) {
    size_t number = std::min(kPieceBytes, count - begin);
    std::vector<char> piece(llvm::divideCeil(number * bits, 8));
    for (size_t element = 0; element < number; ++element) {
      unsigned code =
          static_cast<unsigned char>(*elements.get(begin + element)) & ((1u << bits) - 1);
      packed_place at = packed_place::of(static_cast<int64_t>(element), static_cast<int>(bits));
      unsigned shifted = code << at.shift;
      auto byte = static_cast<size_t>(at.byte);
      piece[byte] |= static_cast<char>(shifted);
      if (shifted > 0xff)
        piece[byte + 1] |= static_cast<char>(shifted >> 8);
    }
    if (!visit(StringRef(piece.data(), piece.size())))
      return false;
  }
  return true;
}

/// Appends a row of the last physical dim, whose first element has the indices `first`.
void ElementPacker::appendRow(const WeightElements &elements, const Index &first,
                              std::vector<char> &piece) const {
  const Dim &row = dims.back();
  size_t before = piece.size();
  piece.resize(before + static_cast<size_t>(row.extent) * elements.elementBytes);
  int64_t from = 0;
  for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
    if (axis != row.axis && (first[axis] < 0 || first[axis] >= shape[axis]))
      return;
    from += first[axis] * strides[axis];
  }
  int64_t begin = std::max<int64_t>(llvm::divideCeilSigned(-first[row.axis], row.step), 0);
  int64_t end =
      std::min(llvm::divideCeilSigned(shape[row.axis] - first[row.axis], row.step), row.extent);
  int64_t stride = row.step * strides[row.axis];
  copyElements(elements, piece.data() + before + static_cast<size_t>(begin) * elements.elementBytes,
               static_cast<size_t>(from + begin * stride), static_cast<size_t>(stride),
               end - begin);
}

bool ElementPacker::writeBlocks(const WeightElements &elements, PieceVisitor visit) const {
  size_t numRows = 1;
  for (const Dim &dim : ArrayRef(dims).drop_back())
    numRows *= static_cast<size_t>(dim.extent);
  Index first = origin, at(dims.size(), 0);
  std::vector<char> piece;
  for (size_t row = 0; row < numRows; ++row) {
    appendRow(elements, first, piece);
    if (piece.size() >= kPieceBytes || row + 1 == numRows) {
      if (!visit(StringRef(piece.data(), piece.size())))
        return false;
      piece.clear();
    }
    for (size_t number = dims.size() - 1; number-- > 0;) {
      const Dim &dim = dims[number];
      first[dim.axis] += dim.step;
      if (++at[number] < dim.extent)
        break;
      first[dim.axis] -= dim.extent * dim.step;
      at[number] = 0;
    }
  }
  return true;
}
