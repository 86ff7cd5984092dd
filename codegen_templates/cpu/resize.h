// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// resize<MODE>: what each output position of an axis takes from where is found once, in tables. A
// line of outputs lies along the last axes; an input line that it is made of is resized along them
// once, and kept while outputs in turn take it. Sums are those of common/resize.h, in its order.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/resize.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// From how many elements on a run behind the axis of a line is weighed as a whole.
constexpr int64_t resized_run = 16;
/// Lines that are added at a time.
constexpr int lines_at_once = 4;

/// How the elements of a resize are divided.
template <int R> struct resize_plan {
  index<R> input, output;
  index<R> count; // taps of each axis; 0: copied through
  index<R> slot;  // of axes in front: lines kept for it, a power of two
  int front;      // axes in front of those of a line, whose first is the last one that is resized
  int last;       // of them, the last one that is resized, or -1
  bool is_sum; // an output line is a run of the last axis, and a sum of up to lines_at_once lines
  int64_t from, to; // elements of an input line, of an output line
  int64_t room;     // for either
  bool is_copied;   // nothing is resized
  int64_t run;      // elements behind the line's first axis, which are weighed as a whole
  int64_t taps;     // of a line's elements
  int64_t slots;    // input lines that are kept
  bool is_short;    // positions fit 32 bits

  /// The positions for which axis d has a tap in its table: of a line whole vectors.
  CAMEO_INLINE int64_t outputs(int d) const {
    return d < front ? output[d] : ceil_div(to / run, 16) * 16;
  }
  CAMEO_INLINE int64_t entries(int d) const {
    return d <= front ? ceil_div(count[d] * outputs(d), 16) * 16 : 0;
  }
  CAMEO_INLINE int64_t all_entries() const {
    int64_t n = ceil_div(to, 16) * 16; // where the vectors of a line begin
    for (int d = 0; d < R; ++d)
      n += entries(d);
    return n;
  }
  CAMEO_INLINE int64_t lines() const {
    int64_t n = 1;
    for (int d = 0; d < front; ++d)
      n *= output[d];
    return n;
  }
  /// Elements of a thread's lines: those kept, one that is converted, sums of each axis in front.
  CAMEO_INLINE int64_t line_elements() const { return (slots + 1 + front) * room; }
};

template <class BODY, int R>
CAMEO_INLINE resize_plan<R> plan_resize(const BODY &body, const index<R> &input,
                                        const index<R> &output) {
  resize_plan<R> plan{input, output, {}, {}, R - 1, -1, false, 1, 1, 0, true, 1, 1, 1, true};
  int resized = -1;
  int64_t run = 1;
  for (int d = 0; d < R; ++d) {
    plan.count[d] = body.is_copied(body.axes[d]) ? 0 : body.count_of(body.axes[d]);
    if (plan.count[d] > 0)
      resized = d;
  }
  for (int d = resized + 1; d < R; ++d)
    run *= output[d];
  if (resized >= 0) {
    plan.is_copied = false;
    plan.front = resized;
    plan.taps = plan.count[resized];
    plan.run = run < resized_run ? 1 : run;
  }
  for (int d = plan.front; d < R; ++d) {
    plan.from *= input[d];
    plan.to *= output[d];
  }
  int sums = 0;
  for (int d = 0; d < plan.front; ++d) {
    for (plan.slot[d] = 1; plan.slot[d] < plan.count[d];)
      plan.slot[d] *= 2;
    plan.slots *= plan.slot[d];
    if (plan.count[d] > 0) {
      plan.last = d;
      ++sums;
    }
  }
  plan.is_sum = sums == 1 && plan.front == R - 1 && plan.count[plan.last] <= lines_at_once;
  plan.room = ceil_div(plan.from > plan.to ? plan.from : plan.to, 16) * 16;
  plan.is_short = plan.from <= INT32_MAX;
  for (int d = 0; d < R; ++d)
    plan.is_short = plan.is_short && input[d] <= INT32_MAX;
  return plan;
}

/// Where the taps of an axis lie and what they weigh: tap k of output o is [k * outputs + o].
/// `outside`: positions that extrapolate, of axes that crop.
template <class S> struct tap_table {
  int32_t *position;
  S *weight;
  bool *outside;
  int64_t outputs;
};

