// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this folder share: the caller's current device kept, and the kernels of the
// runtime itself.
#pragma once

#include "cameo/cuda/context.h"
#include "cameo/cuda/errors.h"

namespace cameo::cuda {

/// Makes a device current; the caller's is back at the end.
class device_scope {
public:
  explicit device_scope(int32_t device);
  ~device_scope();
  /// Whether it is current. To wait, or to free, it need not be.
  status entered() const;
  device_scope(const device_scope &) = delete;
  device_scope &operator=(const device_scope &) = delete;

private:
  int before_ = 0;
  api::error error_ = api::success;
  bool changed_ = false;
};

/// Weights on a device beside those of the host.
struct device_weights : cameo_weights {
  unsigned char *device = nullptr;
  int32_t ordinal = 0;
  bool user_memory = false;
};

status load_weights(const cameo_model &model, const cameo_options &options, bool user_memory,
                    device_weights *&weights);
void release_weights(cameo_weights *weights);

/// A fault that kernels raised, in the words of the host.
fault_slot as_fault(const error_slot &slot);

/// The device that the options name exists and runs this build's code.
status check_device(int32_t ordinal);

/// Whether the build has code for the current device.
api::error probe_kernels();

/// Copies the elements of a strided tensor to dense memory, or from it, both on the device.
void launch_repack(exec &e, const cameo_tensor &strided, void *dense, bool gather);
/// At most CAMEO_LAUNCH_UPLOAD_BYTES of the host's memory, which may change right after.
void launch_upload(exec &e, void *target, const void *source, int64_t bytes);

/// Has a conditional node go by a bool on the device.
void launch_decide(exec &e, const bool *condition, api::conditional_handle handle);

/// A loop that the device runs, and its ends but for the condition.
struct repeated_loop {
  api::conditional_handle handle; ///< of its node
  bool *goes_on;                  ///< device memory that gets the answer instead, or null
  const int64_t *trips;           ///< device memory: how many iterations there have been
  int64_t most;                   ///< that the model has
  int64_t limit;                  ///< that the caller allows; beyond it CAMEO_LIMIT is raised
  uint32_t first;                 ///< errors of kernels from this one on are the loop's
};

/// Has another iteration follow while `condition` is true.
void launch_again(exec &e, const bool *condition, const repeated_loop &loop);

} // namespace cameo::cuda
