// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a context is to generic code, and what both targets' contexts share: the owner of host
// memory, the call lock, the error slot, counters, weights. The target's context derives from it.
// Not for generated code, which sees cpu/context.h or cuda/context.h.
#pragma once

#include "cameo/errors.h"
#include "cameo/extent.h"
#include "cameo/fault.h"

// These structs are of one layout in all builds of the runtime that share a CAMEO_ABI_VERSION: the
// generic calls of one build work on contexts of another.

/// The runtime behind the generic calls of abi.h; one constant table per target. Pointers and
/// indices have been checked; taking the call lock is each function's own business, since waiting
/// for a run must not hold it.
struct cameo_target {
  const char *name;
  cameo_status (*finish)(cameo_context *context);
  cameo_status (*poll)(cameo_context *context);
  cameo_status (*ready)(cameo_context *context, int32_t output);
  cameo_status (*wait)(cameo_context *context, int32_t output);
  cameo_status (*fetch)(cameo_context *context, int32_t output, void *destination, size_t bytes);
  cameo_status (*buffer)(cameo_context *context, int32_t index, cameo_tensor *tensor);
  cameo_status (*extent)(cameo_context *context, int32_t output, int32_t dim, cameo_tensor *tensor);
  cameo_status (*counters)(cameo_context *context, cameo_counters *counters);
  cameo_status (*weights_load)(const cameo_model *model, const cameo_options *options,
                               cameo_weights **weights);
  void (*weights_release)(cameo_weights *weights); ///< gives one count back
};

/// Weights in host memory; a device target derives from it. Counted: the creator holds one count.
struct cameo_weights {
  const cameo_target *target = nullptr;
  uint64_t bytes = 0, hash = 0;
  const unsigned char *data = nullptr; ///< payload, or null when only the device has it
  void *owned = nullptr; ///< block to release, or null when it is the image's or the caller's
  size_t owned_bytes = 0;
  cameo_allocator allocator{};
  int32_t counts = 1;
};

namespace cameo {

struct external_call; // external.h

/// The tensors of a call with their dims and strides, copied: a run may outlive the caller's
/// structs. Their other pointers (`data`, items, events) lead to memory of the caller's.
struct bindings {
  cameo_tensor *inputs = nullptr, *outputs = nullptr;

  /// Bytes that a model's bindings take.
  static size_t bytes(const cameo_model &model);
  /// Has them in `memory`, aligned as an int64_t.
  void use(const cameo_model &model, void *memory);
  /// Copies what a call is given; its counts have been checked, ranks need not be right.
  void take(const cameo_model &model, const cameo_tensor *ins, const cameo_tensor *outs);
  /// Writes what a run has made of output `k` to the caller's tensor, whose dims have room.
  void give(int32_t k, cameo_tensor &tensor) const;
  /// Makes `tensor` the extent of output `k`, where it lies here.
  status extent(int32_t k, int32_t dim, cameo_tensor &tensor) const;

private:
  int64_t *numbers_ = nullptr; ///< dims and strides of every tensor
};

} // namespace cameo

struct cameo_context {
  const cameo_target *target = nullptr;
  const cameo_model *model = nullptr;
  cameo_options options{}; ///< defaults filled in
  cameo_weights *weights = nullptr;
  void *generated_state = nullptr; ///< model->state_bytes of generated code's own
  uint32_t busy = 0;               ///< call lock
  bool ran = false;                ///< there is a last run
  cameo_status last{};             ///< its status
  cameo_counters counters{};       ///< of the run under way, then of the last
  cameo::fault_slot fault;
  cameo::bindings tensors; ///< of the run under way, then of the last

  /// Counts what a kernel copies.
  void copied(cameo::checked bytes) {
    ++counters.kernel_copies;
    counters.kernel_copy_bytes += bytes.value();
  }
};

namespace cameo {

/// Takes the call lock, or returns BUSY. A context is never waited for.
status enter(cameo_context &context);
void leave(cameo_context &context);
/// The counters of the last run, for a target's table.
status read_counters(cameo_context *context, cameo_counters *counters);

/// Checks the caller's options and fills in defaults. Null is all defaults.
status check_options(const cameo_options *options, cameo_options &filled);

/// Host memory through an allocator, at least 64-byte aligned. Null when there is none.
void *host_allocate(const cameo_allocator &allocator, size_t bytes);
void host_release(const cameo_allocator &allocator, void *memory, size_t bytes);
/// The same, counted.
void *host_allocate(cameo_context &context, size_t bytes);
void host_release(cameo_context &context, void *memory, size_t bytes);

/// Finds the model's blob (the caller's, the caller's file, the image's, the default file),
/// verifies it, and fills the host members of `weights`, whose allocator is set.
status open_weights(const cameo_model &model, const cameo_options &options, cameo_weights &weights);
/// Releases what open_weights took.
void close_weights(cameo_weights &weights);
void weights_retain(cameo_weights &weights);
/// True when that was the last count.
bool weights_drop(cameo_weights &weights);
/// XXH64 with seed 0.
uint64_t hash64(const void *data, size_t bytes);

/// While it lives the floating-point environment is the default one (to nearest, denormals kept);
/// at its end the caller's is back, and errno with it.
class fp_scope {
public:
  fp_scope();
  ~fp_scope();
  fp_scope(const fp_scope &) = delete;
  fp_scope &operator=(const fp_scope &) = delete;

private:
  uint64_t environment_;
  int errno_;
};

/// Sends a line to the caller's logger, if there is one.
void log(const cameo_options &options, cameo_log_level level, const char *message);

} // namespace cameo
