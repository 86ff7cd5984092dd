// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lookup: keys and what lies between and around them, NaN and both zeros, tables of one key and
// none.
#include "machine.h"

#include CAMEO_TEMPLATE(lookup.h)

#include <limits>

namespace cameo::test {
namespace {

template <class K> struct key_load {
  using type = K;
  const K *x;
  CAMEO_DEVICE K operator()(const index<1> &i) const { return x[i[0]]; }
};

struct lookup_params {
  static constexpr int outer_rank = 1;
  int64_t outer[1], count;
};

template <class K>
std::vector<int32_t> find(const std::vector<K> &keys, const std::vector<int32_t> &values,
                          const std::vector<K> &x) {
  const auto n = static_cast<int64_t>(x.size());
  machine mach;
  array<K> table(mach, keys), source(mach, x);
  array<int32_t> beside(mach, values), out(mach, n);
  const lookup_params p = {{n}, static_cast<int64_t>(keys.size())};
  mach.run([&](exec &e) {
    lookup(e, p, table.data(), beside.data(), key_load<K>{source.data()},
           dense_store<int32_t, 1>{out, index<1>{{n}}});
  });
  CHECK(mach.code() == CAMEO_OK);
  return out.values();
}

} // namespace

TEST_CASE("lookup of integers") {
  constexpr int64_t least = std::numeric_limits<int64_t>::min(),
                    most = std::numeric_limits<int64_t>::max();
  const std::vector<int32_t> values = {1, 2, 3, 4, 0};
  CHECK(find<int64_t>({least, -1, 7, most}, values, {7, least, least + 1, most, most - 1, -1, 0}) ==
        std::vector<int32_t>{3, 1, 0, 4, 0, 2, 0});
  CHECK(find<int16_t>({5}, {1, 0}, {4, 5, 6}) == std::vector<int32_t>{0, 1, 0});
  CHECK(find<int32_t>({}, {9}, {4, 0}) == std::vector<int32_t>{9, 9});
  CHECK(find<int32_t>({1}, {1, 0}, {}).empty());
}

TEST_CASE("lookup finds every key of a long table") {
  std::vector<int32_t> keys, values;
  std::vector<int32_t> x, want;
  for (int32_t i = 0; i < 1000; ++i) {
    keys.push_back(3 * i);
    values.push_back(i);
  }
  values.push_back(-1);
  for (int32_t i = -2; i < 3002; ++i) {
    x.push_back(i);
    want.push_back(i >= 0 && i < 3000 && i % 3 == 0 ? i / 3 : -1);
  }
  CHECK(find<int32_t>(keys, values, x) == want);
}

TEMPLATE_TEST_CASE("lookup of floats", "", float, double) {
  using T = TestType;
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x = {nan, -nan, 0, T{-0.0}, inf, -inf, T{0.5}, T{0.25}};
  CHECK(find<T>({-inf, 0, T{0.5}, nan}, {1, 2, 3, 4, 0}, x) ==
        std::vector<int32_t>{4, 4, 2, 2, 0, 1, 3, 0});
  CHECK(find<T>({T{-0.0}, inf}, {1, 2, 0}, x) == std::vector<int32_t>{0, 0, 1, 1, 2, 0, 0, 0});
}

} // namespace cameo::test