/// A line's table: all taps of a vector of outputs lie in `vectors` vectors (1, 2 or 4) from
/// begin[i] on, which end `beyond` elements behind the line; 0: they are read one by one.
template <class S> struct line_table : tap_table<S> {
  int32_t *begin;
  int vectors;
  int64_t beyond;
};

/// to[j] (+)= the sum over i < N of weight[i] * line[i][j]
template <int N, class S>
CAMEO_INLINE void add_lines(S *to, bool adds, const S *const *lines, const S *weights,
                            int64_t count) {
  const S *line[array_size(N)];
  S weight[array_size(N)];
  for (int i = 0; i < N; ++i) {
    line[i] = lines[i];
    weight[i] = weights[i];
  }
  CAMEO_INDEPENDENT
  for (int64_t j = 0; j < count; ++j) {
    S sum = adds ? to[j] : S{0};
    for (int i = 0; i < N; ++i)
      sum += weight[i] * line[i][j];
    to[j] = sum;
  }
}

/// A few lines times their weights, which are collected until they are added together.
template <class S> class line_sum {
public:
  CAMEO_INLINE line_sum(S *to, int64_t count) : to_(to), count_(count) {}
  CAMEO_INLINE void add(const S *line, S weight, int at_once) {
    lines_[held_] = line;
    weights_[held_] = weight;
    if (++held_ == at_once)
      flush();
  }
  CAMEO_INLINE void finish() {
    flush();
    for (int64_t j = 0; j < count_ && !adds_; ++j)
      to_[j] = 0;
  }

private:
  CAMEO_INLINE void flush() {
    if (held_ == 4)
      add_lines<4>(to_, adds_, lines_, weights_, count_);
    else if (held_ == 3)
      add_lines<3>(to_, adds_, lines_, weights_, count_);
    else if (held_ == 2)
      add_lines<2>(to_, adds_, lines_, weights_, count_);
    else if (held_ == 1)
      add_lines<1>(to_, adds_, lines_, weights_, count_);
    adds_ = adds_ || held_ > 0;
    held_ = 0;
  }

  S *to_;
  int64_t count_;
  const S *lines_[lines_at_once];
  S weights_[lines_at_once];
  int held_ = 0;
  bool adds_ = false;
};

/// to[j] = the sum over k < N (taps, if 0) of weight[k][j] * x[position[k][j]], of weights that are
/// not 0.
template <int N, class S>
CAMEO_NOINLINE void resize_line(const line_table<S> &table, int64_t taps, const S *x, S *to,
                                int64_t count) {
  const int32_t *const position = table.position;
  const S *const weight = table.weight;
  const int64_t outputs = table.outputs, times = N > 0 ? N : taps;
  CAMEO_INDEPENDENT
  for (int64_t j = 0; j < count; ++j) {
    S sum = 0;
    for (int64_t k = 0; k < times; ++k) {
      const S w = weight[k * outputs + j], term = w * x[position[k * outputs + j]];
      sum += w != 0 ? term : S{0};
    }
    to[j] = sum;
  }
}

#if defined(__GNUC__) && !defined(__clang__) && CAMEO_VECTOR_BYTES >= 32
#define CAMEO_PERMUTES
/// Element at[i] of what the vectors have together, for each lane i.
template <class V, class N> CAMEO_INLINE V pick_lanes(const V (&v)[1], N at) {
  return __builtin_shuffle(v[0], at);
}
template <class V, class N> CAMEO_INLINE V pick_lanes(const V (&v)[2], N at) {
  return __builtin_shuffle(v[0], v[1], at);
}
template <class V, class N> CAMEO_INLINE V pick_lanes(const V (&v)[4], N at) {
  constexpr int two = 2 * static_cast<int>(sizeof(N) / sizeof(int32_t));
  return at < two ? __builtin_shuffle(v[0], v[1], at) : __builtin_shuffle(v[2], v[3], at);
}

