// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv_transpose in one of two ways. With many input channels and strides it is a product, of rows
// (output channel, tap) and the inputs as they lie, for a block of outputs at a time; an output is
// then the sum of its taps' products, which lie next to each other for outputs a stride apart.
// Otherwise it is one ordinary convolution per residue of the output modulo the stride, over the
// kernel taps that reach it. See common/convolution.h and convolve.h.
#pragma once

#include "cameo/cpu/convolve.h"
#include "cameo/cpu/gemm.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// From how many input channels of a group on the sums of taps cost little beside the product.
constexpr int64_t spread_channels = 16;
/// Elements of products that are made before they are added, if that is enough for some rows.
constexpr int64_t spread_elements = 1 << 18;
/// Taps of one axis, next to each other, from which on an input's products are added as they lie.
constexpr int64_t spread_taps = 8;
/// Rows of a product that are enough for its tiles.
constexpr int64_t spread_rows = 64;

/// How a transposed convolution is cut into products: some output channels of a group times those
/// inputs, neighbours along the first axis, that reach some outputs along it.
struct spread_plan {
  int64_t taps, inner;       // of the kernel; inputs behind the first axis
  int64_t channels, outputs; // at a time; outputs along the first axis, whole strides
  int64_t inputs;            // along the first axis that a product takes: all that reach them
  bool is_turned;            // inputs are the rows of the product
  bool by_inputs;            // and lie so: an input's products of a channel are one run
  int64_t row;               // elements of a row of outputs, or more
  int64_t ld;                // between rows of products
  int64_t multiplied;        // elements that multiply takes
  int64_t residues;          // bytes of taps for each residue of each axis

  CAMEO_INLINE int64_t products() const {
    return (by_inputs ? inputs * inner : channels * taps) * ld;
  }
  /// Elements of T: products, multiply's scratch, and for each thread sums of a residue and a row
  /// of outputs; then the residues.
  template <class T> CAMEO_INLINE int64_t bytes(int threads) const {
    return (products() + multiplied + 2 * threads * row) * static_cast<int64_t>(sizeof(T)) +
           residues;
  }
  template <class T> CAMEO_INLINE multiply_plan product(int64_t rows, int64_t depth) const {
    const int64_t columns = inputs * inner;
    return is_turned ? plan_multiply<T>(1, columns, rows, depth)
                     : plan_multiply<T>(1, rows, columns, depth);
  }
};

template <class P> CAMEO_INLINE bool is_spread(const P &p) {
  constexpr int S = P::spatial_rank;
  return volume(stride_of<S>(p)) > 1 && p.in_channels / p.groups >= spread_channels &&
         p.out_channels >= p.groups && volume(kernel_of<S>(p)) > 0 && volume(output_of<S>(p)) > 0;
}

