// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocked matrix product behind gemm, conv and conv_transpose. They differ in where elements
// come from (a source packs panels of a and of b) and go to (a sink takes runs of finished rows).
//
// Rows are cut into panels of nearly equal height (128 = 13, 13, ..., 12), columns into panels of
// the tile's width, k into blocks. Per group of row blocks: all threads copy rows of a to where
// neighbours do not share cache sets, then each takes column panels of a row block, packs b there
// unless the source can point at it, and runs tiles, each of which is handed to the sink while it
// is in the nearest cache. A block of b stays in the second-level cache while the rows of a stream
// past it; where k has several blocks, sums wait in a buffer, and some column panels take each
// block in turn, so that a block of a is read from there too. Every output is one chain over
// ascending k, so neither blocking nor threads change a result.
#pragma once

#include "cameo/cpu/parallel.h"
#include "cameo/cpu/tile.h"

#include "cameo/common/types.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Rows cut into panels of nearly equal height.
struct row_panels {
  int64_t panels;
  int64_t height, tall; // the first `tall` panels have `height` rows, the others one less

  CAMEO_INLINE int64_t panel_row(int64_t panel) const {
    return panel * height - (panel > tall ? panel - tall : 0);
  }
  CAMEO_INLINE int64_t panel_height(int64_t panel) const {
    return panel < tall ? height : height - 1;
  }
  /// As few panels as rows of a tile allow.
  CAMEO_INLINE void cut(int64_t rows, int64_t most) {
    panels = ceil_div(rows, most);
    height = ceil_div(rows, panels > 0 ? panels : 1);
    tall = rows - panels * (height - 1);
  }
};

/// How a product of `batches` times (m x k) (k x n) is cut. All counts are positive, but k.
struct multiply_plan : row_panels { // of rows, of a batch
  int64_t batches, m, n, k;
  int64_t width;        // of a column panel
  int64_t block_panels; // row panels that share a packed panel of b
  int64_t blocks;       // of row panels, of a batch
  int64_t columns;      // column panels
  int64_t k_block, k_blocks;
  int64_t together;                  // column panels, at the most, that take a block of k in turn
  int64_t a_ld;                      // between the packed rows of a
  int64_t group;                     // (batch, block) pairs whose a is packed at a time
  int64_t a_block, b_panel, c_block; // elements

  /// Where the packed rows of a block of k lie in a panel of that many rows.
  CAMEO_INLINE int64_t packed_rows(int64_t rows, int64_t block) const {
    return rows * block * a_ld;
  }
  int64_t thread_elements() const { return b_panel + together * c_block; }
  int64_t elements(int threads) const { return group * a_block + threads * thread_elements(); }
};

constexpr int64_t cache_budget = 2 << 20;      // bytes of packed a, which streams from any cache
constexpr int64_t k_block_limit = 1536;        // a panel of b is in the second-level cache then
constexpr int64_t together_budget = 256 << 10; // bytes of accumulators of column panels in turn
constexpr int64_t near_right = 512 << 10;      // elements of b that each thread may read

/// Few rows leave registers for a wider panel, which reads b in longer runs.
template <class T> struct tile_limits {
  static constexpr int accumulators = tile_shape::rows * tile_shape::vectors;
  static constexpr int wide_vectors = 2 * tile_shape::vectors;
  static constexpr int wide_rows = accumulators / wide_vectors;
  static constexpr int rows = tile_shape::rows;
  static constexpr int vectors = tile_shape::vectors;
};

