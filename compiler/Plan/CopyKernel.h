// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel that only copies a tensor.

#ifndef CAMEO_PLAN_COPYKERNEL_H
#define CAMEO_PLAN_COPYKERNEL_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// A new tensor of type `result` with the elements of `source` at their indices, those of the dense
/// array that either lies in (SymTensorType::getPhysicalExtents) below `extents`.
mlir::Value createCopy(mlir::OpBuilder &builder, mlir::Value source, core::SymTensorType result,
                       llvm::ArrayRef<core::ExtentAttr> extents);

} // namespace cameo

#endif // CAMEO_PLAN_COPYKERNEL_H
