// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products on the tensor core, for sm_80 and later: of 16-bit floats with sums in float, and
// of floats in three products of their parts. A block forms a tile of the output; the operands'
// lines come through shared memory, 128 bytes of each a step, some steps before they are
// multiplied. Every output is summed in one order, whatever its tile.
#pragma once

#include "cameo/cuda/tensor_fragments.h"
#include "cameo/cuda/wide.h"

namespace cameo::cuda {

/// A warp's part of a tile: its sums, and where they are.
template <class TILE, class LEFT, class RIGHT, factor_type FACTORS> class warp_tile {
  using element = typename LEFT::element;
  using factors = tensor_factors<element, FACTORS>;
  static constexpr int I = TILE::warp_rows / 16, J = TILE::warp_columns / 8;
  static constexpr int slab = TILE::warp_columns < 32 ? TILE::warp_columns : 32; // stored at once
  static constexpr int slab_bytes = TILE::warp_rows * line_bytes;
  static_assert(slab_bytes * TILE::warps * TILE::slices <= static_cast<int>(TILE::shared_bytes));

public:
  CAMEO_DEVICE_ONLY warp_tile()
      : warp_(TILE::thread() / warp_threads), row_(warp_ % TILE::warps_down * TILE::warp_rows),
        column_(warp_ / TILE::warps_down * TILE::warp_columns), left_(row_), right_(column_) {}

  /// Adds a step; meanwhile() does something else, a part at a time.
  template <class MEANWHILE>
  CAMEO_DEVICE_ONLY void add(const unsigned char *stage, const MEANWHILE &meanwhile) {
    if constexpr (factors::are_split) {
      // The tensor core cuts sums off where float rounds them: they grow in float.
      float sums[array_size(I)][array_size(J)][4] = {};
      add_to(sums, stage, meanwhile);
      CAMEO_UNROLL
      for (int i = 0; i < I; ++i)
        CAMEO_UNROLL
      for (int j = 0; j < J; ++j)
        CAMEO_UNROLL
      for (int r = 0; r < 4; ++r)
        sums_[i][j][r] += sums[i][j][r];
    } else {
      add_to(sums_, stage, meanwhile);
    }
  }

  /// store(row, column, sums) for all neighbouring sums, WIDTH from each multiple of it on, slices
  /// in their order. Neighbouring threads have neighbouring columns: sums go through shared memory,
  /// which must not be in use.
  template <int WIDTH, class STORE> CAMEO_DEVICE_ONLY void store(const STORE &store) const {
    constexpr int in_row = slab / WIDTH, passes = TILE::warp_rows * in_row / warp_threads;
    constexpr int own = (passes + TILE::slices - 1) / TILE::slices;
    each_slab([&](int first) {
      auto store_pass = [&](int number) {
        const int l = static_cast<int>(lane()), pass = number * TILE::slices + TILE::slice();
        const int row = row_of<WIDTH>(pass * (warp_threads / in_row) + l / in_row);
        const int column = l % in_row * WIDTH;
        if (passes % TILE::slices == 0 || pass < passes)
          store(row_ + row, column_ + first + column, read<WIDTH>(row, column));
      };
      if constexpr (WIDTH > 1) {
        CAMEO_UNROLL
        for (int number = 0; number < own; ++number)
          store_pass(number);
      } else {
        for (int number = 0; number < own; ++number)
          store_pass(number);
      }
    });
  }

private:
  /// Written at once are two columns of each of four threads in four rows, read a whole row.
  CAMEO_DEVICE static constexpr int offset(int row, int column) {
    const int turn = row % 4 * 2 + row % 2;
    return row * line_bytes + (column / 4 ^ turn) * chunk_bytes +
           column % 4 * static_cast<int>(sizeof(float));
  }
  /// The row that is stored in the turn `number`. Rows of narrow slabs that are read at once lie in
  /// different banks.
  template <int WIDTH> CAMEO_DEVICE static constexpr int row_of(int number) {
    if (slab == 32 || WIDTH == 8)
      return number;
    return number / 4 * 4 + number % 2 * 2 + number / 2 % 2;
  }
  CAMEO_DEVICE_ONLY unsigned char *staged(int slice) const {
    return shared<unsigned char>(static_cast<size_t>((slice * TILE::warps + warp_) * slab_bytes));
  }
  /// WIDTH neighbouring sums of what is staged, over the slices.
  template <int WIDTH> CAMEO_DEVICE_ONLY neighbours<float, WIDTH> read(int row, int column) const {
    constexpr int at_once = WIDTH < 4 ? WIDTH : 4;
    neighbours<float, WIDTH> sums;
    CAMEO_UNROLL
    for (int part = 0; part < WIDTH; part += at_once)
      CAMEO_UNROLL
    for (int slice = 0; slice < TILE::slices; ++slice) {
      const unsigned char *const from = staged(slice) + offset(row, column + part);
      const auto more = load_pack<at_once>(reinterpret_cast<const float *>(from));
      CAMEO_UNROLL
      for (int j = 0; j < at_once; ++j)
        sums.item[part + j] = slice == 0 ? more.item[j] : sums.item[part + j] + more.item[j];
    }
    return sums;
  }
  CAMEO_DEVICE_ONLY static void await_stages() {
    if constexpr (TILE::slices == 1)
      warp_barrier();
    else
      barrier();
  }
  /// f(first column) for each slab of columns, which is staged then.
  template <class F> CAMEO_DEVICE_ONLY void each_slab(const F &f) const {
    CAMEO_UNROLL
    for (int first = 0; first < TILE::warp_columns; first += slab) {
      stage(staged(TILE::slice()), first / 8);
      await_stages();
      f(first);
      await_stages();
    }
  }
  CAMEO_DEVICE_ONLY void stage(unsigned char *staged, int first) const {
    const int l = static_cast<int>(lane());
    CAMEO_UNROLL
    for (int i = 0; i < I; ++i)
      CAMEO_UNROLL
    for (int j = 0; j < slab / 8; ++j)
      CAMEO_UNROLL
    for (int h = 0; h < 2; ++h)
      store_pack<2>(
          reinterpret_cast<float *>(staged + offset(i * 16 + h * 8 + l / 4, j * 8 + l % 4 * 2)),
          pack<float, 2>{{sums_[i][first + j][h * 2], sums_[i][first + j][h * 2 + 1]}});
  }
  template <class MEANWHILE>
  CAMEO_DEVICE_ONLY void add_to(float (&sums)[array_size(I)][array_size(J)][4],
                                const unsigned char *stage, const MEANWHILE &meanwhile) const {
    static_assert(step_parts % factors::pairs == 0);
    tensor_products<element, FACTORS, I, J> products;
    CAMEO_UNROLL
    for (int pair = 0; pair < step_parts; ++pair) {
      tensor_fragments<I, J> of;
      CAMEO_UNROLL
      for (int i = 0; i < I; ++i)
        left_.load(of.left[i], stage, i, pair);
      CAMEO_UNROLL
      for (int j = 0; j < J / 2; ++j)
        right_.load(of.right[j], stage + TILE::left_bytes, j, pair);
      products.add(sums, of, pair);
      meanwhile(pair);
    }
  }

  int warp_, row_, column_;
  fragment_reader<LEFT, true> left_;
  fragment_reader<RIGHT, false> right_;
  float sums_[array_size(I)][array_size(J)][4] = {};
};

/// How a kernel takes a product: its tile; by how many bytes each operand is copied, 0: loaded by
/// elements; whether the last tiles end where the operands do; what it multiplies.
template <class TILE, int PIECE_A, int PIECE_B, bool FULL_A, bool FULL_B, factor_type FACTORS>
struct tensor_form {
  using tile = TILE;
  static constexpr factor_type factors = FACTORS;
  template <class OPERAND, int LINES>
  using shared = shared_lines<typename OPERAND::element, LINES, OPERAND::k_first>;
  template <class A> using left = shared<A, TILE::rows>;
  template <class B> using right = shared<B, TILE::columns>;
  template <class A> using left_feed = feed_of<left<A>, TILE::threads, PIECE_A, FULL_A>;
  template <class B> using right_feed = feed_of<right<B>, TILE::threads, PIECE_B, FULL_B>;
};

/// A step in shared memory: both operands' lines, then the right one's table.
template <class FORM, class B> struct tensor_stage {
  static constexpr int table = FORM::tile::stage_bytes;
  static constexpr int bytes = table + FORM::template right_feed<B>::table_bytes;
  static constexpr int slice_bytes = FORM::tile::stages * bytes;
  static constexpr size_t all_bytes = static_cast<size_t>(FORM::tile::slices * slice_bytes);
};

/// The steps of k of a tile that begins at these lines of the operands: those of the thread's
/// slice.
template <class FORM, class A, class B> class tensor_steps {
  using tile = typename FORM::tile;
  using stage_layout = tensor_stage<FORM, B>;
  static constexpr int depth = FORM::template left<A>::depth;
  static constexpr int ahead = tile::stages - 1;
  static_assert(ahead > 1 || stage_layout::bytes == stage_layout::table,
                "the next step's table is read before the barrier");

public:
  CAMEO_DEVICE_ONLY tensor_steps(const A &a, const B &b, int64_t batch, int64_t row, int64_t column,
                                 int64_t k)
      : left_(tile::thread(), a, batch, row), right_(tile::thread(), b, batch, column), k_(k) {
    const int all = static_cast<int>((k + depth - 1) / depth), slice = tile::slice();
    first_ = all * slice / tile::slices;
    count_ = all * (slice + 1) / tile::slices - first_;
  }
  template <class WARP> CAMEO_DEVICE_ONLY void add_to(WARP &sums) {
    start();
    CAMEO_LOOP
    for (int step = 0, stage = 0, next = ahead; step < count_; ++step) {
      unsigned char *const here = at(stage);
      const int begun = next;
      stage = stage + 1 == tile::stages ? 0 : stage + 1;
      next = next + 1 == tile::stages ? 0 : next + 1;
      left_.store(here);
      right_.store(here + tile::left_bytes);
      load(stage, step + 1); // which comes while all that follows is done
      right_.prepare(table(begun), depth_at(step + ahead), k_);
      copy_async_wait<ahead - 1>();
      tile::slice_barrier(); // all have read what the next copies overwrite
      if (step + ahead < count_)
        begin(begun, step + ahead);
      sums.add(here, [&](int part) { begin_part(begun, part); });
      copy_async_commit();
    }
    copy_async_wait<0>(); // of steps behind the last one
  }

private:
  CAMEO_DEVICE_ONLY static unsigned char *at(int stage) {
    return shared<unsigned char>(static_cast<size_t>(tile::slice() * stage_layout::slice_bytes +
                                                     stage * stage_layout::bytes));
  }
  CAMEO_DEVICE_ONLY static unsigned char *table(int stage) {
    return at(stage) + stage_layout::table;
  }
  CAMEO_DEVICE_ONLY int64_t depth_at(int step) const { return int64_t{first_ + step} * depth; }

  CAMEO_DEVICE_ONLY void begin(int stage, int step) const {
    left_.begin(at(stage), depth_at(step), k_);
    right_.begin(at(stage) + tile::left_bytes, depth_at(step), k_);
  }
  CAMEO_DEVICE_ONLY void begin_part(int stage, int part) const {
    right_.begin_part(at(stage) + tile::left_bytes, table(stage), part);
  }
  CAMEO_DEVICE_ONLY void load(int stage, int step) {
    left_.load(table(stage), depth_at(step), k_);
    right_.load(table(stage), depth_at(step), k_);
  }
  CAMEO_DEVICE_ONLY void start() {
    if (k_ <= 0)
      return;
    if constexpr (stage_layout::bytes > stage_layout::table) {
      CAMEO_UNROLL
      for (int step = 0; step < ahead; ++step)
        right_.prepare(table(step), depth_at(step), k_);
      tile::slice_barrier();
    }
    CAMEO_UNROLL
    for (int step = 0; step < ahead; ++step) {
      if (step < count_)
        begin(step, step);
      CAMEO_UNROLL
      for (int part = 0; part < step_parts; ++part)
        begin_part(step, part);
      copy_async_commit();
    }
    load(0, 0);
  }

  typename FORM::template left_feed<A> left_;
  typename FORM::template right_feed<B> right_;
  int64_t k_;
  int first_, count_;
};

/// One element by a chain over k, where parts of infinities or of the largest floats are no
/// numbers.
template <class A, class B>
CAMEO_DEVICE_ONLY float sum_chain(const A &a, const B &b, int64_t batch, int64_t row,
                                  int64_t column, int64_t k) {
  const auto left = a.line(batch, row);
  const auto right = b.line(batch, column);
  float sum = 0;
  CAMEO_LOOP
  for (int64_t i = 0; i < k; ++i)
    sum = multiply_add(a.at(left, a.step(i)), b.at(right, b.step(i)), sum);
  return sum;
}

/// Sums those of neighbouring sums of floats by chains that are infinite or NaN.
template <class A, class B, int N>
CAMEO_DEVICE_ONLY void mend(neighbours<float, N> &sums, const A &a, const B &b, int64_t batch,
                            int64_t row, int64_t column, int64_t k) {
  if constexpr (std::is_same_v<typename A::element, float>) {
    unsigned bad = 0;
    CAMEO_UNROLL
    for (int j = 0; j < N; ++j)
      bad |= static_cast<unsigned>(!(sums.item[j] - sums.item[j] == 0)) << j;
    if (bad == 0)
      return;
    CAMEO_LOOP
    for (int j = 0; j < N; ++j) {
      if ((bad >> j & 1) == 0)
        continue;
      const float sum = sum_chain(a, b, batch, row, column + j, k);
      CAMEO_UNROLL
      for (int other = 0; other < N; ++other) // no register is indexed
        sums.item[other] = other == j ? sum : sums.item[other];
    }
  } else {
    (void)sums, (void)a, (void)b, (void)batch, (void)row, (void)column, (void)k;
  }
}

/// Columns that a sink takes at once.
template <class SINK> constexpr int epilogue_width = widest_of<SINK> < 8 ? widest_of<SINK> : 8;

/// Where a tile begins in the output.
struct tile_place {
  int64_t batch, row, column;
};

/// Stores the sums of a tile, WIDTH neighbours at a time.
template <int WIDTH, class WARP, class A, class B, class SINK>
CAMEO_DEVICE_ONLY void store_tile(const WARP &sums, const tile_place &place,
                                  const multiply_shape &s, const A &a, const B &b,
                                  const SINK &sink) {
  sums.template store<WIDTH>([&](int r, int c, neighbours<float, WIDTH> found) {
    const int64_t row = place.row + r, column = place.column + c;
    if (row >= s.m || column >= s.n)
      return;
    mend(found, a, b, place.batch, row, column, s.k);
    if constexpr (WIDTH > 1)
      sink.template wide<WIDTH>(place.batch, row, column, found);
    else
      sink(place.batch, row, column, found.item[0]);
  });
}

template <class FORM, class CALL>
CAMEO_KERNEL_BOUNDS(FORM::tile::block_threads, 1)
void tensor_kernel(CALL call) {
  using tile = typename FORM::tile;
  call.load_counts();
  const multiply_shape s = call.shape();
  const auto &a = call.left();
  const auto &b = call.right();
  const auto &sink = call.sink();
  using A = std::decay_t<decltype(a)>;
  using B = std::decay_t<decltype(b)>;
  const int64_t row_tiles = (s.m + tile::rows - 1) / tile::rows;
  const int64_t column_tiles = (s.n + tile::columns - 1) / tile::columns;
  for (int64_t at = block_index().x; at < s.batches * row_tiles * column_tiles;
       at += grid_extent().x) {
    const int64_t batch = at / (row_tiles * column_tiles);
    const int64_t row0 = at / column_tiles % row_tiles * tile::rows;
    const int64_t column0 = at % column_tiles * tile::columns;
    warp_tile<tile, typename FORM::template left<A>, typename FORM::template right<B>,
              FORM::factors>
        sums;
    tensor_steps<FORM, A, B>(a, b, batch, row0, column0, s.k).add_to(sums);
    barrier();
    const tile_place place = {batch, row0, column0};
    constexpr int width = epilogue_width<std::decay_t<decltype(sink)>>;
    if (width > 1 && s.n % width == 0 && sink.is_aligned())
      store_tile<width>(sums, place, s, a, b, sink);
    else
      store_tile<1>(sums, place, s, a, b, sink);
    barrier();
  }
}

} // namespace cameo::cuda