/// The same by vectors of outputs, whose taps are picked out of VECTORS vectors.
template <int N, int VECTORS>
CAMEO_NOINLINE void permute_line(const line_table<float> &table, int64_t taps, const float *x,
                                 float *to, int64_t count) {
  using vector = vec<float>::type;
  using numbers = vec<int32_t>::type;
  constexpr int64_t lanes = vec<float>::lanes;
  const int64_t times = N > 0 ? N : taps;
  for (int64_t j = 0, i = 0; j < count; j += lanes, ++i) {
    const float *const from = x + table.begin[i];
    vector part[array_size(VECTORS)];
    for (int v = 0; v < VECTORS; ++v)
      part[v] = load_vector(from + v * lanes);
    vector sum = {};
    for (int64_t k = 0; k < times; ++k) {
      const numbers at = load_vector(table.position + k * table.outputs + j) - table.begin[i];
      const vector w = load_vector(table.weight + k * table.outputs + j);
      const vector term = w * pick_lanes(part, at);
      sum += w != 0 ? term : vector{};
    }
    store_vector(to + j, sum);
  }
}
#endif

/// The same of runs of elements, a tap each.
template <class S>
CAMEO_NOINLINE void resize_runs(const line_table<S> &table, int64_t taps, int64_t run, const S *x,
                                S *to, int64_t count) {
  for (int64_t j = 0; j * run < count; ++j) {
    line_sum<S> sum(to + j * run, run);
    for (int64_t k = 0; k < taps; ++k)
      if (const S w = table.weight[k * table.outputs + j]; w != 0)
        sum.add(x + table.position[k * table.outputs + j] * run, w, lines_at_once);
    sum.finish();
  }
}

/// resize_line by what the table allows; `to` has room for whole vectors.
template <int N, class S>
CAMEO_INLINE void resize_by(const line_table<S> &table, int64_t taps, const S *x, S *to,
                            int64_t count) {
#if defined(CAMEO_PERMUTES)
  if constexpr (std::is_same_v<S, float>) {
    if (table.vectors == 1)
      return permute_line<N, 1>(table, taps, x, to, count);
    if (table.vectors == 2)
      return permute_line<N, 2>(table, taps, x, to, count);
    if (table.vectors == 4)
      return permute_line<N, 4>(table, taps, x, to, count);
  }
#endif
  resize_line<N>(table, taps, x, to, count);
}

#if defined(CAMEO_SHUFFLES)
/// The elements of a vector from FIRST on, each twice.
template <int FIRST, class V, int... I>
CAMEO_INLINE V twice(V v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (FIRST + I / 2)...);
}
#endif

/// Each of `from` elements twice. The last vector may read more, of `readable` elements; `to` has
/// room for whole vectors.
template <class T>
CAMEO_NOINLINE void repeat_twice(const T *x, int64_t from, int64_t readable, T *to) {
  int64_t i = 0;
#if defined(CAMEO_SHUFFLES) && CAMEO_VECTOR_BYTES > 0
  if constexpr (sizeof(T) == sizeof(uint32_t)) {
    constexpr int lanes = vec<uint32_t>::lanes;
    constexpr auto all = std::make_integer_sequence<int, lanes>();
    for (; i < from && i + lanes <= readable; i += lanes) {
      const auto v = load_vector(reinterpret_cast<const uint32_t *>(x + i));
      auto *const out = reinterpret_cast<uint32_t *>(to + 2 * i);
      store_vector(out, twice<0>(v, all));
      store_vector(out + lanes, twice<lanes / 2>(v, all));
    }
  }
#endif
  CAMEO_INDEPENDENT
  for (; i < from; ++i) {
    to[2 * i] = x[i];
    to[2 * i + 1] = x[i];
  }
}

/// Each of `from` elements `times` times; as repeat_twice.
template <class T>
CAMEO_INLINE void repeat_elements(const T *x, int64_t from, int64_t readable, int64_t times,
                                  T *to) {
  if (times == 2)
    return repeat_twice(x, from, readable, to);
  for (int64_t i = 0; i < from; ++i)
    for (int64_t r = 0; r < times; ++r)
      to[times * i + r] = x[i];
}