template <class T, class P> CAMEO_INLINE spread_plan plan_spread(const P &p, int threads) {
  constexpr int S = P::spatial_rank;
  const index<S> input = input_of<S>(p), output = output_of<S>(p);
  const int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  const int64_t stride = stride_of<S>(p)[0];
  // Inputs that reach an output along the first axis: those of the next outputs are others but
  // these.
  const int64_t reach = (kernel_of<S>(p)[0] - 1) * dilation_of<S>(p)[0] / stride + 1;
  spread_plan plan{};
  plan.taps = volume(kernel_of<S>(p));
  plan.inner = 1;
  for (int d = 1; d < S; ++d)
    plan.inner *= input[d];
  const int64_t fitting = spread_elements / (plan.taps * plan.inner * input[0] + 1);
  const int64_t least = ceil_div(spread_rows, plan.taps);
  plan.channels = ceil_div(out, ceil_div(out, fitting > least ? fitting : least));
  const int64_t room = spread_elements / (plan.channels * plan.taps * plan.inner + 1);
  const int64_t rows = room > 4 * reach ? room - reach : 3 * reach;
  plan.outputs = ceil_div(ceil_div(output[0], ceil_div(output[0], rows * stride)), stride) * stride;
  plan.inputs = plan.outputs / stride + reach < input[0] ? plan.outputs / stride + reach : input[0];
  plan.row = ceil_div(S == 1 ? plan.outputs : output[S - 1], 64) * 64 + 64;
  const int64_t m = plan.channels * plan.taps, n = plan.inputs * plan.inner;
  plan.by_inputs = S == 1 && plan.taps >= spread_taps && dilation_of<S>(p)[0] == 1;
  plan.is_turned = plan.by_inputs || m > n;
  plan.ld = ceil_div(plan.by_inputs ? m : n, 64) * 64;
  for (int d = 0; d < S; ++d)
    plan.residues += stride_of<S>(p)[d] * static_cast<int64_t>(sizeof(cameo::taps));
  const int64_t parts[] = {plan.channels, out % plan.channels};
  for (int64_t channels : parts)
    if (channels > 0 && plan.inputs > 0) {
      const int64_t elements = plan.product<T>(channels * plan.taps, in).elements(threads);
      plan.multiplied = elements > plan.multiplied ? ceil_div(elements, 64) * 64 : plan.multiplied;
    }
  return plan;
}

/// A block of outputs: of one image, some channels of a group, some positions along the first axis;
/// and the window that it is, whose inputs along that axis begin with `first`.
template <int S> struct spread_block {
  int64_t image, group;
  span channels, outputs;
  int64_t first;
  index<S> input, output, pad;

  const cameo::taps *taps[array_size(S)]; // of each axis, by residue
};

/// conv_transpose_taps of every residue.
CAMEO_INLINE void fill_residues(int64_t input, int64_t output, int64_t kernel, int64_t stride,
                                int64_t dilation, int64_t pad, cameo::taps *to) {
  const int64_t every = taps_apart(stride, dilation);
  for (int64_t r = 0; r < stride; ++r)
    to[r] = {input, r < output ? (output - r - 1) / stride + 1 : 0, 0, 1, 0, 0, 0, every, r,
             stride};
  for (int64_t t = 0; t < kernel && t < every; ++t) {
    const int64_t left = (t * dilation - pad) % stride, r = left < 0 ? left + stride : left;
    to[r].taps = (kernel - t - 1) / every + 1;
    to[r].base = (r + pad - t * dilation) / stride;
    to[r].increment = -(every * dilation / stride);
    to[r].first = t;
  }
}

/// The window of block.outputs, which begin with a whole stride, and its taps in `residues`.
template <class P, int S>
CAMEO_INLINE void find_inputs(const P &p, const spread_plan &plan, spread_block<S> &block,
                              cameo::taps *residues) {
  const index<S> kernel = kernel_of<S>(p), stride = stride_of<S>(p), dilation = dilation_of<S>(p);
  block.input = input_of<S>(p);
  block.output = output_of<S>(p);
  block.pad = pad_of<S>(p);
  const int64_t low = block.outputs.begin + block.pad[0] - (kernel[0] - 1) * dilation[0];
  const int64_t begin = low > 0 ? ceil_div(low, stride[0]) : 0;
  const int64_t most = block.input[0] - plan.inputs;
  block.first = begin < most ? begin : most;
  block.input[0] = plan.inputs;
  block.output[0] = block.outputs.end - block.outputs.begin;
  block.pad[0] += block.outputs.begin - block.first * stride[0];
  for (int d = 0; d < S; residues += stride[d], ++d) {
    fill_residues(block.input[d], block.output[d], kernel[d], stride[d], dilation[d], block.pad[d],
                  residues);
    block.taps[d] = residues;
  }
}

