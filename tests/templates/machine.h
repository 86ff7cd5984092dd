// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lets one test text run on both targets: `namespace target` is cameo::cpu or cameo::cuda
// (with CAMEO_TEST_CUDA, on the emulator), `machine` owns its executor, `array` is memory that
// kernels may touch. A test fills arrays, opens a kernel with machine::run, and reads arrays back.
#pragma once

#include "cameo/common/types.h"
#include "cameo/index.h"

#if defined(CAMEO_TEST_CUDA)
#include "machine_cuda.h"
#define CAMEO_TEMPLATE(header) <cameo/cuda/header>
#else
#include "machine_cpu.h"
#define CAMEO_TEMPLATE(header) <cameo/cpu/header>
#endif

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cameo::test {

using namespace cameo::target;

/// Numbers that repeat nowhere soon, the same on every machine: in [-1, 1) for floats, all bits for
/// integers.
class random_values {
public:
  explicit random_values(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  uint64_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du;
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() >> 33) % n; }
  template <class T> T next() {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(bits() >> 20);
    else
      return cast<T>(static_cast<float>(static_cast<double>(bits() >> 40) / (1 << 23) - 1.0));
  }
  template <class T> std::vector<T> vector(int64_t n) {
    std::vector<T> v(static_cast<size_t>(n));
    for (T &x : v)
      x = next<T>();
    return v;
  }

private:
  uint64_t state_;
};

/// Memory of the target, filled from a vector or with a recognisable value.
template <class T> class array {
public:
  array(machine &m, const std::vector<T> &values) : machine_(m), size_(values.size()) {
    data_ = static_cast<T *>(machine_.allocate(bytes()));
    machine_.upload(data_, values.data(), bytes());
  }
  array(machine &m, int64_t n) : array(m, std::vector<T>(static_cast<size_t>(n), unset())) {}
  ~array() { machine_.release(data_); }
  array(const array &) = delete;
  array &operator=(const array &) = delete;

  T *data() { return data_; }
  operator T *() { return data_; }
  std::vector<T> values() const {
    std::vector<T> v(size_);
    machine_.download(v.data(), data_, bytes());
    return v;
  }
  T operator[](int64_t i) const { return values()[static_cast<size_t>(i)]; }
  size_t bytes() const { return size_ * sizeof(T); }

  /// The value of elements that no kernel has written.
  static T unset() {
    T v;
    memset(static_cast<void *>(&v), 0x5a, sizeof(v));
    return v;
  }

private:
  machine &machine_;
  size_t size_;
  T *data_;
};

/// Bitwise equality, with any NaN equal to any other.
template <class T> bool same(T a, T b) {
  return (is_nan(a) && is_nan(b)) || memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T> std::vector<double> as_double(const std::vector<T> &values) {
  std::vector<double> r;
  for (const T &v : values)
    r.push_back(cast<double>(v));
  return r;
}

/// The greatest difference, relative to the greatest expected magnitude; NaN only matches NaN.
inline double worst_error(const std::vector<double> &got, const std::vector<double> &want) {
  if (got.size() != want.size())
    return INFINITY;
  double scale = 1e-30, worst = 0;
  for (double w : want)
    if (std::isfinite(w))
      scale = std::max(scale, std::fabs(w));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i]))
      continue;
    if (got[i] == want[i])
      continue;
    const double error = std::fabs(got[i] - want[i]) / scale;
    worst = std::max(worst, std::isnan(error) ? static_cast<double>(INFINITY) : error);
  }
  return worst;
}
template <class T, class U>
double worst_error(const std::vector<T> &got, const std::vector<U> &want) {
  return worst_error(as_double(got), as_double(want));
}

/// How far sums of n products may be off in the accumulator of T.
template <class T> double tolerance() {
  return std::is_same_v<accumulator_t<T>, double> ? 1e-13 : std::is_integral_v<T> ? 0 : 2e-6;
}

/// load and store functors over row-major arrays.
template <class T, int R> struct dense_load {
  const T *data;
  index<R> extents;
  CAMEO_DEVICE T operator()(const index<R> &i) const { return data[flatten(i, extents)]; }
};
template <class T, int R> struct dense_store {
  T *data;
  index<R> extents;
  template <class V> CAMEO_DEVICE void operator()(const index<R> &i, V v) const {
    data[flatten(i, extents)] = cast<T>(v);
  }
};

} // namespace cameo::test
