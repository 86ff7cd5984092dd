// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors that only a device has, one function per error as in cameo/errors.h; texts are in
// cuda/errors.cpp. `error_cuda` sorts what the runtime API returned into them.
#pragma once

#include "cameo/cuda/device_api.h"
#include "cameo/errors.h"

namespace cameo::cuda {

status error_no_device(api::error error);
/// Versions as the API gives them: 13000 is 13.0.
status error_no_driver(int64_t runtime);
status error_driver(int64_t driver, int64_t runtime);
status error_device_ordinal(int64_t got, int64_t count);
status error_wrong_arch(int64_t major, int64_t minor);
status error_device_memory(int64_t bytes);
/// `node`: the first kernel that may have done it, or -1.
status error_device_lost(api::error error, int32_t node);
/// The device had failed before the call.
status error_lost_before(api::error error);
status error_launch(api::error error, int32_t node);
status error_api(api::error error);
/// CUDA does not survive a fork().
status error_forked();
/// A tensor whose memory is not of the space that it claims; `got` is a cameo_space.
status error_real_space(int32_t tensor, int64_t claimed, int64_t got);
status error_other_device(int32_t tensor, int64_t got, int64_t need);
status error_weights_device(int64_t got, int64_t need);
/// Why a run cannot be captured: before anything has been enqueued.
status error_capture_default_stream();
status error_capture_invalid();
status error_capture_unfinished();
status error_capture_memory();
status error_capture_wait(int32_t node);
status error_capture_depth(int32_t node, int64_t most);
status error_capture_conditional(int32_t node);
status error_capture_fetch(int32_t tensor);
status error_capture_copy(int32_t tensor);
status error_capture_event(int32_t tensor);

/// The caller's status for an error of the device's API; `node` is the one at work, -1 = none.
status error_cuda(api::error error, int32_t node);

} // namespace cameo::cuda
