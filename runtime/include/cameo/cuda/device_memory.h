// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a context on the device and pinned on the host. A block that has grown stays so. The
// smaller block before it may be in use by kernels in flight, and freeing it would make the host
// wait for them: it is retired, and freed when the host has waited anyway.
#pragma once

#include "cameo/arena.h"
#include "cameo/context_base.h"
#include "cameo/cuda/call_state.h"
#include "cameo/cuda/stream_order.h"

namespace cameo::cuda {

/// Allocations and waits are counted, errors noted in the call of `order`. None is made while a run
/// is to be captured: that is an error of its own.
class device_memory {
public:
  explicit device_memory(stream_order &order) : call_(order.call()), order_(order) {}
  call_state &call() const { return call_; }

  /// Whether the caller's allocator is asked, from now on.
  void use_allocator(bool callers) { callers_ = callers; }
  /// The caller's, or null.
  const cameo_allocator *allocator() const {
    return callers_ ? &owner().options.allocator : nullptr;
  }

  /// Memory of the device; where it is short, the retired blocks are given back first, and the host
  /// waits for what may use them. Null after an error.
  void *allocate(size_t bytes);
  /// `bytes` bytes if there is room for so many, else `least`, which `bytes` then is.
  void *allocate(size_t least, size_t &bytes);
  /// Frees it at once.
  void release(void *memory, size_t bytes) { device_release(allocator(), memory, bytes); }
  /// Makes a block long enough, whose contents are lost where it grows. Null after an error.
  void *grow(growing_block &block, int64_t bytes);

  /// Frees it once the host has waited for what may use it.
  void retire(void *memory, size_t bytes);
  /// The host has waited: frees what is retired, but for what a graph may use.
  void release_retired();
  /// A graph may use all that the context has: nothing is freed until the end.
  void keep() { kept_ = true; }
  bool is_kept() const { return kept_; }
  /// The end: frees all that is retired.
  void close();

  /// The power of two times `least` that is at least `bytes`; where there is none, `bytes`.
  static size_t power_of_two(size_t bytes, size_t least);

  /// Pinned memory of the host; null after an error.
  void *allocate_pinned(size_t bytes);
  void release_pinned(void *memory, size_t bytes);

private:
  struct retired_block {
    retired_block *next;
    void *memory;
    size_t bytes;
  };

  cameo_context &owner() const { return call_.owner(); }
  void *note(void *memory, api::error error, size_t bytes);
  void wait_for_device();

  call_state &call_;
  stream_order &order_;
  retired_block *retired_ = nullptr;
  bool callers_ = false;
  bool kept_ = false;
};

} // namespace cameo::cuda
