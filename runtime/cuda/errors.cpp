// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and codes of the errors that only a device has, in the order of cuda/errors.h.
#include "cameo/cuda/errors.h"

namespace cameo::cuda {
namespace {

status make(cameo_code code, const char *message, int64_t a = 0, int64_t b = 0, int64_t c = 0) {
  return {code, -1, -1, 0, message, {a, b, c, 0}};
}
status of_tensor(int32_t tensor, status s) {
  s.tensor = tensor;
  return s;
}
status of_node(int32_t node, status s) {
  s.node = node;
  return s;
}

} // namespace

status error_no_device(api::error error) {
  return make(CAMEO_UNSUPPORTED, "there is no CUDA device (CUDA error {0})", error);
}
status error_driver(int64_t driver, int64_t runtime) {
  return make(CAMEO_UNSUPPORTED, "the CUDA driver is of version {0}, need {1} or newer", driver,
              runtime);
}
status error_no_driver(int64_t runtime) {
  return make(CAMEO_UNSUPPORTED, "there is no CUDA driver, need version {0} or newer", runtime);
}
status error_device_ordinal(int64_t got, int64_t count) {
  return make(CAMEO_INVALID_ARGUMENT, "device {0} does not exist: there are {1}", got, count);
}
status error_wrong_arch(int64_t major, int64_t minor) {
  return make(CAMEO_WRONG_ARCH, "the build has no code for compute capability {0}.{1}", major,
              minor);
}
status error_device_memory(int64_t bytes) {
  return make(CAMEO_OUT_OF_MEMORY, "the device has no room for {0} bytes", bytes);
}
status error_device_lost(api::error error, int32_t node) {
  return of_node(node, make(CAMEO_DEVICE_LOST,
                            "the device failed with CUDA error {0}; the first kernel that may have "
                            "done it is that of {node}",
                            error));
}
status error_lost_before(api::error error) {
  return make(CAMEO_DEVICE_LOST, "the device had failed with CUDA error {0} before the call",
              error);
}
status error_launch(api::error error, int32_t node) {
  return of_node(node,
                 make(CAMEO_INTERNAL, "{node}: a kernel launch failed with CUDA error {0}", error));
}
status error_api(api::error error) {
  return make(CAMEO_UNSUPPORTED, "a call of the CUDA runtime failed with error {0}", error);
}
status error_forked() {
  return make(CAMEO_UNSUPPORTED, "the context was made before a fork() of the process, and CUDA "
                                 "works in the parent only");
}
status error_real_space(int32_t tensor, int64_t claimed, int64_t got) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT,
                        "{tensor}: space says {space0}, but the memory is {space1}", claimed, got));
}
status error_other_device(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT,
                        "{tensor}: the memory is on device {0}, the context on {1}", got, need));
}
status error_weights_device(int64_t got, int64_t need) {
  return make(CAMEO_INVALID_ARGUMENT, "the shared weights are on device {0}, need {1}", got, need);
}
status error_capture_default_stream() {
  return make(CAMEO_UNSUPPORTED, "the default stream cannot be used while a stream that waits for "
                                 "it is being captured: run on the one that is captured");
}
status error_capture_invalid() {
  return make(CAMEO_UNSUPPORTED, "the capture of the stream has failed before the call: end it");
}
status error_capture_unfinished() {
  return make(CAMEO_UNSUPPORTED, "the context has a run that is not finished: finish it before the "
                                 "stream is captured");
}
status error_capture_memory() {
  return make(CAMEO_UNSUPPORTED,
              "the run needs memory that cannot be allocated while the stream is captured: run it "
              "before on the same shapes, and finish that; twice, where sizes become known only as "
              "it runs");
}
status error_capture_wait(int32_t node) {
  return of_node(node,
                 make(CAMEO_UNSUPPORTED,
                      "{node}: the host waits here for a value of the device, which it cannot "
                      "while the stream is captured (cameo explain says what would remove it)"));
}
status error_capture_depth(int32_t node, int64_t most) {
  return of_node(node,
                 make(CAMEO_UNSUPPORTED,
                      "{node}: more than {0} branches are inside each other, which is as deep as "
                      "a captured run can have them",
                      most));
}
status error_capture_conditional(int32_t node) {
  return of_node(node, make(CAMEO_UNSUPPORTED,
                            "{node}: the device decides here what follows, for which a graph needs "
                            "conditional nodes, and this driver or device has none: run it without "
                            "a capture"));
}
status error_capture_fetch(int32_t tensor) {
  return of_tensor(tensor,
                   make(CAMEO_UNSUPPORTED,
                        "{tensor}: the host reads it, but it is on the device, where it cannot "
                        "while the stream is captured: bind it in host memory"));
}
status error_capture_copy(int32_t tensor) {
  return of_tensor(tensor,
                   make(CAMEO_UNSUPPORTED,
                        "{tensor}: only dense pinned memory of the host can be copied while "
                        "the stream is captured: bind it so, or on the device"));
}
status error_capture_event(int32_t tensor) {
  return of_tensor(tensor,
                   make(CAMEO_UNSUPPORTED,
                        "{tensor}: an event cannot be waited for or recorded while the stream "
                        "is captured: the stream's own order is all there is"));
}

status error_cuda(api::error error, int32_t node) {
  if (error == api::success)
    return success();
  if (api::is_lost(error))
    return error_device_lost(error, node);
  if (error == api::out_of_memory)
    return error_device_memory(0);
  if (api::is_wrong_arch(error)) {
    int device = 0, major = 0, minor = 0;
    api::get_device(&device);
    api::architecture(&major, &minor, device);
    return error_wrong_arch(major, minor);
  }
  if (api::is_launch_error(error))
    return error_launch(error, node);
  return error_api(error);
}

} // namespace cameo::cuda
