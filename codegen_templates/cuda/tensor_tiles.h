// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products on the tensor core, for sm_80 and later: of 16-bit floats with sums in float, and
// of floats in three products of their parts. A block forms a tile of the output; the operands'
// lines come through shared memory, 128 bytes of each a step, some steps before they are
// multiplied. Every output is summed in one order, whatever its tile.
#pragma once

#include "cameo/cuda/multiply.h"

namespace cameo::cuda {

/// A chunk moves as one access; a line has as many in a step as all banks are wide.
constexpr int chunk_bytes = 16, line_chunks = 8, line_bytes = chunk_bytes * line_chunks;

/// A block's tile of the output, each warp's part of it, and how many steps are in shared memory.
template <int ROWS, int COLUMNS, int WARP_ROWS, int WARP_COLUMNS, int STAGES> struct tensor_tile {
  static constexpr int rows = ROWS, columns = COLUMNS, stages = STAGES;
  static constexpr int warp_rows = WARP_ROWS, warp_columns = WARP_COLUMNS;
  static constexpr int warps_down = ROWS / WARP_ROWS;
  static constexpr int threads = warps_down * (COLUMNS / WARP_COLUMNS) * warp_threads;
  static constexpr int left_bytes = ROWS * line_bytes;
  static constexpr int stage_bytes = left_bytes + COLUMNS * line_bytes;
  static constexpr size_t shared_bytes = static_cast<size_t>(STAGES * stage_bytes);
};

// ---- Operands in shared memory ----

/// A step of LINES lines of an operand: a row for each line, K_FIRST, else for each k.
template <class E, int LINES, bool K_FIRST> struct shared_lines {
  using element = E;
  static constexpr bool k_first = K_FIRST;
  static constexpr int lines = LINES;
  static constexpr int in_chunk = chunk_bytes / static_cast<int>(sizeof(E));
  static constexpr int depth = line_chunks * in_chunk;
  static constexpr int chunks = K_FIRST ? line_chunks : LINES / in_chunk; // of a row
  static constexpr int row_elements = chunks * in_chunk;
  /// Nothing turns matrices of 32-bit elements: their threads load words.
  static constexpr bool by_words = !K_FIRST && sizeof(E) == 4;

  /// Where a chunk lies. Read at once are one chunk of eight rows or, by words, two chunks of four
  /// rows: all eight places of a line of banks, and no bank is asked twice. Rows of less than a
  /// line share it.
  CAMEO_DEVICE static constexpr int place(int row, int chunk) {
    // Unsigned, so that remainders of what differs by a multiple are seen to be one.
    constexpr unsigned places = chunks < line_chunks ? chunks : line_chunks;
    const unsigned line = static_cast<unsigned>(row) / (line_chunks / places);
    const unsigned turn = by_words ? line % (places / 2) * 2 : line % places;
    return (row * chunks + (chunk ^ static_cast<int>(turn))) * chunk_bytes;
  }
};

/// How much of k the step that begins with k0 has.
template <class SHARED> CAMEO_DEVICE_ONLY int steps_left(int64_t k0, int64_t k) {
  const int64_t left = k - k0;
  return left < SHARED::depth ? static_cast<int>(left) : SHARED::depth;
}

/// Copies steps of an operand by chunks, each of which begins at a multiple of 16 bytes in memory
/// too. Beyond the last line it copies that again, of which nothing is stored; IS_FULL: there is
/// no such line.
template <class SHARED, int THREADS, bool IS_FULL> class wide_feed {
  using element = typename SHARED::element;
  static constexpr int copies = SHARED::lines * line_chunks / THREADS;
  static constexpr int rows_at_once = THREADS / SHARED::chunks;
  static_assert(rows_at_once % line_chunks == 0, "places of later rows are that of the first");

public:
  template <class OPERAND>
  CAMEO_DEVICE_ONLY wide_feed(const OPERAND &operand, int64_t batch, int64_t first)
      : row_(static_cast<int>(thread()) / SHARED::chunks),
        chunk_(static_cast<int>(thread()) % SHARED::chunks), stride_(operand.step(1)) {
    CAMEO_UNROLL
    for (int i = 0; i < copies; ++i) {
      const int row = row_ + i * rows_at_once, column = chunk_ * SHARED::in_chunk;
      const int64_t last = operand.lines - (SHARED::k_first ? 1 : SHARED::in_chunk);
      const int64_t line = first + (SHARED::k_first ? row : column);
      from_[i] = operand.data + operand.line(batch, IS_FULL || line < last ? line : last) +
                 operand.step(SHARED::k_first ? column : row);
    }
  }
  /// The step that begins with k0; 0 from k on.
  CAMEO_DEVICE_ONLY void begin(unsigned char *to, int64_t k0, int64_t k) const {
    unsigned char *const place = to + SHARED::place(row_, chunk_);
    const bool is_whole = k % SHARED::depth == 0;
    const int left = steps_left<SHARED>(k0, k);
    CAMEO_UNROLL
    for (int i = 0; i < copies; ++i) {
      const int ahead = SHARED::k_first ? chunk_ * SHARED::in_chunk : row_ + i * rows_at_once;
      copy_async<chunk_bytes>(place + i * rows_at_once * SHARED::chunks * chunk_bytes,
                              from_[i] + k0 * stride_, is_whole || ahead < left);
    }
  }
  CAMEO_DEVICE_ONLY void load(int64_t, int64_t) {}
  CAMEO_DEVICE_ONLY void store(unsigned char *) const {}

private:
  int row_, chunk_;
  int64_t stride_;
  const element *from_[array_size(copies)];
};

/// The same for any operand, by elements through registers.
template <class SHARED, int THREADS> class narrow_feed {
  using element = typename SHARED::element;
  static constexpr int loads = SHARED::lines * SHARED::depth / THREADS;
  static constexpr int rows_at_once = THREADS / SHARED::row_elements;

public:
  template <class OPERAND>
  CAMEO_DEVICE_ONLY narrow_feed(const OPERAND &operand, int64_t batch, int64_t first)
      : row_(static_cast<int>(thread()) / SHARED::row_elements),
        column_(static_cast<int>(thread()) % SHARED::row_elements), stride_(operand.step(1)),
        pitch_(SHARED::k_first ? operand.length : stride_),
        left_(operand.lines - first - (SHARED::k_first ? row_ : column_)),
        from_(operand.data + operand.line(batch, first + (SHARED::k_first ? row_ : column_)) +
              operand.step(SHARED::k_first ? column_ : row_)) {}

  CAMEO_DEVICE_ONLY void begin(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void load(int64_t k0, int64_t k) {
    const int left = steps_left<SHARED>(k0, k);
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      const int ahead = SHARED::k_first ? column_ : row_ + i * rows_at_once;
      const bool exists = (SHARED::k_first ? i * rows_at_once : 0) < left_ && ahead < left;
      elements_[i] = exists ? from_[k0 * stride_ + i * rows_at_once * pitch_] : element{};
    }
  }
  CAMEO_DEVICE_ONLY void store(unsigned char *to) const {
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      unsigned char *const chunk =
          to + SHARED::place(row_ + i * rows_at_once, column_ / SHARED::in_chunk);
      reinterpret_cast<element *>(chunk)[column_ % SHARED::in_chunk] = elements_[i];
    }
  }

private:
  int row_, column_;
  int64_t stride_, pitch_, left_; // lines from the thread's first one on
  const element *from_;
  element elements_[array_size(loads)];
};

