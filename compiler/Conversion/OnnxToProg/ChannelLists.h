// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels in blocks that are read by a list of their numbers: shuffled ones by the convolution
// that mixes them again, where they lie, and copied for everybody else.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_CHANNELLISTS_H
#define CAMEO_CONVERSION_ONNXTOPROG_CHANNELLISTS_H

#include "Conversion/OnnxToProg/Lowering.h"

namespace cameo {

/// The Gather through which a convolution in groups reads the channels of an image; null where it
/// reads its own operand.
onnx::GatherOp findGather(onnx::ConvOp conv);
/// Whether nobody reads the channels that a Gather has put in order: all read through it.
bool isReadThrough(onnx::GatherOp gather);
/// A Gather of channels in blocks, copied.
mlir::Value pickChannels(Lowering &lower, onnx::GatherOp gather);
/// The channels of the image that each input of a convolution is, as a kernel reads them.
mlir::Value listInputs(Lowering &lower, onnx::ConvOp conv, onnx::GatherOp gather);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_CHANNELLISTS_H
