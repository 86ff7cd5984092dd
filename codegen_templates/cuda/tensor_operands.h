// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of the tensor core's products in shared memory: where a step's elements lie, and how
// they come there. A feed prepares a step's table, begins copies that do not wait, whole or in
// parts between the products of another step, and loads into registers what it later stores.
#pragma once

#include "cameo/cuda/multiply.h"

namespace cameo::cuda {

/// A chunk moves as one access; a line has as many in a step as all banks are wide.
constexpr int chunk_bytes = 16, line_chunks = 8, line_bytes = chunk_bytes * line_chunks;
/// A step is multiplied two chunks at a time.
constexpr int step_parts = line_chunks / 2;

/// A block's tile of the output, each warp's part of it, how many steps are in shared memory, and
/// in how many slices the depth is, each of which has warps of its own.
template <int ROWS, int COLUMNS, int WARP_ROWS, int WARP_COLUMNS, int STAGES, int SLICES = 1>
struct tensor_tile {
  static constexpr int rows = ROWS, columns = COLUMNS, stages = STAGES;
  static constexpr int warp_rows = WARP_ROWS, warp_columns = WARP_COLUMNS;
  static constexpr int warps_down = ROWS / WARP_ROWS, slices = SLICES;
  static constexpr int warps = warps_down * (COLUMNS / WARP_COLUMNS); // of a slice
  static constexpr int threads = warps * warp_threads, block_threads = SLICES * threads;
  static constexpr int left_bytes = ROWS * line_bytes;
  static constexpr int stage_bytes = left_bytes + COLUMNS * line_bytes;
  static constexpr size_t shared_bytes = static_cast<size_t>(SLICES * STAGES * stage_bytes);

