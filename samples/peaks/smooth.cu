// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Smooth on the device, as smooth.cpp has it for the host. Written with the primitives
// of generated kernels, so that the emulator runs it too; a kernel for nvcc alone may be launched
// on call->stream in any way.
#include "cameo/cuda/external.h"

namespace {

using namespace cameo::cuda;

template <class T> CAMEO_KERNEL void smooth(const T *x, T *y, int64_t n, int64_t radius) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads()) {
    T sum = 0;
    for (int64_t k = i - radius; k <= i + radius; ++k)
      sum += x[k < 0 ? 0 : k >= n ? n - 1 : k];
    y[i] = sum / static_cast<T>(2 * radius + 1);
  }
}

template <class T>
cameo_status launch(cameo_call &call, const cameo_tensor &x, const cameo_tensor &y,
                    int64_t radius) {
  external_exec e(call);
  access_scope scope(
      e, "example_smooth",
      {read(x.data, static_cast<int64_t>(x.bytes)), write(y.data, static_cast<int64_t>(y.bytes))});
  const int64_t n = x.dims[0];
  constexpr int64_t threads = 256;
  e.launch(&smooth<T>, dim3(static_cast<unsigned>((n + threads - 1) / threads)), dim3(threads), 0,
           static_cast<const T *>(x.data), static_cast<T *>(y.data), n, radius);
  return e.done();
}

} // namespace

extern "C" cameo_status example_smooth(cameo_call *call, const cameo_tensor *inputs, int32_t,
                                       cameo_tensor *outputs, int32_t,
                                       const cameo_attribute *attributes, int32_t) {
  const int64_t radius = attributes[0].ints[0];
  if (radius < 0)
    return {CAMEO_INVALID_ARGUMENT, -1, -1, 0, "{node}: a radius of {0}", {radius, 0, 0, 0}};
  if (!outputs[0].data)
    return cameo::success();
  return inputs[0].dtype == CAMEO_FLOAT ? launch<float>(*call, inputs[0], outputs[0], radius)
                                        : launch<double>(*call, inputs[0], outputs[0], radius);
}
