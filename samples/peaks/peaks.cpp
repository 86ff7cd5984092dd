// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator Peaks: the positions at which a signal is higher than on either side, ascending; the
// middle of those that are equally high. How many there are, its declaration leaves to it.
#include "cameo/abi.h"

extern "C" cameo_status example_peaks(cameo_call *call, const cameo_tensor *inputs, int32_t,
                                      cameo_tensor *outputs, int32_t,
                                      const cameo_attribute *attributes, int32_t) {
  const float *x = static_cast<const float *>(inputs[0].data);
  int64_t *positions = static_cast<int64_t *>(outputs[0].data);
  const int64_t n = inputs[0].dims[0];
  const float height = attributes[0].floats[0];

  int64_t count = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (!(x[i] > x[i - 1]))
      continue;
    int64_t last = i; // of as many as are equal
    while (last + 1 < n && x[last + 1] == x[i])
      ++last;
    if (last + 1 < n && x[last + 1] < x[i] && x[i] >= height) {
      if (positions) // null where nobody reads them
        positions[count] = (i + last) / 2;
      ++count;
    }
    i = last;
  }
  call->counts[0] = count;
  return {CAMEO_OK, -1, -1, 0, "ok", {0, 0, 0, 0}};
}
