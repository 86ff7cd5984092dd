// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// expect: holds a few integers against limits: those that a user has asserted, or what an operator
// needs of extents that the device counts. One thread.
#pragma once

#include "cameo/counted.h"
#include "cameo/cuda/device.h"
#include "cameo/cuda/exec.h"

namespace cameo::cuda {

template <class P, class VALUE, class LEAST, class MOST> struct expect_body {
  P p;
  int64_t *y;
  VALUE value;
  LEAST least;
  MOST most;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, value, least, most); }
  CAMEO_DEVICE void operator()() const {
    int64_t broken = 0;
    for (int64_t i = 0; i < p.count; ++i) {
      const index<1> at = {{i}};
      const int64_t got = value(at), low = least(at), high = most(at);
      if (got >= low && got <= high)
        continue;
      raise(flag, P::code, got, got < low ? low : high);
      ++broken;
    }
    *y = broken;
  }
};

template <class BODY> CAMEO_KERNEL void expect_kernel(BODY body) {
  body.load_counts();
  body();
}

template <class P, class VALUE, class LEAST, class MOST>
void expect(exec &e, const P &p, int64_t *y, VALUE value, LEAST least, MOST most) {
  const expect_body<P, VALUE, LEAST, MOST> body = {p, y, value, least, most, e.flag()};
  e.launch(&expect_kernel<expect_body<P, VALUE, LEAST, MOST>>, dim3(1), dim3(1), 0, body);
}

} // namespace cameo::cuda
