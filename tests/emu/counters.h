// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what accesses of kernels cost, in programs that link cameo_emu_counters: a warp's access
// of shared memory takes a pass for each word that a bank is asked for, one of global memory moves
// sectors of 32 bytes. A request is the access that the lanes of a warp make at one place for the
// same time. It also counts the bytes of all accesses of global memory: those that must come from
// far, and those that move between the L2 cache and the multiprocessors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cameo::emu {

/// All requests of one place in the text of kernels.
struct access_count {
  /// The call of a primitive; without a file, the instruction at `address`.
  const char *file;
  int line;
  uintptr_t address;
  bool shared, write;
  unsigned bytes; ///< of one lane
  uint64_t requests;
  /// Passes of shared memory or sectors of global memory, and the least that the same bytes take.
  uint64_t cost, ideal;
};

/// Bytes of global memory.
struct traffic {
  /// Each once, however often: what the device's memory gives and takes at least.
  uint64_t read_once, written_once;
  /// Whole sectors from the L2 cache: those of copies of 16 bytes each time, which pass by the
  /// cache of a multiprocessor, others once a block.
  uint64_t from_l2;
  /// Whole sectors to the L2 cache, each time.
  uint64_t to_l2;
};

/// Counts from now on; what was counted before is forgotten.
void count_accesses();
/// By place. Kernels under way have ended: whoever asks has synchronised.
std::vector<access_count> counted_accesses();
traffic counted_traffic();

} // namespace cameo::emu
