// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ConstantElements.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Support/CheckedSize.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

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
    : type(type), elementBytes(getScalarBytes(type.getElementType())) {
  // A constant of the model, or a result within the limit of folding: its size is known to fit.
  bytes.resize(static_cast<size_t>(type.getNumElements()) * elementBytes);
}

ConstantElements::ConstantElements(SymTensorType type) : ConstantElements(type.getStaticType()) {}

std::optional<ConstantElements> ConstantElements::read(Value value) {
  if (auto extents = value.getDefiningOp<FromExtentsOp>()) {
    std::optional<SmallVector<int64_t>> constants = getConstants(extents);
    if (!constants)
      return std::nullopt;
    ConstantElements elements(cast<SymTensorType>(value.getType()));
    for (auto [number, constant] : llvm::enumerate(*constants))
      ScalarValue::integer(elements.getElementType(), static_cast<uint64_t>(constant))
          .store(elements.getElement(static_cast<int64_t>(number)));
    return elements;
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isNumericConstant(value))
    return std::nullopt;
  ConstantElements elements(cast<RankedTensorType>(constant.getValue().getShapedType()));
  if (!copyElements(constant.getValue(), elements.bytes))
    return std::nullopt;
  return elements;
}

ElementsAttr ConstantElements::toAttr(StringRef name) const {
  if (static_cast<int64_t>(bytes.size()) > kMaxInlineBytes)
    return DenseResourceElementsAttr::get(
        type, ("folded_" + name).str(),
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignof(std::max_align_t),
                                                      /*dataIsMutable=*/false));
  if (!getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bools;
  for (char byte : bytes)
    bools.push_back(byte != 0);
  return DenseElementsAttr::get(type, bools);
}

bool cameo::isNumericConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  ElementsAttr elements = constant.getValue();
  return isNumeric(elements.getElementType()) &&
         isa<DenseElementsAttr, DenseResourceElementsAttr>(elements);
}

int64_t cameo::getConstantBytes(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isNumericConstant(value))
    return 0;
  ShapedType type = constant.getValue().getShapedType();
  CheckedSize bytes = CheckedSize::product(type.getShape()) * getScalarBytes(type.getElementType());
  return bytes.get().value_or(INT64_MAX);
}

ScalarValue cameo::getUniformValue(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !isNumeric(dense.getElementType()) || !dense.isSplat())
    return {};
  return ScalarValue::fromAttr(dense.getSplatValue<Attribute>());
}

SmallVector<int64_t> cameo::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1); // checked: the shape of a value that is in memory
  }
  return strides;
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
