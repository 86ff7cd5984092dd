// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in registers against the definition in double: every team, lengths around chunks and teams,
// some reduced axes, every float; the same bits from pointers that are aligned and from ones that
// are not; rows with infinities and NaN; lengths that no registers hold.
#include "rows.h"

#include <cameo/cuda/normalize.h>
#include <cameo/cuda/reduce.h>
#include <cameo/cuda/softmax.h>

#include "wide_functors.h"

#include <functional>

namespace cameo::test {
namespace {

template <int64_t LENGTH> struct constant_rows {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  static constexpr int64_t reduced[1] = {LENGTH};
  int64_t outer[1];
};
template <int64_t LENGTH> struct constant_norm : constant_rows<LENGTH> {
  static constexpr float epsilon = 1e-3f;
  bool centered;
};

template <class T> using row_kernel = std::function<void(target::exec &, const T *, T *)>;

/// Results of rows that begin `skip` elements behind what is aligned.
template <class T>
std::vector<T> run(const std::vector<T> &x, int64_t results, int64_t skip,
                   const std::common_type_t<row_kernel<T>> &kernel) {
  machine mach;
  std::vector<T> behind(static_cast<size_t>(skip));
  behind.insert(behind.end(), x.begin(), x.end());
  array<T> input(mach, behind), output(mach, results + skip);
  mach.run([&](target::exec &e) { kernel(e, input.data() + skip, output.data() + skip); });
  const std::vector<T> all = output.values();
  return {all.begin() + skip, all.end()};
}

template <class T> bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same<T>);
}

/// Half an ulp of what is stored, by the largest value, and what sums and exponentials in float
/// add.
template <class T> double most_error() {
  return std::is_same_v<T, double>  ? 1e-14
         : std::is_same_v<T, float> ? 2e-6
         : std::is_same_v<T, half>  ? 5.1e-4
                                    : 4.1e-3;
}

struct expected_row {
  std::vector<double> softmax, log_softmax, norm;
  double sum = 0, most = -INFINITY;
};
template <class T> expected_row expect(const std::vector<T> &x, bool centered) {
  const std::vector<double> row = as_double(x);
  expected_row r;
  double exps = 0, squares = 0;
  for (double v : row) {
    r.most = std::isnan(r.most) || r.most > v ? r.most : v;
    r.sum += v;
  }
  const double n = static_cast<double>(row.size()), mean = centered ? r.sum / n : 0;
  for (double v : row) {
    exps += std::exp(v - r.most);
    squares += (v - mean) * (v - mean);
  }
  for (double v : row) {
    r.softmax.push_back(std::exp(v - r.most) / exps);
    r.log_softmax.push_back(v - r.most - std::log(exps));
    r.norm.push_back((v - mean) / std::sqrt(squares / n + 1e-3f));
  }
  return r;
}

template <class T, int64_t LENGTH> void check_row_results(const std::vector<T> &x, int64_t rows) {
  INFO("length " << LENGTH << " of " << sizeof(T) << " bytes");
  std::vector<double> softmax, log_softmax, norm, rms;
  for (int64_t r = 0; r < rows; ++r) {
    const expected_row want = expect(row_of(x, r, LENGTH), true);
    const expected_row plain = expect(row_of(x, r, LENGTH), false);
    softmax.insert(softmax.end(), want.softmax.begin(), want.softmax.end());
    log_softmax.insert(log_softmax.end(), want.log_softmax.begin(), want.log_softmax.end());
    norm.insert(norm.end(), want.norm.begin(), want.norm.end());
    rms.insert(rms.end(), plain.norm.begin(), plain.norm.end());
  }
  const constant_rows<LENGTH> p{{rows}};
  auto check = [&](const std::vector<double> &want, const row_kernel<T> &kernel) {
    const std::vector<T> got = run(x, rows * LENGTH, 0, kernel);
    CHECK(worst_error(got, want) <= most_error<T>());
    CHECK(same_bits(run(x, rows * LENGTH, 1, kernel), got));
  };
  using load = wide_load<T, LENGTH>;
  using store = wide_store<T, LENGTH>;
  check(softmax, [&](target::exec &e, const T *from, T *to) {
    target::softmax_held<false>(e, p, load{from}, store{to});
  });
  check(log_softmax, [&](target::exec &e, const T *from, T *to) {
    target::softmax_held<true>(e, p, load{from}, store{to});
  });
  for (bool centered : {true, false})
    check(centered ? norm : rms, [&](target::exec &e, const T *from, T *to) {
      target::normalize_held(e, constant_norm<LENGTH>{p, centered}, load{from}, store{to},
                             discard{}, discard{});
    });
}

