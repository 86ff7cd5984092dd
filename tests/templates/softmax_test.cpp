// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// softmax and normalize against the definition in double; rows longer than the buffer; rows with
// infinities and NaN.
#include "rows.h"

#include CAMEO_TEMPLATE(softmax.h)
#include CAMEO_TEMPLATE(normalize.h)

namespace cameo::test {
namespace {

template <bool LOG> std::vector<double> expected(const std::vector<double> &row) {
  double m = -INFINITY, sum = 0;
  for (double v : row)
    m = std::isnan(m) || m > v ? m : v;
  for (double v : row)
    sum += std::exp(v - m);
  std::vector<double> r;
  for (double v : row)
    r.push_back(LOG ? v - m - std::log(sum) : std::exp(v - m) / sum);
  return r;
}

template <bool LOG, class T, int R2>
void check(const std::vector<T> &x, int64_t rows, const index<R2> &reduced) {
  using A = accumulator_t<T>;
  const int64_t n = volume(reduced);
  std::vector<double> want;
  for (int64_t r = 0; r < rows; ++r)
    for (double v : expected<LOG>(as_double(row_of(x, r, n))))
      want.push_back(v);
  std::vector<A> first;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<A> output(mach, rows * n);
    const index<R2 + 1> all = join(index<1>{{rows}}, reduced);
    mach.run([&](exec &e) {
      softmax<LOG>(e, make_rows(index<1>{{rows}}, reduced), dense_load<T, R2 + 1>{input, all},
                   dense_store<A, R2 + 1>{output, all});
    });
    const std::vector<A> got = output.values();
    CHECK(worst_error(got, want) <= 2e-6);
    if (first.empty())
      first = got;
    CHECK(std::equal(got.begin(), got.end(), first.begin(), same<A>));
  }
}

TEST_CASE("softmax and log-softmax") {
  random_values random(3);
  const std::vector<float> x = random.vector<float>(3 * 70);
  check<false>(x, 3, index<1>{{70}});
  check<true>(x, 3, index<1>{{70}});
  check<false>(x, 210, index<1>{{1}});
  check<true>(x, 21, index<2>{{2, 5}});
  check<false>(random.vector<double>(2 * 33), 2, index<1>{{33}});
  check<true>(random.vector<half>(2 * 33), 2, index<1>{{33}});
  check<false>(std::vector<float>{}, 0, index<1>{{5}});
  check<false>(std::vector<float>{}, 5, index<1>{{0}});
}

TEST_CASE("softmax of rows longer than a buffer") {
  random_values random(4);
  const std::vector<float> x = random.vector<float>(2 * 5003);
  check<false>(x, 2, index<1>{{5003}});
  check<true>(x, 2, index<1>{{5003}});
}

TEST_CASE("softmax of short rows, in groups") {
  random_values random(6);
  for (int64_t n : {1, 2, 7, 12, 31, 32, 33, 49, 100, 197, 256, 257})
    for (int64_t rows : {8, 16, 37}) {
      const std::vector<float> x = random.vector<float>(rows * n);
      check<false>(x, rows, index<1>{{n}});
      check<true>(x, rows, index<1>{{n}});
    }
  check<false>(random.vector<float>(20 * 30), 20, index<2>{{3, 10}});
  check<false>(random.vector<double>(19 * 12), 19, index<1>{{12}});
  check<true>(random.vector<half>(19 * 12), 19, index<1>{{12}});
}

template <class P> struct across : P { static constexpr bool across_rows = true; };
template <class P> across(P) -> across<P>;
/// Not in the function that needs it: kernels take no type of a function.
template <class P> struct normalized : P {
  float epsilon = 1e-3f;
  bool centered = true;
};
template <class P> normalized(P) -> normalized<P>;

/// The bits of rows that lie crosswise are those of rows one by one.
template <class CALL> void check_across(int64_t rows, int64_t n, const CALL &call) {
  const index<2> outer = {{2, rows}};
  const index<1> reduced = {{n}};
  const std::vector<float> x = awkward_values<float>(8, 2 * rows * n);
  std::vector<float> results[2];
  for (bool is_across : {false, true}) {
    machine mach(2);
    array<float> input(mach, x), output(mach, 2 * rows * n);
    const crosswise_load<float, 2, 1> load = {input, outer, reduced};
    const dense_store<float, 3> store = {output, join(outer, reduced)};
    mach.run([&](exec &e) {
      if (is_across)
        call(e, across{make_rows(outer, reduced)}, load, store);
      else
        call(e, make_rows(outer, reduced), load, store);
    });
    results[is_across] = output.values();
  }
  CHECK(std::equal(results[0].begin(), results[0].end(), results[1].begin(), same<float>));
}

TEST_CASE("softmax and normalize across rows give the same bits") {
  for (int64_t n : {5, 33, 130, 300})
    for (int64_t rows : {3, 40}) {
      check_across(rows, n, [](exec &e, auto p, auto load, auto store) {
        softmax<false>(e, p, load, store);
      });
      check_across(rows, n, [](exec &e, auto p, auto load, auto store) {
        softmax<true>(e, p, load, store);
      });
      check_across(rows, n, [](exec &e, auto p, auto load, auto store) {
        normalize(e, normalized{p}, load, store, discard{}, discard{});
      });
    }
}

TEST_CASE("softmax of infinities and NaN") {
  const float inf = INFINITY, nan = NAN;
  check<false>(std::vector<float>{-inf, 1, 2, -inf, -inf, -inf, 1, nan, 2, 200, -200, 0}, 4,
               index<1>{{3}});
  check<true>(std::vector<float>{-inf, 1, 2, -inf, -inf, -inf, 1, nan, 2, 200, -200, 0}, 4,
              index<1>{{3}});
  check<false>(awkward_values<float>(12, 21 * 40), 21, index<1>{{40}});
  check<false>(std::vector<float>(9 * 40, -inf), 9, index<1>{{40}});
}

template <int R2> struct normalize_params : row_params<1, R2> {
  float epsilon;
  bool centered;
};

template <class T, int R2>
void check_normalize(int64_t rows, const index<R2> &reduced, bool centered) {
  using A = accumulator_t<T>;
  const int64_t n = volume(reduced);
  random_values random(5);
  const std::vector<T> x = random.vector<T>(rows * n);
  std::vector<double> want, want_mean, want_inv_std;
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<double> row = as_double(row_of(x, r, n));
    double mean = 0, var = 0;
    for (double v : row)
      mean += v / static_cast<double>(n);
    mean = centered ? mean : 0;
    for (double v : row)
      var += (v - mean) * (v - mean) / static_cast<double>(n);
    want_mean.push_back(mean);
    want_inv_std.push_back(1 / std::sqrt(var + 1e-3));
    for (double v : row)
      want.push_back((v - mean) * want_inv_std.back());
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<A> output(mach, rows * n), mean(mach, rows), inv_std(mach, rows);
    const index<1> outer = {{rows}};
    const index<R2 + 1> all = join(outer, reduced);
    mach.run([&](exec &e) {
      normalize(e, normalize_params<R2>{make_rows(outer, reduced), 1e-3f, centered},
                dense_load<T, R2 + 1>{input, all}, dense_store<A, R2 + 1>{output, all},
                dense_store<A, 1>{mean, outer}, dense_store<A, 1>{inv_std, outer});
    });
    CHECK(worst_error(output.values(), want) <= 2e-6);
    CHECK(worst_error(inv_std.values(), want_inv_std) <= 2e-6);
    if (centered)
      CHECK(worst_error(mean.values(), want_mean) <= 2e-6);
    else
      CHECK(mean.values() == std::vector<A>(static_cast<size_t>(rows)));
  }
}

TEST_CASE("normalize") {
  check_normalize<float>(5, index<1>{{67}}, true);
  check_normalize<float>(5, index<1>{{67}}, false);
  check_normalize<float>(2, index<2>{{9, 300}}, true);
  check_normalize<float>(3, index<1>{{1}}, true);
  check_normalize<double>(3, index<1>{{20}}, true);
  check_normalize<half>(3, index<2>{{4, 20}}, true);
  for (int64_t n : {1, 7, 12, 32})
    for (bool centered : {true, false})
      check_normalize<float>(37, index<1>{{n}}, centered);
  check_normalize<double>(19, index<2>{{3, 4}}, true);
}

} // namespace
} // namespace cameo::test
