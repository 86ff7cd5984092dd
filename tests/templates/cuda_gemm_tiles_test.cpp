// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_tiles against the definition: every tile, sizes around its edges, transposes, batches with
// broadcast, operands of any alignment, counted extents, infinities, empty extents.
#include "factors.h"
#include "products.h"

#include "cameo/cuda/gemm_tiles.h"

#include <limits>

namespace cameo::test {
namespace {

struct fixed_batches {
  static constexpr int batch_rank = 1;
  static constexpr bool trans_a = true, trans_b = false;
  static constexpr int64_t m = 40, n = 24, k = 16;
  static constexpr int64_t batch[1] = {3}, a_batch_stride[1] = {640}, b_batch_stride[1] = {0};
};

/// The product of operands that begin `skip` elements behind what is aligned.
template <class E, class P>
std::vector<float> run(const P &p, const std::vector<E> &a, const std::vector<E> &b,
                       int64_t skip = 0) {
  const int64_t m = p.m, n = p.n;
  auto behind = [=](const std::vector<E> &values) {
    std::vector<E> all(static_cast<size_t>(skip), cast<E>(std::numeric_limits<float>::infinity()));
    all.insert(all.end(), values.begin(), values.end());
    return all;
  };
  machine mach;
  array<E> x(mach, behind(a)), y(mach, behind(b));
  array<float> c(mach, m * n);
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, p, static_cast<const E *>(x.data()) + skip,
                       static_cast<const E *>(y.data()) + skip,
                       dense_sums<float, 2>{c, index<2>{{m, n}}});
  });
  return c.values();
}

/// The same by a store of neighbours.
template <int WIDEST, class E, class P>
std::vector<float> run_wide(const P &p, const std::vector<E> &a, const std::vector<E> &b) {
  const int64_t m = p.m, n = p.n;
  machine mach;
  array<E> x(mach, a), y(mach, b);
  array<float> c(mach, m * n);
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, p, static_cast<const E *>(x.data()), static_cast<const E *>(y.data()),
                       wide_sums<float, WIDEST>{c, n});
  });
  return c.values();
}

/// For sums of k products of numbers up to 1, by the largest sum: sums are floats, whose roundings
/// are 6e-8 each; products of 16-bit floats are exact, those of floats are to 2^-22.
constexpr double tolerance = 1e-6;

template <class E, bool TA, bool TB> void check(int64_t m, int64_t n, int64_t k) {
  INFO("m " << m << " n " << n << " k " << k << " trans " << TA << TB);
  random_values random(static_cast<uint64_t>(m * 31 + n * 7 + k));
  const std::vector<E> a = random.vector<E>(m * k), b = random.vector<E>(k * n);
  const std::vector<double> want = expected_product<double>(a, b, 0, 0, m, n, k, TA, TB);
  const std::vector<float> got = run<E>(plain_product<TA, TB>{m, n, k}, a, b);
  CHECK(worst_error(got, want) <= tolerance);
  CHECK(run<E>(plain_product<TA, TB>{m, n, k}, a, b, 1) == got);
}

template <class E> void check_edges() {
  for (int64_t m : {1, 15, 16, 17, 33})
    for (int64_t n : {8, 9, 64, 72})
      for (int64_t k : {1, 8, 63, 72, 200})
        check<E, false, false>(m, n, k);
  for (int64_t m : {3, 24, 40})
    for (int64_t n : {5, 32, 80})
      for (int64_t k : {7, 64, 104}) {
        check<E, false, true>(m, n, k);
        check<E, true, false>(m, n, k);
        check<E, true, true>(m, n, k);
      }
}
TEST_CASE("tiles of half at their edges") { check_edges<half>(); }
TEST_CASE("tiles of bfloat16 at their edges") { check_edges<bfloat16>(); }
TEST_CASE("tiles of float at their edges") { check_edges<float>(); }

