// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/PackElements.h"

#include <vector>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

/// For each axis of a packed tensor and each index along it, its share in the offset of an element.
SmallVector<std::vector<int64_t>> getAxisOffsets(SymTensorType type) {
  SmallVector<int64_t> strides;
  for (ExtentAttr extent : type.getPhysicalExtents())
    strides.push_back(*extent.getConstant());
  int64_t stride = 1;
  for (int64_t &entry : llvm::reverse(strides))
    entry = std::exchange(stride, stride * entry);
  BlockedLayoutAttr layout = type.getBlockedLayout();
  SmallVector<std::vector<int64_t>> offsets;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    const auto *blocked = llvm::find(layout.getAxes(), axis);
    size_t number = blocked - layout.getAxes().begin();
    bool isBlocked = blocked != layout.getAxes().end();
    int64_t block = isBlocked ? layout.getBlocks()[number] : 1;
    int64_t lane = isBlocked ? strides[type.getRank() + number] : 0;
    int64_t halo = layout.getHaloOf(axis, type.getRank());
    std::vector<int64_t> &own = offsets.emplace_back(*type.getExtents()[axis].getConstant());
    for (auto [index, offset] : llvm::enumerate(own))
      offset = (static_cast<int64_t>(index) / block + halo) * strides[axis] +
               static_cast<int64_t>(index) % block * lane;
  }
  return offsets;
}

/// One stream of bits, lowest bits first, out of elements that have a byte each.
void packBits(unsigned bits, ArrayRef<char> dense, MutableArrayRef<char> target) {
  for (auto [number, byte] : llvm::enumerate(dense)) {
    unsigned code = static_cast<unsigned char>(byte) & ((1u << bits) - 1);
    size_t bit = number * bits;
    unsigned shifted = code << (bit % 8);
    target[bit / 8] |= static_cast<char>(shifted);
    if (shifted > 0xff)
      target[bit / 8 + 1] |= static_cast<char>(shifted >> 8);
  }
}

} // namespace

void cameo::packElements(SymTensorType type, ArrayRef<char> dense, MutableArrayRef<char> target) {
  if (type.isPacked())
    return packBits(type.getElementType().getIntOrFloatBitWidth(), dense, target);
  SmallVector<std::vector<int64_t>> offsets = getAxisOffsets(type);
  size_t elements = static_cast<size_t>(*type.getNumElements().getConstant());
  size_t elementBytes = elements == 0 ? 0 : dense.size() / elements;
  SmallVector<size_t> index(offsets.size(), 0);
  for (size_t element = 0; element < elements; ++element) {
    int64_t offset = 0;
    for (auto [axis, at] : llvm::enumerate(index))
      offset += offsets[axis][at];
    llvm::copy(dense.slice(element * elementBytes, elementBytes),
               target.begin() + offset * static_cast<int64_t>(elementBytes));
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < offsets[axis].size())
        break;
      index[axis] = 0;
    }
  }
}