/// The sums of a row of outputs along the only axis, out of products that lie by inputs.
template <class T>
CAMEO_NOINLINE void add_inputs(const spread_plan &plan, const spread_block<1> &block,
                               int64_t stride, const T *products, T *row) {
  const int64_t length = block.output[0];
  for (int64_t o = 0; o < length; ++o)
    row[o] = T{};
  for (int64_t i = 0; i < plan.inputs; ++i, products += plan.ld) {
    const int64_t at = i * stride - block.pad[0], rest = length - at;
    const int64_t end = rest < plan.taps ? rest : plan.taps;
    T *const to = row + at;
    CAMEO_INDEPENDENT
    for (int64_t t = at < 0 ? -at : 0; t < end; ++t)
      to[t] += products[t];
  }
}

#if defined(CAMEO_SHUFFLES) && CAMEO_VECTOR_BYTES > 0
/// Elements FIRST, FIRST + 1, ... of two vectors, in turn.
template <int FIRST, class V, int... I>
CAMEO_INLINE V in_turn(V a, V b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (FIRST + I / 2 + I % 2 * static_cast<int>(sizeof...(I)))...);
}
#endif

/// to[2 * q] = a[q], to[2 * q + 1] = b[q]
template <class T> CAMEO_INLINE void store_in_turn(const T *a, const T *b, int64_t count, T *to) {
  int64_t q = 0;
#if defined(CAMEO_SHUFFLES) && CAMEO_VECTOR_BYTES > 0
  constexpr int lanes = vec<T>::lanes;
  constexpr auto all = std::make_integer_sequence<int, lanes>();
  for (; q + lanes <= count; q += lanes) {
    const auto x = load_vector(a + q), y = load_vector(b + q);
    store_vector(to + 2 * q, in_turn<0>(x, y, all));
    store_vector(to + 2 * q + lanes, in_turn<lanes / 2>(x, y, all));
  }
#endif
  for (; q < count; ++q) {
    to[2 * q] = a[q];
    to[2 * q + 1] = b[q];
  }
}

/// The sums of rows of outputs, out of a channel's products, which lie by taps.
template <class T, class P> struct spread_sums {
  static constexpr int S = P::spatial_rank;
  const P &p;
  const spread_block<S> &block;
  const T *products;
  int64_t ld;

  /// row[o] for all outputs o along the last axis, `at` the coordinates in front; sums: scratch for
  /// as many.
  CAMEO_INLINE void operator()(const index<S - 1> &at, T *sums, T *row) const {
    const index<S> stride = stride_of<S>(p);
    cameo::window<S> window{};
    if constexpr (S > 1)
      for (int d = 0; d < S - 1; ++d)
        window.at[d] = block.taps[d][at[d] % stride[d]];
    const cameo::taps *const along = block.taps[S - 1];
    if (stride[S - 1] == 2) {
      const int64_t count = along[1].count;
      const T *const even = sum(window, at, along[0], sums);
      const T *const odd = sum(window, at, along[1], sums + ceil_div(along[0].count, 16) * 16);
      store_in_turn(even, odd, count, row);
      if (count < along[0].count)
        row[2 * count] = even[count];
      return;
    }
    for (int64_t residue = 0; residue < stride[S - 1]; ++residue) {
      const T *const from = sum(window, at, along[residue], sums);
      T *const to = row + residue;
      for (int64_t q = 0; q < along[residue].count; ++q)
        to[q * stride[S - 1]] = from[q];
    }
  }

private:
  /// The products of a tap that the outputs of a residue take: q of [begin, end) is from[q]. None
  /// is inside where begin is end.
  struct run {
    const T *from;
    int64_t begin, end;
  };
  CAMEO_INLINE run run_of(const cameo::window<S> &window, const index<S - 1> &at,
                          const index<S> &u) const {
    const cameo::taps &along = window.at[S - 1];
    int64_t row = 0;
    if constexpr (S > 1)
      for (int d = 0; d < S - 1; ++d) {
        const cameo::taps &t = window.at[d];
        const int64_t i = t.input_of(at[d] / t.spread, u[d]);
        if (!t.inside(i))
          return {products, 0, 0};
        row = row * t.input + i;
      }
    const int64_t start = along.input_of(0, u[S - 1]), available = along.input - start;
    const int64_t begin = start < 0 ? -start : 0;
    const int64_t end = available < along.count ? available : along.count;
    return {products + window.kernel_of(u, kernel_of<S>(p)) * ld + row * along.input + start, begin,
            end > begin ? end : begin};
  }

  /// The sums of a residue: in `sums`, or where its only products lie.
  CAMEO_INLINE const T *sum(cameo::window<S> &window, const index<S - 1> &at,
                            const cameo::taps &along, T *sums) const {
    window.at[S - 1] = along;
    const index<S> counts = window.tap_counts();
    const int64_t count = along.count;
    if (volume(counts) == 1)
      if (const run only = run_of(window, at, index<S>{}); only.begin == 0 && only.end == count)
        return only.from;
    for (int64_t q = 0; q < count; ++q)
      sums[q] = T{};
    walk(counts, 0, volume(counts), [&](const index<S> &u) {
      const run tap = run_of(window, at, u);
      CAMEO_INDEPENDENT
      for (int64_t q = tap.begin; q < tap.end; ++q)
        sums[q] += tap.from[q];
    });
    return sums;
  }
};

