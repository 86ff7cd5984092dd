// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Smooth on the host: each element becomes the mean of itself and `radius` elements on
// either side, the ends being repeated.
#include "cameo/abi.h"

namespace {

template <class T> void smooth(const cameo_tensor &x, const cameo_tensor &y, int64_t radius) {
  const T *from = static_cast<const T *>(x.data);
  T *to = static_cast<T *>(y.data);
  const int64_t n = x.dims[0];
  for (int64_t i = 0; i < n; ++i) {
    T sum = 0;
    for (int64_t k = i - radius; k <= i + radius; ++k)
      sum += from[k < 0 ? 0 : k >= n ? n - 1 : k];
    to[i] = sum / static_cast<T>(2 * radius + 1);
  }
}

} // namespace

extern "C" cameo_status example_smooth(cameo_call *, const cameo_tensor *inputs, int32_t,
                                       cameo_tensor *outputs, int32_t,
                                       const cameo_attribute *attributes, int32_t) {
  const int64_t radius = attributes[0].ints[0];
  if (radius < 0)
    return {CAMEO_INVALID_ARGUMENT, -1, -1, 0, "{node}: a radius of {0}", {radius, 0, 0, 0}};
  if (outputs[0].data && inputs[0].dtype == CAMEO_FLOAT)
    smooth<float>(inputs[0], outputs[0], radius);
  else if (outputs[0].data)
    smooth<double>(inputs[0], outputs[0], radius);
  return {CAMEO_OK, -1, -1, 0, "ok", {0, 0, 0, 0}};
}
