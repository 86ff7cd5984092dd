// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of templates as Select builds them, and the names of those that it knows.

#ifndef CAMEO_SELECT_TEMPLATES_H
#define CAMEO_SELECT_TEMPLATES_H

#include "Dialect/Prog/IR/CallMembers.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

namespace cameo {

/// Contracts of logical images.
constexpr llvm::StringLiteral kConv = "conv", kConvInteger = "conv_integer", kGather = "gather",
                              kGemm = "gemm", kPool = "pool", kReduce = "reduce",
                              kSumNeighbours = "sum_neighbours";
/// Contracts of images in blocks.
constexpr llvm::StringLiteral kClearHalo = "clear_halo", kConvBlocked = "conv_blocked",
                              kConvBlockedBytes = "conv_blocked_bytes",
                              kGemmBlocked = "gemm_blocked",
                              kGemmBlockedBytes = "gemm_blocked_bytes",
                              kPackChannels = "pack_channels", kPackPatches = "pack_patches",
                              kPackPlanePatches = "pack_plane_patches",
                              kPickChannels = "pick_channels", kPoolBlocked = "pool_blocked",
                              kSumChannels = "sum_channels", kUnpackChannels = "unpack_channels";

/// Makes the call one of another template, by those of `members` that it has.
void setTemplate(prog::CallOp call, llvm::StringRef callee, const mlir::NamedAttrList &members);
/// A call without functors, by those of `members` that its template has, that writes a new tensor.
mlir::Value createCall(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef callee,
                       const mlir::NamedAttrList &members, mlir::ValueRange ins,
                       core::SymTensorType result);
/// One that changes `tensor` in place.
mlir::Value createCallInPlace(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef callee,
                              const mlir::NamedAttrList &members, mlir::Value tensor);

} // namespace cameo

#endif // CAMEO_SELECT_TEMPLATES_H
