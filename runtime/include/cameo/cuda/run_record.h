// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of a run for later calls: whether anybody has waited for it, errors of its kernels,
// extents that the device counts, and work of the host behind it. Nothing here refers to the
// caller's stream, which may be destroyed and its handle used again.
#pragma once

#include "cameo/arena.h"
#include "cameo/context_base.h"
#include "cameo/cuda/call_state.h"

namespace cameo::cuda {

class context;

/// A value on its way to the host; context::await() takes it.
struct fetched {
  int32_t slot; ///< -1 after an error
  int64_t bytes;
};

/// An extent of an output that the device counts: outputs[output].dims[dim].
struct counted_extent {
  int32_t output, dim;
};

/// The extents that a run has counted, until the host takes them. `values` are those in the slot,
/// in the order in which they were counted.
class counted_extents {
public:
  /// Room for every dim of every output, which the model's tables say.
  static size_t bytes(const cameo_model &model);
  void use(void *memory) { which_ = static_cast<counted_extent *>(memory); }

  /// `count` extents at `source` on the device, on their way to the host as `copy`; none where that
  /// failed.
  void begin(const fetched &copy, const int64_t *source, const counted_extent *which,
             int32_t count);
  void clear() { count_ = 0; }
  bool is_empty() const { return count_ == 0; }
  /// The staging slot that they are copied to.
  int32_t slot() const { return slot_; }
  /// The extent on the device; null where the device counts another or none.
  const int64_t *find(int32_t output, int32_t dim) const;

  /// Tells the outputs of a call.
  void give(const int64_t *values, bindings &tensors) const;
  /// Until a graph has been launched each extent is what it can be at most: the outputs' dims.
  void expect(int64_t *values, const bindings &tensors) const;

private:
  counted_extent *which_ = nullptr;
  const int64_t *source_ = nullptr;
  int32_t slot_ = -1, count_ = 0;
};

/// The host's work behind a run, a function that is kept with its pointers and numbers as bytes.
class deferred_work {
public:
  using function = status (*)(context &c, const void *kept);

  /// Keeps a copy of `bytes` bytes for `f`. False after an error, which is noted.
  bool keep(call_state &call, function f, const void *kept, size_t bytes);
  void drop() { function_ = nullptr; }
  bool is_pending() const { return function_ != nullptr; }
  /// Does it, in the default floating-point environment. There must be some.
  status run(context &c);
  /// The run is over, and its deferred work is being done.
  bool is_running() const { return running_; }
  void close(cameo_context &owner);

private:
  function function_ = nullptr;
  growing_block kept_{};
  bool running_ = false;
};

/// The last run as later calls see it.
class run_record {
public:
  counted_extents extents;
  deferred_work rest;

  /// A run, or a pass of one, begins; it leaves nothing yet.
  void begin_pass();
  /// Work is enqueued, for which somebody will wait.
  void begin() { unfinished_ = true; }
  /// The end of run(), which says `returned`.
  void end(const status &returned) { returned_ = returned; }
  /// Somebody has waited for it.
  void finish() { unfinished_ = false; }
  bool is_unfinished() const { return unfinished_; }
  const status &returned() const { return returned_; }
  /// A run that failed leaves nothing to deliver.
  void abandon();

  /// The run has sizes that the one before did not have; the first always has.
  void note_new_sizes() { new_sizes_ = true; }
  bool has_new_sizes() const { return new_sizes_ || passes_ <= 1; }

  /// Remembers the first error that turned up after its run had returned, of any run, until
  /// somebody is told.
  void note(const status &raised);
  status take_raised();

private:
  status returned_{};
  status raised_{};
  bool unfinished_ = false;
  bool new_sizes_ = false;
  int64_t passes_ = 0;
};

} // namespace cameo::cuda
