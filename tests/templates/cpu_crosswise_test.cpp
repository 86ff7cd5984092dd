// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for_crosswise visits every point once and gives it the elements that for_each would read.
#include "machine.h"

#include CAMEO_TEMPLATE(crosswise.h)

namespace cameo::test {
namespace {

/// Adds an operand that lies along dim D, and `more` of another type that does too, to what is
/// there.
template <int R, int D, class T, class U> struct add_crossed {
  const T *x;
  const U *more;
  int64_t *sum;
  index<R> extents;

  /// The number of an element in memory whose last dim is D.
  int64_t locate(const index<R> &i) const {
    index<R> swapped = i, lengths = extents;
    swapped[D] = i[R - 1];
    swapped[R - 1] = i[D];
    lengths[D] = extents[R - 1];
    lengths[R - 1] = extents[D];
    return flatten(swapped, lengths);
  }
  int64_t stride() const {
    int64_t behind = extents[D];
    for (int d = D + 1; d < R - 1; ++d)
      behind *= extents[d];
    return behind;
  }
  static constexpr int crossed = 2;
  const T *line(const index<R> &i, nth<0>) const { return x + locate(i); }
  int64_t apart(nth<0>) const { return stride(); }
  const U *line(const index<R> &i, nth<1>) const { return more + locate(i); }
  int64_t apart(nth<1>) const { return stride(); }
  void with(const index<R> &i, T a, U b) const {
    sum[flatten(i, extents)] += static_cast<int64_t>(a) + static_cast<int64_t>(b);
  }
  void operator()(const index<R> &i) const { with(i, *line(i, nth<0>()), *line(i, nth<1>())); }
};

template <int D, class T, class U, int R, class SPACE>
void check_space(const index<R> &extents, const SPACE &space) {
  const auto n = static_cast<size_t>(volume(extents));
  std::vector<T> x(n);
  std::vector<U> more(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(i * 7 + i / 13);
    more[i] = static_cast<U>(i % 101);
  }
  std::vector<int64_t> expected(n, 1000), got = expected;
  const auto body = [&](std::vector<int64_t> &to) {
    return add_crossed<R, D, T, U>{x.data(), more.data(), to.data(), extents};
  };
  walk(extents, 0, volume(extents), body(expected));
  for (int threads : team_sizes()) {
    machine mach(threads);
    got.assign(n, 1000);
    mach.run([&](exec &e) { for_crosswise<D>(e, space, body(got)); });
    CHECK(got == expected);
  }
}

template <int D, class T, class U, int R> void check(const index<R> &extents) {
  check_space<D, T, U>(extents, extents);
}

template <class T, class U> void check_types() {
  for (int64_t rows : {0, 1, 15, 16, 17, 40, 64, 65, 100})
    for (int64_t columns : {0, 1, 15, 16, 33, 64, 127})
      check<0, T, U>(index<2>{{rows, columns}});
  check_space<0, T, U>(index<2>{{50, 129}}, static_index<50, 129>{});
  check<0, T, U>(index<3>{{33, 3, 20}});
  check<1, T, U>(index<3>{{3, 70, 67}});
  check<1, T, U>(index<4>{{2, 17, 5, 19}});
}

TEST_CASE("tiles that are turned give each point its elements once") {
  check_types<uint8_t, uint8_t>();
  check_types<int16_t, uint8_t>();
  check_types<float, int16_t>();
  check_types<int64_t, float>();
  check_types<double, double>();
}

} // namespace
} // namespace cameo::test
