// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of the CUDA context call models with: a context for the length of a test, a vector in
// any space with its tensor, and what scaled_model.h makes of it.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "emu.h"
#include "scaled_model.h"

namespace calls {
namespace { // as the models are

const cameo_model &scaled_model = cameo::gen::scaled::model;

inline std::string text_of(const cameo::status &s, const cameo_model &m = scaled_model) {
  char line[512];
  cameo_format(&s, &m, line, sizeof(line));
  return line;
}
inline void well(const cameo::status &s) {
  INFO(text_of(s));
  REQUIRE(s.code == CAMEO_OK);
}
inline void must(cudaError_t e) { REQUIRE(e == cudaSuccess); }

inline cameo_options defaults() {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  return o;
}

struct own_stream {
  cudaStream_t handle = nullptr;
  own_stream() { must(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~own_stream() { cudaStreamDestroy(handle); }
  own_stream(const own_stream &) = delete;
  own_stream &operator=(const own_stream &) = delete;
};

struct owner {
  cameo_context *c = nullptr;
  const cameo_model &m;
  explicit owner(const cameo_model &model = scaled_model, cameo_options o = defaults()) : m(model) {
    well(m.create(&o, &c));
  }
  ~owner() { m.destroy(c); }
  owner(const owner &) = delete;
  owner &operator=(const owner &) = delete;
  cameo_counters counters() const {
    cameo_counters n;
    well(cameo_counters_of(c, &n));
    return n;
  }
};

/// A float vector in any space, with its tensor.
struct vector_in {
  int32_t space;
  int64_t dims[1];
  int64_t strides[1] = {1};
  std::vector<float> host;
  void *memory = nullptr;
  cameo_tensor tensor{};

  vector_in(int32_t where, std::vector<float> values, int64_t stride = 1)
      : space(where), dims{static_cast<int64_t>(values.size())}, strides{stride},
        host(values.size() * static_cast<size_t>(stride), -1.0f) {
    for (size_t i = 0; i < values.size(); ++i)
      host[i * static_cast<size_t>(stride)] = values[i];
    const size_t bytes = host.size() * 4;
    if (space == CAMEO_SPACE_DEVICE)
      must(cudaMalloc(&memory, bytes));
    else if (space == CAMEO_SPACE_PINNED)
      must(cudaMallocHost(&memory, bytes));
    else if (space == CAMEO_SPACE_MANAGED)
      must(cudaMallocManaged(&memory, bytes));
    if (memory && bytes > 0)
      must(cudaMemcpy(memory, host.data(), bytes, cudaMemcpyDefault));
    tensor.data = memory ? memory : host.data();
    tensor.bytes = bytes;
    tensor.dims = dims;
    tensor.strides = stride == 1 ? nullptr : strides;
    tensor.rank = 1;
    tensor.dtype = CAMEO_FLOAT;
    tensor.space = space;
  }
  ~vector_in() {
    if (space == CAMEO_SPACE_PINNED)
      cudaFreeHost(memory);
    else
      cudaFree(memory);
  }
  vector_in(const vector_in &) = delete;
  vector_in &operator=(const vector_in &) = delete;

  std::vector<float> values() {
    if (memory && !host.empty())
      must(cudaMemcpy(host.data(), memory, host.size() * 4, cudaMemcpyDefault));
    std::vector<float> result(static_cast<size_t>(dims[0]));
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = host[i * static_cast<size_t>(strides[0])];
    return result;
  }
};

inline std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>(i);
  return v;
}
inline std::vector<float> expected(const std::vector<float> &x) {
  std::vector<float> y = x;
  for (float &v : y)
    v = 2 * v + 0.5f;
  return y;
}

inline cameo_emu_counters emulator() {
  cameo_emu_counters n;
  cameo_emu_get_counters(&n);
  return n;
}

} // namespace
} // namespace calls
