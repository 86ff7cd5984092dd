// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over the blocked layout (README.md): channels in blocks of 16 innermost, a halo
// around the planes, so that no tap is ever checked. A register tile is a run of neighbouring
// output pixels times a few blocks of output channels; inputs are broadcast, weights are vectors:
// inputs may as well lie plane by plane. The stride is part of the tile's type where p has it
// static, so that addresses are constant offsets.
#pragma once

#include "cameo/cpu/parallel.h"
#include "cameo/cpu/store_bytes.h"
#include "cameo/cpu/tile.h"

#include "cameo/common/params.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

constexpr int channel_block = 16;

/// Pixels and channel blocks of the register tiles: accumulators fill about as many registers as in
/// tile_shape.
struct blocked_tile {
  static constexpr int block_vectors = channel_block / vec<float>::lanes;
  static constexpr int accumulators = tile_shape::rows * tile_shape::vectors;
  static constexpr int blocks = block_vectors == 1 ? 2 : 1;
  static constexpr int wanted = accumulators / (block_vectors * blocks);
  static constexpr int pixels = wanted > 1 ? wanted : 2;
  /// Channels of a step whose addresses are constants: a step then counts and prefetches less.
  static constexpr int channels = block_vectors <= 2 ? 2 : 1;
};

/// The form of a convolution's input: blocks of channels, channels of blocks by a list of their
/// places (conv_blocked_groups.h), or dense planes.
enum class blocked_form { blocks, listed, planes };

/// Floats between neighbouring elements of a row.
template <blocked_form FORM>
constexpr int64_t row_step = FORM == blocked_form::planes ? 1 : channel_block;

/// Where a tile finds its operands; distances in floats.
struct blocked_operands {
  const float *x; // under the first tap of the tile's first pixel
  const float *w;
  float *acc; // [blocks][pixels][16], blocks acc_block apart
  int64_t input_blocks, last_channels, kernel_rows, kernel_columns;
  int64_t x_block, x_channel;       // between input blocks, between planes
  const int64_t *x_listed;          // where each channel lies, from x on
  int64_t x_row, x_column, x_pixel; // between kernel rows, kernel columns, output pixels
  int64_t w_block, acc_block;       // between blocks of output channels
  int64_t w_row_gap, w_block_gap;   // weights of taps left out: of a kernel row, of a block
  bool continues;                   // from what acc has, of channels in front
  prefetches<float> ahead;          // of the weights, blocks of output channels w_block apart
};

/// Share of the next weight block (at `next`) that tile call `call` of `calls` prefetches.
CAMEO_INLINE prefetches<float> ask_ahead(const float *next, int64_t call, int64_t calls,
                                         int64_t channels) {
  const int64_t pace = ceil_div(channel_block, calls);
  return {next + call * pace * channels, call * pace < channel_block ? pace : 0};
}

/// Neighbouring pixels of a tile, STRIDE * STEP floats apart, or so many as it is told where STRIDE
/// is 0: an address has room for one or two times a distance that is no constant.
template <int PIXELS, int STRIDE, int64_t STEP> class pixel_row {
public:
  CAMEO_INLINE pixel_row(const float *x, int64_t distance)
      : distance_(STRIDE > 0 ? STRIDE * STEP : distance) {
    CAMEO_UNROLL_ALL
    for (int i = 0; i < pointers; ++i)
      first_[i] = x + i * near * distance_;
  }
  CAMEO_INLINE const float *at(int pixel) const {
    return first_[pixel / near] + pixel % near * distance_;
  }
  CAMEO_INLINE float operator()(int pixel, int64_t offset) const {
    return (first_[pixel / near] + offset)[pixel % near * distance_];
  }
  CAMEO_INLINE void advance(int64_t by) {
    CAMEO_UNROLL_ALL
    for (int i = 0; i < pointers; ++i)
      first_[i] += by;
  }

private:
  static constexpr int near = STRIDE > 0 ? PIXELS : 3, pointers = (PIXELS + near - 1) / near;
  const float *first_[array_size(pointers)];
  int64_t distance_;
};

template <int PIXELS, int BLOCKS>
using blocked_sum =
    typename vec<float>::type[array_size(PIXELS)][array_size(BLOCKS * blocked_tile::block_vectors)];

