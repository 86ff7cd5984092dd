// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// attention_tiles: attention on the tensor core, in one launch. A block has some queries of a head;
// keys and values come through shared memory, some keys a step, the next ones while these are
// multiplied. Weights are relative to the greatest score so far: where a step has a greater one,
// what was summed before is scaled to it. Slices of a block have keys of their own and are added up
// at the end.
#pragma once

#include "cameo/cuda/gemm_tiles.h"
#include "cameo/cuda/softmax.h"

namespace cameo::cuda {

constexpr int fragment_rows = 16, fragment_columns = 8;

/// Elements that lines of an operand take in shared memory: whole lines of banks, a power of two.
template <class E> constexpr int padded_line(int elements) {
  int line = line_bytes / static_cast<int>(sizeof(E));
  while (line < elements)
    line *= 2;
  return line;
}

template <int MOST> CAMEO_DEVICE_ONLY int at_most(int64_t count) {
  return count < MOST ? static_cast<int>(count) : MOST;
}

/// How a block is cut: WARPS that have 16 queries each, in SLICES that have WARP_KEYS keys of a
/// step each. Shared memory has the queries, then two steps of keys and values.
template <class E, factor_type FACTORS, bool TRANS_K, int DEPTH, int SIZE, int WARPS, int SLICES,
          int WARP_KEYS>
struct attention_tile {
  using element = E;
  using factors = tensor_factors<E, FACTORS>;
  template <int COLUMNS> using products = tensor_products<E, FACTORS, 1, COLUMNS>;
  static constexpr bool trans_k = TRANS_K;
  static constexpr int depth = DEPTH, size = SIZE, slices = SLICES, warp_keys = WARP_KEYS;
  static constexpr int rows = WARPS * fragment_rows, keys = SLICES * WARP_KEYS;
  static constexpr int warps = WARPS, threads = WARPS * SLICES * warp_threads;
  static constexpr int element_bytes = static_cast<int>(sizeof(E));
  static constexpr int line = line_bytes / element_bytes; // elements of k that a line of banks has
  static constexpr int depth_lines = (DEPTH + line - 1) / line;
  /// Two chunks, of k and of what is a row of the result.
  static constexpr int chunk_pair = 2 * chunk_bytes / element_bytes;
  static constexpr int at_once = factors::pairs * chunk_pair;
  static constexpr int depth_pairs = (DEPTH + at_once - 1) / at_once * factors::pairs;
  static_assert(WARP_KEYS % at_once == 0);
  static constexpr int columns = (SIZE + fragment_rows - 1) / fragment_rows * fragment_rows;

  using q_lines = shared_lines<E, rows, true>;
  using k_lines = shared_lines<E, keys, TRANS_K>;
  using v_lines = shared_lines<E, padded_line<E>(SIZE), false>;
  static constexpr int q_bytes = rows * line_bytes * depth_lines;
  static constexpr int k_rows = TRANS_K ? keys : depth_pairs * chunk_pair;
  static constexpr int k_bytes =
      TRANS_K ? keys * line_bytes * depth_lines : k_rows * keys * element_bytes;
  static constexpr int v_bytes = keys * v_lines::row_elements * element_bytes;
  static constexpr int stage_bytes = k_bytes + v_bytes;
  static constexpr int stages_bytes = q_bytes + 2 * stage_bytes;

  /// At the end, the sums of each slice, which lie apart so that threads store to different banks.
  static constexpr int pitch = padded_line<float>(columns) + fragment_columns;
  static constexpr int sums_bytes = SLICES * rows * pitch * static_cast<int>(sizeof(float));
  static constexpr int stats_bytes = SLICES * rows * 2 * static_cast<int>(sizeof(float));
  static constexpr size_t shared_bytes = static_cast<size_t>(
      stages_bytes > sums_bytes + stats_bytes ? stages_bytes : sums_bytes + stats_bytes);
};

template <class P, class E, class SCORE, class STORE> struct attention_call {
  static constexpr int R = P::batch_rank;
  using element = E;
  P p;
  const E *q, *k, *v;
  SCORE score;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, score, store); }
};

