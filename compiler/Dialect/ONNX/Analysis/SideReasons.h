// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the IR has the reasons of sides (SideReasonAttr), for as long as somebody may ask: beside
// each value, in an attribute of the operation that makes it or whose region it is an argument of.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SIDEREASONS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SIDEREASONS_H

#include "Dialect/ONNX/Analysis/SideAnalysis.h"

namespace cameo {

/// Writes down why each value of `function` is where `sides` has it, and for what each symbol is
/// wanted. Before anything of the function changes: the analysis is about its values.
void recordSideReasons(mlir::func::FuncOp function, const SideAnalysis &sides);
/// Removes all that recordSideReasons() wrote inside `op`.
void dropSideReasons(mlir::Operation *op);

/// Null where nothing was recorded, as for a value that came later.
onnx::SideReasonAttr getSideReason(mlir::Value value);
/// For what the symbols are wanted, DemandAttrs; null where nothing was recorded.
mlir::ArrayAttr getSymbolDemands(prog::BindElementsOp bind);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SIDEREASONS_H
