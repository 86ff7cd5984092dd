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

/// Makes of a call whose functors iterate by blocks one of the cheapest variant.
void convolveBlocks(prog::CallOp call);
/// The same of a gather of channels.
void pickChannels(prog::CallOp gather);

} // namespace cameo

#endif // CAMEO_SELECT_CONVVARIANTS_H
