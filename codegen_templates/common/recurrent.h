// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN in terms of the target's multiply_inputs, hold_weights, multiply_states and
// for_each (found through EXEC). The inputs of all steps are multiplied at once; then each step
// multiplies the states of both directions and applies the cell equations. State, gates and sums
// are kept in A, the accumulator of T. Every function is inlined into the target's: no symbol here
// outlives a translation unit.
#pragma once

#include "cameo/common/indexing.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/counted.h"

namespace cameo {

/// Pointers that may be null, and take no part in deduction: `nullptr` will do.
template <class T> struct same_type { using type = T; };
template <class T> using optional_in = const typename same_type<T>::type *;
template <class T> using optional_out = typename same_type<T>::type *;

namespace recurrent {

/// Extents and order of the tensors of a layer; GATES per hidden unit. E: of the batch, which may
/// be counted.
template <class E> struct layer {
  int64_t seq;
  E batch;
  int64_t input, hidden, gates;
  int directions, layout;
  bool reverse;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(batch); }
  CAMEO_DEVICE bool runs_backwards(int64_t direction) const {
    return directions == 2 ? direction == 1 : reverse;
  }
  /// Row of x (and of the gates of the inputs) that holds a step.
  CAMEO_DEVICE int64_t input_row(int64_t t, int64_t b) const {
    return layout == 0 ? t * batch + b : b * seq + t;
  }
  /// Where y, and where h0, c0, y_h and y_c keep a hidden unit.
  CAMEO_DEVICE int64_t y_at(int64_t t, int64_t d, int64_t b, int64_t j) const {
    const int64_t row =
        layout == 0 ? (t * directions + d) * batch + b : (b * seq + t) * directions + d;
    return row * hidden + j;
  }
  CAMEO_DEVICE int64_t state_at(int64_t d, int64_t b, int64_t j) const {
    return (layout == 0 ? d * batch + b : b * directions + d) * hidden + j;
  }
};

/// The type of the batch, the only member of p that may be counted.
template <class P>
using batch_extent = std::conditional_t<has_counts<P>::value, counted_extent, int64_t>;

template <class P> CAMEO_INLINE layer<batch_extent<P>> layer_of(const P &p, int64_t gates) {
  // Kernels load the layer, not p, and nvcc warns of a member that nobody names.
  if constexpr (has_counts<P>::value)
    static_cast<void>(&P::load_counts);
  return {p.seq, p.batch, p.input, p.hidden, gates, P::directions, P::layout, p.reverse};
}

/// Lengths of the sequences, held to [0, seq].
struct lengths {
  const int32_t *values; // or null: all full
  int64_t seq;

