// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host and device give the same bits for every operation that scalar.h promises it of, and stay
// within 4 ulp of each other for the rest: each operation runs on both, over edge values, random
// bit patterns and all pairs of edges. Exit 77 where there is no device; compiling it is a test
// too.
#include "cameo/index.h"
#include "cameo/scalar.h"

#include <cstdio>
#include <cstring>
#include <vector>

// As generated code does it.
namespace cameo::gen::scalar_agreement {

#define UNARY(name)                                                                                \
  struct name##_op {                                                                               \
    static constexpr const char *text = #name;                                                     \
    template <class T> CAMEO_DEVICE auto operator()(T a, T) const { return name(a); }              \
  };
#define BINARY(name)                                                                               \
  struct name##_op {                                                                               \
    static constexpr const char *text = #name;                                                     \
    template <class T> CAMEO_DEVICE auto operator()(T a, T b) const { return name(a, b); }         \
  };
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(max)
BINARY(at_least)
BINARY(at_most)
BINARY(min)
BINARY(fmod)
BINARY(mod)
BINARY(pow)
BINARY(equal)
BINARY(less)
BINARY(less_equal)
BINARY(greater)
BINARY(greater_equal)
BINARY(bit_and)
BINARY(bit_or)
BINARY(bit_xor)
BINARY(shift_left)
BINARY(shift_right)
UNARY(bit_not)
UNARY(neg)
UNARY(abs)
UNARY(sign)
UNARY(reciprocal)
UNARY(sqrt)
UNARY(floor)
UNARY(ceil)
UNARY(trunc)
UNARY(round)
UNARY(is_nan)
UNARY(is_inf)
UNARY(exp)
UNARY(expm1)
UNARY(log)
UNARY(log1p)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(erf)
UNARY(sigmoid)

template <class To, bool SATURATE = true> struct cast_op {
  static constexpr const char *text = "cast";
  template <class T> CAMEO_DEVICE To operator()(T a, T) const { return cast<To, SATURATE>(a); }
};

template <class To> struct quantize_op {
  static constexpr const char *text = "quantize";
  CAMEO_DEVICE To operator()(float x, float) const { return quantize<To>(x, 3.0f); }
};

template <class F, class T, class R> __global__ void apply(const T *a, const T *b, R *out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    out[i] = F()(a[i], b[i]);
}

template <class T> T from_pattern(uint64_t pattern) {
  T x;
  memcpy(&x, &pattern, sizeof x);
  if constexpr (is_narrow_integer_v<T>)
    return from_low_bits<T>(static_cast<int32_t>(pattern & 15));
  else if constexpr (sizeof(T) == 1 && is_small_float_v<T>)
    x.bits = static_cast<uint8_t>(
        pattern & ((std::is_same_v<T, float6_e2m3> || std::is_same_v<T, float6_e3m2>) ? 63
                   : std::is_same_v<T, float4_e2m1>                                   ? 15
                                                                                      : 255));
  return x;
}

/// Edge values of T: small numbers, powers of two, and the ends of the bit patterns.
template <class T> std::vector<T> edges() {
  std::vector<T> v;
  for (int i = -3; i <= 3; ++i)
    v.push_back(cast<T>(i));
  for (const float x : {0.5f, -0.5f, 2.5f, 127.5f, 255.0f, 32768.0f, 65504.0f, 65520.0f, 1e-5f,
                        6e-8f, 2.2e9f, -2.2e9f, 1e19f, 3e38f, -0.0f})
    v.push_back(cast<T>(x));
  for (size_t bit = 0; bit < 8 * sizeof(T); ++bit) {
    v.push_back(from_pattern<T>(uint64_t{1} << bit));
    v.push_back(from_pattern<T>((uint64_t{1} << bit) - 1));
    v.push_back(from_pattern<T>(~uint64_t{0} << bit));
  }
  if constexpr (std::is_floating_point_v<T>) {
    v.push_back(static_cast<T>(__builtin_inf()));
    v.push_back(static_cast<T>(-__builtin_inf()));
    v.push_back(static_cast<T>(__builtin_nan("")));
  }
  return v;
}

template <class T> struct samples {
  std::vector<T> a, b;
  T *device_a = nullptr, *device_b = nullptr;

  samples() {
    const std::vector<T> e = edges<T>();
    for (const T x : e)
      for (const T y : e) {
        a.push_back(x);
        b.push_back(y);
      }
    uint64_t state = 88172645463325252u;
    const auto next = [&] {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return state;
    };
    for (int i = 0; i < 200000; ++i) {
      a.push_back(from_pattern<T>(next()));
      b.push_back(from_pattern<T>(next()));
      // Numbers of ordinary size, which random patterns seldom are.
      a.push_back(cast<T>(static_cast<double>(static_cast<int64_t>(next())) * 0x1p-58));
      b.push_back(cast<T>(static_cast<double>(static_cast<int64_t>(next())) * 0x1p-58));
    }
    const size_t bytes = a.size() * sizeof(T);
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);
  }
  ~samples() {
    cudaFree(device_a);
    cudaFree(device_b);
  }
};