/// A tile by itself, in the form that a constant product of its size has, with tails and without.
template <class TILE, class P, class E>
std::vector<float> run_tile_of(const std::vector<E> &a, const std::vector<E> &b) {
  constexpr int64_t m = P::m, n = P::n;
  machine mach;
  array<E> x(mach, a), y(mach, b);
  array<float> c(mach, m * n);
  mach.run([&](target::exec &e) {
    target::gemm_call<P, E, E, dense_sums<float, 2>> call{P{}, x, y, {c, index<2>{{m, n}}}};
    target::launch_tile<TILE, 16, 16>(e, call, call.shape());
  });
  return c.values();
}
template <class TILE, class E, bool TA, bool TB, int64_t M, int64_t N, int64_t K>
std::vector<float> run_tile(const std::vector<E> &a, const std::vector<E> &b) {
  return run_tile_of<TILE, constant_product<TA, TB, M, N, K>>(a, b);
}

template <class E, bool TA, bool TB, int64_t M, int64_t N, int64_t K>
void check_constant_product(const std::vector<E> &a, const std::vector<E> &b) {
  const std::vector<float> got = run<E>(constant_product<TA, TB, M, N, K>{}, a, b);
  CHECK(worst_error(got, expected_product<double>(a, b, 0, 0, M, N, K, TA, TB)) <= tolerance);
}

template <class TILE, class E, bool TA, bool TB> void check_tile() {
  constexpr int64_t M = TILE::rows, N = TILE::columns, K = 3 * 128 / sizeof(E);
  random_values random(77);
  const std::vector<E> a = random.vector<E>(M * K), b = random.vector<E>(K * N);
  const std::vector<float> got = run_tile<TILE, E, TA, TB, M, N, K>(a, b);
  CHECK(worst_error(got, expected_product<double>(a, b, 0, 0, M, N, K, TA, TB)) <= tolerance);
  // All tiles sum in one order.
  CHECK(run_tile<target::small_tile, E, TA, TB, M, N, K>(a, b) == got);
}
template <class TILE, class E> void check_tiles() {
  check_tile<TILE, E, false, false>();
  check_tile<TILE, E, false, true>();
  check_tile<TILE, E, true, false>();
  check_tile<TILE, E, true, true>();
}
TEST_CASE("every tile of half") {
  check_tiles<target::few_rows_tile, half>();
  check_tiles<target::middle_tile, half>();
  check_tiles<target::large_tile, half>();
  check_tiles<target::largest_tile, half>();
}
/// Slices have an order of their own: each of them sums a part of the steps.
template <class TILE, class E, bool TA, bool TB, int64_t K> void check_sliced() {
  constexpr int64_t M = TILE::rows + 8, N = TILE::columns + 16;
  random_values random(78);
  const std::vector<E> a = random.vector<E>(M * K), b = random.vector<E>(K * N);
  CHECK(worst_error(run_tile<TILE, E, TA, TB, M, N, K>(a, b),
                    expected_product<double>(a, b, 0, 0, M, N, K, TA, TB)) <= tolerance);
}
template <class E> void check_slices() {
  check_sliced<target::sliced_tile, E, false, false, 16>(); // fewer steps than slices
  check_sliced<target::sliced_tile, E, false, false, 520>();
  check_sliced<target::sliced_tile, E, true, true, 520>();
  check_sliced<target::sliced_rows_tile, E, false, false, 520>();
  check_sliced<target::sliced_rows_tile, E, true, true, 1024>();
  check_sliced<target::halved_tile, E, false, false, 16>();
  check_sliced<target::halved_tile, E, true, true, 520>();
  check_sliced<target::wide_tile, E, false, false, 520>();
  check_sliced<target::wide_tile, E, true, false, 136>();
  check_sliced<target::quartered_tile, E, false, true, 520>();
}
TEST_CASE("slices of half") { check_slices<half>(); }
TEST_CASE("slices of bfloat16") { check_slices<bfloat16>(); }
TEST_CASE("slices of float") { check_slices<float>(); }
TEST_CASE("constant products in slices, whatever their operands' width") {
  random_values random(79);
  const std::vector<half> a = random.vector<half>(9 * 300), b = random.vector<half>(300 * 49);
  check_constant_product<half, false, false, 9, 48, 300>(a, b);
  check_constant_product<half, false, true, 9, 49, 300>(a, b);
  const std::vector<float> c = random.vector<float>(40 * 258), d = random.vector<float>(258 * 49);
  check_constant_product<float, false, false, 40, 49, 258>(c, d);
  check_constant_product<float, true, true, 40, 49, 258>(c, d);
}
TEST_CASE("constant products in halves and in quarters") {
  random_values random(81);
  const std::vector<float> a = random.vector<float>(384 * 256), b = random.vector<float>(256 * 256);
  check_constant_product<float, false, false, 64, 72, 128>(a, b);   // halved
  check_constant_product<float, true, true, 384, 256, 256>(a, b);   // quartered
  check_constant_product<float, false, false, 1024, 132, 64>(a, b); // wide
}
/// Lines of an odd number of 16, 8, 4 or fewer bytes, which end within a tile and a step.
template <class E, bool TA, bool TB, int64_t M, int64_t N, int64_t K> void check_pieces() {
  INFO("m " << M << " n " << N << " k " << K << " trans " << TA << TB);
  random_values random(80);
  const std::vector<E> a = random.vector<E>(M * K), b = random.vector<E>(K * N);
  const std::vector<float> want = run<E>(plain_product<TA, TB>{M, N, K}, a, b);
  CHECK(run<E>(constant_product<TA, TB, M, N, K>{}, a, b) == want);
  CHECK(run<E>(constant_product<TA, TB, M, N, K>{}, a, b, 1) == want);
}
template <class E> void check_all_pieces() {
  check_pieces<E, false, false, 40, 56, 88>();
  check_pieces<E, false, false, 40, 36, 76>();
  check_pieces<E, false, false, 20, 50, 70>();
  check_pieces<E, false, false, 33, 49, 67>();
  check_pieces<E, true, true, 36, 40, 76>();
  check_pieces<E, true, true, 50, 40, 70>();
  check_pieces<E, true, false, 18, 196, 12>();
  check_pieces<E, false, true, 9, 33, 130>();
  check_pieces<E, false, false, 5, 4, 2>();
}
TEST_CASE("operands by pieces of half") { check_all_pieces<half>(); }
TEST_CASE("operands by pieces of bfloat16") { check_all_pieces<bfloat16>(); }
TEST_CASE("operands by pieces of float") { check_all_pieces<float>(); }
TEST_CASE("the pieces of an operand") {
  using target::piece_of;
  CHECK(piece_of<half>(64, index<0>{}) == 16);
  CHECK(piece_of<half>(196, index<0>{}) == 8);
  CHECK(piece_of<half>(98, index<0>{}) == 4);
  CHECK(piece_of<half>(49, index<0>{}) == 0);
  CHECK(piece_of<float>(49, index<0>{}) == 4);
  CHECK(piece_of<half>(64, index<2>{{0, 12}}) == 8);
  CHECK(piece_of<half>(64, index<2>{{7, 0}}) == 0);
}
TEST_CASE("every tile of bfloat16") { check_tiles<target::middle_tile, bfloat16>(); }
TEST_CASE("every tile of float") {
  check_tiles<target::few_rows_tile, float>();
  check_tiles<target::middle_tile, float>();
}

