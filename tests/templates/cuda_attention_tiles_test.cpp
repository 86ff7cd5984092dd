// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// attention_tiles against the definition: both tiles, sizes around their edges, keys as rows and as
// columns, heads in front of rows and inside, masks that leave nothing, infinities, counted
// extents, operands of any alignment, stores of neighbours, empty extents.
#include "factors.h"

#include "cameo/cuda/attention_tiles.h"

#include <limits>

namespace cameo::test {
namespace {

template <int DEPTH, int SIZE, bool TRANS_K, class EXTENT = int64_t> struct attention_params {
  static constexpr int batch_rank = 2;
  static constexpr bool trans_k = TRANS_K;
  static constexpr int64_t depth = DEPTH, size = SIZE;
  EXTENT queries, keys;
  int64_t batch[2], q_batch_stride[2], k_batch_stride[2], v_batch_stride[2];
  int64_t q_stride, k_stride, v_stride;
  CAMEO_DEVICE void load_counts() { cameo::load_counts(queries, keys); }
};

/// Scales and masks: query i sees the keys up to i + `ahead`.
struct causal_score {
  int64_t ahead;
  CAMEO_DEVICE float operator()(const index<4> &i, float v) const {
    return i[3] <= i[2] + ahead ? v * 0.5f : -INFINITY;
  }
};
constexpr int64_t sees_all = 1 << 20;

/// How operands lie: heads in front of rows, rows in front of heads, keys as columns.
enum class order { heads, rows, columns };

struct sizes {
  int64_t batches, heads, queries, keys;
  int64_t all() const { return batches * heads; }
};

template <class E, int DEPTH, int SIZE> struct problem {
  sizes s;
  int64_t ahead = sees_all;
  std::vector<E> q, k, v; // heads in front of rows

  problem(const sizes &s, int64_t ahead) : s(s), ahead(ahead) {
    random_values random(static_cast<uint64_t>(s.queries * 31 + s.keys * 7 + DEPTH));
    q = random.vector<E>(s.all() * s.queries * DEPTH);
    k = random.vector<E>(s.all() * s.keys * DEPTH);
    v = random.vector<E>(s.all() * s.keys * SIZE);
  }

  std::vector<double> expected() const {
    std::vector<double> y;
    std::vector<double> weights(static_cast<size_t>(s.keys));
    for (int64_t head = 0; head < s.all(); ++head)
      for (int64_t i = 0; i < s.queries; ++i) {
        const double total = weigh(head, i, weights);
        for (int64_t c = 0; c < SIZE; ++c) {
          double sum = 0;
          for (int64_t j = 0; j < s.keys; ++j)
            sum += weights[static_cast<size_t>(j)] / total * at(v, (head * s.keys + j) * SIZE + c);
          y.push_back(sum);
        }
      }
    return y;
  }

  template <class EXTENT = int64_t>
  attention_params<DEPTH, SIZE, true, EXTENT> params(bool heads_first, EXTENT queries,
                                                     EXTENT keys) const {
    auto rows = [&](int64_t count, int64_t row) { return heads_first ? count * row : row; };
    const int64_t q_head = rows(s.queries, DEPTH), k_head = rows(s.keys, DEPTH),
                  v_head = rows(s.keys, SIZE), apart = heads_first ? 1 : s.heads;
    return {queries,
            keys,
            {s.batches, s.heads},
            {s.heads * s.queries * DEPTH, q_head},
            {s.heads * s.keys * DEPTH, k_head},
            {s.heads * s.keys * SIZE, v_head},
            apart * DEPTH,
            apart * DEPTH,
            apart * SIZE};
  }
  attention_params<DEPTH, SIZE, false> params_by_columns() const {
    const auto p = params(true, s.queries, s.keys);
    attention_params<DEPTH, SIZE, false> by_columns{};
    memcpy(&by_columns, &p, sizeof(p));
    by_columns.k_stride = s.keys;
    return by_columns;
  }

  /// x[batches][heads][rows][columns] with the axes of heads and of rows exchanged, or of rows and
  /// of columns.
  std::vector<E> arrange(const std::vector<E> &x, int64_t rows, int64_t columns, order to) const {
    std::vector<E> y(x.size());
    for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
      const int64_t c = i % columns, r = i / columns % rows, head = i / columns / rows;
      const int64_t b = head / s.heads, h = head % s.heads;
      int64_t at = i;
      if (to == order::rows)
        at = ((b * rows + r) * s.heads + h) * columns + c;
      else if (to == order::columns)
        at = (head * columns + c) * rows + r;
      y[static_cast<size_t>(at)] = x[static_cast<size_t>(i)];
    }
    return y;
  }

private:
  static double at(const std::vector<E> &x, int64_t i) {
    return cast<float>(x[static_cast<size_t>(i)]);
  }
  double weigh(int64_t head, int64_t i, std::vector<double> &weights) const {
    double greatest = -INFINITY, total = 0;
    for (int64_t j = 0; j < s.keys; ++j) {
      double score = 0;
      for (int64_t d = 0; d < DEPTH; ++d)
        score += at(q, (head * s.queries + i) * DEPTH + d) * at(k, (head * s.keys + j) * DEPTH + d);
      score = j <= i + ahead ? score * 0.5 : -INFINITY;
      weights[static_cast<size_t>(j)] = score;
      greatest = score != score || score > greatest ? score : greatest;
    }
    for (double &weight : weights)
      total += weight = std::exp(weight - greatest);
    return total;
  }
};

/// By `run(e, q, k, v, store)`, of operands that begin `skip` elements behind what is aligned.
template <class E, class F>
std::vector<float> compute(const std::vector<E> &q, const std::vector<E> &k,
                           const std::vector<E> &v, const index<4> &results, int64_t skip,
                           const F &run) {
  auto behind = [=](const std::vector<E> &values) {
    std::vector<E> all(static_cast<size_t>(skip), cast<E>(INFINITY));
    all.insert(all.end(), values.begin(), values.end());
    return all;
  };
  machine mach;
  array<E> x(mach, behind(q)), y(mach, behind(k)), z(mach, behind(v));
  array<float> out(mach, volume(results));
  mach.run([&](target::exec &e) {
    run(e, static_cast<const E *>(x.data()) + skip, static_cast<const E *>(y.data()) + skip,
        static_cast<const E *>(z.data()) + skip, dense_store<float, 4>{out, results});
  });
  return out.values();
}

template <factor_type FACTORS = factor_type::parts, class E, int DEPTH, int SIZE>
std::vector<float> run(const problem<E, DEPTH, SIZE> &of, order lie, int64_t skip = 0) {
  const sizes &s = of.s;
  const index<4> results = {{s.batches, s.heads, s.queries, SIZE}};
  auto attend = [&](const auto &p) {
    return compute<E>(of.arrange(of.q, s.queries, DEPTH, lie == order::rows ? lie : order::heads),
                      of.arrange(of.k, s.keys, DEPTH, lie),
                      of.arrange(of.v, s.keys, SIZE, lie == order::rows ? lie : order::heads),
                      results, skip, [&](auto &e, auto *q, auto *k, auto *v, const auto &store) {
                        using params = with_factors<std::decay_t<decltype(p)>, FACTORS>;
                        target::attention_tiles(e, params(p), q, k, v, causal_score{of.ahead},
                                                store);
                      });
  };
  return lie == order::columns ? attend(of.params_by_columns())
                               : attend(of.params(lie == order::heads, s.queries, s.keys));
}

/// Weights are rounded to E before they are multiplied; of floats, exponentials are to 2^-22.
template <class E>
constexpr double tolerance_of = std::is_same_v<E, half>       ? 6e-4
                                : std::is_same_v<E, bfloat16> ? 4e-3
                                                              : 2e-6;

template <class E, int DEPTH, int SIZE> void check(const sizes &s, int64_t ahead = sees_all) {
  INFO("queries " << s.queries << " keys " << s.keys << " depth " << DEPTH << " size " << SIZE
                  << " ahead " << ahead);
  const problem<E, DEPTH, SIZE> of(s, ahead);
  const std::vector<double> want = of.expected();
  const std::vector<float> got = run(of, order::heads);
  CHECK(worst_error(got, want) <= tolerance_of<E>);
  auto is_same = [&](const std::vector<float> &other) {
    return std::equal(got.begin(), got.end(), other.begin(), other.end(), same<float>);
  };
  CHECK(is_same(run(of, order::rows)));
  CHECK(is_same(run(of, order::heads, 1)));
  if (s.keys % 8 == 0)
    CHECK(is_same(run(of, order::columns)));
}

template <class E> void check_edges() {
  for (int64_t queries : {1, 16, 17})
    for (int64_t keys : {1, 8, 63, 64, 65, 200})
      check<E, 64, 64>({1, 2, queries, keys});
  check<E, 128, 128>({1, 2, 20, 72});
  check<E, 32, 32>({2, 1, 18, 40});
  check<E, 80, 40>({1, 1, 33, 48});
  check<E, 8, 128>({1, 1, 5, 130});
  check<E, 128, 8>({1, 1, 5, 128});
}
TEST_CASE("attention on half at tiles' edges") { check_edges<half>(); }
TEST_CASE("attention on bfloat16 at tiles' edges") { check_edges<bfloat16>(); }
TEST_CASE("attention on float at tiles' edges") { check_edges<float>(); }

/// Rounded floats: beside the definition of rounded operands only weights are rounded.
template <factor_type FACTORS, int DEPTH, int SIZE>
void check_rounded(const sizes &s, int64_t ahead = sees_all) {
  INFO("queries " << s.queries << " keys " << s.keys << " depth " << DEPTH << " size " << SIZE);
  const problem<float, DEPTH, SIZE> of(s, ahead);
  problem<float, DEPTH, SIZE> rounding = of;
  for (std::vector<float> *operand : {&rounding.q, &rounding.k, &rounding.v})
    *operand = rounded<FACTORS>(*operand);
  const std::vector<float> got = run<FACTORS>(of, order::heads);
  CHECK(worst_error(got, rounding.expected()) <= 1.25 * rounding_of<FACTORS>);
  CHECK(worst_error(got, of.expected()) > rounding_of<FACTORS> / 32); // they are rounded
  auto is_same = [&](const std::vector<float> &other) {
    return std::equal(got.begin(), got.end(), other.begin(), other.end(), same<float>);
  };
  CHECK(is_same(run<FACTORS>(of, order::rows)));
  CHECK(is_same(run<FACTORS>(of, order::heads, 1)));
  if (s.keys % 8 == 0)
    CHECK(is_same(run<FACTORS>(of, order::columns)));
}
template <factor_type FACTORS> void check_all_rounded() {
  for (int64_t queries : {1, 17})
    for (int64_t keys : {8, 63, 65, 200})
      check_rounded<FACTORS, 64, 64>({1, 2, queries, keys});
  check_rounded<FACTORS, 128, 128>({1, 2, 20, 72});
  check_rounded<FACTORS, 80, 40>({1, 1, 33, 48}, 3);
  check_rounded<FACTORS, 8, 128>({1, 1, 5, 130});
  check_rounded<FACTORS, 24, 8>({1, 1, 5, 128});
  check_rounded<FACTORS, 16, 16>({2, 64, 17, 8}); // many queries
}
TEST_CASE("attention on floats rounded to tf32") { check_all_rounded<factor_type::tf32>(); }
TEST_CASE("attention on floats rounded to bf16") { check_all_rounded<factor_type::bf16>(); }
TEST_CASE("attention on floats rounded to fp16") { check_all_rounded<factor_type::fp16>(); }

template <class E, int DEPTH, int SIZE> void check_many(const sizes &s, int64_t ahead = sees_all) {
  const problem<E, DEPTH, SIZE> of(s, ahead);
  const auto p = of.params(true, s.queries, s.keys);
  using tile = target::many_queries_tile<E, std::decay_t<decltype(p)>>;
  const std::vector<float> got =
      compute<E>(of.q, of.k, of.v, {{s.batches, s.heads, s.queries, SIZE}}, 0,
                 [&](auto &e, auto *q, auto *k, auto *v, const auto &store) {
                   using call = target::attention_call<std::decay_t<decltype(p)>, E, causal_score,
                                                       std::decay_t<decltype(store)>>;
                   target::launch_attention<tile>(e, call{p, q, k, v, causal_score{ahead}, store});
                 });
  CHECK(worst_error(got, of.expected()) <= tolerance_of<E>);
}
TEST_CASE("attention of many queries") {
  check_many<half, 64, 64>({1, 2, 70, 136});
  check_many<half, 128, 128>({1, 1, 64, 72});
  check_many<bfloat16, 40, 80>({2, 1, 65, 64}, 3);
  check_many<float, 64, 64>({1, 1, 66, 70}, 0);
  check_many<float, 128, 128>({1, 1, 17, 33});
  CHECK(target::has_few_queries(12, 128));
  CHECK(!target::has_few_queries(64, 128));
  CHECK(target::has_few_queries(512, 1));
  check<half, 16, 16>({2, 64, 17, 8}); // chosen for so many heads
}

TEST_CASE("attention of queries that see some keys, and none") {
  for (int64_t ahead : {0, 3, -3, -40}) {
    check<half, 64, 64>({1, 2, 20, 136}, ahead);
    check<float, 64, 64>({1, 2, 20, 136}, ahead);
  }
}

TEST_CASE("attention with empty extents") {
  check<half, 64, 64>({1, 2, 0, 8});
  check<half, 64, 64>({0, 2, 5, 8});
  const problem<float, 64, 64> none({1, 2, 3, 0}, sees_all);
  for (float value : run(none, order::heads))
    CHECK(value == 0);
}

/// Infinite and not a number where the definition is.
template <class E, factor_type FACTORS = factor_type::parts> void check_special(float largest) {
  constexpr bool is_rounded = FACTORS != factor_type::parts;
  // Rounded factors leave a score, a sum of 16 products, off by some roundings, a weight by as
  // much, and what it is multiplied by by one more.
  constexpr double tolerance = is_rounded ? 16 * rounding_of<FACTORS> : 2 * tolerance_of<E>;
  problem<E, 16, 16> of({1, 1, 20, 40}, 30);
  const float infinity = std::numeric_limits<float>::infinity();
  of.q[3 * 16 + 5] = cast<E>(infinity);
  of.q[5 * 16 + 2] = cast<E>(std::numeric_limits<float>::quiet_NaN());
  of.v[7 * 16 + 1] = cast<E>(infinity);
  of.v[8 * 16 + 2] = cast<E>(-infinity), of.v[9 * 16 + 2] = cast<E>(infinity);
  of.v[11 * 16 + 3] = cast<E>(std::numeric_limits<float>::quiet_NaN());
  for (int64_t i = 0; i < 40; ++i)
    of.v[static_cast<size_t>(i * 16 + 4)] = cast<E>(largest);
  of.v[39 * 16 + 5] = cast<E>(infinity); // which the first queries do not see
  const std::vector<float> got = run<FACTORS>(of, order::heads);
  const std::vector<double> want = of.expected();
  for (size_t i = 0; i < got.size(); ++i) {
    const float wanted = static_cast<float>(want[i]);
    INFO("query " << i / 16 << " column " << i % 16 << " got " << got[i] << " want " << want[i]);
    if (wanted - wanted == 0)
      CHECK(std::fabs(got[i] - wanted) <= tolerance * std::max(1.0f, std::fabs(wanted)));
    else
      CHECK((wanted != wanted ? got[i] != got[i] : got[i] == wanted));
  }
}
TEST_CASE("attention on infinities and NaN") {
  check_special<half>(65504.0f);
  check_special<bfloat16>(1e38f);
  check_special<float>(3e38f);
  check_special<float, factor_type::tf32>(3e38f);
  check_special<float, factor_type::bf16>(3e38f);
  check_special<float, factor_type::fp16>(65521.0f); // too large for the type
}

TEST_CASE("attention of counted extents") {
  for (int64_t queries : {0, 1, 33})
    for (int64_t keys : {0, 9, 100}) {
      const problem<half, 32, 32> of({1, 2, queries, keys}, sees_all);
      const index<4> results = {{1, 2, queries, 32}};
      machine mach;
      array<int64_t> counts(mach, std::vector<int64_t>{queries, keys});
      array<half> q(mach, of.q), k(mach, of.k), v(mach, of.v);
      array<float> out(mach, volume(results));
      const auto p = of.params<counted_extent>(true, counted(counts.data(), queries + 9),
                                               counted(counts.data() + 1, keys + 200));
      mach.run([&](target::exec &e) {
        target::attention_tiles(e, p, static_cast<const half *>(q.data()),
                                static_cast<const half *>(k.data()),
                                static_cast<const half *>(v.data()), causal_score{sees_all},
                                dense_store<float, 4>{out, results});
      });
      CHECK(out.values() == run(of, order::heads));
    }
}

/// A store of neighbours, rows of SIZE.
struct wide_results {
  float *y;
  index<4> extents;
  static constexpr int widest = 4;
  CAMEO_DEVICE bool is_aligned() const { return cuda::are_aligned(y); }
  CAMEO_DEVICE void operator()(const index<4> &i, float v) const { y[flatten(i, extents)] = v; }
  template <int N>
  CAMEO_DEVICE_ONLY void wide(const index<4> &i, const cuda::neighbours<float, N> &v) const {
    cuda::store_wide<N>(y + flatten(i, extents), v);
  }
};
TEST_CASE("attention stored by neighbours") {
  const problem<half, 64, 40> of({1, 2, 18, 24}, sees_all);
  const auto got = compute<half>(
      of.q, of.k, of.v, {{1, 2, 18, 40}}, 0,
      [&](auto &e, auto *q, auto *k, auto *v, const auto &store) {
        target::attention_tiles(e, of.params<int64_t>(true, 18, 24), q, k, v,
                                causal_score{sees_all}, wide_results{store.data, {{1, 2, 18, 40}}});
      });
  CHECK(got == run(of, order::heads));
}

} // namespace
} // namespace cameo::test
