// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect counts the integers that are outside of their limits, and raises the error of each, unless
// it is masked.
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

TEST_CASE("expect") {
  check_expect<CAMEO_OUT_OF_RANGE>();
  check_expect<CAMEO_INVALID_ARGUMENT>();
}

struct counted_value {
  counted_extent value;
  CAMEO_DEVICE void load_counts() { value.load_counts(); }
  CAMEO_DEVICE int64_t operator()(const index<1> &) const { return value; }
};

TEST_CASE("expect of an extent that is counted") {
  for (int64_t exact : {4, 5}) {
    machine mach;
    array<int64_t> source(mach, std::vector<int64_t>{exact}), y(mach, 1);
    const counted_value five{5}, given{counted(source, 9)};
    mach.run([&](target::exec &e) {
      target::expect(e, expect_p<CAMEO_INVALID_ARGUMENT>{1}, y, given, five, five);
    });
    CHECK(mach.code() == (exact == 5 ? CAMEO_OK : CAMEO_INVALID_ARGUMENT));
  }
}

TEST_CASE("an error that is masked") {
  for (bool taken : {false, true}) {
    machine mach;
    array<int64_t> x(mach, std::vector<int64_t>{7}), limit(mach, std::vector<int64_t>{5}),
        y(mach, 1);
    array<uint8_t> mask(mach, std::vector<uint8_t>{taken});
    mach.run([&](target::exec &e) {
      target::exec masked = e.masked_by(reinterpret_cast<const bool *>(mask.data()));
      target::expect(masked, expect_p<CAMEO_OUT_OF_RANGE>{1}, y, integers{x}, integers{limit},
                     integers{limit});
    });
    CHECK(y.values().front() == 1);
    CHECK(mach.code() == (taken ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
  }
}

} // namespace
} // namespace cameo::test
