// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emu.h sets and counts, as the rest of the emulator sees it: settings, planned failures,
// counters, reports, and the one lock that every API call holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "emu.h"

namespace cameo::emu {

/// Small, fast, the same everywhere (xorshift64*).
class random_source {
public:
  void seed(uint64_t value) { state_ = value * 0x9e3779b97f4a7c15u + 1; }
  size_t below(size_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<size_t>((state_ * 0x2545f4914f6cdd1du) >> 33) % bound;
  }
  template <class T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

private:
  uint64_t state_ = 1;
};

struct settings_state {
  cameo_emu_order thread_order = CAMEO_EMU_FORWARD;
  uint64_t thread_seed = 1;
  cameo_emu_order schedule = CAMEO_EMU_FORWARD;
  random_source schedule_random;
  unsigned char poison = 0xff;
  int devices = 1;
  size_t device_bytes = size_t{16} << 30;
  int compute_capability = 90;
  bool conditional_nodes = true;
};

/// Reads the environment at first use.
settings_state &settings();

/// Shared memory of the architecture in use: what a block may have, what it may have beyond the
/// first 48 KiB only if its kernel has been allowed to, what all blocks of a multiprocessor share.
constexpr size_t shared_for_all = size_t{48} << 10;
struct shared_limits {
  size_t block, multiprocessor;
};
shared_limits shared_memory();
/// Dynamic shared memory that a launch of the kernel may ask for on the current device.
size_t dynamic_shared_limit(const void *function);

extern cameo_emu_counters counters;

/// Whether the memory lies in one piece that the test has called an output's.
bool is_output(const void *memory, size_t bytes);

/// Held by every API call, and so by every kernel.
extern std::recursive_mutex engine_lock;

/// One API function: its calls so far and its planned failure. Made once per function, as a static
/// of it.
class api_function {
public:
  explicit api_function(const char *name);

  const char *name;
  int64_t calls = 0;
  int64_t fail_at = 0; ///< 0 = never
  bool fail_forever = false;
  cudaError_t failure = cudaSuccess;
  api_function *next;

  /// Counts a call; the planned failure if its turn has come.
  cudaError_t count();
};

/// An API call: takes the lock, counts, and knows whether the call is to fail before it does
/// anything.
class api_call {
public:
  explicit api_call(api_function &function);

  /// The planned failure, or that of a lost device.
  cudaError_t refused() const { return refused_; }
  /// Remembers an error for cudaGetLastError and hands it on.
  cudaError_t result(cudaError_t error) const;

private:
  std::lock_guard<std::recursive_mutex> lock_;
  cudaError_t refused_;
};

/// Opens an API function: its static, the lock, the planned failure.
#define CAMEO_EMU_API(name)                                                                        \
  static ::cameo::emu::api_function api(#name);                                                    \
  const ::cameo::emu::api_call call(api);                                                          \
  if (call.refused() != cudaSuccess)                                                               \
  return call.result(call.refused())

/// The error of a kernel that faulted; every later call returns it. Success while the device is
/// well.
extern cudaError_t lost_device;

/// The last error of the calling thread.
cudaError_t &last_error();

/// Text that tells two operations apart in reports.
[[noreturn]] void report_and_abort(const char *line);

} // namespace cameo::emu