// ---- Fragments ----

/// Reads fragments: 16 lines by two chunks of k, as mma has them of its left operand, whose
/// registers differ in the line first, or two of its right one's, IS_LEFT or not.
template <class SHARED, bool IS_LEFT> class fragment_reader {
  static constexpr int row_bytes = SHARED::chunks * chunk_bytes;

public:
  /// `line`: the warp's first one, a multiple of 16.
  CAMEO_DEVICE_ONLY explicit fragment_reader(int line) {
    const int l = static_cast<int>(lane()), number = l / 8;
    const int line_half = IS_LEFT ? number % 2 : number / 2;
    const int k_half = IS_LEFT ? number / 2 : number % 2;
    if constexpr (SHARED::k_first)
      first_ = SHARED::place(line + line_half * 8 + l % 8, k_half);
    else if constexpr (!SHARED::by_words)
      first_ = SHARED::place(k_half * 8 + l % 8, line / SHARED::in_chunk + line_half);
    else
      first_ = SHARED::place(l % 4, line / SHARED::in_chunk + l / 16) + l / 4 % 4 * 4;
  }
  /// Lines `i` * 16 on, chunks `pair` * 2 of k. Chunks of a row are told apart by bits that places
  /// only turn, so what is more of a place than the first one is the same for all threads.
  CAMEO_DEVICE_ONLY void load(uint32_t (&r)[4], const unsigned char *tile, int i, int pair) const {
    constexpr int two_chunks = 2 * chunk_bytes;
    if constexpr (SHARED::k_first) {
      load_matrix_x4<false>(r, tile + (first_ ^ pair * two_chunks) + i * 16 * row_bytes);
    } else if constexpr (!SHARED::by_words) {
      load_matrix_x4<true>(r, tile + (first_ ^ i * two_chunks) + pair * 16 * row_bytes);
    } else {
      CAMEO_UNROLL
      for (int part = 0; part < 4; ++part) {
        const int line_half = IS_LEFT ? part % 2 : part / 2;
        const int k_half = IS_LEFT ? part / 2 : part % 2;
        const int turned = first_ ^ (i * 2 + line_half) * two_chunks;
        r[part] = *reinterpret_cast<const uint32_t *>(tile + turned +
                                                      (pair * 8 + k_half * 4) * row_bytes);
      }
    }
  }

private:
  int first_;
};