/// Begins copies of ROWS rows of a matrix, of which `rows` by `columns` exist; the rest becomes 0.
template <class SHARED, int ROWS, int THREADS, class E>
CAMEO_DEVICE_ONLY void copy_rows(unsigned char *to, const E *from, int64_t stride, int rows,
                                 int columns) {
  constexpr int at_once = THREADS / SHARED::chunks;
  const int t = static_cast<int>(thread()), first = t / SHARED::chunks;
  const int chunk = t % SHARED::chunks, column = chunk * SHARED::in_chunk;
  const E *const source = hold_global(from + first * stride + column);
  CAMEO_UNROLL
  for (int i = 0; i < (ROWS + at_once - 1) / at_once; ++i) {
    const int row = first + i * at_once;
    if (ROWS % at_once == 0 || row < ROWS)
      copy_async<chunk_bytes>(to + SHARED::offset(row, chunk), source + i * at_once * stride,
                              row < rows && column < columns);
  }
}

/// A warp's sums over the keys of its slice: 16 queries by all columns, and of each query of the
/// thread the greatest score and its part of the sum of weights.
template <class TILE, class CALL> class attention_warp {
  using E = typename TILE::element;
  using P = decltype(CALL::p);
  static constexpr int R = CALL::R;
  static constexpr bool is_float = std::is_same_v<E, float>;
  static constexpr bool is_split = TILE::factors::are_split;
  static constexpr int J = TILE::warp_keys / fragment_columns;
  static constexpr int C = TILE::columns / fragment_columns;
  using scores = float[1][J][4];
  using sums = float[1][array_size(C)][4];

public:
  CAMEO_DEVICE_ONLY attention_warp(const CALL &call, const index<R> &head, int64_t row0)
      : call_(call), head_(head), down_(static_cast<int>(warp()) % TILE::warps * fragment_rows),
        slice_(static_cast<int>(warp()) / TILE::warps),
        row_(row0 + down_ + static_cast<int>(lane()) / 4), q_(down_), k_(slice_ * TILE::warp_keys),
        v_(0) {
    q_.hold();
    k_.hold();
    v_.hold();
  }

  /// Adds a step of keys.
  CAMEO_DEVICE_ONLY void add(const unsigned char *queries, const unsigned char *stage,
                             int64_t first) {
    first += slice_ * TILE::warp_keys;
    if (first >= call_.p.keys)
      return;
    scores s = {};
    multiply_keys(s, queries, stage);
    mend(s, first);
    apply_scores(s, first);
    weigh(s);
    add_values(s, stage + TILE::k_bytes);
  }

  /// Makes the sums the slice's part of the result: behind barrier(), all threads.
  CAMEO_DEVICE_ONLY void finish(float *stats) {
    float *const own = stats + 2 * (slice_ * TILE::rows + down_ + static_cast<int>(lane()) / 4);
    CAMEO_UNROLL
    for (int h = 0; h < 2; ++h) {
      total_[h] += shuffle_xor(total_[h], 1);
      total_[h] += shuffle_xor(total_[h], 2);
      if (lane() % 4 == 0)
        store_pack<2>(own + h * 2 * 8, pack<float, 2>{{greatest_[h], total_[h]}});
    }
    barrier();
    CAMEO_UNROLL
    for (int h = 0; h < 2; ++h) {
      const float share = share_of(stats + 2 * (down_ + static_cast<int>(lane()) / 4 + h * 8), h);
      CAMEO_UNROLL
      for (int j = 0; j < C; ++j)
        CAMEO_UNROLL
      for (int r = 0; r < 2; ++r)
        sums_[0][j][h * 2 + r] *= share;
    }
  }
  /// Puts them where all threads read them.
  CAMEO_DEVICE_ONLY void stage(float *sums) const {
    const int l = static_cast<int>(lane());
    float *const own = sums + (slice_ * TILE::rows + down_ + l / 4) * TILE::pitch + l % 4 * 2;
    CAMEO_UNROLL
    for (int j = 0; j < C; ++j)
      CAMEO_UNROLL
    for (int h = 0; h < 2; ++h)
      store_pack<2>(own + h * 8 * TILE::pitch + j * fragment_columns,
                    pack<float, 2>{{sums_[0][j][h * 2], sums_[0][j][h * 2 + 1]}});
  }

private:
  /// The key of a thread's score, from the slice's first one on. Scores of floats are, without a
  /// move, fragments of the second product: their keys are read in that order.
  CAMEO_DEVICE_ONLY static int key_of(int j, int r) {
    const int member = static_cast<int>(lane()) % 4;
    return j * fragment_columns + (is_float ? member + r % 2 * 4 : member * 2 + r % 2);
  }

  CAMEO_DEVICE_ONLY void multiply_keys(scores &s, const unsigned char *queries,
                                       const unsigned char *keys) const {
    constexpr int pairs_in_line = line_chunks / 2;
    typename TILE::template products<J> products;
    CAMEO_UNROLL
    for (int first = 0; first < TILE::depth_pairs; first += pairs_in_line) {
      // The tensor core cuts sums off where float rounds them: those of floats grow in float.
      scores part = {};
      CAMEO_UNROLL
      for (int pair = 0; pair < pairs_in_line; ++pair) {
        if (first + pair >= TILE::depth_pairs)
          break;
        const int line = first / pairs_in_line;
        tensor_fragments<1, J> of;
        q_.load(of.left[0], queries + line * TILE::rows * line_bytes, 0, pair);
        CAMEO_UNROLL
        for (int j = 0; j < J / 2; ++j)
          if constexpr (TILE::trans_k)
            k_.load(of.right[j], keys + line * TILE::keys * line_bytes, j, pair);
          else
            k_.load(of.right[j], keys, j, first + pair);
        products.add(is_split ? part : s, of, pair);
      }
      if constexpr (is_split)
        add_sums(s, part);
    }
  }

  /// Scores by a chain where parts of infinities or of the largest floats are no numbers.
  CAMEO_DEVICE_ONLY void mend(scores &s, int64_t first) const {
    if constexpr (is_float) {
      unsigned bad = 0;
      CAMEO_UNROLL
      for (int i = 0; i < J * 4; ++i)
        bad |= static_cast<unsigned>(!(s[0][i / 4][i % 4] - s[0][i / 4][i % 4] == 0)) << i;
      if (bad == 0)
        return;
      CAMEO_LOOP
      for (int i = 0; i < J * 4; ++i) {
        const int64_t row = row_ + i % 4 / 2 * 8, key = first + key_of(i / 4, i % 4);
        if ((bad >> i & 1) == 0 || row >= call_.p.queries || key >= call_.p.keys)
          continue;
        const float score = score_chain(call_, head_, row, key);
        CAMEO_UNROLL
        for (int other = 0; other < J * 4; ++other) // no register is indexed
          s[0][other / 4][other % 4] = other == i ? score : s[0][other / 4][other % 4];
      }
    } else {
      (void)s, (void)first;
    }
  }

  CAMEO_DEVICE_ONLY void apply_scores(scores &s, int64_t first) const {
    const int keys = hold(at_most<TILE::warp_keys>(call_.p.keys - first) - key_of(0, 0));
    const bool exists[2] = {row_ < call_.p.queries, row_ + 8 < call_.p.queries};
    CAMEO_UNROLL
    for (int j = 0; j < J; ++j)
      CAMEO_UNROLL
    for (int r = 0; r < 4; ++r) {
      const index<2> at = {{row_ + r / 2 * 8, first + key_of(j, r)}};
      s[0][j][r] = exists[r / 2] && key_of(j, r) - key_of(0, 0) < keys
                       ? cast<float>(call_.score(join(head_, at), s[0][j][r]))
                       : lowest_value<float>();
    }
  }

  /// Scores become weights relative to the greatest one so far, as what is summed already does.
  CAMEO_DEVICE_ONLY void weigh(scores &s) {
    CAMEO_UNROLL
    for (int h = 0; h < 2; ++h) {
      float greatest = greatest_[h];
      CAMEO_UNROLL
      for (int j = 0; j < J; ++j)
        greatest = greater_of(greatest, greater_of(s[0][j][h * 2], s[0][j][h * 2 + 1]));
      greatest = greater_of(greatest, shuffle_xor(greatest, 1));
      greatest = greater_of(greatest, shuffle_xor(greatest, 2));
      const float base = base_of(greatest), scale = exp_down<E>(greatest_[h] - base);
      greatest_[h] = greatest;
      float total = 0;
      CAMEO_UNROLL
      for (int j = 0; j < J; ++j)
        CAMEO_UNROLL
      for (int r = 0; r < 2; ++r) {
        float &weight = s[0][j][h * 2 + r];
        weight = exp_down<E>(weight - base);
        total += weight;
      }
      total_[h] = total_[h] * scale + total;
      CAMEO_UNROLL
      for (int j = 0; j < C; ++j)
        CAMEO_UNROLL
      for (int r = 0; r < 2; ++r)
        sums_[0][j][h * 2 + r] *= scale;
    }
  }

  CAMEO_DEVICE_ONLY void add_values(const scores &weights, const unsigned char *values) {
    constexpr int row_bytes = TILE::v_lines::chunks * chunk_bytes;
    const unsigned char *const own = values + slice_ * TILE::warp_keys * row_bytes;
    typename TILE::template products<C> products;
    sums part = {};
    CAMEO_UNROLL
    for (int pair = 0; pair < TILE::warp_keys / TILE::chunk_pair; ++pair) {
      tensor_fragments<1, C> of;
      load_weights(of.left[0], weights, pair);
      CAMEO_UNROLL
      for (int j = 0; j < C / 2; ++j)
        v_.load(of.right[j], own, j, pair);
      products.add(is_split ? part : sums_, of, pair);
    }
    if constexpr (is_split)
      add_sums(sums_, part);
  }

  template <int N>
  CAMEO_DEVICE_ONLY static void add_sums(float (&to)[1][N][4], const float (&part)[1][N][4]) {
    CAMEO_UNROLL
    for (int j = 0; j < N; ++j)
      CAMEO_UNROLL
    for (int r = 0; r < 4; ++r)
      to[0][j][r] += part[0][j][r];
  }

  /// Two chunks of weights, which a thread has as it needs them.
  CAMEO_DEVICE_ONLY static void load_weights(uint32_t (&left)[4], const scores &weights, int pair) {
    CAMEO_UNROLL
    for (int r = 0; r < 4; ++r)
      if constexpr (is_float)
        left[r] = bit_cast<uint32_t>(weights[0][pair][r % 2 * 2 + r / 2]);
      else
        left[r] =
            bit_cast<uint32_t>(pack<E, 2>{{cast<E>(weights[0][pair * 2 + r / 2][r % 2 * 2]),
                                           cast<E>(weights[0][pair * 2 + r / 2][r % 2 * 2 + 1])}});
  }

  /// The number that scores of a row are relative to, also where no key is seen.
  CAMEO_DEVICE_ONLY static float base_of(float greatest) {
    return greatest == lowest_value<float>() ? 0 : greatest;
  }
  /// By what the sums of a row are multiplied: the weight of the slice's greatest score, by the sum
  /// of weights of all slices, whose stats of the row these are.
  CAMEO_DEVICE_ONLY float share_of(const float *stats, int h) const {
    float greatest[array_size(TILE::slices)], total[array_size(TILE::slices)],
        all = lowest_value<float>();
    CAMEO_UNROLL
    for (int slice = 0; slice < TILE::slices; ++slice) {
      const auto of = load_pack<2>(stats + 2 * slice * TILE::rows);
      greatest[slice] = of.item[0];
      total[slice] = of.item[1];
      all = greater_of(all, greatest[slice]);
    }
    const float base = base_of(all);
    float sum = 0;
    CAMEO_UNROLL
    for (int slice = 0; slice < TILE::slices; ++slice)
      sum += total[slice] * exp_down<E>(greatest[slice] - base);
    return call_.p.keys > 0 ? exp_down<E>(greatest_[h] - base) / sum : 0;
  }

  const CALL &call_;
  const index<R> head_;
  const int down_, slice_;
  const int64_t row_; // the first of the thread's two, 8 apart
  fragment_reader<typename TILE::q_lines, true> q_;
  fragment_reader<typename TILE::k_lines, false, is_float> k_;
  fragment_reader<typename TILE::v_lines, false> v_;
  float greatest_[2] = {lowest_value<float>(), lowest_value<float>()}, total_[2] = {};
  sums sums_ = {};
};

