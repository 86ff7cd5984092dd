// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of kernels and functors by blocks: the dim that walks channels becomes one of blocks and
// one of lanes, and maps follow.

#ifndef CAMEO_SELECT_BLOCKEDBODIES_H
#define CAMEO_SELECT_BLOCKEDBODIES_H

#include "Select/ImageForms.h"

namespace cameo {

/// How a tensor is read or written through `map` by an iteration over blocks; nullopt where a lane
/// beyond the last channel would be outside of it.
std::optional<ImageUse> getUseThrough(mlir::AffineMap map, core::SymTensorType tensor,
                                      const ChannelDim &channels);
/// Adds how the operands of a body lie to `form`; false where one cannot be read by blocks.
bool addOperands(prog::BodyOpInterface body, ImageForm &form);
/// Adds how the results of a body lie, which are those of `op`.
bool addResults(prog::BodyOpInterface body, mlir::Operation *op, ImageForm &form);

/// Makes of a result an image of its own, which a kernel behind the call copies to where it was to
/// be.
void detachResult(prog::CallOp call, unsigned number, llvm::ArrayRef<core::ExtentAttr> elements);
/// Makes of the only store of a call a kernel behind it; the call that is left stores an image as
/// its template computes it.
prog::CallOp detachStore(prog::CallOp call, llvm::ArrayRef<core::ExtentAttr> elements);

/// The dim that walks the channels of an image of rank 4 through `map`; nullopt where none does.
std::optional<unsigned> findChannelDim(mlir::AffineMap map, core::SymTensorType image);

/// Makes the body one of an iteration by blocks. The tensors that it reads and writes have their
/// layouts by now.
void iterateByBlocks(prog::BodyOpInterface body, const ChannelDim &channels);

} // namespace cameo

#endif // CAMEO_SELECT_BLOCKEDBODIES_H