template <int I, int J> struct tensor_fragments {
  uint32_t left[array_size(I)][4], right[array_size(J / 2)][4];

  /// Adds the products of two parts to sums: 16 rows by 8 columns each.
  template <class MMA>
  CAMEO_DEVICE_ONLY static void add(float (&sums)[array_size(I)][array_size(J)][4],
                                    const uint32_t (&left)[array_size(I)][4],
                                    const uint32_t (&right)[array_size(J / 2)][4], MMA mma) {
    CAMEO_UNROLL
    for (int i = 0; i < I; ++i)
      CAMEO_UNROLL
    for (int j = 0; j < J; ++j) {
      const uint32_t columns[2] = {right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]};
      mma(sums[i][j], left[i], columns);
    }
  }
};

template <int I> struct split_floats {
  uint32_t high[array_size(I)][4], low[array_size(I)][4];

  /// Both parts are tf32, the lower one when its last bit is cut, and their sum is the float to
  /// 2^-23 of it. Infinities and NaN have no such parts.
  CAMEO_DEVICE_ONLY explicit split_floats(const uint32_t (&bits)[array_size(I)][4]) {
    CAMEO_UNROLL
    for (int i = 0; i < I; ++i)
      CAMEO_UNROLL
    for (int r = 0; r < 4; ++r) {
      high[i][r] = (bits[i][r] + 0x1000u) & 0xffffe000u;
      low[i][r] = bit_cast<uint32_t>(bit_cast<float>(bits[i][r]) - bit_cast<float>(high[i][r]));
    }
  }
};

/// Adds the products of two chunks of k; the small ones first where floats are split.
template <class E, int I, int J>
CAMEO_DEVICE_ONLY void add_products(float (&sums)[array_size(I)][array_size(J)][4],
                                    const tensor_fragments<I, J> &of) {
  if constexpr (std::is_same_v<E, float>) {
    auto mma = [](auto &d, const auto &a, const auto &b) { mma_tf32(d, a, b); };
    const split_floats<I> left(of.left);
    const split_floats<J / 2> right(of.right);
    of.add(sums, left.low, right.high, mma);
    of.add(sums, left.high, right.low, mma);
    of.add(sums, left.high, right.high, mma);
  } else if constexpr (std::is_same_v<E, half>) {
    of.add(sums, of.left, of.right,
           [](auto &d, const auto &a, const auto &b) { mma_f16(d, a, b); });
  } else {
    of.add(sums, of.left, of.right,
           [](auto &d, const auto &a, const auto &b) { mma_bf16(d, a, b); });
  }
}

