// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations on every kind of value, to be built so that undefined behaviour traps: floats
// of every exponent and both signs, integers at both ends. scalar_test.cpp holds their results.
#include "cameo/scalar.h"

#include <cstdint>
#include <cstring>
#include <limits>

namespace {

volatile double sink;

void every_float() {
  constexpr uint64_t step = 0x7001; // 149 000 patterns, no low bit favoured
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += step) {
    const auto word = static_cast<uint32_t>(bits);
    float x;
    memcpy(&x, &word, sizeof x);
    sink = static_cast<double>(cameo::math::exp(x) + cameo::math::log(x) + cameo::math::tanh(x) +
                               cameo::math::erf(x) + cameo::math::sigmoid(x));
    sink = static_cast<double>(cameo::cast<int64_t>(x)) + cameo::cast<int32_t>(x) +
           cameo::cast<int8_t>(x) + cameo::cast<uint8_t>(x) +
           static_cast<double>(cameo::cast<uint64_t>(x));
    sink = static_cast<double>(cameo::cast<float>(cameo::cast<cameo::half>(x))) +
           static_cast<double>(cameo::cast<float>(cameo::cast<cameo::bfloat16>(x)));
  }
}

template <class T> void ends_of() {
  const T values[] = {std::numeric_limits<T>::min(), static_cast<T>(-1), 0, 1, 7,
                      std::numeric_limits<T>::max()};
  for (const T a : values)
    for (const T b : values)
      sink = static_cast<double>(cameo::add(a, b)) + static_cast<double>(cameo::sub(a, b)) +
             static_cast<double>(cameo::mul(a, b)) + static_cast<double>(cameo::div(a, b)) +
             static_cast<double>(cameo::neg(a)) + static_cast<double>(cameo::abs(a)) +
             static_cast<double>(cameo::mod(a, b)) + static_cast<double>(cameo::fmod(a, b)) +
             static_cast<double>(cameo::shift_left(a, b)) +
             static_cast<double>(cameo::shift_right(a, b)) + static_cast<double>(cameo::pow(a, b)) +
             static_cast<double>(cameo::sign(a));
}

} // namespace

int main() {
  every_float();
  ends_of<int8_t>();
  ends_of<int16_t>();
  ends_of<int32_t>();
  ends_of<int64_t>();
  ends_of<uint8_t>();
  ends_of<uint64_t>();
}
