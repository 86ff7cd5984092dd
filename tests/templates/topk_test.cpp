// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// topk against a stable sort, with ties and NaN, k from 0 to the whole row; cumulative against a
// loop, which the device may not follow to the bit.
#include "rows.h"

#include CAMEO_TEMPLATE(cumulative.h)
#include CAMEO_TEMPLATE(topk.h)

namespace cameo::test {
namespace {

struct topk_params : row_params<1, 1> {
  int64_t k;
  bool largest, sorted;
};
struct topk_across_params : topk_params {
  static constexpr bool across_rows = true;
};

template <class T> void check(int64_t rows, int64_t n, int64_t k, bool largest) {
  INFO("n " << n << " k " << k << " largest " << largest);
  const std::vector<T> x = awkward_values<T>(static_cast<uint64_t>(n), rows * n);
  std::vector<T> want;
  std::vector<int64_t> want_index;
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<T> row = row_of(x, r, n);
    std::vector<int64_t> order;
    for (int64_t t = 0; t < n; ++t)
      order.push_back(t);
    const auto less_than = [&](int64_t i, int64_t j) { // NaN greatest
      const T a = row[static_cast<size_t>(i)], b = row[static_cast<size_t>(j)];
      return is_nan(b) ? !is_nan(a) : less(a, b);
    };
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      return largest ? less_than(j, i) : less_than(i, j);
    });
    for (int64_t i = 0; i < k; ++i) {
      want_index.push_back(order[static_cast<size_t>(i)]);
      want.push_back(row[static_cast<size_t>(want_index.back())]);
    }
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x), values(mach, rows * k);
    array<int64_t> positions(mach, rows * k);
    const topk_params p{make_rows(index<1>{{rows}}, index<1>{{n}}), k, largest, true};
    const index<2> out = {{rows, k}};
    const auto check_call = [&](const auto &params) {
      mach.run([&](exec &e) {
        topk(e, params, dense_load<T, 2>{input, index<2>{{rows, n}}},
             dense_store<T, 2>{values, out}, dense_store<int64_t, 2>{positions, out});
      });
      CHECK(positions.values() == want_index);
      const std::vector<T> got = values.values();
      CHECK(std::equal(got.begin(), got.end(), want.begin(), same<T>));
    };
    check_call(p);
    check_call(topk_across_params{p});
  }
}

TEST_CASE("topk") {
  for (bool largest : {true, false}) {
    check<float>(3, 50, 5, largest);
    check<float>(3, 50, 50, largest);
    check<float>(2, 1, 1, largest);
    check<float>(2, 7, 0, largest);
    check<float>(0, 7, 3, largest);
    check<float>(2, 0, 0, largest);
    check<int8_t>(3, 700, 40, largest);
    check<double>(2, 33, 32, largest);
    check<int64_t>(1, 40, 7, largest);
    check<float>(3, 47, 47, largest);
    check<float>(3, 48, 48, largest);
    check<float>(2, 400, 300, largest);
    check<uint8_t>(2, 700, 600, largest);
    check<uint32_t>(2, 90, 60, largest);
    check<uint64_t>(2, 90, 60, largest);
    check<half>(3, 300, 100, largest);
    check<bfloat16>(2, 60, 60, largest);
    // Several rows side by side, and what is left of them.
    check<float>(70, 21, 3, largest);
    check<float>(33, 40, 16, largest);
    check<float>(33, 40, 17, largest);
    check<half>(64, 5, 5, largest);
    check<int8_t>(40, 30, 4, largest);
    check<uint32_t>(40, 30, 4, largest);
    check<int64_t>(40, 30, 4, largest);
  }
}

TEST_CASE("topk of rows too long for shared memory") {
  check<float>(2, 9000, 3, true);
  check<float>(1, 9000, 9000, false);
}

template <int R> struct cumulative_params : row_params<1, R> { bool exclusive, reverse; };
template <int R> struct across_params : cumulative_params<R> {
  static constexpr bool across_rows = true;
};

template <class COMBINE, class T, int R = 1>
void check_cumulative(int64_t rows, index<R> reduced, bool exclusive, bool reverse) {
  using type = typename COMBINE::type;
  const int64_t n = volume(reduced);
  random_values random(5);
  const std::vector<T> x = random.vector<T>(rows * n);
  std::vector<type> want(static_cast<size_t>(rows * n));
  for (int64_t r = 0; r < rows; ++r) {
    type running = COMBINE::identity();
    for (int64_t k = 0; k < n; ++k) {
      const auto at = static_cast<size_t>(r * n + (reverse ? n - 1 - k : k));
      const type next = COMBINE::apply(running, cast<type>(x[at]));
      want[at] = exclusive ? running : next;
      running = next;
    }
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<type> output(mach, rows * n);
    const index<R + 1> all = join(index<1>{{rows}}, reduced);
    cumulative_params<R> p{make_rows(index<1>{{rows}}, reduced), exclusive, reverse};
    const auto run = [&](const auto &params) {
      mach.run([&](exec &e) {
        cumulative<COMBINE>(e, params, dense_load<T, R + 1>{input, all},
                            dense_store<type, R + 1>{output, all});
      });
      return output.values();
    };
    // Each sum is rounded once for each term, `want` is computed in double.
    CHECK(worst_error(run(p), want) <= tolerance<type>());
    CHECK(worst_error(run(across_params<R>{p}), want) <= tolerance<type>());
  }
}

TEST_CASE("cumulative") {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      check_cumulative<combine::sum<float>, float>(5, {{33}}, exclusive, reverse);
      check_cumulative<combine::sum<int32_t>, int32_t>(2, {{300}}, exclusive, reverse);
      check_cumulative<combine::prod<double>, float>(1, {{4}}, exclusive, reverse);
      check_cumulative<combine::sum<float>, half>(3, {{1}}, exclusive, reverse);
      check_cumulative<combine::sum<float>, float>(3, {{0}}, exclusive, reverse);
      check_cumulative<combine::sum<float>, float, 3>(3, {{5, 1, 9}}, exclusive, reverse);
      check_cumulative<combine::max<float>, half>(37, {{20}}, exclusive, reverse);
    }
}

} // namespace
} // namespace cameo::test
