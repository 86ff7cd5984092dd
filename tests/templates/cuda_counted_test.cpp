// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates whose p has counted extents do what they do with the numbers themselves, whatever the
// most is that the host knows; count leaves an extent, or the nearest and an error.
#include "rows.h"

#include CAMEO_TEMPLATE(count.h)
#include CAMEO_TEMPLATE(cumulative.h)
#include CAMEO_TEMPLATE(gather.h)
#include CAMEO_TEMPLATE(gemm.h)
#include CAMEO_TEMPLATE(normalize.h)
#include CAMEO_TEMPLATE(reduce.h)
#include CAMEO_TEMPLATE(softmax.h)
#include CAMEO_TEMPLATE(topk.h)

namespace cameo::test {
namespace {

/// Extents as the host has them, and as counts: E is int64_t or counted_extent.
template <class E> struct extent_source;
template <> struct extent_source<int64_t> {
  explicit extent_source(machine &) {}
  int64_t operator()(int64_t exact, int64_t) { return exact; }
};
template <> struct extent_source<counted_extent> {
  explicit extent_source(machine &m) : mach(m), memory(m, room) { values.reserve(room); }
  counted operator()(int64_t exact, int64_t most) {
    values.push_back(exact);
    mach.upload(memory, values.data(), values.size() * sizeof(int64_t));
    return {memory + (values.size() - 1), most};
  }
  static constexpr size_t room = 16;
  machine &mach;
  std::vector<int64_t> values; // copies may be under way: it stays where it is
  array<int64_t> memory;
};

template <class E> struct dense_elements {
  float *data;
  E columns;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(columns); }
  CAMEO_DEVICE float operator()(const index<2> &i) const { return data[i[0] * columns + i[1]]; }
  template <class V> CAMEO_DEVICE void operator()(const index<2> &i, V v) const {
    data[i[0] * columns + i[1]] = static_cast<float>(v);
  }
  template <class V> CAMEO_DEVICE void operator()(const index<1> &i, V v) const {
    data[i[0]] = static_cast<float>(v);
  }
};

template <class E> struct rows_p {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  E outer[1], reduced[1];
  E k;
  float epsilon;
  bool largest, sorted, centered, exclusive, reverse;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(outer[0], reduced[0], k); }
};

struct sizes {
  int64_t rows, length, k;
};

/// The same of a constant length.
template <class E> struct held_p {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  static constexpr int64_t reduced[1] = {40};
  static constexpr bool centered = true;
  static constexpr float epsilon = 1e-5f;
  E outer[1];
  CAMEO_DEVICE void load_counts() { cameo::load_counts(outer[0]); }
};

/// The value that `call` stores for `n`, when it may be `most` for all that the host knows.
template <class E, class CALL>
std::vector<float> run_rows(const sizes &n, const sizes &most, const CALL &call) {
  machine mach;
  extent_source<E> extent(mach);
  array<float> x(mach, random_values(7).vector<float>(most.rows * most.length));
  const int64_t outputs = most.rows * (most.length + most.k + 1);
  array<float> y(mach, std::vector<float>(static_cast<size_t>(outputs), -1.0f));
  const E rows = extent(n.rows, most.rows), length = extent(n.length, most.length);
  const E k = extent(n.k, most.k);
  const rows_p<E> p = {{rows}, {length}, k, 1e-5f, true, true, true, false, true};
  mach.run([&](target::exec &e) {
    call(e, p, dense_elements<E>{x, length}, dense_elements<E>{y, length}, dense_elements<E>{y, k});
  });
  return y.values();
}

template <class CALL> void check_rows(const CALL &call) {
  for (const sizes &n : {sizes{3, 40, 5}, {1, 1, 1}, {0, 9, 2}, {4, 0, 0}, {2, 1500, 3}})
    for (const sizes &most : {n, sizes{n.rows + 2, n.length + 1100, n.k + 90}}) {
      INFO(n.rows << " x " << n.length << ", at most " << most.rows << " x " << most.length);
      const std::vector<float> want = run_rows<int64_t>(n, most, call);
      const std::vector<float> got = run_rows<counted_extent>(n, most, call);
      REQUIRE(got.size() == want.size());
      for (size_t i = 0; i < got.size(); ++i)
        REQUIRE(got[i] == Approx(want[i]).margin(1e-5));
    }
}

