// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host program of mlp: its table, its shape program, its run.
#include "mlp.h"

#include "cameo/cpu/context.h"
#include "mlp_kernels.h"

extern "C" const unsigned char mlp_weights[];

namespace cameo::gen::mlp {

namespace {

static_assert(CAMEO_ABI_VERSION == 3, "this file was generated for another runtime");

const cameo_dim x_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"},
                            {CAMEO_DIM_VALUE, -1, 64, 64, nullptr}};
const cameo_dim y_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"},
                            {CAMEO_DIM_VALUE, -1, 10, 10, nullptr}};
constexpr uint32_t host_spaces =
    1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED | 1u << CAMEO_SPACE_MANAGED;
const cameo_port inputs[] = {{"x", CAMEO_TENSOR, CAMEO_FLOAT, 2, CAMEO_PORT_LENDABLE, x_dims,
                              nullptr, CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0}};
const cameo_port outputs[] = {{"y", CAMEO_TENSOR, CAMEO_FLOAT, 2, CAMEO_PORT_LENDABLE, y_dims,
                               nullptr, CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0}};
const char *const symbol_names[] = {"N"};
const char *const node_names[] = {"fc1", "relu1", "fc2", "soft"};
const char *const buffer_names[] = {"h", "z"};

struct symbols {
  int64_t N;
};

struct weights {
  alignas(64) float w1[32 * 64];
  alignas(64) float b1[32];
  alignas(64) float w2[10 * 32];
  alignas(64) float b2[10];
};

struct buffers {
  buffer h, z;
};

struct kept {
  memo<symbols> key;
  buffers b;
};

} // namespace

extern const cameo_model model;

namespace {

status read_symbols(const cameo_tensor *in, int32_t count, symbols &s) {
  int64_t v[1];
  CAMEO_TRY(check_dims(model, in, count, v));
  s.N = v[0];
  return success();
}

void size_buffers(const symbols &s, buffers &b) {
  b.h = {bytes_of(checked(s.N) * 32 * 4), 0, 1};
  b.z = {bytes_of(checked(s.N) * 10 * 4), 1, 2};
}

status infer_shapes(const cameo_tensor *in, int32_t in_count, cameo_tensor *out,
                    int32_t out_count) {
  symbols s;
  CAMEO_TRY(read_symbols(in, in_count, s));
  return infer_shape(model, out, out_count, 0, {s.N, 10});
}

status memory(const cameo_tensor *in, int32_t in_count, cameo_memory *plan) {
  symbols s;
  CAMEO_TRY(read_symbols(in, in_count, s));
  buffers b;
  size_buffers(s, b);
  *plan = {};
  CAMEO_TRY(describe_arena(b, buffer_names, *plan));
  plan->host_arena += static_cast<uint64_t>(scratch(1, s.N));
  complete(model, *plan);
  return success();
}

status run(context &c, const cameo_tensor *in, cameo_tensor *out) {
  symbols s;
  CAMEO_TRY(read_symbols(in, model.input_count, s));
  kept &k = c.state<kept>();
  if (c.changed(k.key, s)) {
    size_buffers(s, k.b);
    CAMEO_TRY(c.plan(k.b, scratch(c.compute.threads(), s.N)));
    c.remember(k.key, s);
  }
  const float *x = c.input<float>(in[0]);
  float *y = c.output<float>(out[0], {s.N, 10});
  float *h = c.at<float>(k.b.h);
  float *z = c.at<float>(k.b.z);
  const weights &w = c.constants<weights>();
  CAMEO_TRY(c.ready());

  // 1. Gemm "fc1", Relu "relu1" -> [N, 32]
  c.step(0);
  fc1(c.compute, x, w.w1, w.b1, h, s.N);
  // 2. Gemm "fc2" -> [N, 10]
  c.step(2);
  fc2(c.compute, h, w.w2, w.b2, z, s.N);
  // 3. Softmax "soft" -> [N, 10]
  c.step(3);
  soft(c.compute, z, y, s.N);
  return c.done();
}

} // namespace

const cameo_model model = {
    CAMEO_ABI_VERSION,
    1,
    1,
    1,
    4,
    0,
    0,
    sizeof(kept),
    "mlp",
    "cameo by hand",
    "cpu",
    &cpu::target,
    inputs,
    outputs,
    symbol_names,
    node_names,
    {9640, 0xf08930d19e96bcc5u, mlp_weights, nullptr},
    mlp_infer_shapes,
    mlp_memory,
    mlp_create,
    mlp_run,
    mlp_destroy,
};

} // namespace cameo::gen::mlp

using namespace cameo::gen;

extern "C" {

const cameo_model *mlp_describe(void) { return &mlp::model; }

cameo_status mlp_infer_shapes(const cameo_tensor *in, int32_t in_count, cameo_tensor *out,
                              int32_t out_count) {
  return mlp::infer_shapes(in, in_count, out, out_count);
}

cameo_status mlp_memory(const cameo_tensor *in, int32_t in_count, cameo_memory *plan) {
  return mlp::memory(in, in_count, plan);
}

cameo_status mlp_create(const cameo_options *options, cameo_context **context) {
  return cameo::cpu::create(mlp::model, options, context);
}

cameo_status mlp_run(cameo_context *context, const cameo_tensor *in, int32_t in_count,
                     cameo_tensor *out, int32_t out_count, void *) {
  return cameo::cpu::run(mlp::model, context, in, in_count, out, out_count, mlp::run);
}

void mlp_destroy(cameo_context *context) { cameo::cpu::destroy(context); }

} // extern "C"
