// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// attention: the same bits as gemm, softmax and gemm for any number of threads, keys as rows and as
// columns, operands with strides, sizes around the edges of tiles; masks that leave nothing; empty
// extents.
#include "machine.h"
#include "rows.h"

#include <cameo/cpu/attention.h>

namespace cameo::test {
namespace {

template <bool TRANS_K> struct attention_params {
  static constexpr int batch_rank = 2;
  static constexpr bool trans_k = TRANS_K;
  int64_t queries, keys, depth, size;
  int64_t batch[2], q_batch_stride[2], k_batch_stride[2], v_batch_stride[2];
  int64_t q_stride, k_stride, v_stride;
};
template <bool TRANS_B> struct product_params {
  static constexpr int batch_rank = 2;
  static constexpr bool trans_a = false, trans_b = TRANS_B;
  int64_t m, n, k;
  int64_t batch[2], a_batch_stride[2], b_batch_stride[2];
};

/// Scales and masks: query i sees the keys up to i + `ahead`.
template <class A> struct causal_score {
  A scale;
  int64_t ahead;
  CAMEO_DEVICE A operator()(const index<4> &i, A v) const {
    return i[3] <= i[2] + ahead ? mul(v, scale) : static_cast<A>(-INFINITY);
  }
};
/// Rounds to T.
template <class T> struct rounded_weight {
  CAMEO_DEVICE T operator()(const index<4> &, accumulator_t<T> v) const { return cast<T>(v); }
};
template <class SCORE, class A> struct score_store {
  SCORE score;
  A *y;
  index<4> extents;
  CAMEO_DEVICE void operator()(const index<4> &i, A v) const {
    y[flatten(i, extents)] = score(i, v);
  }
};
template <class T> struct weight_store {
  T *y;
  index<4> extents;
  CAMEO_DEVICE void operator()(const index<4> &i, accumulator_t<T> v) const {
    y[flatten(i, extents)] = cast<T>(v);
  }
};

struct sizes {
  int64_t queries, keys, depth, size;
};
constexpr int64_t batches = 2, heads = 3;

/// By gemm, softmax and gemm, of q[2][3][queries][depth], k[2][3][keys][depth] or, not TRANS_K,
/// [depth][keys], and v[2][3][keys][size].
template <bool TRANS_K, class T>
std::vector<accumulator_t<T>> in_steps(const sizes &s, const std::vector<T> &q,
                                       const std::vector<T> &k, const std::vector<T> &v,
                                       int64_t ahead) {
  using A = accumulator_t<T>;
  const int64_t all = batches * heads;
  const index<4> scores = {{batches, heads, s.queries, s.keys}};
  const index<4> results = {{batches, heads, s.queries, s.size}};
  machine mach;
  array<T> x(mach, q), y(mach, k), z(mach, v), w(mach, all * s.queries * s.keys);
  array<A> products(mach, all * s.queries * s.keys), out(mach, all * s.queries * s.size);
  mach.run([&](exec &e) {
    const score_store<causal_score<A>, A> store = {{A(0.125), ahead}, products, scores};
    const int64_t q_each = s.queries * s.depth, k_each = s.keys * s.depth,
                  w_each = s.queries * s.keys, v_each = s.keys * s.size;
    const product_params<TRANS_K> first = {s.queries,
                                           s.keys,
                                           s.depth,
                                           {batches, heads},
                                           {heads * q_each, q_each},
                                           {heads * k_each, k_each}};
    gemm(e, first, x.data(), y.data(), store);
    softmax<false>(e, make_rows(index<3>{{batches, heads, s.queries}}, index<1>{{s.keys}}),
                   dense_load<A, 4>{products, scores}, weight_store<T>{w, scores});
    const product_params<false> second = {s.queries,
                                          s.size,
                                          s.keys,
                                          {batches, heads},
                                          {heads * w_each, w_each},
                                          {heads * v_each, v_each}};
    gemm(e, second, w.data(), z.data(), dense_store<A, 4>{out, results});
  });
  return out.values();
}

/// x[2][3][rows][columns] with the axes of heads and of rows exchanged.
template <class T>
std::vector<T> heads_inside(const std::vector<T> &x, int64_t rows, int64_t columns) {
  std::vector<T> y(x.size());
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          y[static_cast<size_t>(((b * rows + i) * heads + h) * columns + j)] =
              x[static_cast<size_t>(((b * heads + h) * rows + i) * columns + j)];
  return y;
}

template <class T, class P>
void run(const P &p, const sizes &s, const std::vector<T> &q, const std::vector<T> &k,
         const std::vector<T> &v, int64_t ahead, const std::vector<accumulator_t<T>> &want) {
  using A = accumulator_t<T>;
  INFO("queries " << s.queries << " keys " << s.keys << " depth " << s.depth << " size " << s.size);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> x(mach, q), y(mach, k), z(mach, v);
    array<A> out(mach, batches * heads * s.queries * s.size);
    mach.run([&](exec &e) {
      attention(e, p, x.data(), y.data(), z.data(), causal_score<A>{A(0.125), ahead},
                rounded_weight<T>{},
                dense_store<A, 4>{out, index<4>{{batches, heads, s.queries, s.size}}});
    });
    const std::vector<A> got = out.values();
    CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end(), same<A>));
  }
}