/// How far apart two results are, in steps of their type; 0 for the same bits or two NaN.
template <class R> double distance(R x, R y) {
  if (memcmp(&x, &y, sizeof x) == 0 || (is_nan(x) && is_nan(y)))
    return 0;
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, double>) {
    using bits = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
    if (x == y)
      return 1; // zeros of both signs
    if (is_nan(x) || is_nan(y) || (x < 0) != (y < 0))
      return 1e30;
    const double d =
        static_cast<double>(bit_cast<bits>(x)) - static_cast<double>(bit_cast<bits>(y));
    return d < 0 ? -d : d;
  } else if constexpr (is_small_float_v<R>) {
    const int d = static_cast<int>(x.bits) - static_cast<int>(y.bits);
    return is_nan(x) || is_nan(y) ? 1e30 : equal(x, y) ? 1 : d < 0 ? -d : d;
  } else
    return 1e30;
}

int failures = 0;

template <class F, class T> void compare(const samples<T> &s, double limit) {
  using R = decltype(F()(T{}, T{}));
  const int n = static_cast<int>(s.a.size());
  R *out = nullptr;
  std::vector<unsigned char> got(static_cast<size_t>(n) * sizeof(R));
  cudaMalloc(&out, got.size());
  apply<F, T, R><<<(n + 255) / 256, 256>>>(s.device_a, s.device_b, out, n);
  const cudaError_t e = cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost);
  cudaFree(out);
  int wrong = e == cudaSuccess ? 0 : 1, first = 0;
  for (int i = 0; i < n && e == cudaSuccess; ++i) {
    R device;
    memcpy(&device, got.data() + static_cast<size_t>(i) * sizeof(R), sizeof(R));
    if (distance(F()(s.a[static_cast<size_t>(i)], s.b[static_cast<size_t>(i)]), device) > limit &&
        wrong++ == 0)
      first = i;
  }
  if (wrong != 0) {
    ++failures;
    uint64_t a = 0, b = 0;
    memcpy(&a, &s.a[static_cast<size_t>(first)], sizeof(T));
    memcpy(&b, &s.b[static_cast<size_t>(first)], sizeof(T));
    printf("%s on %s%zu: %d differ, first at %llx, %llx %s\n", F::text,
           is_float_v<T> ? "float" : "int", 8 * sizeof(T), wrong,
           static_cast<unsigned long long>(a), static_cast<unsigned long long>(b),
           cudaGetErrorString(e));
  }
}

template <class T, class... F> void compare_all(double limit) {
  const samples<T> s;
  (compare<F, T>(s, limit), ...);
}

template <class T> void casts() {
  compare_all<T, cast_op<bool>, cast_op<int8_t>, cast_op<uint8_t>, cast_op<int16_t>,
              cast_op<uint16_t>, cast_op<int32_t>, cast_op<uint32_t>, cast_op<int64_t>,
              cast_op<uint64_t>, cast_op<half>, cast_op<bfloat16>, cast_op<float>, cast_op<double>,
              cast_op<float8_e4m3fn>, cast_op<float8_e4m3fnuz, false>, cast_op<float8_e5m2, false>,
              cast_op<float8_e5m2fnuz>, cast_op<float8_e8m0>, cast_op<float4_e2m1>,
              cast_op<float6_e2m3>, cast_op<float6_e3m2>, cast_op<int4_t>, cast_op<uint4_t>,
              cast_op<int2_t>, cast_op<uint2_t>>(0);
}

template <class T> void integers() {
  compare_all<T, add_op, sub_op, mul_op, div_op, max_op, min_op, at_least_op, at_most_op, fmod_op,
              mod_op, equal_op, less_op, bit_and_op, bit_or_op, bit_xor_op, bit_not_op,
              shift_left_op, shift_right_op, neg_op, abs_op, sign_op, pow_op>(0);
  casts<T>();
}

template <class T> void floats() {
  compare_all<T, add_op, sub_op, mul_op, div_op, max_op, min_op, at_least_op, at_most_op, fmod_op,
              mod_op, equal_op, less_op, less_equal_op, greater_op, greater_equal_op, neg_op,
              abs_op, sign_op, reciprocal_op, sqrt_op, floor_op, ceil_op, trunc_op, round_op,
              is_nan_op, is_inf_op>(0);
  compare_all<T, exp_op, expm1_op, log_op, log1p_op, sin_op, cos_op, tan_op, asin_op, acos_op,
              atan_op, sinh_op, cosh_op, tanh_op, asinh_op, acosh_op, atanh_op, erf_op, sigmoid_op,
              pow_op>(8);
  casts<T>();
}

int run() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    puts("SKIP: no device");
    return 77;
  }
  integers<int8_t>();
  integers<uint8_t>();
  integers<int16_t>();
  integers<int32_t>();
  integers<uint32_t>();
  integers<int64_t>();
  integers<uint64_t>();
  floats<half>();
  floats<bfloat16>();
  floats<float>();
  floats<double>();
  compare_all<float, quantize_op<int8_t>, quantize_op<uint8_t>, quantize_op<int16_t>,
              quantize_op<uint16_t>>(0);
  casts<float8_e4m3fn>();
  casts<float8_e5m2fnuz>();
  casts<float8_e8m0>();
  casts<float4_e2m1>();
  casts<float6_e3m2>();
  casts<int4_t>();
  return failures == 0 ? 0 : 1;
}

} // namespace cameo::gen::scalar_agreement

int main() { return cameo::gen::scalar_agreement::run(); }
