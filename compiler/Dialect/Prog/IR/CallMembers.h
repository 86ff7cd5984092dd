// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions that passes ask of calls and bodies: members of p, tensors, whether an index is read.

#ifndef CAMEO_DIALECT_PROG_IR_CALLMEMBERS_H
#define CAMEO_DIALECT_PROG_IR_CALLMEMBERS_H

#include "Dialect/Prog/IR/ProgDialect.h"

#include <optional>

namespace cameo {

/// The tensor type of a value; null for a scalar.
inline core::SymTensorType getTensor(mlir::Value value) {
  return mlir::dyn_cast<core::SymTensorType>(value.getType());
}

/// Whether a body asks for coordinates of its index.
inline bool asksForIndex(prog::BodyOpInterface body) {
  return !body.getBodyBlock()->getOps<prog::SIndexOp>().empty();
}
/// A member that is an array of extents.
inline mlir::ArrayAttr getList(mlir::MLIRContext *context,
                               llvm::ArrayRef<core::ExtentAttr> extents) {
  return mlir::ArrayAttr::get(context,
                              llvm::SmallVector<mlir::Attribute>(extents.begin(), extents.end()));
}

/// A member that is an extent, and is there.
inline core::ExtentAttr getExtent(prog::CallOp call, llvm::StringRef member) {
  return mlir::cast<core::ExtentAttr>(call.getParams().get(member));
}
/// A member that is an array; empty where it is not there.
inline llvm::SmallVector<core::ExtentAttr> getExtents(prog::CallOp call, llvm::StringRef member) {
  auto array = call.getParams().getAs<mlir::ArrayAttr>(member);
  return array ? llvm::to_vector(array.getAsRange<core::ExtentAttr>())
               : llvm::SmallVector<core::ExtentAttr>();
}
/// A member that is a number; nullopt for one that only the run knows, and where it is not there.
inline std::optional<int64_t> getNumber(prog::CallOp call, llvm::StringRef member) {
  mlir::Attribute value = call.getParams().get(member);
  if (auto extent = mlir::dyn_cast_or_null<core::ExtentAttr>(value))
    return extent.getConstant();
  auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(value);
  return number ? std::optional(number.getInt()) : std::nullopt;
}
/// Whether a flag is there and set.
inline bool getFlag(prog::CallOp call, llvm::StringRef member) {
  auto flag = call.getParams().getAs<mlir::BoolAttr>(member);
  return flag && flag.getValue();
}

} // namespace cameo

#endif // CAMEO_DIALECT_PROG_IR_CALLMEMBERS_H