// ---- The product ----

/// A warp's part of a tile: its sums, and where they are.
template <class TILE, class LEFT, class RIGHT> class warp_tile {
  using element = typename LEFT::element;
  static constexpr int I = TILE::warp_rows / 16, J = TILE::warp_columns / 8;
  static constexpr int slab = TILE::warp_columns < 32 ? TILE::warp_columns : 32; // stored at once
  static constexpr int slab_bytes = TILE::warp_rows * line_bytes;
  static_assert(slab_bytes * (TILE::threads / warp_threads) <=
                static_cast<int>(TILE::shared_bytes));

public:
  CAMEO_DEVICE_ONLY warp_tile()
      : row_(static_cast<int>(warp()) % TILE::warps_down * TILE::warp_rows),
        column_(static_cast<int>(warp()) / TILE::warps_down * TILE::warp_columns), left_(row_),
        right_(column_) {}

  /// Adds a step.
  CAMEO_DEVICE_ONLY void add(const unsigned char *stage) {
    if constexpr (std::is_same_v<element, float>) {
      // The tensor core cuts sums off where float rounds them: they grow in float.
      float sums[array_size(I)][array_size(J)][4] = {};
      add_to(sums, stage);
      CAMEO_UNROLL
      for (int i = 0; i < I; ++i)
        CAMEO_UNROLL
      for (int j = 0; j < J; ++j)
        CAMEO_UNROLL
      for (int r = 0; r < 4; ++r)
        sums_[i][j][r] += sums[i][j][r];
    } else {
      add_to(sums_, stage);
    }
  }

  /// store(row, column, sum) for every sum of the tile. Neighbouring threads have neighbouring
  /// columns: sums go through shared memory, which must not be in use.
  template <class STORE> CAMEO_DEVICE_ONLY void store(const STORE &store) const {
    unsigned char *const staged = shared<unsigned char>(size_t{warp()} * slab_bytes);
    CAMEO_UNROLL
    for (int first = 0; first < TILE::warp_columns; first += slab) {
      stage(staged, first / 8);
      warp_barrier();
      const int l = static_cast<int>(lane());
      for (int pass = 0; pass < TILE::warp_rows * slab / warp_threads; ++pass) {
        // The two rows that narrow slabs read at once lie in different banks.
        const int row = slab == 32 ? pass : pass / 2 * 4 + pass % 2 + l / slab * 2;
        const int column = l % slab;
        store(row_ + row, column_ + first + column,
              *reinterpret_cast<const float *>(staged + place(row, column)));
      }
      warp_barrier();
    }
  }

private:
  /// Written at once are two columns of each of four threads in four rows, read a whole row.
  CAMEO_DEVICE static constexpr int place(int row, int column) {
    const int turn = row % 4 * 2 + row % 2;
    return row * line_bytes + (column / 4 ^ turn) * chunk_bytes +
           column % 4 * static_cast<int>(sizeof(float));
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
          reinterpret_cast<float *>(staged + place(i * 16 + h * 8 + l / 4, j * 8 + l % 4 * 2)),
          pack<float, 2>{{sums_[i][first + j][h * 2], sums_[i][first + j][h * 2 + 1]}});
  }
  CAMEO_DEVICE_ONLY void add_to(float (&sums)[array_size(I)][array_size(J)][4],
                                const unsigned char *stage) const {
    CAMEO_UNROLL
    for (int pair = 0; pair < line_chunks / 2; ++pair) {
      tensor_fragments<I, J> of;
      CAMEO_UNROLL
      for (int i = 0; i < I; ++i)
        left_.load(of.left[i], stage, i, pair);
      CAMEO_UNROLL
      for (int j = 0; j < J / 2; ++j)
        right_.load(of.right[j], stage + TILE::left_bytes, j, pair);
      add_products<element>(sums, of);
    }
  }

  int row_, column_;
  fragment_reader<LEFT, true> left_;
  fragment_reader<RIGHT, false> right_;
  float sums_[array_size(I)][array_size(J)][4] = {};
};