/// Blocks of k begin at multiples of `unit`.
template <class T>
CAMEO_INLINE multiply_plan plan_multiply(int64_t batches, int64_t m, int64_t n, int64_t k,
                                         int64_t unit = 1) {
  using limits = tile_limits<T>;
  multiply_plan p{};
  p.batches = batches;
  p.m = m;
  p.n = n;
  p.k = k;
  const int64_t vectors = m <= limits::wide_rows ? limits::wide_vectors : limits::vectors;
  p.width = vectors * vec<T>::lanes;
  p.cut(m, limits::rows);
  p.columns = ceil_div(n, p.width);
  // An operand that is read once is read in its order: a block of k pays only where it is read
  // again.
  const bool reads_once = m <= limits::wide_rows;
  p.k_blocks = reads_once ? 1 : ceil_div(k > 0 ? k : 1, k_block_limit);
  p.k_block = ceil_div(ceil_div(k, p.k_blocks), unit) * unit;
  p.a_ld = (ceil_div(p.k_block, column_block) + 1) * column_block;
  const int64_t panel_elements = p.packed_rows(p.height, p.k_blocks);
  const int64_t panel_bytes = panel_elements * static_cast<int64_t>(sizeof(T));
  const int64_t fitting = cache_budget / panel_bytes;
  p.block_panels = p.panels < 16 ? p.panels : 16;
  if (fitting < p.block_panels)
    p.block_panels = fitting > 1 ? fitting : 1;
  p.blocks = ceil_div(p.panels, p.block_panels);
  p.a_block = p.block_panels * panel_elements;
  p.group = cache_budget / (p.block_panels * panel_bytes);
  if (p.group > batches * p.blocks)
    p.group = batches * p.blocks;
  if (p.group < 1)
    p.group = 1;
  p.b_panel = p.k_block * p.width;
  p.c_block = (p.k_blocks > 1 ? p.block_panels : 1) * p.height * p.width;
  p.together = 1;
  if (p.k_blocks > 1) {
    const int64_t fitting_c = together_budget / (p.c_block * static_cast<int64_t>(sizeof(T)));
    p.together = fitting_c > p.columns ? p.columns : fitting_c > 1 ? fitting_c : 1;
  }
  return p;
}

/// The part of a batch's rows that one task covers: panels [begin, end) of block `block`.
struct row_block {
  int64_t batch, block, begin, end;
};

CAMEO_INLINE row_block row_block_of(const multiply_plan &p, int64_t unit) {
  const int64_t block = unit % p.blocks, begin = block * p.block_panels;
  const int64_t end = begin + p.block_panels;
  return {unit / p.blocks, block, begin, end < p.panels ? end : p.panels};
}

/// Rows of the left operand, `ld` apart.
template <class T> struct left_rows {
  const T *data;
  int64_t ld;
};

/// Whether the rows of a tile that lie so many bytes apart are in enough sets of a first-level
/// cache to be there at once: of 64 lines in 4096 bytes in two, so no more than seven rows in each.
CAMEO_INLINE bool lie_in_many_sets(int64_t bytes) { return bytes % 4096 != 0; }

/// Whether `count` rows that lie so many bytes apart, `length` of each, are in a second-level cache
/// of 1 MB at once, where rows a power of two apart share sets: as many times fewer as it has
/// bytes.
CAMEO_INLINE bool stay_near(int64_t apart, int64_t count, int64_t length) {
  constexpr int64_t line = 64, cache = 1 << 20;
  const int64_t power = apart & -apart;
  return count * ceil_div(length, line) <= cache / (power > line ? power : line);
}

/// Prefetches of the tiles of `count` row panels while they take `steps` steps of a panel: as many
/// of the next one. Each tile asks within one block of columns.
template <class T> class ahead_of_tiles {
public:
  /// `panel` is asked for where nothing is next; so it is by one tile alone, whose panels the
  /// processor foresees.
  CAMEO_INLINE ahead_of_tiles(const panel_rows<T> &next, const panel_rows<T> &panel, int64_t width,
                              int64_t steps, int64_t count)
      : next_(next), none_(panel.data), steps_(steps), width_(count > 1 ? width : 0) {
    for (pace_ = width; pace_ % 2 == 0 && (pace_ / 2) * count >= width;)
      pace_ /= 2;
  }
  CAMEO_INLINE prefetches<T> of(int64_t number) const {
    const int64_t column = number * pace_;
    if (!next_.data || column >= width_)
      return {none_, 0};
    return {next_.data + column / column_block * next_.block + column % column_block * steps_,
            pace_};
  }

private:
  panel_rows<T> next_;
  const T *none_;
  int64_t steps_, width_, pace_;
};

