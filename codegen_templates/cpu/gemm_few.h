// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of gemm of which one operand is a few rows, or a few columns, and the other, the matrix,
// is read once, where it lies: the few and a matrix of rows of k are dot products, the few and one
// whose steps are rows go through it in its order (streams.h). Nothing is packed, but a few columns
// that lie across become rows.
#pragma once

#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/multiply.h"
#include "cameo/cpu/streams.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Offset of a batch in an operand with these strides.
template <int R> CAMEO_INLINE int64_t batch_offset(const index<R> &batch, const index<R> &stride) {
  int64_t offset = 0;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      offset += batch[d] * stride[d];
  else {
    (void)batch;
    (void)stride;
  }
  return offset;
}

/// Rows times rows: up to four rows of a at once against four, two or one of b, until there are
/// dot_columns results of a row to store.
constexpr int64_t dot_rows = 4, dot_columns = has_small_stack ? 4 : 16;

/// The products of MR rows, lda apart, with `columns` rows of b; `after` is what will be read next.
template <class T, int MR>
CAMEO_INLINE void dot_block(int64_t k, int64_t columns, const T *a, int64_t lda, const T *b,
                            int64_t ldb, const T *after,
                            T (&out)[array_size(MR)][array_size(dot_columns)]) {
  constexpr int few = MR % 2 == 0 ? 2 : 1; // rows at once where the sums of four have no room
  constexpr int rows = has_small_stack ? few : MR, NJ = has_small_stack ? 1 : 4 / MR;
  constexpr int groups = dot_groups<T>(MR * NJ);
  int64_t j = 0;
  const auto take = [&](auto at_once, auto times) {
    constexpr int64_t here = at_once * times;
    for (; j + here <= columns; j += here, b += here * ldb)
      for (int r = 0; r < MR; r += rows)
        dot_tile<T, rows, at_once, times>(k, a + r * lda, lda, b, ldb,
                                          j + here + NJ <= columns ? b + here * ldb : after,
                                          &out[r][j], dot_columns);
  };
  using one = std::integral_constant<int, 1>;
  using some = std::integral_constant<int, NJ>;
  if constexpr (groups > 1)
    take(some(), std::integral_constant<int, groups>());
  take(some(), one());
  if constexpr (NJ > 1)
    take(one(), one());
}

/// A row of what a store gets.
template <class STORE, int R> struct stored_row {
  const STORE &store;
  index<R> row;
  template <class V> CAMEO_INLINE void operator()(int64_t j, V v) const {
    store(append(row, j), v);
  }
};

/// Stores the elements of a row: by the object that the store makes of the row, once, where it has
/// `row`.
template <class STORE, int R>
CAMEO_INLINE auto row_of(const STORE &store, const index<R> &row, int) -> decltype(store.row(row)) {
  return store.row(row);
}
template <class STORE, int R>
CAMEO_INLINE stored_row<STORE, R> row_of(const STORE &store, const index<R> &row, ...) {
  return {store, row};
}

/// These blocks of columns of one product, in order or from the last of them to the first.
template <class T, int MR, int R, class STORE>
CAMEO_INLINE void dot_blocks(int64_t n, int64_t k, span blocks, bool backwards, const T *a,
                             const T *b, const index<R> &batch, const STORE &store) {
  const int64_t step = backwards ? -dot_columns : dot_columns;
  int64_t first = dot_columns * (backwards ? blocks.end - 1 : blocks.begin);
  for (int64_t left = blocks.end - blocks.begin; left > 0; --left, first += step) {
    const int64_t columns = n - first < dot_columns ? n - first : dot_columns;
    const T *const rows = b + first * k;
    T out[array_size(MR)][array_size(dot_columns)];
    dot_block<T, MR>(k, columns, a, k, rows, k, left > 1 ? rows + step * k : rows, out);
    for (int64_t r = 0; r < MR; ++r) {
      const auto row = row_of(store, append(batch, r), 0);
      for_columns<dot_columns>(columns, [&](int64_t c) { row(first + c, out[r][c]); });
    }
  }
}

/// Rows of the few as they lie.
struct few_as_they_lie {
  template <class T> CAMEO_INLINE const T *operator()(const T *few) { return few; }
};

/// `count` columns of k elements become rows, anew where they are other ones.
template <class T> class few_turned {
public:
  CAMEO_INLINE few_turned(T *memory, int64_t count, int64_t k)
      : rows_(memory), count_(count), k_(k) {}
  CAMEO_INLINE const T *operator()(const T *few) {
    if (few == last_)
      return rows_;
    last_ = few;
    for (int64_t j = 0; j < count_; ++j)
      for (int64_t t = 0; t < k_; ++t)
        rows_[j * k_ + t] = few[t * count_ + j];
    return rows_;
  }

private:
  T *rows_;
  int64_t count_, k_;
  const T *last_ = nullptr;
};

