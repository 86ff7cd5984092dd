// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share. Each gets the dims NxM of its runs as arguments, runs the
// model of one input and its negation, and writes for every run a line of the counters of the
// emulator, or one that begins with `wrong`.
#pragma once

#include "cameo/abi.h"
#include "cameo/emu/emu.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" const cameo_model *MODEL(void);

namespace cases {

[[noreturn]] inline void wrong(const char *what) {
  std::printf("wrong: %s\n", what);
  std::exit(0);
}

inline void check(cudaError_t error) {
  if (error != cudaSuccess)
    wrong(cudaGetErrorString(error));
}

inline void check(const cameo_status &status) {
  if (status.code == CAMEO_OK)
    return;
  char text[512];
  cameo_format(&status, MODEL(), text, sizeof text);
  wrong(text);
}

struct shape {
  int64_t rows = 0, columns = 0;
  size_t count() const { return static_cast<size_t>(rows * columns); }
};

inline shape parse(const char *text) {
  char *rest = nullptr;
  const int64_t rows = std::strtoll(text, &rest, 10);
  return {rows, std::strtoll(rest + 1, nullptr, 10)};
}

/// Never the same for two runs, so that results of the last one are seen.
inline float element(int run, int64_t row, int64_t column) {
  return static_cast<float>(1000 * run + 31 * row + column + 1);
}

/// Memory of the device or of the host.
class memory {
public:
  memory(size_t bytes, int space) : space_(space) {
    if (space == CAMEO_SPACE_DEVICE)
      check(cudaMalloc(&data_, bytes + 1));
    else
      check(cudaMallocHost(&data_, bytes + 1));
  }
  ~memory() { check(space_ == CAMEO_SPACE_DEVICE ? cudaFree(data_) : cudaFreeHost(data_)); }
  memory(const memory &) = delete;
  memory &operator=(const memory &) = delete;
  void *data() const { return data_; }

private:
  void *data_ = nullptr;
  int space_;
};

inline cameo_tensor bind(void *data, size_t bytes, int64_t *dims, int space) {
  cameo_tensor tensor{};
  tensor.data = data;
  tensor.bytes = bytes;
  tensor.dims = dims;
  tensor.rank = 2;
  tensor.dtype = CAMEO_FLOAT;
  tensor.space = space;
  tensor.kind = CAMEO_TENSOR;
  return tensor;
}

class context {
public:
  context() {
    cameo_options options{};
    options.abi = CAMEO_ABI_VERSION;
    options.threads = 1;
    check(MODEL()->create(&options, &context_));
  }
  ~context() { MODEL()->destroy(context_); }
  context(const context &) = delete;
  context &operator=(const context &) = delete;
  cameo_context *get() const { return context_; }
  cameo_counters counters() const {
    cameo_counters counters{};
    check(cameo_counters_of(context_, &counters));
    return counters;
  }

private:
  cameo_context *context_ = nullptr;
};

inline void write_counters(const cameo_emu_counters &before, const cameo_emu_counters &after,
                           int64_t repacks) {
  std::printf("d2h %lld blocking_syncs %lld h2d %lld repacks %lld\n",
              static_cast<long long>(after.d2h - before.d2h),
              static_cast<long long>(after.blocking_syncs - before.blocking_syncs),
              static_cast<long long>(after.h2d - before.h2d), static_cast<long long>(repacks));
}

inline cameo_emu_counters seen() {
  cameo_emu_counters counters;
  cameo_emu_get_counters(&counters);
  return counters;
}

} // namespace cases