/// The products of a block, by (output channel, tap) and input.
template <class T, class P, class X, class W, int S>
CAMEO_INLINE void multiply_block(exec &e, const P &p, const spread_plan &plan,
                                 const spread_block<S> &block, const X *x, const W *w, T *products,
                                 T *memory) {
  const int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  const int64_t pixels = volume(input_of<S>(p)), all = out * plan.taps;
  if (plan.inputs * plan.inner <= 0)
    return;
  const multiply_plan product =
      plan.product<T>((block.channels.end - block.channels.begin) * plan.taps, in);
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  const bool in_place = product.panels <= in_place_panels &&
                        stay_near((plan.is_turned ? all : pixels) * size, in, product.width * size);
  w += (block.group * in * out + block.channels.begin) * plan.taps;
  x += (block.image * p.in_channels + block.group * in) * pixels + block.first * plan.inner;
  const auto keep = [&](int64_t, int64_t row, int64_t column, int64_t count, const T *values) {
    if (plan.is_turned && !plan.by_inputs) {
      T *const to = products + column * plan.ld + row;
      for (int64_t j = 0; j < count; ++j)
        to[j * plan.ld] = values[j];
    } else {
      T *const to = products + row * plan.ld + column;
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < count; ++j)
        to[j] = values[j];
    }
  };
  if (plan.is_turned)
    multiply<T>(e, product, memory,
                gemm_a<T, X, true, 0>{x, pixels, in, pixels - block.first * plan.inner, {}, {}},
                gemm_b<T, W, false, 0>{w, all, in, in_place, {}, {}}, keep);
  else
    multiply<T>(e, product, memory,
                gemm_a<T, W, true, 0>{w, all, in, all - block.channels.begin * plan.taps, {}, {}},
                gemm_b<T, X, false, 0>{x, pixels, in, in_place, {}, {}}, keep);
}

