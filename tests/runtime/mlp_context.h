// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of contexts have in common: calls of the hand-made model whose outputs are known, and
// contexts for the length of a test.
#pragma once

#include "counting_allocator.h"
#include "mlp/mlp.h"
#include "mlp_data.h"

#include "cameo/status.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace mlp_test {

using namespace cameo;

/// One call of the model: tensors, and whether the outputs are right.
struct call {
  explicit call(int64_t n)
      : x(mlp_test::input(n)),
        y(static_cast<size_t>(n * 10), -1.0f), x_dims{n, 64}, y_dims{-1, -1} {
    in.data = x.data();
    in.bytes = x.size() * sizeof(float);
    in.dims = x_dims;
    in.rank = 2;
    in.dtype = CAMEO_FLOAT;
    out.data = y.data();
    out.bytes = y.size() * sizeof(float);
    out.dims = y_dims;
    out.rank = 2;
    out.dtype = CAMEO_FLOAT;
  }
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  status run(cameo_context *c) { return mlp_run(c, &in, 1, &out, 1, nullptr); }
  double worst_error(const float *got) const {
    double worst = 0;
    const std::vector<double> want = mlp_test::reference(x);
    for (size_t i = 0; i < want.size(); ++i)
      worst = std::fmax(worst, std::fabs(static_cast<double>(got[i]) - want[i]));
    return worst;
  }
  bool right() const {
    return y_dims[0] == x_dims[0] && y_dims[1] == 10 && worst_error(y.data()) < 1e-6;
  }
  bool untouched() const {
    for (const float v : y)
      if (v != -1.0f)
        return false;
    return true;
  }

  std::vector<float> x, y;
  int64_t x_dims[2], y_dims[2];
  cameo_tensor in{}, out{};
};

/// A context for the length of a test.
struct opened {
  explicit opened(const cameo_options &o) : created(mlp_create(&o, &c)) {}
  ~opened() { mlp_destroy(c); }
  opened(const opened &) = delete;
  opened &operator=(const opened &) = delete;
  cameo_context *c = nullptr;
  status created;
};

inline cameo_counters counters_of(cameo_context *c) {
  cameo_counters n{};
  REQUIRE(ok(cameo_counters_of(c, &n)));
  return n;
}

constexpr int32_t invalid = CAMEO_INVALID_ARGUMENT;

} // namespace mlp_test
