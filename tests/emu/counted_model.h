// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as the compiler writes it, by hand: positives[<=N] = the x that are > 0, in order. Their
// count stays on the device, or (on_host = true) decides on the host.
#pragma once

#include "scaled_model.h"

namespace cameo::gen::counted {

using namespace cameo::cuda;

namespace {

CAMEO_KERNEL void compact(const float *x, float *y, int64_t *count, int64_t n) {
  int64_t k = 0;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 0)
      y[k++] = x[i];
  *count = k;
}

constexpr cameo_dim bounded[] = {{CAMEO_DIM_BOUNDED, -1, 0, INT64_MAX, "count"}};
constexpr cameo_port count_port() {
  cameo_port p = scaled::port_of("positives", 0);
  p.dims = bounded;
  return p;
}
constexpr cameo_port outputs[] = {count_port()};

bool on_host = false;
extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t N = 0;
  CAMEO_TRY(check_dims(model, in, 1, &N));
  buffer b[2] = {{bytes_of(checked(N) * checked(4)), 0, 2, -1, 0, 0, 0}, {8, 0, 2, -1, 0, 0, 0}};
  CAMEO_TRY(c.plan(b));
  const float *x = c.input<float>(in[0]);
  int64_t *count = c.at<int64_t>(b[1]);
  float *y = on_host ? c.at<float>(b[0]) : c.output<float>(out[0], {N});
  CAMEO_TRY(c.ready());
  c.step(0);
  {
    access_scope scope(c.compute, "compact", {read(x, N * 4), write(y, N * 4), write(count, 8)});
    c.compute.launch(compact, dim3(1), dim3(1), 0, x, y, count, N);
  }
  if (!on_host) {
    c.extents(count, {{0, 0}});
    return c.done();
  }
  const fetched f = c.fetch(count, 8);
  int64_t k = 0;
  CAMEO_TRY(c.await(f, &k));
  float *positives = c.output<float>(out[0], {k});
  CAMEO_TRY(c.ready());
  c.compute.copy(positives, y, k * 4);
  return c.done();
}

cameo_model model_of() {
  cameo_model m = scaled::model;
  m.name = "counted";
  m.outputs = outputs;
  m.weights = {};
  scaled::set_calls<model, generated>(m);
  return m;
}
const cameo_model model = model_of();

} // namespace
} // namespace cameo::gen::counted
