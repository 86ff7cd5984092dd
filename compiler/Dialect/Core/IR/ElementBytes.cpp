// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/ElementBytes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace cameo::core;

int64_t cameo::core::getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  if (isa<StringType>(type))
    return 16; // cameo_string of abi.h: where its characters are, and how many
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

ExtentAttr cameo::core::getStorageBytes(SymTensorType type) {
  if (type.isPacked())
    return (type.getNumElements() * type.getElementType().getIntOrFloatBitWidth()).ceilDiv(8);
  ExtentAttr bytes =
      ExtentAttr::constant(type.getContext(), getElementBytes(type.getElementType()));
  for (ExtentAttr extent : type.getPhysicalExtents())
    bytes = bytes * extent; // checked: an extent that does not fit is `unknown`
  return bytes;
}

SymTensorType cameo::core::getTypeOf(ElementsAttr value, Attribute layout) {
  SmallVector<ExtentAttr> extents;
  for (int64_t dim : value.getShapedType().getShape())
    extents.push_back(ExtentAttr::constant(value.getContext(), dim));
  return SymTensorType::get(extents, value.getElementType(), Side::Unplaced, layout);
}

ElementsAttr cameo::core::reshapeElements(ElementsAttr value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, value.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(value).reshape(type);
}

bool cameo::core::copyElements(ElementsAttr value, MutableArrayRef<char> target) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != target.size())
      return false;
    llvm::copy(blob->getData(), target.begin());
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return false;
  if (dense.getElementType().isInteger(1)) {
    if (static_cast<size_t>(dense.getNumElements()) != target.size())
      return false;
    for (auto [number, bit] : llvm::enumerate(dense.getValues<bool>()))
      target[number] = bit;
    return true;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (raw.empty() || target.size() % raw.size() != 0 ||
      (!dense.isSplat() && raw.size() != target.size()))
    return target.empty();
  for (size_t offset = 0; offset < target.size(); offset += raw.size())
    llvm::copy(raw, target.begin() + offset);
  return true;
}

std::vector<double> cameo::core::readFloats(ElementsAttr value) {
  auto type = cast<FloatType>(value.getElementType());
  auto width = static_cast<size_t>(getElementBytes(type));
  std::vector<char> bytes(static_cast<size_t>(value.getNumElements()) * width);
  std::vector<double> numbers;
  if (!copyElements(value, bytes))
    return numbers;
  for (size_t offset = 0; offset < bytes.size(); offset += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[offset], width);
    APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), bits));
    numbers.push_back(number.convertToDouble());
  }
  return numbers;
}
