// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of attention: heads, positions, rotary embeddings.

#ifndef CAMEO_IMPORT_EXPANSION_HEADS_H
#define CAMEO_IMPORT_EXPANSION_HEADS_H

#include "Import/Expansion/Expansion.h"

namespace cameo::importer {

/// The largest number of heads, or of elements that all of them have, so that sums of these fit.
inline constexpr int64_t kMostHidden = int64_t{1} << 40;

/// [batch, length, heads * size] as [batch, heads, length, size], and the way back.
mlir::Value splitHeads(Expansion &b, mlir::Value x, int64_t heads);
mlir::Value joinHeads(Expansion &b, mlir::Value x);

/// Neighbouring parts of the last axis, of these sizes.
Values cutHeads(Expansion &b, mlir::Value x, llvm::ArrayRef<int64_t> sizes);

/// 0, 1, ... below an extent, which is a tensor of one element, as a tensor of rank 1.
mlir::Value countUpTo(Expansion &b, mlir::Value extent);

/// The positions [batch, length] of tokens behind that of the first one of each row, or of all.
mlir::Value countPositions(Expansion &b, mlir::Value first, mlir::Value batch, mlir::Value length);

/// RotaryEmbedding of ONNX; `heads` is 0 where `x` has an axis of them.
mlir::Value turnHeads(Expansion &b, mlir::Value x, mlir::Value cosines, mlir::Value sines,
                      mlir::Value positions, int64_t interleaved, int64_t turned, int64_t heads);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_EXPANSION_HEADS_H
