// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host dialect: the statements of a generated program, as Prepare makes and Emit prints them.

#ifndef CAMEO_DIALECT_HOST_IR_HOSTDIALECT_H
#define CAMEO_DIALECT_HOST_IR_HOSTDIALECT_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include "Dialect/Host/IR/HostDialect.h.inc"
#include "Dialect/Host/IR/HostEnums.h.inc"
#include "Dialect/Host/IR/HostInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Host/IR/HostAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Host/IR/HostTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Host/IR/HostOps.h.inc"

namespace cameo::host {

/// The name of a value: given by the op that makes a variable of it, or by the ONNX value that it
/// was; "" when nobody named it.
llvm::StringRef getName(mlir::Value value);
/// Whether an op makes a number of 8 or 16 bits of a longer one: those that `host.held` is of.
bool isNarrowed(mlir::Operation *op);
/// The destinations of a prog.kernel or prog.call, and the number of each result's among them; -1
/// for none.
llvm::ArrayRef<int64_t> getTies(mlir::Operation *kernel);
mlir::MutableOperandRange getDestinations(mlir::Operation *kernel);
/// The model's names of @main's arguments and results, `input_0` and so on for those without.
std::string getInputName(mlir::func::FuncOp main, unsigned number);
std::string getOutputName(mlir::func::FuncOp main, unsigned number);

} // namespace cameo::host

#endif // CAMEO_DIALECT_HOST_IR_HOSTDIALECT_H
