// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv_tiles: conv by the tiles of tensor_tiles.h. Rows are the output channels of a group, columns
// the pixels of all images; the elements that a column's window sees are gathered step by step.
#pragma once

#include "cameo/cuda/conv.h"
#include "cameo/cuda/gemm_tiles.h"

namespace cameo::cuda {

using image_tile = tensor_tile<32, 32, 16, 16, 4>;
using large_image_tile = tensor_tile<64, 64, 32, 32, 3>;
using image_tiles = tile_list<image_tile, large_image_tile>;
using few_channels_tile = tensor_tile<16, 64, 16, 16, 4>;

/// Beyond all extents of an image, of the places in it, and of how far a tap is from the first.
constexpr int32_t image_end = 1 << 28;

// Where a step's element is, seen from where its column begins: the same `place` for all columns,
// beside `has` of a column, which tells whether it has that element.

/// Places along each axis, which a column compares with the image's extents.
template <class OPERAND> class window_bounds {
  static constexpr int S = OPERAND::rank;

public:
  using place = pack<int32_t, S == 1 ? 2 : 4>;
  CAMEO_DEVICE_ONLY static place place_of(const OPERAND &images, int64_t k, bool exists) {
    const auto away = images.step(k);
    place found{};
    found.item[0] = static_cast<int32_t>(away.offset);
    for (int d = 0; d < S; ++d)
      found.item[d + 1] = static_cast<int32_t>(away.at[d]);
    if (!exists)
      found.item[1] = 2 * image_end;
    return found;
  }
  CAMEO_DEVICE_ONLY window_bounds(const OPERAND &images, const index<S> &origin, bool exists) {
    for (int d = 0; d < S; ++d) {
      origin_[d] = static_cast<int32_t>(origin[d]);
      extents_[d] = static_cast<uint32_t>(images.c.window.at[d].input);
    }
    if (!exists)
      origin_[0] = -4 * image_end;
  }
  CAMEO_DEVICE_ONLY bool has(const place &at) const {
    bool all = true;
    for (int d = 0; d < S; ++d)
      all &= static_cast<uint32_t>(origin_[d] + at.item[d + 1]) < extents_[d];
    return all;
  }

private:
  int32_t origin_[array_size(S)];
  uint32_t extents_[array_size(S)];
};

/// The tap's bit, which a column has in a word if the tap is inside: for few taps.
template <class OPERAND> class window_marks {
  static constexpr int S = OPERAND::rank;

public:
  static constexpr int most = 32;
  using place = pack<int32_t, 2>;
  CAMEO_DEVICE_ONLY static place place_of(const OPERAND &images, int64_t k, bool exists) {
    const uint32_t mark = exists ? 1u << images.tap(k) : 0;
    return {{static_cast<int32_t>(images.step(k).offset), static_cast<int32_t>(mark)}};
  }
  CAMEO_DEVICE_ONLY window_marks(const OPERAND &images, const index<S> &origin, bool exists)
      : marks_(0) {
    const auto &window = images.c.window;
    CAMEO_UNROLL
    for (int tap = 0; tap < OPERAND::known_taps; ++tap)
      if (exists && window.inside(origin, window.away(unflatten(tap, window.tap_counts()))))
        marks_ |= 1u << tap;
  }
  CAMEO_DEVICE_ONLY bool has(const place &at) const {
    return (marks_ & static_cast<uint32_t>(at.item[1])) != 0;
  }

private:
  uint32_t marks_;
};

template <class OPERAND>
using window_test = std::conditional_t<(OPERAND::known_taps > 0 &&
                                        OPERAND::known_taps <= window_marks<OPERAND>::most),
                                       window_marks<OPERAND>, window_bounds<OPERAND>>;

/// The window of one column.
template <class OPERAND> class window_column {
  using element = typename OPERAND::element;
  using place = typename window_test<OPERAND>::place;

public:
  CAMEO_DEVICE_ONLY window_column(const OPERAND &images, int64_t group, int64_t column)
      : window_column(images, images.line(group, column), column < images.c.batch * images.pixels) {
  }
  CAMEO_DEVICE_ONLY bool has(const place &at) const { return test_.has(at); }
  CAMEO_DEVICE_ONLY const element *at(const place &at) const { return from_ + at.item[0]; }

private:
  CAMEO_DEVICE_ONLY window_column(const OPERAND &images, const typename OPERAND::place &line,
                                  bool exists)
      : from_(hold_global(images.data + line.offset)), test_(images, line.at, exists) {}

  const element *from_;
  window_test<OPERAND> test_;
};

/// Gathers steps of the columns of images; 0 outside and beyond the last column. Where a step's
/// elements are is found once for all columns, in a table behind the step. A thread has one column:
/// neighbours read neighbours.
template <class SHARED, int THREADS, class OPERAND> class image_feed {
  using element = typename SHARED::element;
  using place = typename window_test<OPERAND>::place;
  static constexpr int place_size = static_cast<int>(sizeof(place) / sizeof(int32_t));
  static constexpr int threads_of_column = THREADS / SHARED::lines;
  static constexpr int loads = SHARED::depth / threads_of_column;
  static constexpr int in_chunk = SHARED::in_chunk;
  /// Single words go by themselves; of smaller elements a thread makes chunks.
  static constexpr bool by_chunks = SHARED::k_first;
  static_assert(by_chunks || sizeof(element) == 4);
  static_assert(THREADS >= SHARED::depth);

public:
  static constexpr int table_bytes = SHARED::depth * static_cast<int>(sizeof(place));

  CAMEO_DEVICE_ONLY image_feed(int thread, const OPERAND &images, int64_t group, int64_t first)
      : images_(images), thread_(thread), number_(thread % SHARED::lines),
        share_(thread / SHARED::lines), column_(images, group, first + number_) {}

  /// Writes the table of the step that begins with k0. To be read behind a barrier.
  CAMEO_DEVICE_ONLY void prepare(unsigned char *table, int64_t k0, int64_t k) const {
    if (thread_ >= SHARED::depth)
      return;
    const int64_t step = k0 + thread_;
    const place found = window_test<OPERAND>::place_of(images_, step, step < k);
    store_pack(reinterpret_cast<int32_t *>(table) + thread_ * place_size, found);
  }
  CAMEO_DEVICE_ONLY void begin(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void begin_part(unsigned char *to, const unsigned char *table, int part) const {
    if constexpr (!by_chunks) {
      constexpr int count = loads / step_parts;
      const element *from[count];
      bool exists[count];
      CAMEO_UNROLL
      for (int i = 0; i < count; ++i) {
        const place at = read(table, row_of(part * count + i));
        from[i] = column_.at(at);
        exists[i] = column_.has(at);
      }
      CAMEO_UNROLL
      for (int i = 0; i < count; ++i)
        copy_async<4>(to + SHARED::offset(row_of(part * count + i), number_ / in_chunk) +
                          number_ % in_chunk * 4,
                      from[i], exists[i]);
    }
  }
  CAMEO_DEVICE_ONLY void load(const unsigned char *table, int64_t, int64_t) {
    if constexpr (by_chunks) {
      CAMEO_UNROLL
      for (int i = 0; i < loads; ++i) {
        const place at = read(table, chunk_of(i) * in_chunk + i % in_chunk);
        elements_[i] = column_.has(at) ? *column_.at(at) : element{};
      }
    }
  }
  CAMEO_DEVICE_ONLY void store(unsigned char *to) const {
    if constexpr (by_chunks) {
      CAMEO_UNROLL
      for (int i = 0; i < loads; i += in_chunk) {
        pack<element, in_chunk> chunk;
        CAMEO_UNROLL
        for (int j = 0; j < in_chunk; ++j)
          chunk.item[j] = elements_[i + j];
        store_pack<in_chunk>(reinterpret_cast<element *>(to + SHARED::offset(number_, chunk_of(i))),
                             chunk);
      }
    }
  }

private:
  CAMEO_DEVICE_ONLY static place read(const unsigned char *table, int step) {
    return load_pack<place_size>(reinterpret_cast<const int32_t *>(table) + step * place_size);
  }
  CAMEO_DEVICE_ONLY int row_of(int i) const { return share_ + i * threads_of_column; }
  CAMEO_DEVICE_ONLY int chunk_of(int i) const { return share_ + i / in_chunk * threads_of_column; }

  const OPERAND &images_;
  int thread_, number_, share_; // of the column, and of the threads that have it
  window_column<OPERAND> column_;
  element elements_[array_size(by_chunks ? loads : 1)];
};

/// How a kernel takes a convolution: its tile; by how many bytes weights are copied, 0: loaded by
/// elements; whether the last tile of rows ends where the channels do; what it multiplies.
template <class TILE, int PIECE, bool FULL, factor_type FACTORS> struct image_form {
  using tile = TILE;
  static constexpr factor_type factors = FACTORS;
  template <class A> using left = shared_lines<typename A::element, TILE::rows, true>;
  template <class B>
  using right = shared_lines<typename B::element, TILE::columns, sizeof(typename B::element) == 2>;
  template <class A> using left_feed = feed_of<left<A>, TILE::threads, PIECE, FULL>;
  template <class B> using right_feed = image_feed<right<B>, TILE::threads, B>;
};

/// Members of a convolution, of one group: the constant, or -1 where only a launch knows it.
template <class P> constexpr int64_t known_channels() {
  if constexpr (CAMEO_IS_STATIC(P, out_channels) && CAMEO_IS_STATIC(P, groups))
    return P::out_channels / P::groups;
  else
    return by_launch;
}
template <class P> constexpr int64_t known_depth() {
  constexpr int S = P::spatial_rank;
  if constexpr (CAMEO_IS_STATIC(P, in_channels) && CAMEO_IS_STATIC(P, groups) &&
                CAMEO_IS_STATIC(P, kernel))
    return P::in_channels / P::groups * volume(params::copy<index<S>, S>(P::kernel));
  else
    return by_launch;
}
template <class P> constexpr int64_t known_columns() {
  constexpr int S = P::spatial_rank;
  if constexpr (CAMEO_IS_STATIC(P, batch) && CAMEO_IS_STATIC(P, output))
    return P::batch * volume(params::copy<index<S>, S>(P::output));
  else
    return by_launch;
}

/// conv_call whose weights are lines of a matrix for each group.
template <class P, class E, class STORE>
struct conv_tiles_call : conv_call<conv_geometry<P>, E, E, STORE> {
  using element = E;
  static constexpr int64_t channels = known_channels<P>(), columns = known_columns<P>(),
                           depth = known_depth<P>();
  CAMEO_DEVICE auto left() const {
    const multiply_shape s = this->shape();
    return gemm_operand<E, true, 1>{this->w, s.m, s.k, {{s.batches}}, {{s.m * s.k}}};
  }
};

/// `alike`: how many products of at most that shape are launched side by side, told apart by
/// block_index().y.
template <class TILE, int PIECE, class CALL>
void launch_image_tile(exec &e, const CALL &call, const multiply_shape &s, int64_t alike = 1) {
  constexpr bool full = CALL::channels > 0 && CALL::channels % TILE::rows == 0;
  using form = image_form<TILE, PIECE, full, factors_v<decltype(call.geometry.p)>>;
  using images = decltype(call.right());
  const int64_t tiles = count_tiles(s.batches, s.m, s.n, TILE::rows, TILE::columns);
  dim3 grid = grid_for(tiles, 1);
  grid.y = static_cast<unsigned>(alike);
  e.launch(&tensor_kernel<form, CALL>, grid, dim3(TILE::block_threads),
           tensor_stage<form, images>::all_bytes, call);
}

/// The tile of a convolution of constant extents.
template <int PIECE, class CALL> constexpr auto choose_image_tile() {
  using E = typename CALL::element;
  constexpr int64_t groups = decltype(CALL::geometry.p)::groups, m = CALL::channels,
                    n = CALL::columns, k_bytes = CALL::depth * static_cast<int64_t>(sizeof(E));
  constexpr bool is_whole = PIECE == chunk_bytes, fits = is_whole || sizeof(E) == 2;
  constexpr int chosen = choose_tile<image_tiles>(groups, m, n, fits ? image_tiles::last : 0);
  if constexpr (chosen > 0)
    return image_tiles::at<chosen>{};
  else if constexpr (takes_slices(groups, m, n, CALL::depth))
    return sliced_tile{};
  else if constexpr (is_whole && takes_wide(groups, m, n, k_bytes))
    return wide_tile{};
  else
    return std::conditional_t < is_whole && sizeof(E) == 4 && takes_halves(k_bytes), halved_tile,
           image_tile > {};
}

/// The tile of constant extents; of others, one of three. Many alike take no larger tiles, which
/// would wait longer.
template <int PIECE, class CALL>
void launch_image_tiles(exec &e, const CALL &call, const multiply_shape &s, int64_t alike = 1) {
  constexpr int64_t m = CALL::channels, n = CALL::columns;
  constexpr bool fits = // the registers
      PIECE == chunk_bytes || sizeof(typename CALL::element) == 2;
  constexpr int most = fits ? image_tiles::last : 0;
  constexpr bool few = m >= 0 && m <= few_channels_tile::rows, many = m > few_channels_tile::rows;
  if constexpr (few) {
    launch_image_tile<few_channels_tile, PIECE>(e, call, s, alike);
  } else if constexpr (many && n >= 0) {
    using tile = decltype(choose_image_tile<PIECE, CALL>());
    launch_image_tile<tile, PIECE>(e, call, s, alike);
  } else {
    if constexpr (!many)
      if (s.m <= few_channels_tile::rows)
        return launch_image_tile<few_channels_tile, PIECE>(e, call, s, alike);
    if constexpr (fits)
      if (choose_tile<image_tiles>(s.batches, s.m, s.n, most) == most)
        return launch_image_tile<image_tiles::at<most>, PIECE>(e, call, s, alike);
    launch_image_tile<image_tiles::at<0>, PIECE>(e, call, s, alike);
  }
}

/// Whether places in an image are small numbers. No image is so large that they are not.
template <int S> constexpr bool is_in_reach(const convolution<S> &c) {
  int64_t elements = c.in_channels;
  for (const taps &along : c.window.at) {
    if (elements >= INT32_MAX || along.input >= image_end ||
        along.count * along.step >= image_end || -along.base >= image_end ||
        along.taps * along.increment >= image_end)
      return false;
    elements *= along.input;
  }
  return elements < INT32_MAX;
}

/// Bytes that conv_tiles takes from e.scratch at most: for weights that are not aligned.
template <class E, class P> int64_t conv_tiles_scratch(const P &p, int) {
  const auto c = convolution_of(p);
  return c.groups * c.group_stride * static_cast<int64_t>(sizeof(E));
}

/// Whether the reach is known where the kernel is compiled. Any number of images has the same one.
template <class P> constexpr bool has_known_reach() {
  return CAMEO_IS_STATIC(P, in_channels) && CAMEO_IS_STATIC(P, groups) &&
         CAMEO_IS_STATIC(P, input) && CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, output) &&
         CAMEO_IS_STATIC(P, stride) && CAMEO_IS_STATIC(P, dilation) && CAMEO_IS_STATIC(P, pad);
}

/// Whether conv computes it, as is known before a launch: a few channels, or what is out of reach.
template <class P> constexpr bool is_plain_always() {
  constexpr int64_t channels = known_channels<P>();
  if constexpr (channels >= 0 && channels <= direct_channels)
    return true;
  else if constexpr (has_known_reach<P>())
    return !is_in_reach(constant_convolution_of(P{}));
  else
    return false;
}

template <class P, class E, class STORE>
void conv_tiles(exec &e, const P &p, const E *x, const E *w, STORE store) {
  if constexpr (is_plain_always<P>()) {
    conv(e, p, x, w, store);
  } else {
    constexpr int64_t depth = known_depth<P>();
    constexpr int piece = depth >= 0 ? piece_of<E>(depth, index<0>{}) : 0;
    conv_tiles_call<P, E, STORE> call{{{p}, x, w, store}};
    const multiply_shape s = call.shape();
    if constexpr (!has_known_reach<P>() || known_channels<P>() < 0)
      if (s.m <= direct_channels || !is_in_reach(call.geometry()))
        return conv(e, p, x, w, store);
    if (s.batches <= 0 || s.n <= 0)
      return;
    CAMEO_OPERATIONS(2 * s.batches * s.m * s.n * s.k);
    CAMEO_DEPTH(s.k);
    if constexpr (piece > 0)
      call.w = align(e, w, s.batches * s.m * s.k);
    launch_image_tiles<piece>(e, call, s);
  }
}

} // namespace cameo::cuda
