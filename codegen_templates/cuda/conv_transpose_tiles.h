// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv_transpose_tiles: conv_transpose by the tiles of conv_tiles.h. The outputs of each residue
// are a convolution, all of which are one launch; the taps that reach them are brought together
// first, as lines of a matrix.
#pragma once

#include "cameo/cuda/conv_tiles.h"
#include "cameo/cuda/conv_transpose.h"

namespace cameo::cuda {

/// Elements of a line of weights, the same for every residue: whole chunks, of which the end may
/// be 0.
template <class E, class P> CAMEO_DEVICE int64_t residue_line(const P &p) {
  constexpr int S = P::spatial_rank;
  constexpr int64_t in_chunk = chunk_bytes / static_cast<int64_t>(sizeof(E));
  const index<S> kernel = kernel_of<S>(p), stride = stride_of<S>(p), dilation = dilation_of<S>(p);
  int64_t elements = p.in_channels / p.groups;
  for (int d = 0; d < S; ++d) {
    const int64_t apart = taps_apart(stride[d], dilation[d]);
    elements *= (kernel[d] + apart - 1) / apart;
  }
  return (elements + in_chunk - 1) / in_chunk * in_chunk;
}

/// The lines of all residues, by (residue, output channel of any group): elements (ic, tap).
template <class P, class E> struct residue_lines_call {
  static constexpr int S = P::spatial_rank;
  P p;
  const E *w;
  E *lines;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p); }
  CAMEO_DEVICE index<3> extents() const {
    return {{volume(stride_of<S>(p)), p.out_channels, residue_line<E>(p)}};
  }
  CAMEO_DEVICE const residue_lines_call &body() const { return *this; }
  CAMEO_DEVICE_ONLY void operator()(const index<3> &i) const {
    const auto c = transposed_convolution_of(p, unflatten(i[0], stride_of<S>(p)));
    const conv_weights<E, S> from = {w, c, volume(c.window.tap_counts())};
    const int64_t line = from.line(i[1] / c.out_channels, i[1] % c.out_channels);
    lines[flatten(i, extents())] = i[2] < c.depth() ? from.at(line, from.step(i[2])) : E{};
  }
};

/// conv_call of the residue block_index().y; w has the lines of all.
template <class P, class E, class STORE>
struct conv_transpose_tiles_call : conv_call<conv_transpose_geometry<P>, E, E, STORE> {
  using base = conv_call<conv_transpose_geometry<P>, E, E, STORE>;
  using element = E;
  static constexpr int64_t channels = known_channels<P>(), columns = by_launch, depth = by_launch;

  CAMEO_DEVICE_ONLY void load_counts() {
    base::load_counts();
    set_residue(block_index().y);
  }
  CAMEO_DEVICE void set_residue(int64_t residue) {
    this->geometry.residue = unflatten(residue, stride_of<P::spatial_rank>(this->geometry.p));
  }
  CAMEO_DEVICE auto left() const {
    const multiply_shape s = this->shape();
    const P &p = this->geometry.p;
    const int64_t residue = flatten(this->geometry.residue, stride_of<P::spatial_rank>(p));
    const int64_t line = residue_line<E>(p);
    const E *const own = this->w + residue * p.out_channels * line;
    return gemm_operand<E, true, 1>{own, s.m, line, {{s.batches}}, {{s.m * line}}};
  }
};

/// The shape that each of `count` residues has at most.
template <class CALL> multiply_shape shape_of_residues(CALL call, int64_t count) {
  multiply_shape most = {};
  [[maybe_unused]] int64_t products = 0;
  for (int64_t residue = 0; residue < count; ++residue) {
    call.set_residue(residue);
    const multiply_shape s = call.shape();
    products += s.batches * s.m * s.n * s.k;
    most = {s.batches, s.m, s.n > most.n ? s.n : most.n, s.k > most.k ? s.k : most.k};
  }
  CAMEO_OPERATIONS(2 * products);
  CAMEO_DEPTH(most.k);
  return most;
}

/// Whether places in the input, seen from any output, are small numbers, and residues few.
template <class P> constexpr bool is_transposed_in_reach(const P &p) {
  constexpr int S = P::spatial_rank;
  constexpr int64_t most_blocks = 65535; // of a grid along y
  if (volume(stride_of<S>(p)) > most_blocks)
    return false;
  const index<S> input = input_of<S>(p), output = output_of<S>(p), kernel = kernel_of<S>(p);
  const index<S> dilation = dilation_of<S>(p), pad = pad_of<S>(p);
  int64_t elements = p.in_channels / p.groups;
  for (int d = 0; d < S; ++d) {
    const int64_t span = kernel[d] * dilation[d] + (pad[d] < 0 ? -pad[d] : pad[d]);
    if (elements >= INT32_MAX || input[d] >= image_end || output[d] >= image_end ||
        span >= image_end)
      return false;
    elements *= input[d];
  }
  return elements < INT32_MAX;
}

template <class P> constexpr bool is_plain_transposed_always() {
  constexpr int64_t channels = known_channels<P>();
  if constexpr (channels >= 0 && channels <= direct_channels)
    return true;
  else if constexpr (has_known_reach<P>())
    return !is_transposed_in_reach(P{});
  else
    return false;
}

/// Bytes that conv_transpose_tiles takes from e.scratch: the lines of all residues.
template <class E, class P> int64_t conv_transpose_tiles_scratch(const P &p, int) {
  if constexpr (is_plain_transposed_always<P>())
    return 0;
  else
    return volume(stride_of<P::spatial_rank>(p)) * p.out_channels * residue_line<E>(p) *
           static_cast<int64_t>(sizeof(E));
}

template <class P, class E, class STORE>
void conv_transpose_tiles(exec &e, const P &p, const E *x, const E *w, STORE store) {
  if constexpr (is_plain_transposed_always<P>()) {
    conv_transpose(e, p, x, w, store);
  } else {
    if constexpr (!has_known_reach<P>() || known_channels<P>() < 0)
      if (p.out_channels / p.groups <= direct_channels || !is_transposed_in_reach(p))
        return conv_transpose(e, p, x, w, store);
    const int64_t residues = volume(stride_of<P::spatial_rank>(p));
    const int64_t bytes = conv_transpose_tiles_scratch<E>(p, 1);
    E *const lines = static_cast<E *>(e.scratch(static_cast<size_t>(bytes)));
    if (bytes > 0 && lines == nullptr)
      return;
    for_each_call(e, residue_lines_call<P, E>{p, w, lines});
    const conv_transpose_geometry<P> geometry{p, {}};
    const conv_transpose_tiles_call<P, E, STORE> call{{geometry, x, lines, store}};
    const multiply_shape s = shape_of_residues(call, residues);
    if (s.batches > 0 && s.n > 0)
      launch_image_tiles<chunk_bytes>(e, call, s, residues);
  }
}

} // namespace cameo::cuda
