// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Gather that takes channels of an image by constant numbers: what shuffles them, and what
// convolutions in groups read through.

#ifndef CAMEO_DIALECT_ONNX_IR_CHANNELGATHER_H
#define CAMEO_DIALECT_ONNX_IR_CHANNELGATHER_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo::onnx {

/// The channel of its data that each one of its result is; nullopt where they are no constants
/// within the data, or it gathers something else.
std::optional<llvm::SmallVector<int64_t>> getGatheredChannels(GatherOp gather);

/// Its image of floats may lie in blocks on either side.
std::optional<ChannelUses> getGatherChannelUses(GatherOp gather);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_CHANNELGATHER_H