template <class E> std::vector<float> run_held(int64_t rows, int64_t most) {
  machine mach;
  extent_source<E> extent(mach);
  array<float> x(mach, random_values(7).vector<float>(most * 40));
  array<float> y(mach, std::vector<float>(static_cast<size_t>(most * 40), -1.0f));
  const held_p<E> p = {{extent(rows, most)}};
  mach.run([&](target::exec &e) {
    target::softmax_held<false>(e, p, dense_elements<int64_t>{x, 40},
                                dense_elements<int64_t>{y, 40});
  });
  return y.values();
}
TEST_CASE("held rows of which the device knows how many") {
  for (int64_t rows : {0, 1, 7, 13})
    CHECK(run_held<counted_extent>(rows, rows + 9) == run_held<int64_t>(rows, rows + 9));
}

TEST_CASE("rows of counted extents") {
  SECTION("reduce") {
    check_rows([](auto &e, const auto &p, auto load, auto store, auto) {
      target::reduce<combine::sum<float>>(e, p, load, store);
    });
  }
  SECTION("arg_reduce") {
    check_rows([](auto &e, const auto &p, auto load, auto store, auto) {
      target::arg_reduce<arg_max<float>>(e, p, load, store);
    });
  }
  SECTION("softmax") {
    check_rows([](auto &e, const auto &p, auto load, auto store, auto) {
      target::softmax<false>(e, p, load, store);
    });
  }
  SECTION("normalize") {
    check_rows([](auto &e, const auto &p, auto load, auto store, auto) {
      target::normalize(e, p, load, store, discard{}, discard{});
    });
  }
  SECTION("cumulative") {
    check_rows([](auto &e, const auto &p, auto load, auto store, auto) {
      target::cumulative<combine::sum<float>>(e, p, load, store);
    });
  }
  SECTION("topk") {
    check_rows([](auto &e, const auto &p, auto load, auto, auto store) {
      target::topk(e, p, load, store, discard{});
    });
  }
}

template <class E> struct gather_p {
  static constexpr int outer_rank = 0, index_rank = 1, inner_rank = 1;
  E index[1], inner[1], axis_extent;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(index[0], inner[0], axis_extent); }
};

template <class E> std::vector<float> run_gather(int64_t count, int64_t inner, int64_t slack) {
  machine mach;
  extent_source<E> extent(mach);
  array<float> x(mach, random_values(3).vector<float>(20 * inner));
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count + slack; ++i)
    places.push_back(i * 7 % 20 - 20);
  array<int64_t> indices(mach, places);
  array<float> y(mach, std::vector<float>(static_cast<size_t>((count + slack) * inner), -1.0f));
  const E width = extent(inner, inner + slack);
  const gather_p<E> p = {{extent(count, count + slack)}, {width}, extent(20, 20 + slack)};
  mach.run([&](target::exec &e) {
    target::gather(e, p, static_cast<const float *>(x), static_cast<const int64_t *>(indices),
                   dense_elements<E>{y, width});
  });
  CHECK(mach.code() == CAMEO_OK);
  return y.values();
}

TEST_CASE("gather of a counted number of rows") {
  for (int64_t count : {0, 1, 13, 300})
    for (int64_t slack : {0, 5, 1000})
      CHECK(run_gather<counted_extent>(count, 6, slack) == run_gather<int64_t>(count, 6, slack));
}

template <class E> struct gemm_p {
  static constexpr int batch_rank = 0;
  static constexpr bool trans_a = false, trans_b = false;
  E m, n, k;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(m, n, k); }
};

