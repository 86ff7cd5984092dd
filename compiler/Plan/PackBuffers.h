// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers in an arena as the runtime's pack() does (runtime/host/pack.cpp), so that a table
// means the same memory whether it is placed here or in a run. A twin, not shared code: the
// compiler includes nothing of the runtime, and has memory to be faster than quadratic with.
// tests/Plan holds the two against each other.

#ifndef CAMEO_PLAN_PACKBUFFERS_H
#define CAMEO_PLAN_PACKBUFFERS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace cameo {

/// Memory that is alive from step `first` through step `last`.
struct PackedBuffer {
  int64_t bytes, first, last;
  int64_t offset = -1;
};

/// Sets the offsets, so that no two buffers that are alive at one step overlap: largest first, into
/// the tightest gap. Returns the length of the arena; none when it does not fit an int64_t.
std::optional<int64_t> packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers);

/// The same where that leaves no gaps; else the shortest of this and of other orders: first what is
/// alive when most is, the longest-lived, as they come. For what the compiler alone places.
std::optional<int64_t> packTightly(llvm::MutableArrayRef<PackedBuffer> buffers);

/// The length of an arena whose buffers have offsets.
int64_t getEnd(llvm::ArrayRef<PackedBuffer> buffers);

/// The most bytes that are alive at once, each buffer in whole alignments: no arena is shorter.
int64_t getLiveBytes(llvm::ArrayRef<PackedBuffer> buffers);

} // namespace cameo

#endif // CAMEO_PLAN_PACKBUFFERS_H