/// Begins copies of a step of keys and values from key `first` on.
template <class TILE, class CALL, class E>
CAMEO_DEVICE_ONLY void begin_keys(unsigned char *stage, const CALL &call, const E *k, const E *v,
                                  int64_t first) {
  using k_lines = typename TILE::k_lines;
  const int64_t k_stride = call.p.k_stride, v_stride = call.p.v_stride;
  const int left = at_most<TILE::keys>(call.p.keys - first);
  if constexpr (TILE::trans_k) {
    CAMEO_UNROLL
    for (int line = 0; line < TILE::depth_lines; ++line)
      copy_rows<k_lines, TILE::keys, TILE::threads>(
          stage + line * TILE::keys * line_bytes, k + first * k_stride + line * TILE::line,
          k_stride, left, TILE::depth - line * TILE::line);
  } else {
    copy_rows<k_lines, TILE::k_rows, TILE::threads>(stage, k + first, k_stride, TILE::depth, left);
  }
  copy_rows<typename TILE::v_lines, TILE::keys, TILE::threads>(
      stage + TILE::k_bytes, v + first * v_stride, v_stride, left, TILE::size);
}

/// All keys for the queries from `row0` on; each step's copies go on while the one before is
/// summed.
template <class TILE, class CALL>
CAMEO_DEVICE_ONLY void sum_keys(attention_warp<TILE, CALL> &sums, const CALL &call,
                                const index<CALL::R> &head, int64_t row0) {
  constexpr int R = CALL::R;
  const int64_t q_stride = call.p.q_stride;
  const auto *q = call.q + batch_offset(head, q_batch_stride_of<R>(call.p)) + row0 * q_stride;
  const auto *k = call.k + batch_offset(head, k_batch_stride_of<R>(call.p));
  const auto *v = call.v + batch_offset(head, v_batch_stride_of<R>(call.p));
  unsigned char *const queries = shared<unsigned char>(), *stage = queries + TILE::q_bytes;
  CAMEO_UNROLL
  for (int line = 0; line < TILE::depth_lines; ++line)
    copy_rows<typename TILE::q_lines, TILE::rows, TILE::threads>(
        queries + line * TILE::rows * line_bytes, q + line * TILE::line, q_stride,
        at_most<TILE::rows>(call.p.queries - row0), TILE::depth - line * TILE::line);
  begin_keys<TILE>(stage, call, k, v, 0);
  copy_async_commit();
  int next = TILE::stage_bytes;
  CAMEO_LOOP
  for (int64_t first = 0; first < call.p.keys; first += TILE::keys) {
    copy_async_wait<0>();
    barrier(); // all have read what the next copies overwrite
    if (first + TILE::keys < call.p.keys)
      begin_keys<TILE>(stage + next, call, k, v, first + TILE::keys);
    copy_async_commit();
    sums.add(queries, stage, first);
    stage += next;
    next = -next;
  }
  copy_async_wait<0>();
}