/// Into how many pieces the rows of a block are cut, of each of which a thread has neighbouring
/// column panels: where column panels are too few for the team; and where b `lies` as it is read
/// and is small enough for each thread to read all of it, whose rows are then those that it made
/// itself, and in its own caches.
CAMEO_INLINE int64_t pieces_of(const multiply_plan &p, int threads, int64_t group, bool lies) {
  if (threads == 1)
    return 1;
  const bool is_near = lies && p.n * p.k <= near_right && p.panels >= 2 * threads;
  const int64_t few = ceil_div(2 * threads, group * p.columns);
  const int64_t wanted = is_near && few < threads ? threads : few;
  return wanted < p.block_panels ? wanted : p.block_panels;
}

/// Some neighbouring column panels of a row block: packs b, multiplies, hands the rows of each tile
/// to the sink.
template <class T, class A, class B, class SINK>
CAMEO_INLINE void multiply_panels(const multiply_plan &p, const row_block &rows, span columns,
                                  const A &a, const T *packed_a, T *b_buffer, T *accumulators,
                                  const B &b, const SINK &sink) {
  using limits = tile_limits<T>;
  const int64_t first_row = p.panel_row(rows.begin);
  const bool wide = p.m <= limits::wide_rows;
  // A last panel whose columns are half of one or fewer is multiplied by half a tile.
  const auto pick = [&](int64_t height, int64_t columns) {
    if constexpr (numbers_in<T> == 1 && limits::vectors % 2 == 0)
      if (2 * columns <= p.width)
        return wide ? pick_tile<T, limits::wide_vectors / 2, limits::wide_rows>(height)
                    : pick_tile<T, limits::vectors / 2, limits::rows>(height);
    return wide ? pick_tile<T, limits::wide_vectors, limits::wide_rows>(height)
                : pick_tile<T, limits::vectors, limits::rows>(height);
  };
  const auto width_of = [&](int64_t column) {
    const int64_t left = p.n - column * p.width;
    return left < p.width ? left : p.width;
  };
  for (int64_t block = 0; block < p.k_blocks; ++block)
    for (int64_t column = columns.begin; column < columns.end; ++column) {
      const int64_t k0 = block * p.k_block, steps = p.k - k0 < p.k_block ? p.k - k0 : p.k_block;
      const panel_rows<T> panel =
          b.panel(rows.batch, column * p.width, width_of(column), k0, steps, b_buffer, p.width);
      const bool is_last = column + 1 == columns.end;
      // Whoever has the next panels begins with the first block again.
      const int64_t next = is_last && block + 1 < p.k_blocks ? columns.begin : column + 1;
      const int64_t next_k0 = !is_last ? k0 : block + 1 < p.k_blocks ? k0 + p.k_block : 0;
      const ahead_of_tiles<T> ahead(b.ahead(next * p.width, next_k0), panel, p.width, steps,
                                    rows.end - rows.begin);
      T *const c = accumulators + (column - columns.begin) * p.c_block;
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        const int64_t height = p.panel_height(r), row = p.panel_row(r) - first_row;
        left_rows<T> left = a.rows(rows.batch, p.panel_row(r), k0);
        if (left.data == nullptr)
          left = {packed_a + p.packed_rows(row, p.k_blocks) + p.packed_rows(height, block), p.a_ld};
        T *const tile = c + (p.k_blocks > 1 ? row * p.width : 0);
        pick(height, width_of(column))(steps, left.data, left.ld, panel, tile, p.width, block > 0,
                                       ahead.of(r - rows.begin));
        if (block + 1 == p.k_blocks)
          for (int64_t i = 0; i < height; ++i)
            sink(rows.batch, first_row + row + i, column * p.width, width_of(column),
                 tile + i * p.width);
      }
    }
}

