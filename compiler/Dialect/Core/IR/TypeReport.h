// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and extents as every report has them, for scripts and for people: one spelling of each.

#ifndef CAMEO_DIALECT_CORE_IR_TYPEREPORT_H
#define CAMEO_DIALECT_CORE_IR_TYPEREPORT_H

#include "Dialect/Core/IR/Extent.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace cameo::core {

/// A number where it is constant, `{"expr": "2 * n"}` where it is not, null where nothing is known.
llvm::json::Value reportExtent(ExtentAttr extent);
/// The bytes of a tensor in its layout; null of what is none, and where a rank is not known.
llvm::json::Value reportBytes(mlir::Type type);
/// Members `dtype` and `shape`, the latter null where the rank is not known; `sequence` or
/// `optional` with a type in it; none of what is no value of ONNX's. `show` is what an extent is
/// shown as.
llvm::json::Object reportType(
    mlir::Type type,
    llvm::function_ref<ExtentAttr(ExtentAttr)> show = [](ExtentAttr extent) { return extent; });

/// The keys of an output's columns, numbers or strings; none of an output without.
std::optional<llvm::json::Array> reportKeys(mlir::Attribute keys);

/// The same in a line for people: `float32[n, 2]`, `sequence of int64[...]`, `2 * n`.
std::string describeType(const llvm::json::Object &type);
std::string describeKeys(const llvm::json::Array &keys);
std::string describeExtent(const llvm::json::Value &extent);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_TYPEREPORT_H