template <class E> std::vector<float> run_gemm(int64_t m, int64_t n, int64_t k, int64_t slack) {
  machine mach;
  extent_source<E> extent(mach);
  array<float> a(mach, random_values(1).vector<float>(m * k));
  array<float> b(mach, random_values(2).vector<float>(k * n));
  array<float> y(mach, std::vector<float>(static_cast<size_t>(m * n), -1.0f));
  const E width = extent(n, n + slack);
  const gemm_p<E> p = {extent(m, m + slack), width, extent(k, k + slack)};
  mach.run([&](target::exec &e) {
    target::gemm(e, p, static_cast<const float *>(a), static_cast<const float *>(b),
                 dense_elements<E>{y, width});
  });
  return y.values();
}

TEST_CASE("gemm of counted extents") {
  for (int64_t m : {0, 1, 70})
    for (int64_t k : {0, 5, 33})
      for (int64_t slack : {0, 3, 200})
        CHECK(run_gemm<counted_extent>(m, 65, k, slack) == run_gemm<int64_t>(m, 65, k, slack));
}

struct fill_body {
  float *y;
  counted_extent rows, columns;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(rows, columns); }
  CAMEO_DEVICE void operator()(const index<2> &i) const {
    y[i[0] * columns.value + i[1]] = static_cast<float>(i[0] * 100 + i[1]) + 0.5f;
  }
};

TEST_CASE("for_each over counted extents") {
  machine mach;
  extent_source<counted_extent> extent(mach);
  array<float> y(mach, std::vector<float>(200, -1.0f));
  const counted rows = extent(3, 10), columns = extent(4, 8);
  mach.run([&](target::exec &e) {
    target::for_each(e, counted_index<2>{rows, 2 * columns - 1},
                     fill_body{y, rows, 2 * columns - 1});
  });
  const std::vector<float> got = y.values();
  for (int64_t i = 0; i < 200; ++i)
    CHECK(got[static_cast<size_t>(i)] ==
          (i < 21 ? static_cast<float>(i / 7 * 100 + i % 7) + 0.5f : -1.0f));
}

TEST_CASE("a count that is what another one leaves") {
  const int64_t memory[3] = {};
  const counted a(memory, 12), b(memory + 1, 12, a), c(memory + 2, 5);
  CHECK(a * b == 12);
  CHECK(4 * b * (3 * a) == 144);
  CHECK(counted_index<3>{a, 2, b}.points == 24);
  CHECK(static_cast<int64_t>(b) == 12);
  // Each on its own where there is more to them, or another one.
  CHECK((a + 1) * b == 156);
  CHECK(a * c == 60);
  CHECK(counted_index<2>{b, 3}.points == 36);
}

TEST_CASE("grids of extents whose product does not fit") {
  CHECK(target::points_at_most(index<2>{{int64_t{1} << 40, int64_t{1} << 40}}) == int64_t{1} << 40);
  CHECK(target::points_at_most(index<3>{{int64_t{1} << 40, int64_t{1} << 40, 0}}) == 0);
  CHECK(target::points_at_most(index<2>{{70, 3}}) == 210);
  CHECK(target::points_at_most(index<0>{}) == 1);
}

struct number_load {
  int64_t value;
  CAMEO_DEVICE int64_t operator()(const index<1> &) const { return value; }
};
struct count_p {
  int64_t most;
};

TEST_CASE("count") {
  const auto check = [](int64_t given, int64_t want, int32_t code, int64_t limit) {
    machine mach;
    array<int64_t> y(mach, 1);
    mach.run([&](target::exec &e) { target::count(e, count_p{9}, y, number_load{given}); });
    CHECK(y.values().front() == want);
    CHECK(mach.code() == code);
    if (code != CAMEO_OK) {
      CHECK(mach.got() == given);
      CHECK(mach.limit() == limit);
    }
  };
  check(0, 0, CAMEO_OK, 0);
  check(9, 9, CAMEO_OK, 0);
  check(10, 9, CAMEO_OUT_OF_RANGE, 9);
  check(-1, 0, CAMEO_OUT_OF_RANGE, 0);
  check(INT64_MIN, 0, CAMEO_OUT_OF_RANGE, 0);
  check(INT64_MAX, 9, CAMEO_OUT_OF_RANGE, 9);
}

} // namespace
} // namespace cameo::test