/// Packs rows of a, `ld` apart: together, where it has a way to.
template <class T, class A>
CAMEO_INLINE auto pack_left(const A &a, int64_t batch, int64_t row, int64_t height, int64_t k0,
                            int64_t steps, T *to, int64_t ld, int)
    -> decltype(a.pack_rows(batch, row, height, k0, steps, to, ld)) {
  a.pack_rows(batch, row, height, k0, steps, to, ld);
}
template <class T, class A>
CAMEO_INLINE void pack_left(const A &a, int64_t batch, int64_t row, int64_t height, int64_t k0,
                            int64_t steps, T *to, int64_t ld, ...) {
  for (int64_t r = 0; r < height; ++r)
    a.pack(batch, row + r, k0, steps, to + r * ld);
}

/// The whole product. A: pack(batch, row, k0, steps, T *to) writes to[step], pack_rows, which may
/// be absent, several rows; rows(batch, row, k0) is where they lie from k0 on, or null for all of
/// them: they are packed. B: panel(batch, column, columns, k0, steps, T *buffer, width) returns
/// panel_rows with at least `width` readable columns, packed in `buffer` (missing columns zero) or
/// in place; ahead(column, k0) is where the columns from there on lie in place, or null, so that
/// they are asked for in time. SINK: (batch, row, column, count, const T *values). `memory` has
/// plan.elements(threads) elements, 64-byte aligned.
template <class T, class A, class B, class SINK>
CAMEO_INLINE void multiply(exec &e, const multiply_plan &p, T *memory, const A &a, const B &b,
                           const SINK &sink) {
  const int64_t units = p.batches * p.blocks;
  T *const packed = memory, *const buffers = memory + p.group * p.a_block;
  for (int64_t first_unit = 0; first_unit < units; first_unit += p.group) {
    const int64_t group = units - first_unit < p.group ? units - first_unit : p.group;
    // A few rows take as long as reading the right operand does.
    const bool worth_it =
        group * p.block_panels * p.height * p.n * (p.k + 8) >= 64 * parallel_threshold ||
        group * p.n * p.k >= 4 * parallel_threshold;
    const bool packs = a.rows(0, 0, 0).data == nullptr;
    e.parallel_if(worth_it && packs, [&](int thread, int threads) {
      const span s = share(packs ? group * p.block_panels : 0, thread, threads);
      for (int64_t i = s.begin; i < s.end; ++i) {
        const int64_t unit = i / p.block_panels;
        const row_block rows = row_block_of(p, first_unit + unit);
        const int64_t panel = rows.begin + i % p.block_panels;
        if (panel >= rows.end)
          continue;
        const int64_t row = p.panel_row(panel), height = p.panel_height(panel);
        T *const to =
            packed + unit * p.a_block + p.packed_rows(row - p.panel_row(rows.begin), p.k_blocks);
        for (int64_t block = 0; block < p.k_blocks; ++block) {
          const int64_t k0 = block * p.k_block, rest = p.k - k0;
          pack_left(a, rows.batch, row, height, k0, rest < p.k_block ? rest : p.k_block,
                    to + p.packed_rows(height, block), p.a_ld, 0);
        }
      }
    });
    e.parallel_if(worth_it, [&](int thread, int threads) {
      T *const b_buffer = buffers + thread * p.thread_elements();
      T *const c = b_buffer + p.b_panel;
      const int64_t pieces = pieces_of(p, threads, group, b.ahead(0, 0).data != nullptr);
      const span s = share(group * pieces * p.columns, thread, threads);
      for (int64_t i = s.begin; i < s.end;) {
        const int64_t column = i % p.columns, piece = i / p.columns % pieces;
        const int64_t unit = i / p.columns / pieces;
        const int64_t room = p.columns - column < p.together ? p.columns - column : p.together;
        const int64_t count = s.end - i < room ? s.end - i : room;
        row_block rows = row_block_of(p, first_unit + unit);
        const span part =
            share(rows.end - rows.begin, static_cast<int>(piece), static_cast<int>(pieces));
        const int64_t offset = p.packed_rows(
            p.panel_row(rows.begin + part.begin) - p.panel_row(rows.begin), p.k_blocks);
        rows.end = rows.begin + part.end;
        rows.begin += part.begin;
        if (rows.begin < rows.end)
          multiply_panels(p, rows, span{column, column + count}, a,
                          packed + unit * p.a_block + offset, b_buffer, c, b, sink);
        i += count;
      }
    });
  }
}