/// The product of a query and a key by a chain over its elements.
template <class CALL>
CAMEO_DEVICE_ONLY float score_chain(const CALL &call, const index<CALL::R> &head, int64_t row,
                                    int64_t key) {
  constexpr int R = CALL::R;
  using P = decltype(CALL::p);
  const auto *q = call.q + batch_offset(head, q_batch_stride_of<R>(call.p)) + row * call.p.q_stride;
  const auto *k = call.k + batch_offset(head, k_batch_stride_of<R>(call.p));
  const int64_t k_stride = call.p.k_stride, step = P::trans_k ? 1 : k_stride;
  k += key * (P::trans_k ? k_stride : 1);
  float sum = 0;
  CAMEO_LOOP
  for (int64_t d = 0; d < P::depth; ++d)
    sum = multiply_add(cast<float>(q[d]), cast<float>(k[d * step]), sum);
  return sum;
}

/// An element of the result by a chain over keys, of the row's greatest score and sum of weights.
template <class CALL>
CAMEO_DEVICE_ONLY float value_chain(const CALL &call, const index<CALL::R> &head, int64_t row,
                                    int64_t column, float greatest, float total) {
  constexpr int R = CALL::R;
  const int64_t v_stride = call.p.v_stride;
  const auto *v = call.v + batch_offset(head, v_batch_stride_of<R>(call.p)) + column;
  float sum = 0;
  CAMEO_LOOP
  for (int64_t key = 0; key < call.p.keys; ++key) {
    const float score = cast<float>(
        call.score(join(head, index<2>{{row, key}}), score_chain(call, head, row, key)));
    sum = multiply_add(exp(score - greatest) / total, cast<float>(v[key * v_stride]), sum);
  }
  return sum;
}

