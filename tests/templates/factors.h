// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats that the tensor core rounds before it multiplies them: what --precision tf32, bf16 and
// fp16 ask for, as members of p, and what sums of their products are held to.
#pragma once

#include "machine.h"

#include "cameo/cuda/device.h"

namespace cameo::test {

/// The members P, and the type that factors are rounded to.
template <class P, factor_type FACTORS> struct with_factors : P {
  static constexpr factor_type factors = FACTORS;
  constexpr with_factors(const P &p = {}) : P(p) {}
};

/// By how much of itself a number changes at most: half of the last of 11 bits, or of 8.
template <factor_type FACTORS>
constexpr double rounding_of = FACTORS == factor_type::bf16 ? 0x1p-8 : 0x1p-11;

template <factor_type FACTORS> std::vector<float> rounded(std::vector<float> values) {
  for (float &value : values)
    if constexpr (FACTORS == factor_type::tf32)
      value = bit_cast<float>(cuda::round_to_tf32(value));
    else if constexpr (FACTORS == factor_type::bf16)
      value = cast<float>(cast<bfloat16>(value));
    else if constexpr (FACTORS == factor_type::fp16)
      value = cast<float>(cast<half>(value));
  return values;
}

/// Holds sums of products of numbers up to 1 to the same sums of rounded factors, from which they
/// differ as floats do, and to those of the factors themselves: two roundings of each product.
template <factor_type FACTORS, class EXPECTED>
void check_sums(const std::vector<float> &got, const std::vector<float> &a,
                const std::vector<float> &b, int64_t terms, const EXPECTED &expected) {
  constexpr double of_floats = 1e-6, u = rounding_of<FACTORS>;
  CHECK(worst_error(got, expected(rounded<FACTORS>(a), rounded<FACTORS>(b))) <= of_floats);
  auto sizes = [](std::vector<float> values) {
    for (float &value : values)
      value = std::fabs(value);
    return values;
  };
  const std::vector<double> want = expected(a, b), sums = expected(sizes(a), sizes(b));
  REQUIRE(got.size() == want.size());
  // Small numbers of fp16 are multiples of 2^-24.
  const double least = static_cast<double>(terms) * 0x1p-23;
  double beyond = 0, farthest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(got[i] - want[i]);
    beyond = std::max(beyond, error - (2 * u + u * u) * sums[i] - least);
    farthest = std::max(farthest, error / std::max(sums[i], 1e-30));
  }
  CHECK(beyond <= 0);
  if (got.size() > 64 && terms > 4)
    CHECK(farthest > u / 16); // they are rounded
}

} // namespace cameo::test