#if defined(CAMEO_SHUFFLES)
/// A vector's lanes of rows, `steps` long, become columns. Meanwhile the rows behind them are
/// fetched: they are too short for the processor to foresee where the next ones lie.
template <class T>
CAMEO_INLINE void transpose_rows(const T *from, int64_t ld, int64_t steps, T *to, int64_t width) {
  constexpr int lanes = vec<T>::lanes;
  int64_t t = 0;
  for (; t + lanes <= steps; t += lanes) {
    typename vec<T>::type v[array_size(lanes)];
    CAMEO_UNROLL_ALL
    for (int i = 0; i < lanes; ++i) {
      v[i] = load_vector(from + i * ld + t);
      CAMEO_PREFETCH(from + (i + lanes) * ld + t);
    }
    transpose_vectors<T>(v);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < lanes; ++i)
      store_vector(to + (t + i) * width, v[i]);
  }
  for (; t < steps; ++t)
    for (int i = 0; i < lanes; ++i)
      to[t * width + i] = from[i * ld + t];
}
#endif

/// Copies rows of b into a panel: whole vectors where a row has them, zeros in missing columns.
template <class T, class B>
CAMEO_INLINE panel_rows<T> pack_rows(const B *from, int64_t ld, int64_t columns, int64_t steps,
                                     T *buffer, int64_t width) {
  constexpr int64_t page = 4096, ahead = 16;
  // Rows in pages of their own are those that no processor foresees.
  const bool are_far = ld * static_cast<int64_t>(sizeof(B)) >= page;
  for (int64_t t = 0; t < steps; ++t, from += ld) {
    T *to = buffer + t * width;
    int64_t j = 0;
    if (are_far)
      CAMEO_PREFETCH(from + ahead * ld);
    if constexpr (std::is_same_v<T, B>)
      for (; j + vec<T>::lanes <= columns; j += vec<T>::lanes)
        store_vector(to + j, load_vector(from + j));
    CAMEO_INDEPENDENT
    for (int64_t i = j; i < columns; ++i)
      to[i] = cast<T>(from[i]);
    for (j = columns; j < width; ++j)
      to[j] = T{};
  }
  return {buffer, width, column_block};
}

/// Copies columns of b that lie as rows into a panel, zeros in missing ones.
template <class T, class B>
CAMEO_INLINE panel_rows<T> pack_columns(const B *from, int64_t ld, int64_t columns, int64_t steps,
                                        T *buffer, int64_t width) {
  int64_t j = 0;
#if defined(CAMEO_SHUFFLES)
  if constexpr (std::is_same_v<T, B>)
    for (; j + vec<T>::lanes <= columns; j += vec<T>::lanes)
      transpose_rows(from + j * ld, ld, steps, buffer + j, width);
#endif
  for (int64_t t = 0; t < steps; ++t) {
    T *to = buffer + t * width;
    CAMEO_INDEPENDENT
    for (int64_t i = j; i < columns; ++i)
      to[i] = cast<T>(from[i * ld + t]);
    for (int64_t i = columns; i < width; ++i)
      to[i] = T{};
  }
  return {buffer, width, column_block};
}

/// Calls f(j) for j in [0, count), vectorised; a whole panel has a constant trip count.
template <int64_t WIDTH, class F> CAMEO_INLINE void for_columns(int64_t count, const F &f) {
  if (count == WIDTH) {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < WIDTH; ++j)
      f(j);
  } else {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j)
      f(j);
  }
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