/// Stores what the slices' parts of a block's rows add up to.
template <class TILE, class CALL> class attention_results {
  using E = typename TILE::element;
  static constexpr int R = CALL::R;

public:
  CAMEO_DEVICE_ONLY attention_results(const CALL &call, const index<R> &head, int64_t row0,
                                      const float *sums, const float *stats)
      : call_(call), head_(head), row0_(row0), sums_(sums), stats_(stats) {}

  CAMEO_DEVICE_ONLY void store() const {
    constexpr int width = epilogue_width<decltype(CALL::store)>;
    if constexpr (width > 1 && TILE::size % width == 0)
      if (is_aligned(call_.store))
        return each<width>([&](int64_t row, int column, const neighbours<float, width> &values) {
          call_.store.template wide<width>(join(head_, index<2>{{row, column}}), values);
        });
    each<1>([&](int64_t row, int column, const neighbours<float, 1> &value) {
      call_.store(join(head_, index<2>{{row, column}}), value.item[0]);
    });
  }

private:
  template <int WIDTH, class F> CAMEO_DEVICE_ONLY void each(const F &f) const {
    constexpr int in_row = TILE::size / WIDTH;
    for (int i = static_cast<int>(thread()); i < TILE::rows * in_row; i += TILE::threads) {
      const int r = i / in_row, column = i % in_row * WIDTH;
      if (row0_ + r >= call_.p.queries)
        return;
      neighbours<float, WIDTH> values = {};
      CAMEO_UNROLL
      for (int slice = 0; slice < TILE::slices; ++slice)
        add(values, sums_ + (slice * TILE::rows + r) * TILE::pitch + column, i / 4 % 2 != 0);
      mend(values, r, column);
      f(row0_ + r, column, values);
    }
  }
  /// A thread reads 32 bytes by halves, the second one first where `is_turned`: four threads of
  /// eight, so that all are in different banks.
  template <int WIDTH>
  CAMEO_DEVICE_ONLY static void add(neighbours<float, WIDTH> &values, const float *from,
                                    bool is_turned) {
    if constexpr (WIDTH == 8) {
      const auto first = load_pack<4>(from + (is_turned ? 4 : 0));
      const auto second = load_pack<4>(from + (is_turned ? 0 : 4));
      CAMEO_UNROLL
      for (int j = 0; j < 4; ++j) {
        values.item[j] += is_turned ? second.item[j] : first.item[j];
        values.item[4 + j] += is_turned ? first.item[j] : second.item[j];
      }
    } else {
      (void)is_turned;
      constexpr int at_once = WIDTH < 4 ? 1 : 4;
      CAMEO_UNROLL
      for (int part = 0; part < WIDTH; part += at_once) {
        const auto more = load_pack<at_once>(from + part);
        CAMEO_UNROLL
        for (int j = 0; j < at_once; ++j)
          values.item[part + j] += more.item[j];
      }
    }
  }
  /// Results by chains where sums before they are divided, or parts of values, are no numbers.
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void mend(neighbours<float, WIDTH> &values, int r, int column) const {
    if constexpr (!std::is_same_v<E, half>) {
      bool is_bad = false;
      CAMEO_UNROLL
      for (int j = 0; j < WIDTH; ++j)
        is_bad |= !(values.item[j] - values.item[j] == 0);
      if (!is_bad)
        return;
      float greatest = lowest_value<float>(), total = 0;
      for (int slice = 0; slice < TILE::slices; ++slice)
        greatest = greater_of(greatest, stats_[2 * (slice * TILE::rows + r)]);
      for (int slice = 0; slice < TILE::slices; ++slice) {
        const float *const of = stats_ + 2 * (slice * TILE::rows + r);
        total += of[1] * exp(of[0] - greatest);
      }
      if (!(total - total == 0))
        return;
      CAMEO_LOOP
      for (int j = 0; j < WIDTH; ++j) {
        const float value = value_chain(call_, head_, row0_ + r, column + j, greatest, total);
        CAMEO_UNROLL
        for (int other = 0; other < WIDTH; ++other) // no register is indexed
          values.item[other] = other == j ? value : values.item[other];
      }
    } else {
      (void)values, (void)r, (void)column;
    }
  }

  const CALL &call_;
  const index<R> head_;
  const int64_t row0_;
  const float *const sums_, *const stats_;
};