TEST_CASE("the choice of tiles") {
  using tiles = target::product_tiles;
  auto rows_of = [](int64_t batches, int64_t m, int64_t n, int most) {
    return tiles::rows[target::choose_tile<tiles>(batches, m, n, most)];
  };
  constexpr int middle = tiles::find<target::middle_tile>();
  CHECK(rows_of(1, 128, 768, tiles::last) == 32);
  CHECK(rows_of(12, 384, 384, tiles::last) == 64);
  CHECK(rows_of(1, 2048, 1024, tiles::last) == 128);
  CHECK(target::choose_tile<tiles>(1, 4096, 4096, tiles::last) == tiles::last);
  CHECK(rows_of(1, 4096, 4096, middle) == 64);
  CHECK(!target::takes_slices(1, 256, 196, 255));
  CHECK(target::takes_slices(1, 256, 196, 256));
  CHECK(!target::takes_slices(1, 800, 196, 256)); // enough tiles without
  CHECK(target::takes_slices(1, 800, 196, 512));
  CHECK(!target::takes_slices(1, 1024, 196, 512)); // too many with
  CHECK(target::takes_wide(1, 512, 784, 256));
  CHECK(!target::takes_wide(1, 512, 784, 128));  // no second step
  CHECK(!target::takes_wide(1, 512, 384, 256));  // too few
  CHECK(!target::takes_wide(1, 128, 2304, 256)); // two of some multiprocessors would be more
}

