// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators ask of their operands' sides.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_NEEDS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_NEEDS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// The place that an op needs an operand at to run.
enum class Need { Nothing, Host, SameSide };

/// Every value of `function`: results, and the arguments of all blocks.
void forEachValue(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Value)> visit);
/// The need of `operand`, by its operand class.
Need getNeed(mlir::OpOperand &operand);
/// Whether the device can have it, but memory and grids are smaller, or a check is earlier, where
/// the host does.
bool isBound(mlir::OpOperand &operand);
/// Whether the operand's elements are followed as symbols, on the device too.
bool isSymbolic(mlir::OpOperand &operand);
/// Where `op` runs: on the side of its results, on the host where these never leave it.
core::Side getSideOf(mlir::Operation *op);
/// Says that only the device has the extents, since integers there decide them.
void setOnDevice(prog::FromExtentsOp op);
/// Constants, and extents unless only the device has them: on both sides without a copy.
bool isOnBothSides(mlir::Value value);
/// Whether the device can take the host value as a kernel argument.
bool isKernelArgument(mlir::Value value);
/// The number of elements of a tensor, where it is a constant.
std::optional<int64_t> getConstantCount(mlir::Value value);
/// Sequences, optionals and strings never leave the host.
bool isHostOnly(mlir::Type type);
/// The side that an operator has to run on, whatever else it has: the host where it reads or makes
/// strings, or its own. None where either may do.
std::optional<core::Side> getRequiredSide(mlir::Operation *op);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_NEEDS_H
