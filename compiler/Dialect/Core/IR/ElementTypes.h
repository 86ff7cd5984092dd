// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the element types of tensors (Support/ElementTypes.h), by their MLIR type.

#ifndef CAMEO_DIALECT_CORE_IR_ELEMENTTYPES_H
#define CAMEO_DIALECT_CORE_IR_ELEMENTTYPES_H

#include "Support/ElementTypes.h"
#include "mlir/IR/Types.h"

namespace cameo::core {

/// The element type with an ONNX TensorProto.DataType number; null when there is none.
mlir::Type getElementType(mlir::MLIRContext *context, int64_t number);
/// The facts about an element type; null for a type that is none.
const ElementInfo *getElementInfo(mlir::Type type);
/// Whether elements of this type are packed where a caller or a file holds them.
bool isPackedElement(mlir::Type type);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_ELEMENTTYPES_H