/// One thread's work: lines of outputs, and the lines of inputs that it keeps.
template <resize_mode MODE, class BODY, class T, class STORE, int R> struct resize_work {
  using V = typename BODY::V;
  using S = typename BODY::sum_type;
  static constexpr bool nearest = MODE == resize_mode::nearest;

  const BODY &body;
  const resize_plan<R> &plan;
  const tap_table<S> *tables; // of axes in front
  const line_table<S> &along; // of a line's
  int64_t repeats;            // nearest: each element of a line so often; 0: as the table says
  V *memory;
  int64_t *kept; // numbers of the input lines in the slots
  STORE store;

  /// Elements of the input from x on.
  CAMEO_INLINE int64_t elements_from(const T *x) const { return body.x + volume(plan.input) - x; }
  /// Input line `number`, resized.
  CAMEO_INLINE const V *line(int64_t number, int64_t slot) const {
    const T *x = body.x + number * plan.from;
    if constexpr (std::is_same_v<T, V>)
      if (plan.is_copied)
        return x;
    V *const to = memory + slot * plan.room;
    if (kept[slot] != number) {
      kept[slot] = number;
      make_line(x, to);
    }
    return to;
  }
  CAMEO_NOINLINE void make_line(const T *x, V *to) const {
    if constexpr (nearest) {
      if (repeats > 0) {
        repeat_elements(x, plan.from, elements_from(x), repeats, to);
      } else if (plan.run > 1) {
        for (int64_t j = 0; j < plan.to; j += plan.run)
          __builtin_memcpy(to + j, x + along.position[j / plan.run] * plan.run,
                           static_cast<size_t>(plan.run) * sizeof(T));
      } else {
        const int32_t *const position = along.position;
        CAMEO_INDEPENDENT
        for (int64_t j = 0; j < plan.to; ++j)
          to[j] = x[position[j]];
      }
    } else {
      V *const converted = plan.is_copied ? to : memory + plan.slots * plan.room;
      const V *from = converted;
      // Vectors may end in the lines behind this one, where there are any.
      if constexpr (std::is_same_v<T, V>)
        from = plan.from + along.beyond <= elements_from(x) ? x : converted;
      if (from == converted) {
        CAMEO_INDEPENDENT
        for (int64_t i = 0; i < plan.from; ++i)
          converted[i] = cast<V>(x[i]);
      }
      if (!plan.is_copied)
        resize(from, to);
    }
  }

  CAMEO_INLINE void resize(const V *x, V *to) const {
    if (plan.run > 1)
      resize_runs(along, plan.taps, plan.run, x, to, plan.to);
    else if (plan.taps == 2)
      resize_by<2>(along, 2, x, to, plan.to);
    else if (plan.taps == 4)
      resize_by<4>(along, 4, x, to, plan.to);
    else
      resize_by<0>(along, plan.taps, x, to, plan.to);
  }

  /// The line that axes D.. of o make of the input lines from `number` on, counted in axes before
  /// D.
  template <int D>
  CAMEO_INLINE const V *value(const index<R> &o, int64_t number, int64_t slot) const {
    if constexpr (D < R)
      if (D < plan.front) {
        const tap_table<S> &taps = tables[D];
        const bool is_sum = plan.count[D] > 0;
        V *const to = memory + (plan.slots + 1 + D) * plan.room;
        line_sum<V> sum(to, plan.to);
        // Taps next to each other have their own slots; sums share one.
        const int at_once = D == plan.last ? lines_at_once : 1;
        int64_t entry = o[D];
        for (int64_t k = 0; k < plan.count[D] || !is_sum; ++k, entry += plan.output[D]) {
          if (is_sum && taps.weight[entry] == 0)
            continue;
          const int64_t position = plan.count[D] == 0 ? o[D] : taps.position[entry];
          const V *const from = value<D + 1>(o, number * plan.input[D] + position,
                                             slot * plan.slot[D] + (position & (plan.slot[D] - 1)));
          if (!is_sum)
            return from;
          sum.add(from, taps.weight[entry], at_once);
        }
        sum.finish();
        return to;
      }
    (void)o;
    return line(number, slot);
  }

  /// Stores the line of outputs at o, which is a sum of lines (plan.is_sum).
  CAMEO_INLINE void give_sum(const index<R> &o) const {
    const tap_table<S> &taps = tables[plan.last];
    const V *lines[lines_at_once];
    V weights[lines_at_once];
    int held = 0;
    int64_t entry = o[plan.last];
    for (int64_t k = 0; k < plan.count[plan.last]; ++k, entry += plan.output[plan.last]) {
      if (taps.weight[entry] == 0)
        continue;
      const int64_t position = taps.position[entry];
      int64_t number = 0;
      for (int d = 0; d < plan.front; ++d)
        number = number * plan.input[d] + (d == plan.last ? position : o[d]);
      lines[held] = line(number, position & (plan.slot[plan.last] - 1));
      weights[held++] = taps.weight[entry];
    }
    const index<R - 1> row = slice<0, R - 1>(o);
    if (held == 4)
      give_lines<4>(row, lines, weights);
    else if (held == 3)
      give_lines<3>(row, lines, weights);
    else if (held == 2)
      give_lines<2>(row, lines, weights);
    else if (held == 1)
      give_lines<1>(row, lines, weights);
    else
      give_lines<0>(row, lines, weights);
  }
  template <int N>
  CAMEO_INLINE void give_lines(const index<R - 1> &row, const V *const *lines,
                               const V *weights) const {
    const V *line[array_size(N)];
    V weight[array_size(N)];
    for (int i = 0; i < N; ++i) {
      line[i] = lines[i];
      weight[i] = weights[i];
    }
    const STORE own = store;
    const int64_t run = plan.output[R - 1];
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < run; ++j) {
      V sum = 0;
      for (int i = 0; i < N; ++i)
        sum += weight[i] * line[i][j];
      own(append(row, j), sum);
    }
  }

  /// The line of outputs at o.
  CAMEO_INLINE const V *value_of(const index<R> &o) const {
    if constexpr (!nearest)
      return value<0>(o, 0, 0);
    int64_t number = 0;
    for (int d = 0; d < R; ++d)
      if (d < plan.front)
        number = number * plan.input[d] +
                 (plan.count[d] == 0 ? o[d] : static_cast<int64_t>(tables[d].position[o[d]]));
    return line(number, 0);
  }

  /// Lines [first, end) of the output where each is one input line: what is the same for all along
  /// the axis in front is found once.
  CAMEO_INLINE void repeat_lines(int64_t first, int64_t end) const {
    const index<R - 1> rows = slice<0, R - 1>(plan.output);
    const auto position_of = [&](int d, int64_t o) {
      return plan.count[d] == 0 ? o : static_cast<int64_t>(tables[d].position[o]);
    };
    for (int64_t at = first; at < end;) {
      index<R - 1> row = unflatten(at, rows);
      int64_t number = 0;
      for (int d = 0; d < R - 2; ++d)
        number = number * plan.input[d] + position_of(d, row[d]);
      number *= plan.input[R - 2];
      const int64_t rest = rows[R - 2] - row[R - 2], count = end - at < rest ? end - at : rest;
      const int64_t stop = row[R - 2] + count;
      for (; row[R - 2] < stop; ++row[R - 2])
        give(row, false, line(number + position_of(R - 2, row[R - 2]), 0), 0);
      at += count;
    }
  }
  /// Lines [first, end) of the output.
  CAMEO_INLINE void operator()(int64_t first, int64_t end) const {
    for (int64_t slot = 0; slot < plan.slots; ++slot)
      kept[slot] = -1;
    if constexpr (nearest && !BODY::crops && R > 1)
      if (plan.front == R - 1)
        return repeat_lines(first, end);
    index<R> lines = plan.output;
    for (int d = plan.front; d < R; ++d)
      lines[d] = 1;
    if constexpr (!nearest && !BODY::crops)
      if (plan.is_sum)
        return walk(lines, first, end, [&](const index<R> &o) { give_sum(o); });
    walk(lines, first, end, [&](const index<R> &o) {
      bool is_outside = false;
      if constexpr (BODY::crops)
        for (int d = 0; d < plan.front; ++d)
          is_outside = is_outside || tables[d].outside[o[d]];
      const V *const from = is_outside ? nullptr : value_of(o);
      if (plan.front == R - 1)
        give(slice<0, R - 1>(o), is_outside, from, 0);
      else
        give_runs(o, is_outside, from);
    });
  }

  /// Stores a line along several axes.
  CAMEO_INLINE void give_runs(const index<R> &o, bool is_outside, const V *line) const {
    if constexpr (R > 1)
      if (plan.front == R - 2) {
        index<R - 1> row = slice<0, R - 1>(o);
        for (int64_t at = 0; at < plan.to; at += plan.output[R - 1], ++row[R - 2])
          give(row, is_outside, line, at);
        return;
      }
    index<R> runs = plan.output;
    for (int d = 0; d < R; ++d)
      runs[d] = d < plan.front || d == R - 1 ? 1 : plan.output[d];
    int64_t at = 0;
    walk(runs, 0, volume(runs), [&](const index<R> &run) {
      index<R> place = o;
      for (int d = 0; d < R; ++d)
        place[d] = d < plan.front ? o[d] : run[d];
      give(slice<0, R - 1>(place), is_outside, line, at);
      at += plan.output[R - 1];
    });
  }

  /// Stores a run along the last axis, the elements of a line from `at` on.
  CAMEO_INLINE void give(const index<R - 1> &row, bool is_outside, const V *line,
                         int64_t at) const {
    const int64_t run = plan.output[R - 1];
    const bool *const outside = BODY::crops && !plan.is_copied ? along.outside : nullptr;
    const STORE own = store;
    if (is_outside || outside) {
      for (int64_t j = 0; j < run; ++j)
        own(append(row, j),
            is_outside || outside[at + j] ? body.extrapolation_value : line[at + j]);
    } else {
      const V *const from = line + at;
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < run; ++j)
        own(append(row, j), from[j]);
    }
  }
};