template <class TILE, class CALL>
CAMEO_KERNEL_BOUNDS(TILE::threads, 1)
void attention_kernel(CALL call) {
  call.load_counts();
  constexpr int R = CALL::R;
  const index<R> batch = batch_of<R>(call.p);
  const int64_t tiles = (call.p.queries + TILE::rows - 1) / TILE::rows;
  for (int64_t at = block_index().x; at < volume(batch) * tiles; at += grid_extent().x) {
    const index<R> head = unflatten(at / tiles, batch);
    const int64_t row0 = at % tiles * TILE::rows;
    attention_warp<TILE, CALL> part(call, head, row0);
    sum_keys<TILE>(part, call, head, row0);
    barrier();
    float *const sums = shared<float>(), *const stats = shared<float>(TILE::sums_bytes);
    part.finish(stats);
    part.stage(sums);
    barrier();
    attention_results<TILE, CALL>(call, head, row0, sums, stats).store();
    barrier();
  }
}

/// Tiles of many queries, and of so few that slices of the keys have warps of their own.
template <class E, class P>
using many_queries_tile =
    attention_tile<E, factors_v<P>, P::trans_k, static_cast<int>(P::depth),
                   static_cast<int>(P::size), 4, 1, line_bytes / static_cast<int>(sizeof(E))>;
