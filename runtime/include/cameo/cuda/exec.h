// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::exec: what a kernel template gets instead of a thread team, namely a stream to launch on.
// Launches are checked and the first failure sticks in the shared exec_state, so that generated
// code reads as a list of steps and asks once at the end. `access_scope` says which memory the
// launches inside it touch: nothing in a release, the ordering check and the pointer check under
// the emulator. Included by g++ (host program) and by nvcc (kernels); `launch` exists only where
// kernels are compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cameo/abi.h"
#include "cameo/cuda/device_api.h"
#include "cameo/cuda/error_slot.h"
#include "cameo/profile.h"

#if defined(CAMEO_CUDA_EMULATED)
#include "cameo/cuda/emulator.h"
#endif

namespace cameo::cuda {

/// A piece of device memory that a scope reads or writes. A null pointer (an absent optional) or 0
/// bytes is nothing.
struct access {
  const void *pointer;
  int64_t bytes;
  bool writes;
};

inline access read(const void *pointer, int64_t bytes) { return {pointer, bytes, false}; }
inline access write(const void *pointer, int64_t bytes) { return {pointer, bytes, true}; }

/// Device memory of the caller's allocator, or the device's when there is none. Null after an
/// error: api::out_of_memory when there is no room, others when the device fails.
void *device_allocate(const cameo_allocator *allocator, size_t bytes, api::error &error);
void device_release(const cameo_allocator *allocator, void *memory, size_t bytes);

/// Memory that kernels need between their own launches: a piece of the arena first, more when that
/// does not do. Chunks only come while a run lasts, and stay where they are.
class scratch_arena {
public:
  /// Asks this allocator from now on, or the device where it is null, as at first.
  void use(const cameo_allocator *allocator) { allocator_ = allocator; }
  /// 256-byte aligned, valid until `rewind` to an earlier mark; null after an error.
  void *take(size_t bytes);
  /// From now on it has to do with what it has; take() says so by
  /// api::capture_unsupported.
  void freeze(bool frozen) { frozen_ = frozen; }
  /// Why the last take() gave nothing.
  api::error error() const { return error_; }
  size_t mark() const { return used_; }
  void rewind(size_t mark) { used_ = mark; }

  /// Uses this device memory, which stays the caller's, before any other. Only between runs.
  void lend(void *memory, size_t bytes);
  /// Puts one chunk in the place of several. Only while no kernel is in flight.
  void consolidate();
  void release();
  /// How often it asked for memory.
  int64_t allocations() const { return allocations_; }

private:
  static constexpr int max_chunks = 48; // each at least twice the one before
  struct chunk {
    unsigned char *memory;
    size_t bytes;
  };
  bool grow(size_t bytes);

  const cameo_allocator *allocator_ = nullptr;
  chunk chunks_[max_chunks] = {}; // the lent one first
  int count_ = 1;
  size_t used_ = 0; // over the concatenation of all chunks
  int64_t allocations_ = 0;
  bool frozen_ = false;
  api::error error_ = api::out_of_memory;
};

/// State that the executors of one context share.
struct exec_state {
  api::error error = api::success; // first failed launch or allocation; sticks until the next run
  const char *failed = nullptr;    // the scope it happened in
  const char *current = "kernel";  // the scope launches belong to now
  int64_t launches = 0;
  int64_t copies = 0;         // inside device memory
  uint32_t kernels = 0;       // scopes entered in this run
  int32_t node = -1;          // of the model, for errors that kernels raise
  error_slot *slot = nullptr; // device memory
  bool may_raise = false;     // a kernel of this run was given the slot
  bool rehearsing = false;    // nothing is launched or copied
};

class access_scope;

class exec {
public:
  exec() = default;
  exec(api::stream stream, exec_state *state, scratch_arena *scratch)
      : stream_(stream), state_(state), scratch_(scratch) {}

  api::stream stream() const { return stream_; }
  exec_state &state() const { return *state_; }
  /// For functors and templates that can raise; belongs to the current access scope.
  error_flag flag() const {
    state_->may_raise = true;
    return {state_->slot, state_->kernels, state_->node, mask_};
  }
  /// The same executor for what may be computed in vain: it raises nothing where `mask`, on the
  /// device, is false when its kernels run.
  exec masked_by(const bool *mask) const {
    exec masked = *this;
    masked.mask_ = mask;
    return masked;
  }

  /// Notes a failure unless an earlier one is noted. True when all is well.
  bool check(api::error error) {
    if (error != api::success && state_->error == api::success) {
      state_->error = error;
      state_->failed = state_->current;
    }
    return error == api::success;
  }

  /// 256-byte aligned device memory until the end of the access scope; null after a failure, which
  /// is noted.
  void *scratch(size_t bytes) {
    void *memory = scratch_->take(bytes);
    if (memory == nullptr && bytes != 0)
      check(scratch_->error());
#if defined(CAMEO_CUDA_EMULATED)
    declare(memory, bytes);
#endif
    return memory;
  }

#if defined(__CUDACC__) || defined(CAMEO_CUDA_EMULATED)
  /// Launches a kernel; after a failure, and for an empty grid, does nothing. `shared_bytes` above
  /// 48 KiB is opted into.
  template <class... P, class... A>
  void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, A &&...arguments) {
    start(false, kernel, grid, block, shared_bytes, std::index_sequence_for<P...>(),
          std::tuple<std::remove_const_t<P>...>(static_cast<P>(std::forward<A>(arguments))...));
  }

  /// The same with all blocks resident, for kernels that call grid_barrier. The grid must fit:
  /// cooperative_blocks.
  template <class... P, class... A>
  void launch_cooperative(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes,
                          A &&...arguments) {
    start(true, kernel, grid, block, shared_bytes, std::index_sequence_for<P...>(),
          std::tuple<std::remove_const_t<P>...>(static_cast<P>(std::forward<A>(arguments))...));
  }