template <class E, bool TB> void check_batched(int64_t m, int64_t n, int64_t k) {
  random_values random(5);
  const std::vector<E> a = random.vector<E>(2 * m * k), b = random.vector<E>(3 * k * n);
  std::vector<double> want;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (double v : expected_product<double>(a, b, i * m * k, j * k * n, m, n, k, false, TB))
        want.push_back(v);
  machine mach;
  array<E> x(mach, a), y(mach, b);
  array<float> c(mach, 6 * m * n);
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, batched_product<TB>{m, n, k, {2, 3}, {m * k, 0}, {0, k * n}}, x.data(),
                       y.data(), dense_sums<float, 4>{c, index<4>{{2, 3, m, n}}});
  });
  CHECK(worst_error(c.values(), want) <= tolerance);
}
TEST_CASE("batches of products, of stride 0 too") {
  check_batched<half, false>(19, 34, 11);
  check_batched<half, true>(24, 40, 16);
  check_batched<float, false>(24, 40, 16);
  check_batched<float, true>(2, 9, 11);
}

TEST_CASE("a product of constant batches") {
  random_values random(9);
  const std::vector<half> a = random.vector<half>(3 * 640), b = random.vector<half>(16 * 24);
  std::vector<double> want;
  for (int64_t i = 0; i < 3; ++i)
    for (double v : expected_product<double>(a, b, i * 640, 0, 40, 24, 16, true, false))
      want.push_back(v);
  machine mach;
  array<half> x(mach, a), y(mach, b);
  array<float> c(mach, 3 * 40 * 24);
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, fixed_batches{}, x.data(), y.data(),
                       dense_sums<float, 3>{c, index<3>{{3, 40, 24}}});
  });
  CHECK(worst_error(c.values(), want) <= tolerance);
}

TEST_CASE("a product of no terms, and none at all") {
  CHECK(run<half>(plain_product<false, false>{3, 8, 0}, {}, {}) == std::vector<float>(24, 0.0f));
  CHECK(run<float>(plain_product<false, true>{3, 8, 0}, {}, {}) == std::vector<float>(24, 0.0f));
  CHECK(run<half>(plain_product<false, false>{0, 8, 3}, {}, random_values(1).vector<half>(24))
            .empty());
}

/// An infinity, a NaN and the largest number stay where they are, and are what products of them
/// are.
template <class E, factor_type FACTORS = factor_type::parts>
void check_special(float largest, float tolerance = 1e-5f) { // sums of 40, each rounded to 6e-8
  using product = with_factors<plain_product<false, false>, FACTORS>;
  constexpr int64_t m = 20, n = 24, k = 40;
  random_values random(3);
  std::vector<E> a = random.vector<E>(m * k), b = random.vector<E>(k * n);
  for (E &value : b)
    value = cast<E>(abs(cast<float>(value)) + 0.5f);
  const float infinity = std::numeric_limits<float>::infinity();
  a[3 * k + 5] = cast<E>(infinity);
  a[7 * k + 1] = cast<E>(-infinity);
  a[9 * k + 39] = cast<E>(std::numeric_limits<float>::quiet_NaN());
  a[11 * k] = cast<E>(infinity), a[11 * k + 1] = cast<E>(-infinity);
  for (int64_t i = 0; i < k; ++i)
    a[static_cast<size_t>(13 * k + i)] = cast<E>(i == 4 ? largest : 0.0f);
  const std::vector<float> got = run<E>(product({m, n, k}), a, b);
  const std::vector<double> want = expected_product<double>(a, b, 0, 0, m, n, k, false, false);
  for (size_t i = 0; i < got.size(); ++i) {
    const float wanted = static_cast<float>(want[i]);
    INFO("row " << i / n << " column " << i % n);
    if (wanted - wanted == 0)
      CHECK(abs(got[i] - wanted) <= tolerance * std::max(1.0f, abs(wanted)));
    else
      CHECK((wanted != wanted ? got[i] != got[i] : got[i] == wanted));
  }
}
TEST_CASE("infinities and NaN in products") {
  check_special<half>(65504.0f);
  check_special<bfloat16>(1e38f);
  check_special<float>(std::numeric_limits<float>::max());
}
/// Also what is too large for the type that factors are rounded to. Each of 40 products, of numbers
/// up to 1 and 1.5, is off by two roundings at most and of either sign: all of them by less
/// than 40.
template <factor_type FACTORS> void check_special_rounded() {
  constexpr float tolerance = static_cast<float>(40 * rounding_of<FACTORS>);
  check_special<float, FACTORS>(std::numeric_limits<float>::max(), tolerance);
  check_special<float, FACTORS>(65521.0f, tolerance);
}
TEST_CASE("infinities and NaN in products of rounded factors") {
  check_special_rounded<factor_type::tf32>();
  check_special_rounded<factor_type::bf16>();
  check_special_rounded<factor_type::fp16>();
}

