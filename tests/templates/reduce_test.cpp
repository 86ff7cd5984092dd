// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce against sums in double and exact integers and maxima; arg_reduce with ties and NaN; the
// same bits for any number of threads and for rows adjacent either way.
#include "rows.h"

#include CAMEO_TEMPLATE(reduce.h)

#include "cameo/common/types.h"

namespace cameo::test {
namespace {

template <class COMBINE, class T, int R1, int R2>
std::vector<typename COMBINE::type> run_reduce(const std::vector<T> &x, const index<R1> &outer,
                                               const index<R2> &reduced, int threads) {
  using type = typename COMBINE::type;
  machine mach(threads);
  array<T> input(mach, x);
  array<type> output(mach, volume(outer));
  mach.run([&](exec &e) {
    reduce<COMBINE>(e, make_rows(outer, reduced),
                    dense_load<T, R1 + R2>{input, join(outer, reduced)},
                    dense_store<type, R1>{output, outer});
  });
  return output.values();
}

template <int R1, int R2> void check_sum(const index<R1> &outer, const index<R2> &reduced) {
  const int64_t rows = volume(outer), n = volume(reduced);
  random_values random(4);
  std::vector<float> x = random.vector<float>(rows * n);
  for (float &v : x)
    v += 0.5f; // sums of some size, so that errors can be relative to them
  std::vector<double> want;
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (float v : row_of(x, r, n))
      sum += static_cast<double>(v);
    want.push_back(sum);
  }
  std::vector<float> first;
  for (int threads : team_sizes()) {
    const std::vector<float> got = run_reduce<combine::sum<float>>(x, outer, reduced, threads);
    CHECK(worst_error(got, want) <= 1e-6);
    if (first.empty())
      first = got;
    CHECK(got == first);
  }
}

TEST_CASE("reduce: sums") {
  check_sum(index<1>{{5}}, index<1>{{1}});
  check_sum(index<1>{{7}}, index<1>{{31}});
  check_sum(index<1>{{3}}, index<1>{{1000}});
  check_sum(index<0>{}, index<1>{{70001}});
  check_sum(index<0>{}, index<2>{{3, 50}});
  check_sum(index<2>{{2, 3}}, index<2>{{5, 7}});
  check_sum(index<1>{{2}}, index<3>{{3, 33, 5}});
  check_sum(index<1>{{300}}, index<1>{{64}});
}

TEST_CASE("reduce: identity of an empty row, and no rows") {
  const std::vector<float> none;
  CHECK(run_reduce<combine::sum<float>>(none, index<1>{{3}}, index<1>{{0}}, 1) ==
        std::vector<float>(3, 0.0f));
  CHECK(run_reduce<combine::sum<float>>(none, index<1>{{64}}, index<1>{{0}}, 1) ==
        std::vector<float>(64, 0.0f));
  CHECK(run_reduce<combine::prod<double>>(none, index<1>{{1}}, index<2>{{4, 0}}, 1) ==
        std::vector<double>{1});
  CHECK(run_reduce<combine::max<float>>(none, index<0>{}, index<1>{{0}}, 1) ==
        std::vector<float>{-INFINITY});
  CHECK(run_reduce<combine::min<int32_t>>(none, index<0>{}, index<1>{{0}}, 1) ==
        std::vector<int32_t>{INT32_MAX});
  CHECK(run_reduce<combine::max<uint8_t>>(none, index<0>{}, index<1>{{0}}, 1) ==
        std::vector<uint8_t>{0});
  CHECK(run_reduce<combine::sum<float>>(none, index<1>{{0}}, index<1>{{4}}, 1).empty());
}

TEST_CASE("reduce: max and min pass NaN on") {
  const int64_t rows = 12, n = 45;
  const std::vector<float> x = awkward_values<float>(8, rows * n);
  const auto most = run_reduce<combine::max<float>>(x, index<1>{{rows}}, index<1>{{n}}, 1);
  const auto least = run_reduce<combine::min<float>>(x, index<1>{{rows}}, index<1>{{n}}, 1);
  for (int64_t r = 0; r < rows; ++r) {
    float hi = -INFINITY, lo = INFINITY;
    for (float v : row_of(x, r, n)) {
      hi = std::isnan(v) || v > hi ? v : hi;
      lo = std::isnan(v) || v < lo ? v : lo;
      if (std::isnan(v)) {
        hi = lo = NAN;
        break;
      }
    }
    CHECK(same(most[static_cast<size_t>(r)], hi));
    CHECK(same(least[static_cast<size_t>(r)], lo));
  }
}

template <class T> void check_extremes(int64_t rows, int64_t n, int64_t nan_at) {
  INFO(rows << " rows of " << n << ", NaN at " << nan_at);
  std::vector<T> x = random_values(9).vector<T>(rows * n);
  x[static_cast<size_t>(n - 1)] = T(-0.0);
  if (nan_at >= 0)
    x[static_cast<size_t>((rows - 2) * n + nan_at)] = std::numeric_limits<T>::quiet_NaN();
  const auto most = run_reduce<combine::max<T>>(x, index<1>{{rows}}, index<1>{{n}}, 1);
  const auto least = run_reduce<combine::min<T>>(x, index<1>{{rows}}, index<1>{{n}}, 1);
  for (int64_t r = 0; r < rows; ++r) {
    const bool is_nan_row = nan_at >= 0 && r == rows - 2;
    const std::vector<T> row = row_of(x, r, n);
    const T hi = most[static_cast<size_t>(r)], lo = least[static_cast<size_t>(r)];
    CHECK(is_nan(hi) == is_nan_row);
    CHECK(is_nan(lo) == is_nan_row);
    if (!is_nan_row) {
      CHECK(hi == *std::max_element(row.begin(), row.end()));
      CHECK(lo == *std::min_element(row.begin(), row.end()));
    }
  }
}

TEST_CASE("reduce: extremes of rows of every length, with a NaN or without") {
  for (int64_t rows : {2, 9, 40})
    for (int64_t n : {1, 3, 7, 12, 16, 17, 31, 32, 33, 49, 64, 197, 512, 513})
      for (int64_t nan_at : {int64_t{-1}, int64_t{0}, n / 2, n - 1}) {
        check_extremes<float>(rows, n, nan_at);
        check_extremes<double>(rows, n, nan_at);
      }
}

TEST_CASE("reduce: sums of many short rows, and of zeros of either sign") {
  for (int64_t n : {1, 2, 3, 7, 12, 16})
    for (int64_t rows : {5, 16, 100})
      check_sum(index<1>{{rows}}, index<1>{{n}});
  check_sum(index<2>{{3, 20}}, index<2>{{2, 5}});
  for (float v : run_reduce<combine::sum<float>>(std::vector<float>(20 * 12, -0.0f), index<1>{{20}},
                                                 index<1>{{12}}, 1))
    CHECK(!std::signbit(v));
}

TEST_CASE("reduce: integers wrap, products") {
  random_values random(6);
  const std::vector<int32_t> x = random.vector<int32_t>(3 * 41);
  const auto sum = run_reduce<combine::sum<int32_t>>(x, index<1>{{3}}, index<1>{{41}}, 1);
  const auto prod = run_reduce<combine::prod<int32_t>>(x, index<1>{{3}}, index<1>{{41}}, 1);
  for (int64_t r = 0; r < 3; ++r) {
    uint32_t s = 0, p = 1;
    for (int32_t v : row_of(x, r, 41)) {
      s += static_cast<uint32_t>(v);
      p *= static_cast<uint32_t>(v);
    }
    CHECK(sum[static_cast<size_t>(r)] == static_cast<int32_t>(s));
    CHECK(prod[static_cast<size_t>(r)] == static_cast<int32_t>(p));
  }
}

/// std::vector of bool has no elements to copy.
struct bool_store {
  uint8_t *to;
  CAMEO_DEVICE void operator()(const index<1> &i, bool v) const { to[i[0]] = v; }
};
struct bool_load {
  const uint8_t *from;
  int64_t n;
  CAMEO_DEVICE bool operator()(const index<2> &i) const { return from[i[0] * n + i[1]] != 0; }
};

TEST_CASE("reduce: extremes of bool") {
  const int64_t rows = 20, n = 45;
  std::vector<uint8_t> x(static_cast<size_t>(rows * n));
  x[44] = x[45 * 7] = 1;
  machine mach;
  array<uint8_t> input(mach, x), output(mach, rows);
  mach.run([&](exec &e) {
    reduce<combine::max<bool>>(e, make_rows(index<1>{{rows}}, index<1>{{n}}),
                               bool_load{input.data(), n}, bool_store{output.data()});
  });
  const std::vector<uint8_t> got = output.values();
  for (size_t r = 0; r < static_cast<size_t>(rows); ++r)
    CHECK(got[r] == (r == 0 || r == 7 ? 1 : 0));
}

TEST_CASE("reduce converts what it loads") {
  random_values random(7);
  const std::vector<half> x = random.vector<half>(2 * 100);
  const auto got = run_reduce<combine::sum<float>>(x, index<1>{{2}}, index<1>{{100}}, 1);
  std::vector<double> want;
  for (int64_t r = 0; r < 2; ++r) {
    double sum = 0;
    for (half v : row_of(x, r, 100))
      sum += cast<double>(v);
    want.push_back(sum);
  }
  CHECK(worst_error(got, want) <= 1e-6);
}

template <int R1, int R2> struct across_params : row_params<R1, R2> {
  static constexpr bool across_rows = true;
};

TEST_CASE("reduce across rows gives the same bits") {
  const index<2> outer = {{3, 21}};
  const index<2> reduced = {{7, 5}};
  random_values random(9);
  const std::vector<float> x = random.vector<float>(3 * 21 * 35);
  std::vector<float> results[2];
  for (int across = 0; across < 2; ++across) {
    machine mach(2);
    array<float> input(mach, x), output(mach, 63);
    mach.run([&](exec &e) {
      const crosswise_load<float, 2, 2> load = {input, outer, reduced};
      const dense_store<float, 2> store = {output, outer};
      if (across != 0)
        reduce<combine::sum<float>>(e, across_params<2, 2>{make_rows(outer, reduced)}, load, store);
      else
        reduce<combine::sum<float>>(e, make_rows(outer, reduced), load, store);
    });
    results[across] = output.values();
  }
  CHECK(results[0] == results[1]);
}

/// Rows in the order that the record states for the CPU.
template <class COMBINE, int R2> void check_order(int64_t rows, const index<R2> &reduced) {
  using T = typename COMBINE::type;
  const int64_t n = volume(reduced);
  const std::vector<T> x = awkward_values<T>(10, rows * n);
  const auto got = run_reduce<COMBINE>(x, index<1>{{rows}}, reduced, 2);
  std::vector<T> want;
  for (int64_t r = 0; r < rows; ++r) {
    T lane[32];
    for (T &l : lane)
      l = COMBINE::identity();
    for (int64_t t = 0; t < n; ++t)
      lane[t % 32] = COMBINE::apply(lane[t % 32], x[static_cast<size_t>(r * n + t)]);
    for (int half = 16; half > 0; half /= 2)
      for (int l = 0; l < half; ++l)
        lane[l] = COMBINE::apply(lane[l], lane[l + half]);
    want.push_back(lane[0]);
  }
#if defined(CAMEO_TEST_CUDA)
  CHECK(worst_error(got, as_double(want)) <= 1e-6);
#else
  CHECK(std::equal(got.begin(), got.end(), want.begin(), same<T>));
#endif
}

template <class T> void check_orders() {
  for (int64_t n : {1, 2, 7, 16, 31, 32, 33, 49, 96, 128, 129, 197, 512, 513})
    for (int64_t rows : {3, 8, 16, 37}) {
      check_order<combine::sum<T>>(rows, index<1>{{n}});
      check_order<combine::max<T>>(rows, index<1>{{n}});
      check_order<combine::min<T>>(rows, index<1>{{n}});
    }
  check_order<combine::prod<T>>(9, index<1>{{20}});
  check_order<combine::sum<T>>(9, index<2>{{7, 7}});
  check_order<combine::max<T>>(37, index<3>{{2, 3, 5}});
}

TEST_CASE("reduce of short rows, in groups") {
  check_orders<float>();
  check_orders<double>();
  check_orders<int32_t>();
}

TEST_CASE("reduce of short rows keeps no sign of zero") {
  const std::vector<float> x(9 * 20, -0.0f);
  for (float sum : run_reduce<combine::sum<float>>(x, index<1>{{9}}, index<1>{{20}}, 1))
    CHECK(!std::signbit(sum));
}

template <class CMP, class T, class P>
std::vector<int64_t> run_arg(const P &p, const std::vector<T> &x, int64_t rows, int64_t n) {
  machine mach;
  array<T> input(mach, x);
  array<int64_t> output(mach, rows);
  mach.run([&](exec &e) {
    arg_reduce<CMP>(e, p, dense_load<T, 2>{input, index<2>{{rows, n}}},
                    dense_store<int64_t, 1>{output, index<1>{{rows}}});
  });
  return output.values();
}
/// Rows by themselves, and side by side.
template <class CMP, class T>
std::vector<int64_t> run_arg(const std::vector<T> &x, int64_t rows, int64_t n) {
  const auto p = make_rows(index<1>{{rows}}, index<1>{{n}});
  const auto positions = run_arg<CMP>(p, x, rows, n);
  CHECK(run_arg<CMP>(across_params<1, 1>{p}, x, rows, n) == positions);
  return positions;
}

template <class T> void check_arg(int64_t rows, int64_t n) {
  const std::vector<T> x = awkward_values<T>(12, rows * n);
  const auto expect = [&](bool largest, bool last) {
    std::vector<int64_t> want;
    for (int64_t r = 0; r < rows; ++r) {
      std::vector<compared_t<T>> row;
      for (T v : row_of(x, r, n))
        row.push_back(cast<compared_t<T>>(v));
      size_t best = 0;
      for (size_t t = 1; t < row.size(); ++t) {
        const bool ties = row[t] == row[best] || (is_nan(row[t]) && is_nan(row[best]));
        const bool beats = is_nan(row[t]) || (largest ? row[t] > row[best] : row[t] < row[best]);
        if (ties ? last : beats && !is_nan(row[best]))
          best = t;
      }
      want.push_back(static_cast<int64_t>(best));
    }
    return want;
  };
  CHECK(run_arg<arg_max<T, false>>(x, rows, n) == expect(true, false));
  CHECK(run_arg<arg_max<T, true>>(x, rows, n) == expect(true, true));
  CHECK(run_arg<arg_min<T, false>>(x, rows, n) == expect(false, false));
  CHECK(run_arg<arg_min<T, true>>(x, rows, n) == expect(false, true));
}

TEST_CASE("arg_reduce with ties and NaN") {
  check_arg<float>(9, 70);
  check_arg<float>(2, 1);
  check_arg<int8_t>(5, 400);
  check_arg<half>(37, 33);
  check_arg<double>(40, 9);
  check_arg<int64_t>(33, 50);
  CHECK(run_arg<arg_max<float>>(std::vector<float>{}, 2, 0) == std::vector<int64_t>{0, 0});
}

} // namespace
} // namespace cameo::test