template <class T, int64_t LENGTH> void check_reduced(const std::vector<T> &x, int64_t rows) {
  INFO("length " << LENGTH << " of " << sizeof(T) << " bytes");
  using A = accumulator_t<T>;
  std::vector<double> sum, most;
  for (int64_t r = 0; r < rows; ++r) {
    const expected_row want = expect(row_of(x, r, LENGTH), true);
    sum.push_back(want.sum);
    most.push_back(want.most);
  }
  auto reduced = [&](auto combine, int64_t skip) {
    return run(x, rows, skip, [&](target::exec &e, const T *from, T *to) {
      target::reduce_held<decltype(combine)>(e, constant_rows<LENGTH>{{rows}},
                                             wide_load<T, LENGTH>{from},
                                             dense_store<T, 1>{to, index<1>{{rows}}});
    });
  };
  // The largest sum of so many numbers is some tens.
  CHECK(worst_error(reduced(combine::sum<A>(), 0), sum) <= most_error<T>());
  CHECK(worst_error(reduced(combine::max<A>(), 0), most) <= most_error<T>());
  CHECK(same_bits(reduced(combine::sum<A>(), 1), reduced(combine::sum<A>(), 0)));
}

template <class T, int64_t LENGTH> void check_length(int64_t rows) {
  random_values random(LENGTH);
  const std::vector<T> x = random.vector<T>(rows * LENGTH);
  check_row_results<T, LENGTH>(x, rows);
  check_reduced<T, LENGTH>(x, rows);
}
TEST_CASE("held rows of half") {
  check_length<half, 1>(7);
  check_length<half, 2>(300);
  check_length<half, 7>(37);
  check_length<half, 12>(9);
  check_length<half, 16>(130);
  check_length<half, 100>(3);
  check_length<half, 768>(5);
}
TEST_CASE("held rows of bfloat16") {
  check_length<bfloat16, 33>(5);
  check_length<bfloat16, 128>(17);
}
TEST_CASE("held rows of float") {
  check_length<float, 3>(70);
  check_length<float, 33>(5);
  check_length<float, 64>(19);
  check_length<float, 1000>(2);
}
TEST_CASE("held rows of double") {
  check_length<double, 5>(9);
  check_length<double, 34>(7);
}

TEST_CASE("held rows of a block") {
  check_length<half, 1032>(3);
  check_length<float, 1025>(2);
  check_length<double, 1026>(2);
}

TEST_CASE("rows that no registers hold, and no rows") {
  check_length<float, 8196>(1);
  check_length<half, 64>(0);
  CHECK(!target::is_held<constant_rows<8193>>);
  CHECK(!target::is_held<constant_rows<0>>);
  CHECK(!target::is_held<row_params<1, 1>>);
}

struct some_axes {
  static constexpr int outer_rank = 2, reduced_rank = 2;
  static constexpr int64_t outer[2] = {3, 5}, reduced[2] = {3, 24};
};
template <class T, class F> struct of_rows {
  F f;
  static constexpr int widest = F::widest;
  CAMEO_DEVICE bool is_aligned() const { return f.is_aligned(); }
  CAMEO_DEVICE static index<2> flat(const index<4> &i) {
    return {{i[0] * 5 + i[1], i[2] * 24 + i[3]}};
  }
  CAMEO_DEVICE T operator()(const index<4> &i) const { return f(flat(i)); }
  CAMEO_DEVICE void operator()(const index<4> &i, accumulator_t<T> v) const { f(flat(i), v); }
  template <int N> CAMEO_DEVICE_ONLY auto wide(const index<4> &i) const {
    return f.template wide<N>(flat(i));
  }
  template <int N>
  CAMEO_DEVICE_ONLY void wide(const index<4> &i, const neighbours<accumulator_t<T>, N> &v) const {
    f.template wide<N>(flat(i), v);
  }
};
TEST_CASE("held rows of some axes") {
  random_values random(3);
  const std::vector<half> x = random.vector<half>(15 * 72);
  std::vector<double> want;
  for (int64_t r = 0; r < 15; ++r)
    for (double v : expect(row_of(x, r, 72), true).softmax)
      want.push_back(v);
  const auto got = run(x, 15 * 72, 0, [](target::exec &e, const half *from, half *to) {
    target::softmax_held<false>(e, some_axes{}, of_rows<half, wide_load<half, 72>>{{from}},
                                of_rows<half, wide_store<half, 72>>{{to}});
  });
  CHECK(worst_error(got, want) <= most_error<half>());
}

TEST_CASE("held rows of infinities and NaN") {
  const float inf = INFINITY, nan = NAN;
  const std::vector<float> x = {-inf, 1,   2, -inf, -inf, -inf, -inf, -inf,
                                1,    nan, 2, 3,    200,  -200, 0,    inf};
  check_row_results<float, 4>(x, 4);
  CHECK(target::held_form<constant_rows<4>, 4>::width == 4);
}

} // namespace
} // namespace cameo::test