// ---- Rounded factors ----

template <factor_type FACTORS, class P>
void check_rounded(const P &plain, const std::vector<float> &a, const std::vector<float> &b,
                   const std::vector<float> &got) {
  check_sums<FACTORS>(got, a, b, plain.k, [&](const auto &left, const auto &right) {
    return expected_product<double>(left, right, 0, 0, plain.m, plain.n, plain.k, P::trans_a,
                                    P::trans_b);
  });
}
template <factor_type FACTORS, class P> void check_rounded(const P &plain) {
  INFO("m " << plain.m << " n " << plain.n << " k " << plain.k);
  random_values random(static_cast<uint64_t>(plain.m * 31 + plain.n * 7 + plain.k));
  const std::vector<float> a = random.vector<float>(plain.m * plain.k),
                           b = random.vector<float>(plain.k * plain.n);
  const with_factors<P, FACTORS> p(plain);
  const std::vector<float> got = run<float>(p, a, b);
  check_rounded<FACTORS>(plain, a, b, got);
  CHECK(run<float>(p, a, b, 1) == got);
}
template <factor_type FACTORS, class TILE, bool TA, bool TB, int64_t K> void check_rounded_tile() {
  using product = constant_product<TA, TB, TILE::rows, TILE::columns, K>;
  using p = with_factors<product, FACTORS>;
  random_values random(81);
  const std::vector<float> a = random.vector<float>(product::m * K),
                           b = random.vector<float>(K * product::n);
  const std::vector<float> got = run_tile_of<TILE, p>(a, b);
  check_rounded<FACTORS>(product{}, a, b, got);
  if (TILE::slices == 1)
    CHECK(run_tile_of<target::small_tile, p>(a, b) == got);
}
template <factor_type FACTORS> void check_rounded_batches() {
  constexpr int64_t m = 24, n = 40, k = 36;
  random_values random(5);
  const std::vector<float> a = random.vector<float>(2 * m * k), b = random.vector<float>(3 * k * n);
  machine mach;
  array<float> x(mach, a), y(mach, b), c(mach, 6 * m * n);
  const batched_product<true> plain{m, n, k, {2, 3}, {m * k, 0}, {0, k * n}};
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, with_factors<batched_product<true>, FACTORS>(plain),
                       static_cast<const float *>(x.data()), static_cast<const float *>(y.data()),
                       dense_sums<float, 4>{c, index<4>{{2, 3, m, n}}});
  });
  check_sums<FACTORS>(c.values(), a, b, k, [&](const auto &left, const auto &right) {
    std::vector<double> all;
    for (int64_t i = 0; i < 6; ++i)
      for (double v : expected_product<double>(left, right, i / 3 * m * k, i % 3 * k * n, m, n, k,
                                               false, true))
        all.push_back(v);
    return all;
  });
}
template <factor_type FACTORS> void check_all_rounded() {
  for (int64_t m : {1, 16, 33})
    for (int64_t n : {8, 9, 64})
      for (int64_t k : {1, 8, 12, 63, 200}) {
        check_rounded<FACTORS>(plain_product<false, false>{m, n, k});
        check_rounded<FACTORS>(plain_product<false, true>{m, n, k});
        check_rounded<FACTORS>(plain_product<true, false>{m, n, k});
        check_rounded<FACTORS>(plain_product<true, true>{m, n, k});
      }
  check_rounded<FACTORS>(constant_product<false, false, 20, 50, 70>{});
  check_rounded<FACTORS>(constant_product<true, true, 36, 40, 76>{});
  check_rounded<FACTORS>(constant_product<false, false, 40, 49, 520>{}); // in slices
  check_rounded_tile<FACTORS, target::few_rows_tile, false, false, 104>();
  check_rounded_tile<FACTORS, target::middle_tile, false, true, 96>();
  check_rounded_tile<FACTORS, target::middle_tile, true, false, 96>();
  check_rounded_tile<FACTORS, target::sliced_tile, true, true, 520>();
  check_rounded_tile<FACTORS, target::sliced_rows_tile, false, false, 1024>();
  check_rounded_batches<FACTORS>();
}
TEST_CASE("products of floats rounded to tf32") { check_all_rounded<factor_type::tf32>(); }
TEST_CASE("products of floats rounded to bf16") { check_all_rounded<factor_type::bf16>(); }
TEST_CASE("products of floats rounded to fp16") { check_all_rounded<factor_type::fp16>(); }
TEST_CASE("what is no float is not rounded") {
  random_values random(12);
  const std::vector<half> a = random.vector<half>(20 * 40), b = random.vector<half>(40 * 24);
  const plain_product<false, true> p{20, 24, 40};
  CHECK(run<half>(with_factors<plain_product<false, true>, factor_type::bf16>(p), a, b) ==
        run<half>(p, a, b));
}