template <class T> void check(const sizes &s, int64_t ahead = 1000) {
  random_values random(static_cast<uint64_t>(s.queries * 31 + s.keys * 7 + s.size));
  const int64_t all = batches * heads, q_each = s.queries * s.depth, k_each = s.keys * s.depth,
                v_each = s.keys * s.size;
  const std::vector<T> q = random.vector<T>(all * q_each), k = random.vector<T>(all * k_each),
                       v = random.vector<T>(all * v_each);
  const auto want = in_steps<true>(s, q, k, v, ahead);
  // Heads in front of rows.
  run(attention_params<true>{s.queries,
                             s.keys,
                             s.depth,
                             s.size,
                             {batches, heads},
                             {heads * q_each, q_each},
                             {heads * k_each, k_each},
                             {heads * v_each, v_each},
                             s.depth,
                             s.depth,
                             s.size},
      s, q, k, v, ahead, want);
  // Rows in front of heads.
  run(attention_params<true>{s.queries,
                             s.keys,
                             s.depth,
                             s.size,
                             {batches, heads},
                             {heads * q_each, s.depth},
                             {heads * k_each, s.depth},
                             {heads * v_each, s.size},
                             heads * s.depth,
                             heads * s.depth,
                             heads * s.size},
      s, heads_inside(q, s.queries, s.depth), heads_inside(k, s.keys, s.depth),
      heads_inside(v, s.keys, s.size), ahead, want);
  // Keys as columns.
  run(attention_params<false>{s.queries,
                              s.keys,
                              s.depth,
                              s.size,
                              {batches, heads},
                              {heads * q_each, q_each},
                              {heads * k_each, k_each},
                              {heads * v_each, v_each},
                              s.depth,
                              s.keys,
                              s.size},
      s, q, k, v, ahead, in_steps<false>(s, q, k, v, ahead));
}

TEST_CASE("attention at tile edges") {
  for (int64_t queries : {5, 13, 14, 15, 29})
    for (int64_t keys : {1, 16, 33, 64})
      check<float>({queries, keys, 19, 35});
  check<float>({30, 2100, 16, 16}); // rows longer than softmax's buffer
}

TEST_CASE("attention in other types") {
  check<double>({9, 20, 17, 33});
  check<half>({9, 20, 17, 33});
  check<bfloat16>({9, 40, 32, 16});
}

TEST_CASE("attention of queries that see some keys, and none") {
  check<float>({20, 20, 8, 8}, 0);
  check<float>({20, 20, 8, 8}, -3);
}

TEST_CASE("attention with empty extents") {
  check<float>({5, 0, 4, 4});
  check<float>({5, 6, 0, 4});
  check<float>({5, 6, 4, 0});
  check<float>({0, 6, 4, 4});
}

} // namespace
} // namespace cameo::test
