// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants as bytes, whatever attribute holds them: what folding reads and writes.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/ScalarValue.h"

namespace cameo {

/// The elements of a numeric constant in row-major order, at least a byte each.
class ConstantElements {
public:
  /// Nothing for a value that is no constant, or one without bytes (strings).
  static std::optional<ConstantElements> read(mlir::Value value);
  /// Of `type`, whose extents are constants; all zero.
  explicit ConstantElements(core::SymTensorType type);

  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  unsigned getElementBytes() const { return elementBytes; }
  const char *getElement(int64_t number) const { return bytes.data() + number * elementBytes; }
  char *getElement(int64_t number) { return bytes.data() + number * elementBytes; }

  prog::ScalarValue get(int64_t number) const {
    return prog::ScalarValue::load(getElementType(), getElement(number));
  }

  /// Large constants are a resource, which MLIR neither hashes nor compares. It has the name of the
  /// value: MLIR looks for a free one by counting.
  mlir::ElementsAttr toAttr(llvm::StringRef name) const;

private:
  ConstantElements(mlir::RankedTensorType type);

  mlir::RankedTensorType type;
  unsigned elementBytes;
  llvm::SmallVector<char, 0> bytes;
};

/// The bytes that a constant takes in the weights; 0 for a value that is none.
int64_t getConstantBytes(mlir::Value value);
/// The only value of a constant whose elements are all the same; nothing for any other value.
prog::ScalarValue getUniformValue(mlir::Value value);
/// Whether `value` is a constant with bytes, without reading them.
bool isNumericConstant(mlir::Value value);

/// The row-major strides of extents.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// The extents of a tensor when all are constants.
std::optional<llvm::SmallVector<int64_t>> getStaticShape(mlir::Value value);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H
