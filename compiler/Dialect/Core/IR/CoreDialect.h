// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `cameo` dialect: tensor types with symbolic extents, a side and a layout, shared by the onnx
// and prog dialects.

#ifndef CAMEO_DIALECT_CORE_IR_COREDIALECT_H
#define CAMEO_DIALECT_CORE_IR_COREDIALECT_H

#include "Dialect/Core/IR/Extent.h"
#include "Dialect/Core/IR/ExtentFacts.h"
#include "Support/ElementTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "Dialect/Core/IR/CoreEnums.h.inc"

#include "Dialect/Core/IR/CoreDialect.h.inc"

namespace cameo::core {
class SymTensorType;
} // namespace cameo::core

#include "Dialect/Core/IR/CoreAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Core/IR/CoreAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Core/IR/CoreTypes.h.inc"

#endif // CAMEO_DIALECT_CORE_IR_COREDIALECT_H