template <class P, class X, class W, class STORE>
CAMEO_INLINE void convolve_block(exec &e, const P &p, const spread_plan &plan,
                                 const spread_block<P::spatial_rank> &block, const X *x, const W *w,
                                 conv_element<X, W> *memory, const STORE &store) {
  using T = conv_element<X, W>;
  constexpr int S = P::spatial_rank;
  T *const products = memory, *const own = memory + plan.products();
  multiply_block(e, p, plan, block, x, w, products, own);
  const int64_t channels = block.channels.end - block.channels.begin, length = block.output[S - 1];
  const index<S> rows = join(index<1>{{channels}}, slice<0, S - 1>(block.output));
  const bool worth_it = volume(rows) > 1 && volume(rows) * length >= parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    T *const sums = own + plan.multiplied + 2 * thread * plan.row, *const row = sums + plan.row;
    const span s = share(volume(rows), thread, threads);
    walk(rows, s.begin, s.end, [&](const index<S> &i) {
      if constexpr (S == 1)
        if (plan.by_inputs)
          add_inputs(plan, block, stride_of<1>(p)[0], products + i[0] * plan.taps, row);
      const spread_sums<T, P> add = {p, block, products + i[0] * plan.taps * plan.ld, plan.ld};
      if (!plan.by_inputs)
        add(slice<1, S - 1>(i), sums, row);
      index<S + 2> at = append(join(index<1>{{block.image}}, i), 0);
      at[1] += block.group * (p.out_channels / p.groups) + block.channels.begin;
      at[2] += block.outputs.begin;
      CAMEO_INDEPENDENT
      for (int64_t o = 0; o < length; ++o) {
        index<S + 2> to = at;
        to[S + 1] += o;
        store(to, static_cast<product_t<X, W>>(row[o]));
      }
    });
  });
}

/// Bytes that conv_transpose takes from e.scratch for operands of types X and W.
template <class X, class W, class P> int64_t conv_transpose_scratch(const P &p, int threads) {
  constexpr int S = P::spatial_rank;
  using T = conv_element<X, W>;
  if (is_spread(p))
    return plan_spread<T>(p, threads).template bytes<T>(threads);
  const index<S> stride = stride_of<S>(p);
  int64_t bytes = 0; // a bump allocator: the residues' needs add up
  walk(stride, 0, volume(stride), [&](const index<S> &residue) {
    bytes +=
        (convolve_scratch<X, W>(transposed_convolution_of(p, residue), threads) + 63) / 64 * 64;
  });
  return bytes;
}

template <class P, class X, class W, class STORE>
CAMEO_INLINE void conv_transpose_by_product(exec &e, const P &p, const X *x, const W *w,
                                            const STORE &store) {
  using T = conv_element<X, W>;
  constexpr int S = P::spatial_rank;
  const spread_plan plan = plan_spread<T>(p, e.threads());
  const int64_t bytes = plan.template bytes<T>(e.threads());
  auto *memory = static_cast<T *>(e.scratch(static_cast<size_t>(bytes)));
  if (memory == nullptr)
    return;
  auto *const residues =
      reinterpret_cast<cameo::taps *>(reinterpret_cast<char *>(memory) + bytes - plan.residues);
  const int64_t out = p.out_channels / p.groups, length = output_of<S>(p)[0];
  const auto next = [](int64_t begin, int64_t step, int64_t end) {
    return span{begin, begin + step < end ? begin + step : end};
  };
  for (int64_t unit = 0; unit < p.batch * p.groups; ++unit)
    for (int64_t o = 0; o < length; o += plan.outputs)
      for (int64_t c = 0; c < out; c += plan.channels) {
        spread_block<S> block = {unit / p.groups,
                                 unit % p.groups,
                                 next(c, plan.channels, out),
                                 next(o, plan.outputs, length),
                                 0,
                                 {},
                                 {},
                                 {},
                                 {}};
        find_inputs(p, plan, block, residues);
        convolve_block(e, p, plan, block, x, w, memory, store);
      }
}

template <class P, class X, class W, class STORE>
void conv_transpose(exec &e, const P &p, const X *x, const W *w, STORE store) {
  constexpr int S = P::spatial_rank;
  if (is_spread(p)) {
    CAMEO_OPERATIONS(2 * p.batch * p.in_channels * volume(input_of<S>(p)) *
                     volume(kernel_of<S>(p)) * (p.out_channels / p.groups));
    return conv_transpose_by_product(e, p, x, w, store);
  }
  const index<S> stride = stride_of<S>(p);
  walk(stride, 0, volume(stride), [&](const index<S> &residue) {
    convolve(e, transposed_convolution_of(p, residue), x, w, store);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