struct counted_product {
  static constexpr int batch_rank = 0;
  static constexpr bool trans_a = false, trans_b = false;
  counted_extent m;
  int64_t n;
  counted_extent k;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(m, k); }
};
TEST_CASE("products of counted extents") {
  random_values random(4);
  for (int64_t m : {0, 1, 70})
    for (int64_t k : {0, 5, 40}) {
      const std::vector<half> a = random.vector<half>(m * k), b = random.vector<half>(k * 64);
      machine mach;
      array<int64_t> counts(mach, std::vector<int64_t>{m, k});
      array<half> x(mach, a), y(mach, b);
      array<float> c(mach, m * 64);
      const counted rows(counts.data(), m + 9), depth(counts.data() + 1, k + 200);
      mach.run([&](target::exec &e) {
        target::gemm_tiles(e, counted_product{rows, 64, depth}, static_cast<const half *>(x.data()),
                           static_cast<const half *>(y.data()),
                           dense_sums<float, 2>{c, index<2>{{m, 64}}});
      });
      CHECK(worst_error(c.values(), expected_product<double>(a, b, 0, 0, m, 64, k, false, false)) <=
            tolerance);
    }
}

template <int WIDEST, class E, bool TB> void check_wide(int64_t m, int64_t n, int64_t k) {
  INFO("m " << m << " n " << n << " k " << k << " by " << WIDEST);
  random_values random(9);
  std::vector<E> a = random.vector<E>(m * k);
  const std::vector<E> b = random.vector<E>(k * n);
  a[1] = cast<E>(std::numeric_limits<float>::infinity());
  const plain_product<false, TB> p{m, n, k};
  const std::vector<float> got = run_wide<WIDEST>(p, a, b), want = run(p, a, b);
  CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end(), same<float>));
}
TEST_CASE("stores of neighbours get the sums of others") {
  for (int64_t n : {8, 72, 12, 9}) {
    check_wide<8, half, false>(17, n, 40);
    check_wide<8, half, false>(16, n, 40);
    check_wide<4, float, true>(33, n, 24);
    check_wide<4, float, true>(2, n, 24);
    check_wide<2, float, true>(33, n, 24);
  }
  check_wide<8, half, false>(256, 520, 64);
}

template <int WIDEST, class E, int64_t M, int64_t N, int64_t K> void check_wide_constant() {
  INFO("m " << M << " n " << N << " k " << K << " by " << WIDEST);
  random_values random(10);
  const std::vector<E> a = random.vector<E>(M * K), b = random.vector<E>(K * N);
  const constant_product<false, false, M, N, K> p{};
  CHECK(run_wide<WIDEST>(p, a, b) == run(p, a, b));
}
TEST_CASE("slices store as many neighbours as there are, or fewer") {
  check_wide_constant<8, half, 40, 24, 320>();
  check_wide_constant<4, half, 40, 20, 320>();
  check_wide_constant<2, half, 40, 18, 320>();
  check_wide_constant<1, half, 40, 17, 320>();
  check_wide_constant<8, bfloat16, 9, 72, 320>();
  check_wide_constant<4, float, 40, 24, 320>();
  check_wide_constant<2, float, 9, 70, 320>();
}

} // namespace
} // namespace cameo::test
