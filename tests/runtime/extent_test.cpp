// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cameo/extent.h"
#include "cameo/index.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace cameo;

TEST_CASE("checked arithmetic remembers overflow", "[extent]") {
  const checked big = INT64_MAX, least = INT64_MIN;
  CHECK((checked(2) + 3 * checked(4)).value() == 14);
  CHECK_FALSE((big + 1).fits());
  CHECK_FALSE((least - 1).fits());
  CHECK_FALSE((big * 2).fits());
  CHECK_FALSE(((big + 1) * 0).fits());
  CHECK_FALSE(((big + 1) - big).fits());
  CHECK((big + 1).value() == 0);
  CHECK_FALSE(max(big + 1, checked(3)).fits());
  CHECK_FALSE(min(checked(3), big + 1).fits());
  CHECK((big * 1).value() == INT64_MAX);
}

TEST_CASE("a product fits without its factors that are 0", "[extent]") {
  const checked half = int64_t{1} << 40;
  CHECK((checked(0) * half).fits());
  CHECK((checked(0) * half).value() == 0);
  CHECK_FALSE((checked(0) * half * half).fits());
  CHECK_FALSE((half * checked(0) * half).fits());
  CHECK_FALSE((half * (checked(4) * checked(0)) * half).fits());
  CHECK_FALSE((half * (checked(3) - 3) * half).fits());
  CHECK((checked(0) * checked(0) * 7).value() == 0);
  CHECK((checked(0) * half + 5).value() == 5);
  CHECK(((checked(0) * half + 5) * 2).value() == 10);
  CHECK((max(checked(0) * half, checked(3)) * half).fits());
}

TEST_CASE("checked division", "[extent]") {
  for (int64_t a = -12; a <= 12; ++a)
    for (int64_t b = -5; b <= 5; ++b) {
      if (b == 0) {
        CHECK_FALSE(floor_div(checked(a), checked(b)).fits());
        CHECK_FALSE(ceil_div(checked(a), checked(b)).fits());
        CHECK_FALSE(floor_mod(checked(a), checked(b)).fits());
        continue;
      }
      const double q = static_cast<double>(a) / static_cast<double>(b);
      CHECK(floor_div(checked(a), checked(b)).value() == static_cast<int64_t>(std::floor(q)));
      CHECK(ceil_div(checked(a), checked(b)).value() == static_cast<int64_t>(std::ceil(q)));
      CHECK(floor_mod(checked(a), checked(b)).value() ==
            a - b * static_cast<int64_t>(std::floor(q)));
    }
  CHECK_FALSE(floor_div(checked(INT64_MIN), checked(-1)).fits());
}

TEST_CASE("alignment", "[extent]") {
  CHECK(align_up(checked(0), 64).value() == 0);
  CHECK(align_up(checked(1), 64).value() == 64);
  CHECK(align_up(checked(64), 64).value() == 64);
  CHECK_FALSE(align_up(checked(INT64_MAX), 64).fits());
}

TEST_CASE("indices", "[extent]") {
  const index<3> extents = {{2, 3, 4}};
  CHECK(volume(extents) == 24);
  for (int64_t n = 0; n < 24; ++n) {
    const index<3> i = unflatten(n, extents);
    CHECK(flatten(i, extents) == n);
    CHECK(i[0] * 12 + i[1] * 4 + i[2] == n);
  }
  CHECK(volume(index<0>{}) == 1);
  const index<3> j = join(index<1>{{7}}, index<2>{{8, 9}});
  CHECK(j[0] == 7);
  CHECK(j[2] == 9);
  CHECK(join(index<0>{}, index<1>{{5}})[0] == 5);
}
