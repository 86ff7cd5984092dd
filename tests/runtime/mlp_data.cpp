// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlp_data.h"

#include "cameo/context_base.h"

#include <cmath>
#include <cstring>

namespace mlp_test {

namespace {

std::vector<float> numbers(size_t n, uint32_t seed) {
  std::vector<float> v;
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    v.push_back(static_cast<float>(static_cast<int32_t>(seed >> 8) - (1 << 23)) / (1 << 25));
  }
  return v;
}

} // namespace

std::vector<float> weights() { return numbers(32 * 64 + 32 + 10 * 32 + 10, 1); }
std::vector<float> input(int64_t n) { return numbers(static_cast<size_t>(n * 64), 2); }

std::vector<unsigned char> blob() {
  const std::vector<float> w = weights();
  cameo_weights_header header{};
  memcpy(header.magic, "CAMEOWT1", 8);
  header.bytes = w.size() * sizeof(float);
  header.hash = cameo::hash64(w.data(), header.bytes);
  std::vector<unsigned char> bytes(sizeof header + header.bytes);
  memcpy(bytes.data(), &header, sizeof header);
  memcpy(bytes.data() + sizeof header, w.data(), header.bytes);
  return bytes;
}

std::vector<double> reference(const std::vector<float> &x) {
  const std::vector<float> w = weights();
  const float *w1 = w.data(), *b1 = w1 + 32 * 64, *w2 = b1 + 32, *b2 = w2 + 10 * 32;
  std::vector<double> y;
  for (size_t n = 0; n < x.size() / 64; ++n) {
    double h[32], z[10], sum = 0;
    for (size_t i = 0; i < 32; ++i) {
      h[i] = static_cast<double>(b1[i]);
      for (size_t k = 0; k < 64; ++k)
        h[i] += static_cast<double>(x[n * 64 + k]) * static_cast<double>(w1[i * 64 + k]);
      h[i] = std::fmax(h[i], 0);
    }
    for (size_t i = 0; i < 10; ++i) {
      z[i] = static_cast<double>(b2[i]);
      for (size_t k = 0; k < 32; ++k)
        z[i] += h[k] * static_cast<double>(w2[i * 32 + k]);
      sum += std::exp(z[i]);
    }
    for (const double v : z)
      y.push_back(std::exp(v) / sum);
  }
  return y;
}

} // namespace mlp_test