/// The tables of all axes that are resized.
template <resize_mode MODE, class BODY, int R, class S>
CAMEO_NOINLINE void fill_taps(const BODY &body, const resize_plan<R> &plan,
                              const tap_table<S> (&tables)[array_size(R)]) {
  for (int d = 0; d < R && d <= plan.front; ++d) {
    if (plan.entries(d) == 0)
      continue;
    const tap_table<S> &table = tables[d];
    // Elements behind the axis that are in a line.
    const int64_t run = d < plan.front ? 1 : plan.to / plan.run / plan.output[d];
    for (int64_t o = 0; o < plan.output[d]; ++o) {
      const auto taps = body.axis_taps(body.axes[d], o);
      for (int64_t k = 0; k < plan.count[d]; ++k) {
        const bool is_there = k < taps.count;
        const int64_t position = is_there ? taps.position(k) : 0;
        const S weight = is_there ? taps.template weight<MODE>(k) : S{0};
        for (int64_t i = 0; i < run; ++i) {
          table.position[k * table.outputs + o * run + i] =
              static_cast<int32_t>(position * run + i);
          table.weight[k * table.outputs + o * run + i] = weight;
        }
      }
      if constexpr (BODY::crops)
        for (int64_t i = 0; i < run * plan.run; ++i)
          table.outside[o * run * plan.run + i] = taps.count == 0;
    }
    for (int64_t k = 0; k < plan.count[d]; ++k)
      for (int64_t o = plan.output[d] * run; o < table.outputs; ++o) {
        table.position[k * table.outputs + o] = table.position[k * table.outputs + o - 1];
        table.weight[k * table.outputs + o] = 0;
      }
  }
}