/// Products of a few rows or columns and a matrix, of one batch: `length` numbers for each of them.
struct few_shape {
  int64_t length, k;
};
template <int R> struct few_batches { index<R> extents, few_stride, matrix_stride; };

/// MR of the few by `length` rows of b; rows_for(thread) makes rows of the few. `backwards`: from
/// the last block of columns to the first, which changes no result.
template <class T, int MR, int R, class ROWS, class STORE>
CAMEO_INLINE void gemm_dots(exec &e, const few_shape &shape, const few_batches<R> &batches,
                            const T *few, const T *b, const ROWS &rows_for, const STORE &store,
                            bool backwards) {
  const int64_t blocks = ceil_div(shape.length, dot_columns), work = MR * dot_columns * shape.k / 8;
  const int64_t all = volume(batches.extents) * blocks;
  const bool worth_it = all > 1 && all >= ceil_div(parallel_threshold, work + 1);
  e.parallel_if(worth_it, [&](int thread, int threads) {
    const span own = share(all, thread, threads);
    if (own.begin >= own.end)
      return;
    auto rows = rows_for(thread);
    const int64_t first = own.begin / blocks, last = (own.end - 1) / blocks;
    for (int64_t i = first; i <= last; ++i) {
      const int64_t number = backwards ? first + last - i : i;
      const index<R> at = unflatten(number, batches.extents);
      const span part = {number == first ? own.begin - first * blocks : 0,
                         number == last ? own.end - last * blocks : blocks};
      dot_blocks<T, MR>(shape.length, shape.k, part, backwards,
                        rows(few + batch_offset(at, batches.few_stride)),
                        b + batch_offset(at, batches.matrix_stride), at, store);
    }
  });
}

/// MR of the few, which lie as `few` says, by a matrix of k rows of `length` elements.
template <class T, int MR, int R, class STORE>
CAMEO_INLINE void gemm_streams(exec &e, const few_shape &shape, const few_batches<R> &batches,
                               const few_rows<T> &few, const T *b, const STORE &store) {
  constexpr int64_t room = stream_room<T, MR>, lanes = vec<T>::lanes, ld = room + lanes;
  const int64_t units = ceil_div(shape.length, stream_unit);
  const int64_t work = MR * stream_unit * shape.k / 8 + 1;
  parallel_range(e, volume(batches.extents) * units, work, [&](int64_t begin, int64_t end) {
    alignas(64) T sums[array_size(MR)][array_size(ld)];
    for (int64_t unit = begin, next = begin; unit < end; unit = next) {
      const int64_t number = unit / units, last = (number + 1) * units;
      next = unit + room / stream_unit;
      next = next < end ? next : end;
      next = next < last ? next : last;
      // The last vector of a row may begin in front of this part: sums of less are not made.
      const int64_t first = (unit - number * units) * stream_unit;
      const int64_t behind = next < last ? (next - number * units) * stream_unit : shape.length;
      const int64_t from = behind - first < lanes ? behind - lanes : first, count = behind - from;
      const index<R> at = unflatten(number, batches.extents);
      few_rows<T> these = few;
      these.data += batch_offset(at, batches.few_stride);
      stream<T, MR>(these, shape.k, b + batch_offset(at, batches.matrix_stride) + from,
                    shape.length, count, sums[0], ld);
      const int64_t whole = count / lanes * lanes, shift = whole + lanes - count;
      for (int64_t r = 0; r < MR; ++r) {
        const auto row = row_of(store, append(at, r), 0);
        CAMEO_INDEPENDENT
        for (int64_t c = first - from; c < whole; ++c)
          row(from + c, sums[r][c]);
        CAMEO_INDEPENDENT
        for (int64_t c = whole; c < count; ++c)
          row(from + c, sums[r][c + shift]);
      }
    }
  });
}

/// f(nth<N>()) for N = count, of 1 to most_few.
template <class F> CAMEO_INLINE void for_few(int64_t count, const F &f) {
  if (count == 1)
    f(nth<1>());
  else if (count == 2)
    f(nth<2>());
  else if (count == 3)
    f(nth<3>());
  else
    f(nth<4>());
}

/// A store of the transposed product.
template <class STORE> struct turned_store {
  const STORE &store;
  template <int R, class V> CAMEO_INLINE void operator()(index<R> i, V v) const {
    const int64_t row = i[R - 1];
    i[R - 1] = i[R - 2];
    i[R - 2] = row;
    store(i, v);
  }
};

