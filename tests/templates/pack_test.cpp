// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing: every width, odd counts, nothing behind the last byte, and packed elements read back.
#include "machine.h"

#include CAMEO_TEMPLATE(pack.h)

namespace cameo::test {
namespace {

struct pack_params {
  int64_t count;
};
template <class T> struct element_load {
  const T *x;
  CAMEO_DEVICE T operator()(const index<1> &i) const { return x[i[0]]; }
};
/// Reads packed elements: a kernel's body.
template <class T> struct unpack_body {
  packed<T> x;
  T *y;
  CAMEO_DEVICE void operator()(const index<1> &i) const { y[i[0]] = x[i[0]]; }
};

} // namespace

TEMPLATE_TEST_CASE("packed elements are written and read", "[pack]", int4_t, uint4_t, int2_t,
                   uint2_t, float4_e2m1, float6_e2m3, float6_e3m2) {
  constexpr int bits = element<TestType>::bits;
  random_values random(7);
  for (const int64_t count : {0, 1, 2, 3, 4, 5, 8, 63, 257, 100001}) {
    std::vector<TestType> x;
    for (int64_t i = 0; i < count; ++i)
      x.push_back(from_low_bits<TestType>(static_cast<int32_t>(random.below(256))));
    const int64_t bytes = (count * bits + 7) / 8;
    machine mach;
    array<TestType> elements(mach, x), back(mach, count);
    array<uint8_t> y(mach, bytes + 1);
    const uint8_t behind = y[bytes];
    mach.run([&](exec &e) {
      pack_elements(e, pack_params{count}, y.data(), element_load<TestType>{elements.data()});
      for_each(e, index<1>{{count}}, unpack_body<TestType>{y.data(), back.data()});
    });
    const std::vector<uint8_t> got = y.values();
    const std::vector<TestType> same = back.values();
    INFO(bits << " bits, " << count << " elements");
    bool right = got[static_cast<size_t>(bytes)] == behind;
    for (int64_t bit = 0; bit < 8 * bytes; ++bit) {
      const bool in_file = got[static_cast<size_t>(bit / 8)] >> (bit % 8) & 1;
      const int64_t i = bit / bits;
      right &= in_file == (i < count && (code_of(x[static_cast<size_t>(i)]) >> (bit % bits) & 1));
    }
    for (size_t i = 0; i < x.size(); ++i)
      right &= code_of(same[i]) == code_of(x[i]);
    CHECK(right);
  }
}

} // namespace cameo::test
