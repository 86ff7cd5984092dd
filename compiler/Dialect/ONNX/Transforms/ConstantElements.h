// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants as bytes, whatever attribute holds them: what folding reads and writes. Reading copies
// nothing that lies in memory as elements do; weights are hundreds of megabytes.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/IR/AsmState.h"

namespace cameo {

/// The elements of a numeric constant in row-major order, at least a byte each; where all are the
/// same, perhaps only one of them. As long as the attribute lives.
class ConstantElements {
public:
  /// Nothing for a value that is no constant, or one without bytes (strings).
  static std::optional<ConstantElements> read(mlir::Value value);

  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  unsigned getElementBytes() const { return elementBytes; }
  /// How far apart neighbours are: 1, or 0 where one element is all of them.
  int64_t getStep() const { return isUniform ? 0 : 1; }
  const char *getElement(int64_t number) const {
    return (owned.empty() ? view : llvm::ArrayRef<char>(owned)).data() +
           number * getStep() * elementBytes;
  }
  /// An element of a constant of i32 or i64.
  int64_t getInteger(int64_t number) const;

private:
  ConstantElements(mlir::RankedTensorType type);
  bool readAttribute(mlir::ElementsAttr value);

  mlir::RankedTensorType type;
  unsigned elementBytes;
  bool isUniform = false;
  llvm::ArrayRef<char> view;
  /// The bytes that no attribute has.
  llvm::SmallVector<char, 0> owned;
};

/// A constant to be written: all zero at first.
class ConstantWriter {
public:
  /// A writer of elements of `type`, whose extents are constants.
  explicit ConstantWriter(core::SymTensorType type);

  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  unsigned getElementBytes() const { return elementBytes; }
  char *getElement(int64_t number) { return bytes.getMutableData().data() + number * elementBytes; }

  /// The attribute, once. Large constants are a resource, which MLIR neither hashes nor compares.
  /// It has the name of the value: MLIR looks for a free one by counting.
  mlir::ElementsAttr finish(llvm::StringRef name);

private:
  mlir::RankedTensorType type;
  unsigned elementBytes;
  mlir::AsmResourceBlob bytes;
};

/// The bytes that a constant takes in the weights; 0 for a value that is none.
int64_t getConstantBytes(mlir::Value value);
/// The only value of a constant whose elements are all the same; null for any other value.
mlir::TypedAttr getUniformValue(mlir::Value value);
/// Whether `value` is a constant with bytes, without reading them.
bool isNumericConstant(mlir::Value value);
/// The extents of a tensor when all are constants.
std::optional<llvm::SmallVector<int64_t>> getStaticShape(mlir::Value value);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_CONSTANTELEMENTS_H
