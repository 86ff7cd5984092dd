// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect counts the integers that are outside of their limits, and raises the error of each.
#include "machine.h"

#include CAMEO_TEMPLATE(expect.h)

namespace cameo::test {
namespace {

struct integers {
  const int64_t *values;
  CAMEO_DEVICE int64_t operator()(const index<1> &i) const { return values[i[0]]; }
};
template <cameo_code CODE> struct expect_p {
  static constexpr cameo_code code = CODE;
  int64_t count;
};

template <cameo_code CODE> void check_expect() {
  const std::vector<int64_t> least = {0, INT64_MIN, 5, -3}, most = {9, 4, 5, INT64_MAX};
  const auto check = [&](std::vector<int64_t> given, int64_t broken, int64_t got, int64_t limit) {
    machine mach;
    array<int64_t> x(mach, given), low(mach, least), high(mach, most), y(mach, 1);
    mach.run([&](target::exec &e) {
      target::expect(e, expect_p<CODE>{static_cast<int64_t>(given.size())}, y, integers{x},
                     integers{low}, integers{high});
    });
    CHECK(y.values().front() == broken);
    CHECK(mach.code() == (broken == 0 ? CAMEO_OK : CODE));
    if (broken != 0) {
      CHECK(mach.got() == got);
      CHECK(mach.limit() == limit);
    }
  };
  check({0, 4, 5, -3}, 0, 0, 0);
  check({9, INT64_MIN, 5, INT64_MAX}, 0, 0, 0);
  check({10, 4, 5, 0}, 1, 10, 9);
  check({-1, 4, 5, 0}, 1, -1, 0);
  check({0, 5, 4, 0}, 2, 4, 5); // of two errors the smaller
  check({0, 4, 5, INT64_MIN}, 1, INT64_MIN, -3);
  check({}, 0, 0, 0);
}

} // namespace
} // namespace cameo::test