/// Are products of these types those of a few by a matrix?
template <class A, class B>
constexpr bool has_few = std::is_floating_point_v<A> &&std::is_same_v<A, B>;
/// Rows of fewer elements are not worth folding for columns.
constexpr int64_t fewest_dotted = 16;
/// Whether rows of so many elements are read in their order, not by panels: of one or two whole
/// panels, sums stay in registers.
template <class T> CAMEO_INLINE bool is_stream(int64_t length) {
  constexpr int64_t lanes = vec<T>::lanes, panel = tile_limits<T>::wide_vectors * lanes;
  return length >= 2 * lanes && length != panel && length != 2 * panel;
}

/// How a product is one of a few: which operand has them, and how it goes through the other.
enum class few_form { none, rows_dots, rows_stream, columns_dots, columns_turned, columns_stream };

template <class A, class B, class P> CAMEO_INLINE few_form few_form_of(const P &p) {
  if constexpr (has_few<A, B>) {
    if (!P::trans_a && p.n <= most_few && p.k >= fewest_dotted && (p.n == 1 || p.m > most_few))
      return P::trans_b || p.n == 1 ? few_form::columns_dots : few_form::columns_turned;
    if (P::trans_b && p.m <= most_few && (p.m == 1 || !P::trans_a))
      return few_form::rows_dots;
    if (!P::trans_b && p.m <= most_few && is_stream<A>(p.n))
      return few_form::rows_stream;
    if (P::trans_a && p.n <= most_few && is_stream<A>(p.m))
      return few_form::columns_stream;
  }
  return few_form::none;
}

CAMEO_INLINE constexpr bool are_few_rows(few_form form) {
  return form == few_form::rows_dots || form == few_form::rows_stream;
}

/// Bytes that a product of this form takes from e.scratch.
template <class T, class P> int64_t gemm_few_scratch(few_form form, const P &p, int threads) {
  return form == few_form::columns_turned ? threads * p.n * p.k * static_cast<int64_t>(sizeof(T))
                                          : 0;
}

/// The few of the left operand by b.
template <class T, class P, class STORE>
CAMEO_NOINLINE void gemm_few_rows(exec &e, const P &p, const T *a, const T *b, const STORE &store,
                                  [[maybe_unused]] bool backwards) {
  constexpr int R = P::batch_rank;
  const few_batches<R> batches = {batch_of<R>(p), a_batch_stride_of<R>(p), b_batch_stride_of<R>(p)};
  const few_shape shape = {p.n, p.k};
  for_few(p.m, [&](auto count) CAMEO_INLINE_BODY {
    if constexpr (P::trans_b)
      gemm_dots<T, decltype(count)::value>(
          e, shape, batches, a, b, [](int) { return few_as_they_lie(); }, store, backwards);
    else
      gemm_streams<T, decltype(count)::value>(
          e, shape, batches, few_rows<T>{a, P::trans_a ? 1 : p.k, P::trans_a ? p.m : 1}, b, store);
  });
}

/// The few of the right operand by a: the transposed product.
template <class T, class P, class STORE>
CAMEO_NOINLINE void gemm_few_columns(exec &e, few_form form, const P &p, const T *a, const T *b,
                                     const STORE &store, [[maybe_unused]] bool backwards) {
  constexpr int R = P::batch_rank;
  const few_batches<R> batches = {batch_of<R>(p), b_batch_stride_of<R>(p), a_batch_stride_of<R>(p)};
  const few_shape shape = {p.m, p.k};
  const turned_store<STORE> turned = {store};
  if constexpr (P::trans_a) {
    const few_rows<T> few = {b, P::trans_b ? p.k : 1, P::trans_b ? 1 : p.n};
    for_few(p.n, [&](auto count) CAMEO_INLINE_BODY {
      gemm_streams<T, decltype(count)::value>(e, shape, batches, few, a, turned);
    });
  } else if (form == few_form::columns_dots) {
    for_few(p.n, [&](auto count) CAMEO_INLINE_BODY {
      gemm_dots<T, decltype(count)::value>(
          e, shape, batches, b, a, [](int) { return few_as_they_lie(); }, turned, backwards);
    });
  } else {
    const int64_t bytes = gemm_few_scratch<T>(form, p, e.threads());
    auto *const memory = static_cast<T *>(e.scratch(static_cast<size_t>(bytes)));
    if (memory == nullptr)
      return;
    for_few(p.n, [&](auto count) CAMEO_INLINE_BODY {
      gemm_dots<T, decltype(count)::value>(
          e, shape, batches, b, a,
          [&](int thread) { return few_turned<T>(memory + thread * p.n * p.k, p.n, p.k); }, turned,
          backwards);
    });
  }
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
