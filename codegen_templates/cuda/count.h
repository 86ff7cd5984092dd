// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count: how an integer that a kernel has computed becomes an extent. One thread.
#pragma once

#include "cameo/counted.h"
#include "cameo/cuda/device.h"
#include "cameo/cuda/exec.h"

namespace cameo::cuda {

template <class P, class LOAD> struct count_body {
  P p;
  int64_t *y;
  LOAD load;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load); }
  CAMEO_DEVICE void operator()() const {
    const int64_t given = load(index<1>{{0}}), most = p.most;
    if (given < 0 || given > most)
      raise(flag, CAMEO_OUT_OF_RANGE, given, given < 0 ? int64_t{0} : most);
    *y = given < 0 ? int64_t{0} : given > most ? most : given;
  }
};

template <class BODY> CAMEO_KERNEL void count_kernel(BODY body) {
  body.load_counts();
  body();
}

template <class P, class LOAD> void count(exec &e, const P &p, int64_t *y, LOAD load) {
  const count_body<P, LOAD> body = {p, y, load, e.flag()};
  e.launch(&count_kernel<count_body<P, LOAD>>, dim3(1), dim3(1), 0, body);
}

} // namespace cameo::cuda
