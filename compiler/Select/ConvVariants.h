// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over channels in blocks: what takes part, and the variant that each becomes.

#ifndef CAMEO_SELECT_CONVVARIANTS_H
#define CAMEO_SELECT_CONVVARIANTS_H

#include "Select/ImageForms.h"

namespace cameo {

/// The extents of what a call of a convolution computes: images, channels, then spatial axes.
llvm::SmallVector<core::ExtentAttr> getConvolvedExtents(prog::CallOp call);
/// Adds how image and weights lie; false where no kernel over blocks convolves them. The weights
/// must be constants, since the compiler packs them.
bool addConvolved(prog::CallOp call, ImageForm &form, const ChannelBlocks &blocks);

/// A convolution that is to work on blocks, and its form.
using ConvMember = std::pair<prog::CallOp, ImageForm *>;
/// Gives the forms of convolutions of floats the cheapest variants. Where all of their weights are
/// more than `budget` bytes, those have smaller images of theirs, or none, that lose least by a
/// byte. The facts outlive the forms.
llvm::LogicalResult chooseConvolutions(llvm::ArrayRef<ConvMember> members,
                                       const core::ExtentFacts &facts, int64_t budget);
/// Makes of a call whose functors iterate by blocks one of the variant that was chosen, or one for
/// each range of what it computes, in branches. Returns what has the results then.
mlir::Operation *convolveBlocks(prog::CallOp call, const ImageForm &form);
/// The same of a gather of channels.
void pickChannels(prog::CallOp gather);

} // namespace cameo

#endif // CAMEO_SELECT_CONVVARIANTS_H