  CAMEO_DEVICE int64_t operator[](int64_t b) const {
    if (values == nullptr)
      return seq;
    const int64_t n = values[b];
    return n < 0 ? 0 : n < seq ? n : seq;
  }
};

template <class FLAG> struct check_lengths {
  const int32_t *values;
  int64_t seq;
  FLAG flag;
  CAMEO_DEVICE void operator()(const index<1> &b) const {
    if (values[b[0]] < 0 || values[b[0]] > seq)
      raise(flag, CAMEO_OUT_OF_RANGE, static_cast<int64_t>(values[b[0]]), seq);
  }
};

/// Scratch of a layer: the gates that inputs give, [directions][row][gates * hidden]; those of one
/// step, [directions][batch][gates * hidden]; states, [directions][batch][hidden] each.
template <class A> struct memory {
  A *inputs, *step, *h, *c, *reset_h;

  template <class E> CAMEO_INLINE static int64_t elements(const layer<E> &l) {
    const int64_t states = l.directions * l.batch * l.hidden;
    return (l.seq + 1) * l.gates * states + 3 * states;
  }
  template <class E> CAMEO_INLINE static memory at(void *p, const layer<E> &l) {
    const int64_t states = l.directions * l.batch * l.hidden;
    memory m;
    m.inputs = static_cast<A *>(p);
    m.step = m.inputs + l.seq * l.gates * states;
    m.h = m.step + l.gates * states;
    m.c = m.h + states;
    m.reset_h = m.c + states;
    return m;
  }
};

template <class E> struct product {
  static constexpr int batch_rank = 1;
  static constexpr bool trans_a = false, trans_b = true;
  E m;
  int64_t n, k, batch[1];
  E a_batch_stride[1];
  int64_t b_batch_stride[1];

  CAMEO_DEVICE void load_counts() { cameo::load_counts(m, a_batch_stride[0]); }
};

/// The products of a layer: all inputs; the states of a step with gates [first, first + count).
template <class E> CAMEO_INLINE product<E> input_product(const layer<E> &l) {
  return {times(l.batch, l.seq),         l.gates * l.hidden, l.input, {l.directions}, {0},
          {l.gates * l.hidden * l.input}};
}
template <class E> CAMEO_INLINE product<E> state_product(const layer<E> &l, int64_t gates) {
  return {l.batch,        gates * l.hidden,           l.hidden,
          {l.directions}, {times(l.batch, l.hidden)}, {l.gates * l.hidden * l.hidden}};
}

/// Adds the input bias, and the recurrent one to gates below `joined` (both lie in b as
/// [2][gates]).
template <class T, class A, class E> struct store_inputs {
  A *to;
  const T *bias; // or null
  layer<E> l;
  int64_t joined;

  CAMEO_DEVICE void load_counts() { l.load_counts(); }
  CAMEO_DEVICE void operator()(const index<3> &i, A v) const {
    const int64_t d = i[0], n = i[2], width = l.gates * l.hidden;
    if (bias != nullptr) {
      v = add(v, cast<A>(bias[2 * d * width + n]));
      if (n < joined * l.hidden)
        v = add(v, cast<A>(bias[(2 * d + 1) * width + n]));
    }
    to[(d * l.seq * l.batch + i[1]) * width + n] = v;
  }
};

/// A row of store_step.
template <bool SEPARATE, class A> struct step_row {
  A *to;
  const A *inputs;
  CAMEO_DEVICE void operator()(int64_t j, A v) const { to[j] = SEPARATE ? v : add(v, inputs[j]); }
};

/// Adds the inputs' part of a step to the states' part of gates `first`..; or, SEPARATE, only keeps
/// the latter. Beyond its length a sequence gets the part of some other step, which nobody looks
/// at.
template <bool SEPARATE, class A, class E> struct store_step {
  A *to;
  const A *inputs;
  layer<E> l;
  lengths length;
  int64_t s, first;

  CAMEO_DEVICE void load_counts() { l.load_counts(); }
  CAMEO_DEVICE step_row<SEPARATE, A> row(const index<2> &i) const {
    const int64_t d = i[0], b = i[1], width = l.gates * l.hidden, len = length[b];
    const int64_t t = l.runs_backwards(d) && s < len ? len - 1 - s : s;
    const int64_t input = (d * l.seq * l.batch + l.input_row(t, b)) * width;
    return {to + (d * l.batch + b) * width + first * l.hidden, inputs + input + first * l.hidden};
  }
  CAMEO_DEVICE void operator()(const index<3> &i, A v) const { row({{i[0], i[1]}})(i[2], v); }
};

/// Initial states into scratch, final ones out of it.
template <class T, class A, class E> struct read_state {
  A *to;
  const T *from; // or null: 0
  layer<E> l;
  CAMEO_DEVICE void load_counts() { l.load_counts(); }
  CAMEO_DEVICE void operator()(const index<3> &i) const {
    to[(i[0] * l.batch + i[1]) * l.hidden + i[2]] =
        from != nullptr ? cast<A>(from[l.state_at(i[0], i[1], i[2])]) : A{};
  }
};
template <class T, class A, class E> struct write_state {
  T *to;
  const A *from;
  layer<E> l;
  CAMEO_DEVICE void load_counts() { l.load_counts(); }
  CAMEO_DEVICE void operator()(const index<3> &i) const {
    to[l.state_at(i[0], i[1], i[2])] = cast<T>(from[(i[0] * l.batch + i[1]) * l.hidden + i[2]]);
  }
};

/// One of two values, the same for a whole row. By bits, since g++ does not vectorise a choice by a
/// condition that no element of the row decides.
template <class A> struct row_choice {
  using bits = std::conditional_t<sizeof(A) == sizeof(uint32_t), uint32_t, uint64_t>;
  bits mask;

  CAMEO_DEVICE static row_choice of(bool first) { return {first ? ~bits{0} : bits{0}}; }
  CAMEO_DEVICE A operator()(A first, A second) const {
    return __builtin_bit_cast(A, (__builtin_bit_cast(bits, first) & mask) |
                                     (__builtin_bit_cast(bits, second) & ~mask));
  }
};

/// The hidden units of a direction and a batch, as the cells of a step see them. No branch depends
/// on the unit, so that a row is vectors: what does not apply is computed and not selected, what
/// nobody wants is written where nobody looks.
template <class T, class A> struct cell_row {
  int64_t hidden;
  row_choice<A> active; // else the state stays, and y is 0
  const A *gates;
  A *h;
  T *y;
  A limit;            // infinite where nothing is clipped
  index<1> direction; // what an activation is told besides its value

  /// Input of gate g's activation.
  CAMEO_DEVICE A sum(int64_t j, int64_t g) const { return gates[g * hidden + j]; }
  CAMEO_DEVICE A clipped(A v) const {
    const A low = v < -limit ? -limit : v;
    return low > limit ? limit : low;
  }
  CAMEO_DEVICE void finish(int64_t j, A v) const {
    h[j] = active(v, h[j]);
    y[j] = cast<T>(active(v, A{}));
  }
};

/// State that the cells of a step share.
template <class T, class A, class E> struct cell {
  layer<E> l;
  lengths length;
  int64_t s;
  const A *gate; // of this step
  const A *inputs;
  A *h, *unread; // as long as h, for what nobody wants
  T *y;          // or null
  A clip;

  CAMEO_DEVICE void load_counts() { l.load_counts(); }
  CAMEO_DEVICE bool active(int64_t b) const { return s < length[b]; }
  CAMEO_DEVICE int64_t time(const index<2> &i) const {
    return !active(i[1]) ? s : l.runs_backwards(i[0]) ? length[i[1]] - 1 - s : s;
  }
  CAMEO_DEVICE int64_t first_unit(const index<2> &i) const {
    return (i[0] * l.batch + i[1]) * l.hidden;
  }
  CAMEO_DEVICE cell_row<T, A> row(const index<2> &i) const {
    static_assert(sizeof(T) <= sizeof(A), "what is unread has room for y");
    const int64_t first = first_unit(i);
    T *const wanted =
        y != nullptr ? y + l.y_at(time(i), i[0], i[1], 0) : reinterpret_cast<T *>(unread + first);
    const A limit = clip > 0 ? clip : static_cast<A>(__builtin_inf());
    const auto is_active = row_choice<A>::of(active(i[1]));
    return {l.hidden, is_active, gate + first * l.gates, h + first, wanted, limit, {{i[0]}}};
  }
};

template <class T, class A, class F, class G, class H> struct lstm_row {
  cell_row<T, A> base;
  A *c;
  const T *peephole; // [i o f], `stride` apart
  int64_t stride;
  row_choice<A> peeks, input_forget;
  F f;
  G g;
  H h;

  CAMEO_DEVICE void operator()(const index<1> &at) const {
    const int64_t j = at[0];
    const index<1> &d = base.direction;
    const A before = c[j];
    const A in = f(d, base.clipped(peek(j, 0, before)));
    const A kept = f(d, base.clipped(peek(j, 2, before)));
    const A forget = input_forget(sub(A{1}, in), kept);
    const A candidate = g(d, base.clipped(base.sum(j, 3)));
    const A after = add(mul(forget, before), mul(in, candidate));
    const A out = f(d, base.clipped(peek(j, 1, after)));
    c[j] = base.active(after, before);
    base.finish(j, mul(out, h(d, after)));
  }

private:
  CAMEO_DEVICE A peek(int64_t j, int64_t gate, A state) const {
    const A sum = base.sum(j, gate);
    return peeks(add(sum, mul(cast<A>(peephole[gate * stride + j]), state)), sum);
  }
};

template <class T, class A, class E, class F, class G, class H> struct lstm_cell {
  cell<T, A, E> base;
  A *c;
  const T *peephole; // [directions][i o f][hidden] or null
  bool input_forget;
  F f;
  G g;
  H h;

  CAMEO_DEVICE void load_counts() { base.load_counts(); }
  CAMEO_DEVICE lstm_row<T, A, F, G, H> operator()(const index<2> &i) const {
    const cell_row<T, A> row = base.row(i);
    const bool peeks = peephole != nullptr;
    const int64_t hidden = base.l.hidden;
    // Where there is none, what it would be multiplied by is read from anywhere.
    const T *const first = peeks ? peephole + i[0] * 3 * hidden : row.y;
    return {row,
            c + base.first_unit(i),
            first,
            peeks ? hidden : 0,
            row_choice<A>::of(peeks),
            row_choice<A>::of(input_forget),
            f,
            g,
            h};
  }
};

template <class T, class A, class F> struct rnn_row {
  cell_row<T, A> base;
  F f;
  CAMEO_DEVICE void operator()(const index<1> &j) const {
    base.finish(j[0], f(base.direction, base.clipped(base.sum(j[0], 0))));
  }
};

template <class T, class A, class E, class F> struct rnn_cell {
  cell<T, A, E> base;
  F f;
  CAMEO_DEVICE void load_counts() { base.load_counts(); }
  CAMEO_DEVICE rnn_row<T, A, F> operator()(const index<2> &i) const { return {base.row(i), f}; }
};

/// r . h, what GRU multiplies by Rh unless linear_before_reset.
template <class T, class A, class F> struct gru_reset_row {
  cell_row<T, A> base;
  A *reset_h;
  F f;
  CAMEO_DEVICE void operator()(const index<1> &j) const {
    const A r = f(base.direction, base.clipped(base.sum(j[0], 1)));
    reset_h[j[0]] = mul(r, base.h[j[0]]);
  }
};

template <class T, class A, class E, class F> struct gru_reset {
  cell<T, A, E> base;
  A *reset_h;
  F f;
  CAMEO_DEVICE void load_counts() { base.load_counts(); }
  CAMEO_DEVICE gru_reset_row<T, A, F> operator()(const index<2> &i) const {
    return {base.row(i), reset_h + base.first_unit(i), f};
  }
};

template <bool LINEAR, class T, class A, class F, class G> struct gru_row {
  cell_row<T, A> base;
  const T *bias; // of the third gate's recurrent part
  row_choice<A> biased;
  const A *input; // what the third gate has of the inputs
  F f;
  G g;

  CAMEO_DEVICE void operator()(const index<1> &at) const {
    const int64_t j = at[0];
    const index<1> &d = base.direction;
    const A z = f(d, base.clipped(base.sum(j, 0)));
    A v = base.sum(j, 2);
    if constexpr (LINEAR) { // only h Rh so far
      v = biased(add(v, cast<A>(bias[j])), v);
      v = add(mul(f(d, base.clipped(base.sum(j, 1))), v), input[j]);
    }
    const A candidate = g(d, base.clipped(v));
    base.finish(j, add(mul(sub(A{1}, z), candidate), mul(z, base.h[j])));
  }
};

template <bool LINEAR, class T, class A, class E, class F, class G> struct gru_cell {
  cell<T, A, E> base;
  const T *bias; // or null
  F f;
  G g;

  CAMEO_DEVICE void load_counts() { base.load_counts(); }
  CAMEO_DEVICE gru_row<LINEAR, T, A, F, G> operator()(const index<2> &i) const {
    const layer<E> &l = base.l;
    const cell_row<T, A> row = base.row(i);
    const bool biased = bias != nullptr;
    const T *const own = biased ? bias + ((2 * i[0] + 1) * l.gates + 2) * l.hidden : row.y;
    const int64_t t = i[0] * l.seq * l.batch + l.input_row(base.time(i), i[1]);
    return {row, own, row_choice<A>::of(biased), base.inputs + (t * l.gates + 2) * l.hidden, f, g};
  }
};

/// Prepares any layer for its first step. False when there is no memory.
template <class T, class A, class E, class EXEC, class FLAG, class P>
CAMEO_INLINE bool prepare(EXEC &e, FLAG flag, const P &p, const layer<E> &l, memory<A> &m,
                          const T *x, const T *w, const T *bias, int64_t joined,
                          const int32_t *sequence_lens, const T *h0) {
  void *const scratch = e.scratch(static_cast<size_t>(memory<A>::elements(l)) * sizeof(A));
  if (scratch == nullptr)
    return false;
  m = memory<A>::at(scratch, l);
  if (sequence_lens != nullptr)
    for_each(e, space_of(l.batch), check_lengths<FLAG>{sequence_lens, l.seq, flag});
  multiply_inputs(e, p, input_product(l), x, w, store_inputs<T, A, E>{m.inputs, bias, l, joined});
  for_each(e, space_of(l.directions, l.batch, l.hidden), read_state<T, A, E>{m.h, h0, l});
  return true;
}

// The layers. Each kernel set has them under its own name, so that copies of a program share none.

template <class EXEC, class FLAG, class P, class T, class F, class G, class H>
CAMEO_INLINE void lstm(EXEC &e, FLAG flag, const P &p, const T *x, const T *w, const T *r,
                       optional_in<T> bias, const int32_t *sequence_lens, optional_in<T> h0,
                       optional_in<T> c0, optional_in<T> peephole, optional_out<T> y,
                       optional_out<T> y_h, optional_out<T> y_c, F f, G g, H h) {
  using A = accumulator_t<T>;
  using E = batch_extent<P>;
  const layer<E> l = layer_of(p, 4);
  const auto units = space_of(l.directions, l.batch, l.hidden);
  const auto rows = space_of(l.directions, l.batch);
  const index<1> row = {{l.hidden}};
  memory<A> m;
  if (!prepare<T, A>(e, flag, p, l, m, x, w, bias, 4, sequence_lens, h0))
    return;
  for_each(e, units, read_state<T, A, E>{m.c, c0, l});
  const lengths length = {sequence_lens, l.seq};
  const auto weights = hold_weights(e, l, m.h, r);
  for (int64_t s = 0; s < l.seq; ++s)
    with_scratch(e, [&] {
      multiply_states(e, state_product(l, 4), s, static_cast<const A *>(m.h), weights, 0,
                      store_step<false, A, E>{m.step, m.inputs, l, length, s, 0});
      for_rows(e, rows, row,
               lstm_cell<T, A, E, F, G, H>{
                   {l, length, s, m.step, m.inputs, m.h, m.reset_h, y, static_cast<A>(p.clip)},
                   m.c,
                   peephole,
                   p.input_forget,
                   f,
                   g,
                   h});
    });
  if (y_h != nullptr)
    for_each(e, units, write_state<T, A, E>{y_h, m.h, l});
  if (y_c != nullptr)
    for_each(e, units, write_state<T, A, E>{y_c, m.c, l});
}

template <class EXEC, class FLAG, class P, class T, class F, class G>
CAMEO_INLINE void gru(EXEC &e, FLAG flag, const P &p, const T *x, const T *w, const T *r,
                      optional_in<T> bias, const int32_t *sequence_lens, optional_in<T> h0,
                      optional_out<T> y, optional_out<T> y_h, F f, G g) {
  using A = accumulator_t<T>;
  using E = batch_extent<P>;
  const layer<E> l = layer_of(p, 3);
  const auto units = space_of(l.directions, l.batch, l.hidden);
  const auto rows = space_of(l.directions, l.batch);
  const index<1> row = {{l.hidden}};
  const bool linear = p.linear_before_reset;
  memory<A> m;
  if (!prepare<T, A>(e, flag, p, l, m, x, w, bias, linear ? 2 : 3, sequence_lens, h0))
    return;
  const lengths length = {sequence_lens, l.seq};
  const auto weights = hold_weights(e, l, m.h, r);
  for (int64_t s = 0; s < l.seq; ++s)
    with_scratch(e, [&] {
      const cell<T, A, E> base = {
          l, length, s, m.step, m.inputs, m.h, m.reset_h, y, static_cast<A>(p.clip)};
      multiply_states(e, state_product(l, 2), s, static_cast<const A *>(m.h), weights, 0,
                      store_step<false, A, E>{m.step, m.inputs, l, length, s, 0});
      if (!linear)
        for_rows(e, rows, row, gru_reset<T, A, E, F>{base, m.reset_h, f});
      if (linear) {
        multiply_states(e, state_product(l, 1), s, static_cast<const A *>(m.h), weights, 2,
                        store_step<true, A, E>{m.step, m.inputs, l, length, s, 2});
        for_rows(e, rows, row, gru_cell<true, T, A, E, F, G>{base, bias, f, g});
      } else {
        multiply_states(e, state_product(l, 1), s, static_cast<const A *>(m.reset_h), weights, 2,
                        store_step<false, A, E>{m.step, m.inputs, l, length, s, 2});
        for_rows(e, rows, row, gru_cell<false, T, A, E, F, G>{base, bias, f, g});
      }
    });
  if (y_h != nullptr)
    for_each(e, units, write_state<T, A, E>{y_h, m.h, l});
}

template <class EXEC, class FLAG, class P, class T, class F>
CAMEO_INLINE void rnn(EXEC &e, FLAG flag, const P &p, const T *x, const T *w, const T *r,
                      optional_in<T> bias, const int32_t *sequence_lens, optional_in<T> h0,
                      optional_out<T> y, optional_out<T> y_h, F f) {
  using A = accumulator_t<T>;
  using E = batch_extent<P>;
  const layer<E> l = layer_of(p, 1);
  const auto units = space_of(l.directions, l.batch, l.hidden);
  const auto rows = space_of(l.directions, l.batch);
  const index<1> row = {{l.hidden}};
  memory<A> m;
  if (!prepare<T, A>(e, flag, p, l, m, x, w, bias, 1, sequence_lens, h0))
    return;
  const lengths length = {sequence_lens, l.seq};
  const auto weights = hold_weights(e, l, m.h, r);
  for (int64_t s = 0; s < l.seq; ++s)
    with_scratch(e, [&] {
      multiply_states(e, state_product(l, 1), s, static_cast<const A *>(m.h), weights, 0,
                      store_step<false, A, E>{m.step, m.inputs, l, length, s, 0});
      for_rows(e, rows, row,
               rnn_cell<T, A, E, F>{
                   {l, length, s, m.step, m.inputs, m.h, m.reset_h, y, static_cast<A>(p.clip)}, f});
    });
  if (y_h != nullptr)
    for_each(e, units, write_state<T, A, E>{y_h, m.h, l});
}

} // namespace recurrent
} // namespace cameo
