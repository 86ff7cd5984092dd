// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/ConstantBytes.h"

#include "Constants/WinogradWeights.h"
#include "Dialect/Core/IR/ElementBytes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

ConstantBytes::ConstantBytes(SymTensorType type)
    : size(static_cast<size_t>(*getStorageBytes(type).getConstant())), packer(type) {
  elements.elementBytes = static_cast<size_t>(getElementBytes(type.getElementType()));
}

void ConstantBytes::setElements(ArrayRef<char> bytes, std::shared_ptr<const void> owner) {
  elements.bytes = bytes;
  elements.isUniform = false;
  memory = std::move(owner);
}

void ConstantBytes::setElements(std::vector<char> bytes, bool isUniform) {
  auto owned = std::make_shared<const std::vector<char>>(std::move(bytes));
  setElements(*owned, owned);
  elements.isUniform = isUniform;
}

void ConstantBytes::transform(ArrayRef<int64_t> shape, prog::WinogradAttr algorithm) {
  auto count = static_cast<size_t>(ShapedType::getNumElements(shape));
  std::vector<char> taps;
  taps.reserve(count * elements.elementBytes);
  for (size_t tap = 0; tap < count; ++tap) {
    const char *element = elements.get(tap);
    taps.insert(taps.end(), element, element + elements.elementBytes);
  }
  setElements(transformWinogradWeights(taps, shape, algorithm), /*isUniform=*/false);
}

void ConstantBytes::pack() {
  setElements(getBytes(), /*isUniform=*/false);
  packer.reset();
}

bool ConstantBytes::forEachPiece(PieceVisitor visit) const {
  return packer ? packer->run(elements, visit)
                : visit(StringRef(elements.bytes.data(), elements.bytes.size()));
}

std::vector<char> ConstantBytes::getBytes() const {
  std::vector<char> bytes;
  bytes.reserve(size);
  forEachPiece([&](StringRef piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  });
  return bytes;
}
