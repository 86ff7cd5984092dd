// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that a constant goes through on its way into the weights (ConstantStepInterface), as
// one attribute, which is null for none.

#ifndef CAMEO_DIALECT_CORE_IR_CONSTANTSTEPS_H
#define CAMEO_DIALECT_CORE_IR_CONSTANTSTEPS_H

#include "Dialect/Core/IR/CoreDialect.h"

namespace cameo::core {

/// `steps`, then that into `layout`, which may be null.
mlir::ArrayAttr makeSteps(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Attribute> steps,
                          mlir::Attribute layout);
inline llvm::ArrayRef<mlir::Attribute> getSteps(mlir::ArrayAttr steps) {
  return steps ? steps.getValue() : llvm::ArrayRef<mlir::Attribute>();
}
/// Makes of the type in front of `steps` that behind them; refuses a step that does not fit.
llvm::LogicalResult applySteps(mlir::ArrayAttr steps, SymTensorType &type,
                               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_CONSTANTSTEPS_H
