// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions beside run(): what computes extents of inputs, and what asks for them.

#ifndef CAMEO_PREPARE_OUTLINE_H
#define CAMEO_PREPARE_OUTLINE_H

#include "Prepare/ShapeProgram.h"

namespace cameo {

/// Adds @read_symbols, made of the ops of the shape program; @main keeps its own.
mlir::LogicalResult outlineShapeProgram(mlir::func::FuncOp main, const ShapeProgram &shape);
/// Adds @infer_shapes: the dims of outputs, as far as something bounds them before the first step.
void outlineInferShapes(mlir::func::FuncOp main, const ShapeProgram &shape);
/// Adds @memory, for each arena whose places are found in a run @size_host or @size_device, and in
/// @main what makes room for them.
void outlineMemory(mlir::func::FuncOp main, const ShapeProgram &shape);

} // namespace cameo

#endif // CAMEO_PREPARE_OUTLINE_H
