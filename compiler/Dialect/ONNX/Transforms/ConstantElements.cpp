// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ConstantElements.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Support/CheckedSize.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstddef>
#include <cstring>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// As the importer has it: larger ones are kept out of the attribute.
constexpr int64_t kMaxInlineBytes = 1024;

bool isNumeric(Type element) { return element.isIntOrFloat(); }

/// The elements of `prog.from_extents`, when all are constants.
std::optional<SmallVector<int64_t>> getConstants(FromExtentsOp op) {
  SmallVector<int64_t> constants;
  for (Attribute element : op.getElements()) {
    std::optional<int64_t> constant = cast<ExtentAttr>(element).getConstant();
    if (!constant)
      return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

} // namespace

ConstantElements::ConstantElements(RankedTensorType type)
    : type(type), elementBytes(core::getElementBytes(type.getElementType())) {}

std::optional<ConstantElements> ConstantElements::read(Value value) {
  if (auto extents = value.getDefiningOp<FromExtentsOp>()) {
    std::optional<SmallVector<int64_t>> constants = getConstants(extents);
    if (!constants)
      return std::nullopt;
    ConstantElements elements(cast<SymTensorType>(value.getType()).getStaticType());
    // Little-endian: the low bytes come first.
    for (const int64_t &constant : *constants)
      elements.owned.append(reinterpret_cast<const char *>(&constant),
                            reinterpret_cast<const char *>(&constant) + elements.elementBytes);
    return elements;
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isNumericConstant(value))
    return std::nullopt;
  ConstantElements elements(cast<RankedTensorType>(constant.getValue().getShapedType()));
  if (!elements.readAttribute(constant.getValue()))
    return std::nullopt;
  return elements;
}

bool ConstantElements::readAttribute(ElementsAttr value) {
  // A constant of the model, or a result within the limit of folding: its size is known to fit.
  size_t size = static_cast<size_t>(getNumElements()) * elementBytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      view = blob->getData();
    return view.size() == size;
  }
  auto dense = cast<DenseElementsAttr>(value);
  if (getElementType().isInteger(1)) {
    owned.resize(size);
    return copyElements(dense, owned);
  }
  isUniform = dense.isSplat();
  view = dense.getRawData();
  return view.size() == (isUniform ? elementBytes : size);
}

int64_t ConstantElements::getInteger(int64_t number) const {
  int32_t narrow;
  int64_t wide;
  if (getElementType().isInteger(32)) {
    std::memcpy(&narrow, getElement(number), sizeof narrow);
    return narrow;
  }
  assert(getElementType().isInteger(64) && "an index is of i32 or i64");
  std::memcpy(&wide, getElement(number), sizeof wide);
  return wide;
}

ConstantWriter::ConstantWriter(SymTensorType tensor)
    : type(tensor.getStaticType()), elementBytes(core::getElementBytes(type.getElementType())) {
  // Within the limit of folding.
  size_t size = static_cast<size_t>(type.getNumElements()) * elementBytes;
  bytes = HeapAsmResourceBlob::allocate(size, alignof(std::max_align_t), /*dataIsMutable=*/true);
  std::memset(bytes.getMutableData().data(), 0, size);
}

ElementsAttr ConstantWriter::finish(StringRef name) {
  ArrayRef<char> data = bytes.getData();
  if (static_cast<int64_t>(data.size()) > kMaxInlineBytes)
    return DenseResourceElementsAttr::get(type, ("folded_" + name).str(), std::move(bytes));
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<bool> bools;
  for (char byte : data)
    bools.push_back(byte != 0);
  return DenseElementsAttr::get(type, bools);
}

int64_t cameo::getConstantBytes(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isNumericConstant(value))
    return 0;
  ShapedType type = constant.getValue().getShapedType();
  CheckedSize bytes =
      CheckedSize::product(type.getShape()) * getElementBytes(type.getElementType());
  return bytes.get().value_or(INT64_MAX);
}

TypedAttr cameo::getUniformValue(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !isNumeric(dense.getElementType()) || !dense.isSplat())
    return {};
  return cast<TypedAttr>(dense.getSplatValue<Attribute>());
}

bool cameo::isNumericConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  ElementsAttr elements = constant.getValue();
  return isNumeric(elements.getElementType()) &&
         isa<DenseElementsAttr, DenseResourceElementsAttr>(elements);
}

std::optional<SmallVector<int64_t>> cameo::getStaticShape(Value value) {
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  if (!tensor || !tensor.hasRank())
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (ExtentAttr extent : tensor.getExtents()) {
    std::optional<int64_t> constant = extent.getConstant();
    if (!constant || *constant < 0)
      return std::nullopt;
    shape.push_back(*constant);
  }
  return shape;
}