  /// How many blocks of this kernel the device can hold at once; at least 1.
  template <class... P>
  int cooperative_blocks(void (*kernel)(P...), int block_threads, size_t shared_bytes) {
    allow_shared(reinterpret_cast<const void *>(kernel), shared_bytes);
    return resident_blocks(reinterpret_cast<const void *>(kernel), block_threads, shared_bytes);
  }
#endif

  /// Asynchronous copy inside device memory.
  void copy(void *target, const void *source, int64_t bytes);
  /// Sets `bytes` bytes to `value`.
  void fill(void *target, int value, int64_t bytes);

private:
  friend class access_scope;

  int resident_blocks(const void *kernel, int block_threads, size_t shared_bytes);
  bool allow_shared(const void *kernel, size_t shared_bytes) {
    constexpr size_t always_allowed = 48 * 1024;
    return shared_bytes <= always_allowed ||
           check(api::allow_shared(kernel, static_cast<int>(shared_bytes)));
  }

#if defined(__CUDACC__) || defined(CAMEO_CUDA_EMULATED)
  template <class... P, size_t... I>
  void start(bool cooperative, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes,
             std::index_sequence<I...>, std::tuple<std::remove_const_t<P>...> arguments) {
    const void *function = reinterpret_cast<const void *>(kernel);
    if (state_->error != api::success || grid.x == 0 || grid.y == 0 || grid.z == 0)
      return;
    if (!allow_shared(function, shared_bytes) || state_->rehearsing)
      return;
#if defined(CAMEO_CUDA_EMULATED)
    (emu::check_argument(state_->current, static_cast<int>(I), std::get<I>(arguments)), ...);
    const emu::kernel_launch launch = {
        state_->current, function, grid,         block,        shared_bytes,      stream_,
        cooperative,     ranges_,  range_count_, state_->slot, sizeof(error_slot)};
    check(emu::enqueue_kernel(launch, [kernel, arguments = std::move(arguments)]() mutable {
      kernel(std::get<I>(arguments)...);
    }));
#else
    void *pointers[sizeof...(P) + 1] = {static_cast<void *>(&std::get<I>(arguments))..., nullptr};
    check(cooperative
              ? api::launch_cooperative(function, grid, block, pointers, shared_bytes, stream_)
              : api::launch_kernel(function, grid, block, pointers, shared_bytes, stream_));
#endif
    ++state_->launches;
  }
#endif

  api::stream stream_ = nullptr;
  exec_state *state_ = nullptr;
  scratch_arena *scratch_ = nullptr;
  const bool *mask_ = nullptr; // of the errors of what it launches
#if defined(CAMEO_CUDA_EMULATED)
  /// Adds to what the scope declares; its memory is the scope's.
  void declare(const void *memory, size_t bytes) {
    if (ranges_ != nullptr && bytes != 0 && range_count_ < emu::max_ranges)
      ranges_[range_count_++] = {memory, bytes, true};
  }

  emu::range *ranges_ = nullptr;
  size_t range_count_ = 0;
#endif
};

/// Declares what the launches until its end touch, names them, and frees their scratch memory at
/// its end.
class access_scope {
public:
  access_scope(exec &e, const char *name, std::initializer_list<access> accesses);
  ~access_scope();
  access_scope(const access_scope &) = delete;
  access_scope &operator=(const access_scope &) = delete;

private:
#if CAMEO_PROFILE
  void profile(const char *name, std::initializer_list<access> accesses) const {
    int64_t bytes = 0;
    for (const access &a : accesses)
      bytes += a.bytes;
    cameo_profile_stream(exec_.stream_);
    cameo_profile_begin(name, bytes);
    for (const access &a : accesses)
      cameo_profile_access(a.pointer, a.bytes, a.writes);
  }
#endif

  exec &exec_;
  const char *outer_;
  size_t mark_;
#if defined(CAMEO_CUDA_EMULATED)
  emu::range ranges_[emu::max_ranges];
  emu::range *outer_ranges_;
  size_t outer_range_count_;
#endif
};

inline access_scope::access_scope(exec &e, const char *name, std::initializer_list<access> accesses)
    : exec_(e), outer_(e.state_->current), mark_(e.scratch_->mark()) {
  e.state_->current = name;
  ++e.state_->kernels;
#if defined(CAMEO_CUDA_EMULATED)
  outer_ranges_ = e.ranges_;
  outer_range_count_ = e.range_count_;
  size_t count = 0;
  for (const access &a : accesses) {
    if (a.pointer == nullptr || a.bytes <= 0)
      continue;
    if (count == emu::max_ranges)
      emu::fail("scope %s declares more than %zu ranges", name, emu::max_ranges);
    ranges_[count++] = {a.pointer, static_cast<size_t>(a.bytes), a.writes};
  }
  if (e.mask_ != nullptr && count < emu::max_ranges)
    ranges_[count++] = {e.mask_, sizeof(bool), false};
  e.ranges_ = ranges_;
  e.range_count_ = count;
#endif
#if CAMEO_PROFILE
  if (!e.state_->rehearsing)
    profile(name, accesses);
#endif
  (void)accesses;
}

inline access_scope::~access_scope() {
#if CAMEO_PROFILE
  if (!exec_.state_->rehearsing)
    cameo_profile_end();
#endif
  exec_.state_->current = outer_;
  exec_.scratch_->rewind(mark_);
#if defined(CAMEO_CUDA_EMULATED)
  exec_.ranges_ = outer_ranges_;
  exec_.range_count_ = outer_range_count_;
#endif
}

} // namespace cameo::cuda