/// Finds where the vectors of a line's taps begin, and how many take all taps of one of outputs.
template <int R, class S>
CAMEO_NOINLINE void fill_begins(const resize_plan<R> &plan, line_table<S> &table) {
  constexpr int64_t lanes = vec<S>::lanes;
  int64_t widest = 0;
  for (int64_t i = 0; i * lanes < plan.to; ++i) {
    int32_t least = INT32_MAX, most = 0;
    for (int64_t k = 0; k < plan.taps; ++k)
      for (int64_t j = i * lanes; j < (i + 1) * lanes; ++j) {
        const int32_t position = table.position[k * table.outputs + j];
        least = position < least ? position : least;
        most = position > most ? position : most;
      }
    table.begin[i] = least;
    widest = most - least + 1 > widest ? most - least + 1 : widest;
  }
  int64_t vectors = 1;
  while (vectors * lanes < widest)
    vectors *= 2;
  const int64_t last = plan.from > vectors * lanes ? plan.from - vectors * lanes : 0;
  table.vectors = vectors <= 4 && vectors * lanes <= plan.room ? static_cast<int>(vectors) : 0;
  table.beyond = table.vectors > 0 ? last + vectors * lanes - plan.from : 0;
  for (int64_t i = 0; i * lanes < plan.to; ++i)
    table.begin[i] = table.begin[i] < last ? table.begin[i] : static_cast<int32_t>(last);
}

