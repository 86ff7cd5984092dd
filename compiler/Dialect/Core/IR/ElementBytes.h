// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as they lie in memory: those narrower than a byte, and bool, have one each, but in a
// packed layout.

#ifndef CAMEO_DIALECT_CORE_IR_ELEMENTBYTES_H
#define CAMEO_DIALECT_CORE_IR_ELEMENTBYTES_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include <vector>

namespace cameo::core {

/// The bytes of one element of an integer, float, complex or string type.
int64_t getElementBytes(mlir::Type type);
/// The bytes of a tensor in its layout; `unknown` when they do not fit.
ExtentAttr getStorageBytes(SymTensorType type);
/// The type of a tensor that is a constant.
SymTensorType getTypeOf(mlir::ElementsAttr value, mlir::Attribute layout);
/// The same elements under other extents, of as many elements.
mlir::ElementsAttr reshapeElements(mlir::ElementsAttr value, llvm::ArrayRef<int64_t> shape);
/// Writes the elements in row-major order, which takes all of `target`; false when the attribute is
/// of a kind that has no bytes, or has others.
bool copyElements(mlir::ElementsAttr value, llvm::MutableArrayRef<char> target);
/// The elements of a float type in row-major order; none where the attribute has no bytes.
std::vector<double> readFloats(mlir::ElementsAttr value);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_ELEMENTBYTES_H