  /// A thread's slice, and its number there.
  CAMEO_DEVICE_ONLY static int slice() {
    return SLICES == 1 ? 0 : static_cast<int>(cuda::thread()) / threads;
  }
  CAMEO_DEVICE_ONLY static int thread() {
    const int t = static_cast<int>(cuda::thread());
    return SLICES == 1 ? t : t % threads;
  }
  CAMEO_DEVICE_ONLY static void slice_barrier() {
    if constexpr (SLICES == 1)
      barrier();
    else if constexpr (threads == warp_threads)
      warp_barrier();
    else
      named_barrier_wait(static_cast<unsigned>(1 + slice()), threads);
  }
};

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
  CAMEO_DEVICE static constexpr int offset(int row, int chunk) {
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

/// Copies steps of an operand by PIECE bytes, each of which begins at a multiple of them in memory
/// too. Beyond the last line it copies that again, or what is 0, of which nothing is stored;
/// IS_FULL: there is no such line.
template <class SHARED, int THREADS, int PIECE, bool IS_FULL> class copy_feed {
  using element = typename SHARED::element;
  static constexpr int copies = SHARED::lines * line_chunks / THREADS;
  static constexpr int rows_at_once = THREADS / SHARED::chunks;
  static constexpr int in_piece = PIECE / static_cast<int>(sizeof(element));
  /// Whether later rows are turned as the thread's first one.
  static constexpr bool are_alike = rows_at_once % line_chunks == 0;

public:
  static constexpr int table_bytes = 0;
  template <class OPERAND>
  CAMEO_DEVICE_ONLY copy_feed(int thread, const OPERAND &operand, int64_t batch, int64_t first)
      : row_(thread / SHARED::chunks), chunk_(thread % SHARED::chunks), stride_(operand.step(1)) {
    const int column = chunk_ * SHARED::in_chunk;
    const int64_t beside = operand.lines - first - column;
    columns_ = beside < SHARED::in_chunk ? static_cast<int>(beside) : SHARED::in_chunk;
    CAMEO_UNROLL
    for (int i = 0; i < copies; ++i) {
      const int row = row_ + i * rows_at_once;
      const int64_t last = operand.lines - (SHARED::k_first ? 1 : in_piece);
      const int64_t line = first + (SHARED::k_first ? row : column);
      from_[i] =
          hold_global(operand.data + operand.line(batch, IS_FULL || line < last ? line : last) +
                      operand.step(SHARED::k_first ? column : row));
    }
  }
  CAMEO_DEVICE_ONLY void begin_part(unsigned char *, const unsigned char *, int) const {}
  CAMEO_DEVICE_ONLY void prepare(unsigned char *, int64_t, int64_t) const {}
  /// The step that begins with k0; 0 from k on.
  CAMEO_DEVICE_ONLY void begin(unsigned char *to, int64_t k0, int64_t k) const {
    const bool is_whole = k % SHARED::depth == 0;
    const int left = steps_left<SHARED>(k0, k);
    CAMEO_UNROLL
    for (int i = 0; i < copies; ++i)
      CAMEO_UNROLL
    for (int j = 0; j < SHARED::in_chunk; j += in_piece) {
      const int ahead = SHARED::k_first ? chunk_ * SHARED::in_chunk + j : row_ + i * rows_at_once;
      const bool is_beside = SHARED::k_first || IS_FULL || j == 0 || j < columns_;
      copy_async<PIECE>(to + place_of(i) + j * static_cast<int>(sizeof(element)),
                        from_[i] + k0 * stride_ + j, (is_whole || ahead < left) && is_beside);
    }
  }
  CAMEO_DEVICE_ONLY void load(const unsigned char *, int64_t, int64_t) {}
  CAMEO_DEVICE_ONLY void store(unsigned char *) const {}

private:
  CAMEO_DEVICE_ONLY int place_of(int copy) const {
    constexpr int later = rows_at_once * SHARED::chunks * chunk_bytes;
    return are_alike ? SHARED::offset(row_, chunk_) + copy * later
                     : SHARED::offset(row_ + copy * rows_at_once, chunk_);
  }

  int row_, chunk_, columns_; // `columns_`: lines that the thread's chunks have
  int64_t stride_;
  const element *from_[array_size(copies)];
};

/// The same for any operand, by elements through registers.
template <class SHARED, int THREADS> class narrow_feed {
  using element = typename SHARED::element;
  static constexpr int loads = SHARED::lines * SHARED::depth / THREADS;
  static constexpr int rows_at_once = THREADS / SHARED::row_elements;

public:
  static constexpr int table_bytes = 0;
  template <class OPERAND>
  CAMEO_DEVICE_ONLY narrow_feed(int thread, const OPERAND &operand, int64_t batch, int64_t first)
      : row_(thread / SHARED::row_elements), column_(thread % SHARED::row_elements),
        stride_(operand.step(1)), pitch_(SHARED::k_first ? operand.length : stride_),
        left_(operand.lines - first - (SHARED::k_first ? row_ : column_)),
        from_(operand.data + operand.line(batch, first + (SHARED::k_first ? row_ : column_)) +
              operand.step(SHARED::k_first ? column_ : row_)) {}

  CAMEO_DEVICE_ONLY void begin_part(unsigned char *, const unsigned char *, int) const {}
  CAMEO_DEVICE_ONLY void prepare(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void begin(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void load(const unsigned char *, int64_t k0, int64_t k) {
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
          to + SHARED::offset(row_ + i * rows_at_once, column_ / SHARED::in_chunk);
      reinterpret_cast<element *>(chunk)[column_ % SHARED::in_chunk] = elements_[i];
    }
  }

private:
  int row_, column_;
  int64_t stride_, pitch_, left_; // lines from the thread's first one on
  const element *from_;
  element elements_[array_size(loads)];
};

/// Copies by pieces of so many bytes, or loads elements where PIECE is 0.
template <class SHARED, int THREADS, int PIECE, bool IS_FULL>
using feed_of =
    std::conditional_t<(PIECE > 0),
                       copy_feed<SHARED, THREADS, PIECE == 0 ? chunk_bytes : PIECE, IS_FULL>,
                       narrow_feed<SHARED, THREADS>>;

} // namespace cameo::cuda