/// How often nearest repeats each element of a line, 0 if not all as often.
template <int R, class S>
CAMEO_INLINE int64_t repeats_of(const resize_plan<R> &plan, const line_table<S> &taps) {
  if (plan.is_copied || plan.from == 0 || plan.to % plan.from != 0)
    return 0;
  const int64_t times = plan.to / plan.from;
  for (int64_t j = 0; j < plan.to / plan.run; ++j)
    if (taps.position[j] != j / times)
      return 0;
  return plan.run == 1 ? times : 0;
}

struct resize_bytes {
  int64_t position, weight, outside, lines, kept; // of tables, then of a thread
  CAMEO_INLINE int64_t tables() const { return position + weight + outside; }
  CAMEO_INLINE int64_t all(int threads) const { return tables() + threads * (lines + kept); }
};
template <class BODY, int R> CAMEO_INLINE resize_bytes bytes_of(const resize_plan<R> &plan) {
  const auto whole = [](int64_t count, size_t size) {
    return ceil_div(count * static_cast<int64_t>(size), 64) * 64;
  };
  const int64_t entries = plan.all_entries();
  return {whole(entries, sizeof(int32_t)), whole(entries, sizeof(typename BODY::sum_type)),
          whole(BODY::crops ? entries + plan.to : 0, 1),
          whole(plan.line_elements(), sizeof(typename BODY::V)),
          whole(plan.slots, sizeof(int64_t))};
}

/// Bytes that resize takes from e.scratch for elements of T.
template <resize_mode MODE, class T, class P> int64_t resize_scratch(const P &p, int threads) {
  constexpr int R = P::rank;
  const auto body = make_resize_rows<MODE>(p, static_cast<const T *>(nullptr), discard());
  const resize_plan<R> plan = plan_resize(body, input_of<R>(p), output_of<R>(p));
  return bytes_of<decltype(body)>(plan).all(threads);
}

template <resize_mode MODE, class P, class T, class STORE>
void resize(exec &e, const P &p, const T *x, STORE store) {
  constexpr int R = P::rank;
  const auto body = make_resize_rows<MODE>(p, x, store);
  using BODY = std::remove_const_t<decltype(body)>;
  using S = typename BODY::sum_type;
  const index<R> output = output_of<R>(p);
  const resize_plan<R> plan = plan_resize(body, input_of<R>(p), output);
  if (volume(output) == 0)
    return;
  if (!plan.is_short)
    return for_rows(e, slice<0, R - 1>(output), slice<R - 1, 1>(output), body);
  const resize_bytes bytes = bytes_of<BODY>(plan);
  auto *memory = static_cast<char *>(e.scratch(static_cast<size_t>(bytes.all(e.threads()))));
  if (memory == nullptr)
    return;
  tap_table<S> tables[array_size(R)] = {};
  int64_t at = 0;
  for (int d = 0; d < R; ++d) {
    tables[d] = {reinterpret_cast<int32_t *>(memory) + at,
                 reinterpret_cast<S *>(memory + bytes.position) + at,
                 reinterpret_cast<bool *>(memory + bytes.position + bytes.weight) + at,
                 plan.outputs(d)};
    at += plan.entries(d);
  }
  fill_taps<MODE>(body, plan, tables);
  line_table<S> along = {tables[plan.front], reinterpret_cast<int32_t *>(memory) + at, 0, 0};
  if (MODE != resize_mode::nearest && !plan.is_copied && plan.run == 1)
    fill_begins(plan, along);
  const int64_t repeats = MODE == resize_mode::nearest ? repeats_of(plan, along) : 0;
  const int64_t lines = plan.lines();
  e.parallel_if(lines > 1 && volume(output) >= parallel_threshold, [&](int thread, int threads) {
    char *const own = memory + bytes.tables() + thread * (bytes.lines + bytes.kept);
    const resize_work<MODE, BODY, T, STORE, R> work = {
        body,
        plan,
        tables,
        along,
        repeats,
        reinterpret_cast<typename BODY::V *>(own),
        reinterpret_cast<int64_t *>(own + bytes.lines),
        store};
    const span s = share(lines, thread, threads);
    work(s.begin, s.end);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