/// How a kernel takes a product: its tile; whether chunks of each operand are aligned; whether the
/// last tiles end where the operands do.
template <class TILE, bool WIDE_A, bool WIDE_B, bool FULL_A, bool FULL_B> struct tensor_form {
  using tile = TILE;
  template <class OPERAND, int LINES>
  using shared = shared_lines<typename OPERAND::element, LINES, OPERAND::k_first>;
  template <class A> using left = shared<A, TILE::rows>;
  template <class B> using right = shared<B, TILE::columns>;
  template <class A>
  using left_feed = std::conditional_t<WIDE_A, wide_feed<left<A>, TILE::threads, FULL_A>,
                                       narrow_feed<left<A>, TILE::threads>>;
  template <class B>
  using right_feed = std::conditional_t<WIDE_B, wide_feed<right<B>, TILE::threads, FULL_B>,
                                        narrow_feed<right<B>, TILE::threads>>;
};

/// Sums a tile that begins at these lines of the operands.
template <class FORM, class A, class B, class WARP>
CAMEO_DEVICE_ONLY void sum_tile(WARP &sums, const A &a, const B &b, int64_t batch, int64_t row,
                                int64_t column, int64_t k) {
  using tile = typename FORM::tile;
  constexpr int depth = FORM::template left<A>::depth;
  typename FORM::template left_feed<A> left(a, batch, row);
  typename FORM::template right_feed<B> right(b, batch, column);
  const int steps = static_cast<int>((k + depth - 1) / depth);
  auto begin = [&](int stage, int step) {
    unsigned char *const to = shared<unsigned char>(static_cast<size_t>(stage * tile::stage_bytes));
    left.begin(to, int64_t{step} * depth, k);
    right.begin(to + tile::left_bytes, int64_t{step} * depth, k);
  };
  CAMEO_UNROLL
  for (int step = 0; step < tile::stages - 1; ++step) {
    if (step < steps)
      begin(step, step);
    copy_async_commit();
  }
  left.load(0, k);
  right.load(0, k);
  CAMEO_LOOP
  for (int step = 0, stage = 0, next = tile::stages - 1; step < steps; ++step) {
    unsigned char *const here =
        shared<unsigned char>(static_cast<size_t>(stage * tile::stage_bytes));
    left.store(here);
    right.store(here + tile::left_bytes);
    copy_async_wait<tile::stages - 2>();
    barrier(); // all have read what the next copies overwrite
    if (step + tile::stages - 1 < steps)
      begin(next, step + tile::stages - 1);
    copy_async_commit();
    left.load(int64_t{step + 1} * depth, k);
    right.load(int64_t{step + 1} * depth, k);
    sums.add(here);
    stage = stage + 1 == tile::stages ? 0 : stage + 1;
    next = next + 1 == tile::stages ? 0 : next + 1;
  }
}

/// One element by a chain over k, where parts of infinities or of the largest floats are no
/// numbers.
template <class A, class B>
CAMEO_DEVICE_ONLY float sum_chain(const A &a, const B &b, int64_t batch, int64_t row,
                                  int64_t column, int64_t k) {
  const auto left = a.line(batch, row), right = b.line(batch, column);
  float sum = 0;
  for (int64_t i = 0; i < k; ++i)
    sum = multiply_add(a.at(left, a.step(i)), b.at(right, b.step(i)), sum);
  return sum;
}

template <class FORM, class CALL>
CAMEO_KERNEL_BOUNDS(FORM::tile::threads, 1)
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
    warp_tile<tile, typename FORM::template left<A>, typename FORM::template right<B>> sums;
    sum_tile<FORM>(sums, a, b, batch, row0, column0, s.k);
    barrier();
    sums.store([&](int r, int c, float sum) {
      const int64_t row = row0 + r, column = column0 + c;
      if (row >= s.m || column >= s.n)
        return;
      if constexpr (std::is_same_v<typename A::element, float>)
        if (!(sum - sum == 0)) // infinite or NaN
          sum = sum_chain(a, b, batch, row, column, s.k);
      sink(batch, row, column, sum);
    });
    barrier();
  }
}

} // namespace cameo::cuda