template <class P> constexpr bool has_short_rows = P::depth <= 64 && P::size <= 64;
template <class E, class P>
using few_queries_tile =
    attention_tile<E, factors_v<P>, P::trans_k, static_cast<int>(P::depth),
                   static_cast<int>(P::size), 1, sizeof(E) == 2 || has_short_rows<P> ? 4 : 2,
                   sizeof(E) == 2 && has_short_rows<P> ? 32 : 16>;

/// Whether tiles of many queries are too few to fill a device.
constexpr bool has_few_queries(int64_t heads, int64_t queries) {
  return queries <= fragment_rows || heads * ((queries + 63) / 64) < enough_tiles;
}

/// How many elements lie between the first and the last one of an operand.
template <class P> struct attention_operands {
  static constexpr int R = P::batch_rank;
  const P &p;

  int64_t q() const { return count(p.queries, P::depth, p.q_stride, q_batch_stride_of<R>(p)); }
  int64_t k() const {
    return P::trans_k ? count(p.keys, P::depth, p.k_stride, k_batch_stride_of<R>(p))
                      : count(P::depth, p.keys, p.k_stride, k_batch_stride_of<R>(p));
  }
  int64_t v() const { return count(p.keys, P::size, p.v_stride, v_batch_stride_of<R>(p)); }

private:
  int64_t count(int64_t rows, int64_t row, int64_t stride, const index<R> &batch_stride) const {
    return all_elements(rows > 0 ? (rows - 1) * stride + row : 0, batch_of<R>(p), batch_stride);
  }
};

/// Bytes that attention_tiles takes from e.scratch at most: for operands that are not aligned.
template <class T, class P> int64_t attention_tiles_scratch(const P &p, int) {
  const attention_operands<P> operands{p};
  return (operands.q() + operands.k() + operands.v()) * static_cast<int64_t>(sizeof(T));
}

template <class TILE, class CALL> void launch_attention(exec &e, const CALL &call) {
  const int64_t heads = volume(batch_of<CALL::R>(call.p)), keys = call.p.keys;
  CAMEO_OPERATIONS(2 * heads * call.p.queries * keys * (TILE::depth + TILE::size));
  CAMEO_DEPTH((keys + TILE::keys - 1) / TILE::keys);
  (void)keys;
  e.launch(&attention_kernel<TILE, CALL>,
           grid_for(heads * ((call.p.queries + TILE::rows - 1) / TILE::rows), 1),
           dim3(TILE::threads), TILE::shared_bytes, call);
}

template <class P, class E, class SCORE, class STORE>
void attention_tiles(exec &e, const P &p, const E *q, const E *k, const E *v, SCORE score,
                     STORE store) {
  const int64_t heads = volume(batch_of<P::batch_rank>(p));
  if (heads <= 0 || p.queries <= 0)
    return;
  const attention_operands<P> operands{p};
  q = align(e, q, operands.q());
  k = align(e, k, operands.k());
  v = align(e, v, operands.v());
  const attention_call<P, E, SCORE, STORE> call{p, q, k, v, score, store};
  if constexpr (known_batches<P>() >= 0 && known_queries<P>() >= 0) {
    constexpr bool few = has_few_queries(known_batches<P>(), known_queries<P>());
    launch_attention<std::conditional_t<few, few_queries_tile<E, P>, many_queries_tile<E, P>>>(
        e, call);
  } else if (has_few_queries(heads, p.queries)) {
    launch_attention<few_queries_tile<E, P>>(e, call);
  } else {
    launch_attention<many_queries_tile<E, P>>(e, call);
  }
}

} // namespace cameo::cuda