/// acc += one input channel of the pixels, `offset` behind them, times its weights.
template <int PIXELS, int BLOCKS, class ROW>
CAMEO_INLINE void blocked_step(const ROW &pixels, int64_t offset, const float *w, int64_t w_block,
                               blocked_sum<PIXELS, BLOCKS> &acc) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<float>::lanes, vectors = blocked_tile::block_vectors;
  typename vec<float>::type weight[array_size(BLOCKS * vectors)];
  CAMEO_UNROLL_ALL
  for (int b = 0; b < BLOCKS; ++b)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    weight[b * vectors + v] = load_vector(w + b * w_block + v * lanes);
  CAMEO_UNROLL_ALL
  for (int p = 0; p < PIXELS; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < BLOCKS * vectors; ++v)
    acc[p][v] += pixels(p, offset) * weight[v];
}

template <int PIXELS, int BLOCKS>
CAMEO_INLINE void load_sums(const blocked_operands &o, blocked_sum<PIXELS, BLOCKS> &acc) {
  constexpr int lanes = vec<float>::lanes, vectors = blocked_tile::block_vectors;
  CAMEO_UNROLL_ALL
  for (int b = 0; b < BLOCKS; ++b)
    CAMEO_UNROLL_ALL
  for (int p = 0; p < PIXELS; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    acc[p][b * vectors + v] = load_vector(o.acc + b * o.acc_block + p * channel_block + v * lanes);
}
template <int PIXELS, int BLOCKS>
CAMEO_INLINE void store_sums(const blocked_operands &o, const blocked_sum<PIXELS, BLOCKS> &acc) {
  constexpr int lanes = vec<float>::lanes, vectors = blocked_tile::block_vectors;
  CAMEO_UNROLL_ALL
  for (int b = 0; b < BLOCKS; ++b)
    CAMEO_UNROLL_ALL
  for (int p = 0; p < PIXELS; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(o.acc + b * o.acc_block + p * channel_block + v * lanes, acc[p][b * vectors + v]);
}

/// STRIDE: columns between output pixels, or 0: x_pixel tells. POINTWISE: of a single tap.
template <blocked_form FORM, int PIXELS, int BLOCKS, int STRIDE, bool POINTWISE>
CAMEO_CONTRACT void blocked_conv_tile(const blocked_operands &o) {
  CAMEO_CONTRACT_BODY;
  constexpr bool listed = FORM == blocked_form::listed;
  const int64_t kernel_rows = POINTWISE ? 1 : o.kernel_rows;
  const int64_t kernel_columns = POINTWISE ? 1 : o.kernel_columns;
  constexpr int step = STRIDE > 0 && !listed ? blocked_tile::channels : 1;
  // A pixel's lines of the next block, of which a block's steps ask for all.
  constexpr int lines = (PIXELS * step + channel_block - 1) / channel_block;
  const int64_t pixel = STRIDE > 0 ? STRIDE * channel_block : o.x_pixel, w_block = o.w_block;
  blocked_sum<PIXELS, BLOCKS> acc = {};
  if (o.continues)
    load_sums<PIXELS, BLOCKS>(o, acc);
  const float *w = o.w;
  prefetches<float> ahead = o.ahead;
  for (int64_t block = 0; block < o.input_blocks; ++block) {
    const int64_t channels = block + 1 < o.input_blocks ? channel_block : o.last_channels;
    for (int64_t row = 0; row < kernel_rows; ++row) {
      for (int64_t column = 0; column < kernel_columns; ++column) {
        const float *x = o.x + block * o.x_block + row * o.x_row + column * o.x_column;
        const float *from = w, *next = x + o.x_block;
        pixel_row<PIXELS, STRIDE, channel_block> pixels(x, pixel);
        const auto offset_of = [&](int64_t c, int64_t i) {
          return listed ? o.x_listed[block * channel_block + c + i] : i;
        };
        int64_t c = 0;
        for (; c + step <= channels; c += step, from += step * channel_block) {
          CAMEO_UNROLL_ALL
          for (int b = 0; b < BLOCKS; ++b)
            CAMEO_PREFETCH(ahead.data + b * w_block);
          ahead.data += step * ahead.pace;
          if constexpr (!listed) {
            CAMEO_UNROLL_ALL
            for (int i = 0; i < lines; ++i)
              CAMEO_PREFETCH(next + i * pixel);
            next += lines * pixel;
          }
          CAMEO_UNROLL_ALL
          for (int i = 0; i < step; ++i)
            blocked_step<PIXELS, BLOCKS>(pixels, offset_of(c, i), from + i * channel_block, w_block,
                                         acc);
          if constexpr (!listed)
            pixels.advance(step);
        }
        if (step > 1 && c < channels)
          blocked_step<PIXELS, BLOCKS>(pixels, offset_of(c, 0), from, w_block, acc);
        w += channel_block * channel_block;
      }
      if (!POINTWISE)
        w += o.w_row_gap;
    }
    if (!POINTWISE)
      w += o.w_block_gap;
  }
  store_sums<PIXELS, BLOCKS>(o, acc);
}

/// Planes: weights lie as they are read, [channels][kernel][16].
template <int PIXELS, int BLOCKS, int STRIDE>
CAMEO_CONTRACT void blocked_planes_tile(const blocked_operands &o) {
  CAMEO_CONTRACT_BODY;
  blocked_sum<PIXELS, BLOCKS> acc = {};
  const float *w = o.w;
  for (int64_t channel = 0; channel < o.last_channels; ++channel)
    for (int64_t row = 0; row < o.kernel_rows; ++row) {
      pixel_row<PIXELS, STRIDE, 1> pixels(o.x + channel * o.x_channel + row * o.x_row, o.x_pixel);
      for (int64_t column = 0; column < o.kernel_columns; ++column, w += channel_block) {
        blocked_step<PIXELS, BLOCKS>(pixels, 0, w, o.w_block, acc);
        pixels.advance(o.x_column);
      }
    }
  store_sums<PIXELS, BLOCKS>(o, acc);
}

using blocked_tile_function = void (*)(const blocked_operands &);

/// LENGTHS: the numbers of pixels that may be asked for.
template <blocked_form FORM, int BLOCKS, int STRIDE, bool POINTWISE, uint64_t LENGTHS>
CAMEO_INLINE blocked_tile_function pick_blocked_tile(int64_t pixels) {
  return pick<LENGTHS>(pixels, [](auto n) -> blocked_tile_function {
    if constexpr (FORM == blocked_form::planes)
      return &blocked_planes_tile<decltype(n)::value, BLOCKS, STRIDE>;
    else
      return &blocked_conv_tile<FORM, decltype(n)::value, BLOCKS, STRIDE, POINTWISE>;
  });
}

/// Whether p is known to have a single tap.
template <class P> constexpr bool is_pointwise() {
  if constexpr (CAMEO_IS_STATIC(P, kernel))
    return P::kernel[0] * P::kernel[1] == 1;
  else
    return false;
}

/// p.stride[1] where it is a constant small enough to be in a tile's type, else 0.
template <class P> constexpr int static_column_stride() {
  if constexpr (CAMEO_IS_STATIC(P, stride))
    return P::stride[1] <= 2 ? static_cast<int>(P::stride[1]) : 0;
  else
    return 0;
}

/// Neighbouring output pixels, a register tile: the first, and how many.
struct blocked_run {
  int64_t oy, ox, pixels;
};

/// A line of `width` pixels, cut into as few runs as are at most `longest` and nearly equally long:
/// `longer` of them are a pixel longer than the others, `least`.
struct cut_line {
  int64_t runs, least, longer;

  constexpr cut_line(int64_t width, int64_t longest)
      : runs(ceil_div(width, longest)), least(width / runs), longer(width % runs) {}
};

/// One after the other, all runs of lines of `width` pixels: a line is a row of outputs, or several
/// rows that lie in x as one.
class blocked_runs {
public:
  CAMEO_INLINE blocked_runs(int64_t begin, int64_t rows, int64_t columns, bool are_joined,
                            int64_t longest)
      : next_{begin, 0, 0}, columns_(columns),
        line_(are_joined ? rows * columns : columns, longest),
        left_(line_.runs * (are_joined ? 1 : rows)) {}

  CAMEO_INLINE int64_t left() const { return left_; }
  CAMEO_INLINE blocked_run take() {
    next_.pixels = line_.least + (number_ < line_.longer ? 1 : 0);
    const blocked_run run = next_;
    number_ = number_ + 1 < line_.runs ? number_ + 1 : 0;
    --left_;
    next_.ox += run.pixels;
    if (next_.ox >= columns_) { // no loop, of which g++ would make vectors
      next_.oy += next_.ox / columns_;
      next_.ox %= columns_;
    }
    return run;
  }
  /// The next `count`.
  CAMEO_NOINLINE void take(blocked_run *run, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      run[i] = take();
  }

private:
  blocked_run next_;
  int64_t columns_;
  cut_line line_;
  int64_t left_, number_ = 0;
};

/// Whether neighbouring rows of outputs read neighbouring pixels all along.
template <class P> CAMEO_INLINE constexpr bool are_rows_joined(const P &p) {
  return volume(kernel_of<2>(p)) == 1 && volume(stride_of<2>(p)) == 1 && p.left == 0 &&
         p.cols == output_of<2>(p)[1];
}
/// As far as that is static.
template <class P> constexpr bool may_join_rows() {
  if constexpr (std::is_empty_v<P>)
    return are_rows_joined(P{});
  else
    return !CAMEO_IS_STATIC(P, kernel) || is_pointwise<P>();
}

/// The lengths that runs of at most LONGEST pixels may have, whichever rows of the output they
/// share: where it has its extents static, tiles for other lengths are never made.
template <class P, int LONGEST> constexpr uint64_t run_lengths(bool may_join = may_join_rows<P>()) {
  if constexpr (CAMEO_IS_STATIC(P, output)) {
    // From here on lines have runs of LONGEST or one pixel less, as widths repeat modulo LONGEST.
    constexpr int64_t all = int64_t{LONGEST} * LONGEST;
    const int64_t rows = P::output[0] < all ? P::output[0] : all;
    uint64_t lengths = 0;
    for (int64_t joined = 1; joined <= (may_join ? rows : 1) && P::output[1] > 0; ++joined) {
      const cut_line line(joined * P::output[1], LONGEST);
      lengths |= number_set(line.least) | (line.longer > 0 ? number_set(line.least + 1) : 0);
    }
    return lengths > 0 ? lengths : number_set(1); // of no outputs: of no use, but there
  } else {
    return numbers_to(LONGEST);
  }
}

CAMEO_INLINE index<5> lane_of(const index<5> &at, int64_t lane) {
  return index<5>{{at[0], at[1], at[2], at[3], lane}};
}

/// Stores the lanes of a pixel.
template <class T, class STORE>
CAMEO_INLINE void store_lanes(const T *from, const index<5> &at, const STORE &store) {
  static_assert(channel_block == byte_run);
  store_run(
      store, [&](int64_t l) { return lane_of(at, l); }, [&](int64_t l) { return from[l]; });
}

/// Stores the results of a tile: `acc` [BLOCKS][pixels][16], in rows of `width`. `store` is a copy,
/// whose members no byte that is stored can be.
template <int BLOCKS, class T, class STORE>
CAMEO_INLINE void blocked_store(const T *acc, int64_t image, int64_t block, blocked_run run,
                                int64_t width, STORE store) {
  for (int64_t first = 0; first < run.pixels; ++run.oy, run.ox = 0) {
    const int64_t left = run.pixels - first, row = width - run.ox, here = row < left ? row : left;
    for (int b = 0; b < BLOCKS; ++b)
      for (int64_t i = 0; i < here; ++i)
        store_lanes(acc + (b * run.pixels + first + i) * channel_block,
                    index<5>{{image, block + b, run.oy, run.ox + i, 0}}, store);
    first += here;
  }
}

/// Whether p says which of its planes is a halo of zeros.
template <class P, class = void> struct has_halo : std::false_type {};
template <class P> struct has_halo<P, std::void_t<decltype(P::halo)>> : std::true_type {};

struct tap_range {
  int64_t begin, end;
};

/// Kernel taps along an axis of x, of which elements [begin, end) are no halo.
struct blocked_taps {
  int64_t first, stride, dilation, taps, begin, end;

  /// The taps that some output of [from, to] has on what is no halo.
  CAMEO_INLINE tap_range within(int64_t from, int64_t to) const {
    const int64_t low = begin - (first + to * stride), high = end - (first + from * stride);
    const int64_t start = low <= 0 ? 0 : ceil_div(low, dilation);
    const int64_t stop = high <= 0 ? 0 : ceil_div(high, dilation);
    const int64_t last = stop < taps ? stop : taps;
    return {start < last ? start : last, last};
  }
};

struct blocked_halo {
  blocked_taps rows, columns;
};

template <class P> CAMEO_INLINE blocked_halo find_halo(const P &p) {
  const index<2> kernel = kernel_of<2>(p), strides = stride_of<2>(p), dilation = dilation_of<2>(p),
                 halo = halo_of<2>(p);
  return {{p.top, strides[0], dilation[0], kernel[0], halo[0], p.rows - halo[0]},
          {p.left, strides[1], dilation[1], kernel[1], halo[1], p.cols - halo[1]}};
}

/// State that the register tiles of neighbouring channel blocks share. Many input channels are
/// taken a few blocks at a time for a group of runs, so that their weights stay in the nearest
/// cache.
struct blocked_work {
  static constexpr int64_t most = has_small_stack ? 2 : 8; // runs of a group

  blocked_operands o;
  const float *x, *w;                   // under the first tap of output 0, 0
  int64_t channels, input_blocks, taps; // of a group of channels
  int64_t chunk, chunks;                // blocks of input channels
  int64_t x_line, x_pixel;              // between rows and columns of outputs
  int64_t all;                          // runs, in all groups of them
  const blocked_halo *halo;             // whose taps are left out, or null

  int64_t together() const { return chunks > 1 ? most : 1; }
};

template <blocked_form FORM, int BLOCKS, class P>
CAMEO_INLINE blocked_work make_blocked_work(const P &p, const float *x, const float *w,
                                            int64_t image, int64_t block) {
  const index<2> kernel = kernel_of<2>(p), strides = stride_of<2>(p), dilation = dilation_of<2>(p);
  constexpr int64_t step = row_step<FORM>;
  constexpr bool planes = FORM == blocked_form::planes;
  const int64_t plane = p.rows * p.cols * step, groups = groups_or(p, int64_t{1});
  blocked_work work{};
  work.channels = p.in_channels / groups;
  work.input_blocks = planes ? 1 : ceil_div(work.channels, channel_block);
  work.taps = kernel[0] * kernel[1];
  work.chunk = work.input_blocks;
  work.chunks = 1;
  work.x_line = strides[0] * p.cols * step;
  work.x_pixel = strides[1] * step;
  blocked_operands &o = work.o;
  o.kernel_rows = kernel[0];
  o.kernel_columns = kernel[1];
  o.x_block = plane;
  o.x_channel = plane;
  o.x_row = dilation[0] * p.cols * step;
  o.x_column = dilation[1] * step;
  o.x_pixel = work.x_pixel;
  const int64_t channels = planes ? work.channels : work.input_blocks * channel_block;
  o.w_block = channels * work.taps * channel_block;
  w += block * o.w_block;
  const int64_t group_blocks = ceil_div(p.out_channels, channel_block) / groups;
  x += block / group_blocks * work.input_blocks * plane;
  if (work.taps == 1) { // half of a first-level cache
    work.chunk = 16 / BLOCKS;
    work.chunks = ceil_div(work.input_blocks, work.chunk);
  }
  x += image * (planes ? p.in_channels : work.input_blocks * groups) * plane;
  work.x = x + (p.top * p.cols + p.left) * step;
  work.w = w;
  return work;
}

/// Leaves out the taps that all pixels of a run have in the halo: work.o.x and w are those of all.
CAMEO_INLINE void leave_out_halo(blocked_work &work, const blocked_run &run) {
  constexpr int64_t pair = channel_block * channel_block;
  blocked_operands &o = work.o;
  const tap_range rows = work.halo->rows.within(run.oy, run.oy);
  const tap_range columns = work.halo->columns.within(run.ox, run.ox + run.pixels - 1);
  o.kernel_rows = rows.end - rows.begin;
  o.kernel_columns = columns.end - columns.begin;
  if (o.kernel_columns == 0)
    o.kernel_rows = 0;
  o.w_row_gap = (work.halo->columns.taps - o.kernel_columns) * pair;
  o.w_block_gap = (work.halo->rows.taps - o.kernel_rows) * work.halo->columns.taps * pair;
  o.x += rows.begin * o.x_row + columns.begin * o.x_column;
  o.w += (rows.begin * work.halo->columns.taps + columns.begin) * pair;
}

/// The sums of `count` runs, up to work.together(), the first of them number `first` of all: acc
/// [count][BLOCKS][pixels][16], each run at its place for the longest. While some weights are used,
/// those that come next are on their way. One function for all convolutions of a form whose runs
/// have the same LENGTHS.
template <blocked_form FORM, int BLOCKS, int STRIDE, bool POINTWISE, uint64_t LENGTHS>
CAMEO_NOINLINE void blocked_sums(blocked_work &work, const blocked_run *run, int64_t first,
                                 int64_t count, float *acc) {
  constexpr int64_t acc_step = BLOCKS * blocked_tile::pixels * channel_block;
  constexpr int64_t pair = channel_block * channel_block;
  blocked_operands &o = work.o;
  for (int64_t c = 0; c < work.chunks; ++c) {
    const int64_t from = c * work.chunk;
    const bool is_last = c + 1 == work.chunks;
    o.input_blocks = is_last ? work.input_blocks - from : work.chunk;
    o.last_channels =
        is_last ? work.channels - (work.input_blocks - 1) * channel_block : channel_block;
    const float *w = work.w + from * work.taps * pair;
    o.continues = c > 0;
    const int64_t steps = o.input_blocks * work.taps * channel_block;
    const float *next = work.w + BLOCKS * o.w_block;
    if (!is_last)
      next = w + steps * channel_block;
    else if (work.chunks > 1 && first + count < work.all)
      next = work.w;
    for (int64_t r = 0; r < count; ++r) {
      o.ahead = work.chunks > 1 ? ask_ahead(next, r, count, steps)
                                : ask_ahead(next, first + r, work.all, steps);
      o.x = work.x + from * o.x_block + run[r].oy * work.x_line + run[r].ox * work.x_pixel;
      o.w = w;
      if (FORM != blocked_form::planes && !POINTWISE && work.halo != nullptr)
        leave_out_halo(work, run[r]);
      o.acc = acc + r * acc_step;
      o.acc_block = run[r].pixels * channel_block;
      pick_blocked_tile<FORM, BLOCKS, STRIDE, POINTWISE, LENGTHS>(run[r].pixels)(o);
    }
  }
}

/// The rows of BLOCKS neighbouring channel blocks from `block` on: rows [begin, end) of the output.
template <blocked_form FORM, int BLOCKS, class P, class STORE>
CAMEO_INLINE void blocked_rows(const P &p, const float *x, const float *w, int64_t image,
                               int64_t block, int64_t begin, int64_t end, const STORE &store) {
  constexpr int64_t acc_step = BLOCKS * blocked_tile::pixels * channel_block;
  constexpr int stride = static_column_stride<P>();
  constexpr uint64_t lengths = run_lengths<P, blocked_tile::pixels>();
  const index<2> output = output_of<2>(p);
  blocked_work work = make_blocked_work<FORM, BLOCKS>(p, x, w, image, block);
  [[maybe_unused]] blocked_halo halo;
  if constexpr (has_halo<P>::value) {
    halo = find_halo(p);
    work.halo = &halo;
  }
  blocked_runs runs(begin, end - begin, output[1], are_rows_joined(p), blocked_tile::pixels);
  alignas(64) float acc[array_size(blocked_work::most * acc_step)];
  blocked_run run[blocked_work::most];
  work.all = runs.left();
  while (runs.left() > 0) {
    const int64_t first = work.all - runs.left(), together = work.together();
    const int64_t count = runs.left() < together ? runs.left() : together;
    runs.take(run, count);
    blocked_sums<FORM, BLOCKS, stride, is_pointwise<P>(), lengths>(work, run, first, count, acc);
    for (int64_t r = 0; r < count; ++r)
      blocked_store<BLOCKS>(acc + r * acc_step, image, block, run[r], output[1], store);
  }
}

/// Whether every group of p has a multiple of TOGETHER blocks of outputs, as far as is static:
/// nothing is made then for a block alone.
template <int TOGETHER, class P> constexpr bool are_blocks_together() {
  if constexpr (TOGETHER == 1) {
    return true;
  } else if constexpr (CAMEO_IS_STATIC(P, out_channels)) {
    constexpr int64_t blocks = ceil_div(P::out_channels, channel_block);
    if constexpr (!params::has_groups<P>::value)
      return blocks % TOGETHER == 0;
    else if constexpr (CAMEO_IS_STATIC(P, groups))
      return blocks % (TOGETHER * P::groups) == 0;
    else
      return false;
  } else {
    return false;
  }
}

/// The output's rows are shared by the team: rows(N, image, block, begin, end) for rows [begin,
/// end) of N neighbouring blocks of a group, TOGETHER or one. Where there are many, each thread has
/// all blocks of some, as it had when it made x, which is in its caches then; else some rows of
/// some blocks, whose weights it alone reads. `work`: element operations of a row of TOGETHER
/// blocks.
template <int TOGETHER, class P, class ROWS>
CAMEO_INLINE void share_blocked_rows(exec &e, const P &p, int64_t images, int64_t blocks,
                                     int64_t groups, int64_t work, const ROWS &compute) {
  constexpr int64_t many = 8; // rows of a thread
  const int64_t rows = output_of<2>(p)[0];
  const int64_t group_blocks = blocks / groups, group_units = ceil_div(group_blocks, TOGETHER);
  const int64_t units = groups * group_units;
  if (output_of<2>(p)[1] <= 0)
    return;
  const auto compute_unit = [&](int64_t image, int64_t unit, int64_t begin, int64_t end) {
    const int64_t first = unit % group_units * TOGETHER;
    const int64_t block = unit / group_units * group_blocks + first;
    if (are_blocks_together<TOGETHER, P>() || first + TOGETHER <= group_blocks)
      compute(std::integral_constant<int, TOGETHER>(), image, block, begin, end);
    else if constexpr (!are_blocks_together<TOGETHER, P>())
      compute(std::integral_constant<int, 1>(), image, block, begin, end);
  };
  // [begin, end) of lines, `rows` of which follow each other: f(number of the first of them / rows,
  // rows).
  const auto for_lines = [rows](int64_t begin, int64_t end, const auto &f) {
    while (begin < end) {
      const int64_t row = begin % rows;
      const int64_t stop = rows - row < end - begin ? rows : row + end - begin;
      f(begin / rows, row, stop);
      begin += stop - row;
    }
  };
  if (images * rows >= many * e.threads())
    parallel_range(e, images * rows, units * work, [&](int64_t begin, int64_t end) {
      for_lines(begin, end, [&](int64_t image, int64_t row, int64_t stop) {
        for (int64_t unit = 0; unit < units; ++unit)
          compute_unit(image, unit, row, stop);
      });
    });
  else
    parallel_range(e, images * units * rows, work, [&](int64_t begin, int64_t end) {
      for_lines(begin, end, [&](int64_t unit, int64_t row, int64_t stop) {
        compute_unit(unit / units, unit % units, row, stop);
      });
    });
}

template <blocked_form FORM, class P, class STORE>
CAMEO_INLINE void conv_blocked_any(exec &e, const P &p, int64_t blocks, int64_t work,
                                   const float *x, const float *w, const STORE &store) {
  share_blocked_rows<blocked_tile::blocks>(
      e, p, p.batch, blocks, groups_or(p, int64_t{1}), work,
      [&](auto count, int64_t image, int64_t block, int64_t begin, int64_t end) {
        blocked_rows<FORM, count>(p, x, w, image, block, begin, end, store);
      });
}

/// Multiplications and additions of all outputs of a channel, out of one channel of x.
template <class P> CAMEO_INLINE int64_t blocked_plane_operations(const P &p) {
  return 2 * p.batch * volume(output_of<2>(p)) * volume(kernel_of<2>(p));
}

/// Element operations that a row of outputs takes in one block, and its share of reading weights,
/// which takes as long as so many pixels.
template <class P> CAMEO_INLINE int64_t blocked_row_work(const P &p) {
  constexpr int64_t weight_pixels = 32;
  const index<2> output = output_of<2>(p);
  const int64_t pixels = output[1] + weight_pixels / (output[0] > 0 ? output[0] : 1);
  return pixels * p.in_channels * volume(kernel_of<2>(p)) / 4 + 1;
}

template <class P, class STORE>
void conv_blocked(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * (p.in_channels / p.groups) * p.out_channels);
  conv_blocked_any<blocked_form::blocks>(e, p, ceil_div(p.out_channels, channel_block),
                                         blocked_row_work(p) / p.groups + 1, x, w, store);
}

template <class P, class STORE>
void conv_blocked_planes(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * p.in_channels * p.out_channels);
  conv_blocked_any<blocked_form::planes>(e, p, ceil_div(p.out_channels, channel_block),
                                         blocked_row_work(p), x, w, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
