// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as the compiler writes it, by hand: y[N] = 2 x[N] + w[0] by way of one buffer; a negative
// x raises OUT_OF_RANGE in the node "check". For tests on the emulator and on a GPU.
#pragma once

#include "cameo/cuda/context.h"
#include "device.h"

namespace cameo::gen::scaled {

using namespace cameo::cuda;

namespace {

/// The tables of models written by hand call this: the generated body of MODEL.
template <const cameo_model &MODEL, cuda::body GENERATED>
constexpr void set_calls(cameo_model &table) {
  table.create = [](const cameo_options *options, cameo_context **c) {
    return cuda::create(MODEL, options, c);
  };
  table.run = [](cameo_context *c, const cameo_tensor *in, int32_t n, cameo_tensor *out, int32_t m,
                 void *stream) { return cuda::run(MODEL, c, in, n, out, m, stream, GENERATED); };
}

struct symbols {
  int64_t N;
};

struct body {
  const float *x, *w;
  float *y;
  error_flag flag;
  CAMEO_DEVICE void operator()(int64_t i) const {
    if (x[i] < 0)
      raise(flag, CAMEO_OUT_OF_RANGE, static_cast<int64_t>(x[i]), 0);
    y[i] = 2 * x[i] + w[0];
  }
};

template <class F> CAMEO_KERNEL void each(F f, int64_t n) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    f(i);
}

void scale(exec &e, const float *x, const float *w, float *y, int64_t N) {
  access_scope scope(e, "scale", {read(x, N * 4), read(w, 4), write(y, N * 4)});
  if (N > 0)
    e.launch(each<body>, dim3(static_cast<unsigned>((N + 127) / 128)), dim3(128), 0,
             body{x, w, y, e.flag()}, N);
}

constexpr uint32_t every_space = 31;
constexpr cameo_dim n_dim[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"}};
constexpr cameo_port port_of(const char *name, int32_t strides) {
  cameo_port p{};
  p.name = name;
  p.dtype = CAMEO_FLOAT;
  p.rank = 1;
  p.dims = n_dim;
  p.space = CAMEO_SPACE_DEVICE;
  p.spaces = every_space;
  p.alignment = 4;
  p.accept_strides = strides;
  return p;
}
constexpr cameo_port inputs[] = {port_of("x", 1)};
constexpr cameo_port outputs[] = {port_of("y", 1)};
const char *const names[] = {"N"};
const char *const nodes[] = {"first", "check"};

struct blob {
  cameo_weights_header header;
  float payload[16];
};
alignas(64) blob weights_blob = {{{'C', 'A', 'M', 'E', 'O', 'W', 'T', '1'}, 64, 0, {}}, {0.5f}};

extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  symbols s;
  CAMEO_TRY(check_dims(model, in, 1, &s.N));
  buffer h[1] = {{bytes_of(checked(s.N) * checked(4)), 0, 1, -1, 0, 0, 0}};
  CAMEO_TRY(c.plan(h));
  const float *x = c.input<float>(in[0]);
  float *y = c.output<float>(out[0], {s.N});
  float *t = c.at<float>(h[0]);
  CAMEO_TRY(c.ready());
  c.step(0);
  c.compute.copy(t, x, s.N * 4);
  c.step(1);
  scale(c.compute, t, c.constants<float[16]>(), y, s.N);
  return c.done();
}

constexpr cameo_model model_of() {
  cameo_model m{};
  m.abi = CAMEO_ABI_VERSION;
  m.input_count = m.output_count = m.symbol_count = 1;
  m.node_count = 2;
  m.name = "scaled";
  m.compiler = "by hand";
  m.target_name = "cuda";
  m.target = &target;
  m.inputs = inputs;
  m.outputs = outputs;
  m.symbols = names;
  m.nodes = nodes;
  m.weights.bytes = 64;
  m.weights.embedded = &weights_blob;
  set_calls<model, generated>(m);
  m.destroy = destroy;
  return m;
}
const cameo_model model = model_of();

} // namespace
} // namespace cameo::gen::scaled
