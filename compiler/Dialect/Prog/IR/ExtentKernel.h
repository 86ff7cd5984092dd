// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_DIALECT_PROG_IR_EXTENTKERNEL_H
#define CAMEO_DIALECT_PROG_IR_EXTENTKERNEL_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Builders.h"

namespace cameo::prog {

/// A kernel that has `extents` as arguments and stores them, row-major, as the elements of a tensor
/// of `type`, of which there are as many and at least one.
mlir::Value storeExtents(mlir::OpBuilder &builder, mlir::Location location,
                         llvm::ArrayRef<core::ExtentAttr> extents, core::SymTensorType type);

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_EXTENTKERNEL_H
