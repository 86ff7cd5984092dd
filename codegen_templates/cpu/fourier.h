// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fourier: fast transforms by steps of 2, 3, 4, 5 and larger primes, each from one buffer into the
// other, in order (Stockham). As many rows as a vector has lanes lie beside each other, so that all
// steps are whole vectors; of few rows, or long ones, each is by itself. Real numbers of an even
// count are a complex row of half the length. A length with a prime beyond 31 is a convolution with
// e^(pi i n^2 / length), of a power of two points (Bluestein).
#pragma once

#include "cameo/cpu/parallel.h"

#include "cameo/common/params.h"
#include "cameo/math.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Real and imaginary parts.
template <class T> struct complex_parts {
  T *re, *im;
  CAMEO_INLINE complex_parts swapped() const { return {im, re}; }
};

/// e^(-2 pi i k / length), out of a table of cosines and sines in which they lie `apart`.
template <class T> struct unit_roots {
  const T *cosine, *sine;
  int64_t apart;
  CAMEO_INLINE T re(int64_t k) const { return cosine[k * apart]; }
  CAMEO_INLINE T im(int64_t k) const { return -sine[k * apart]; }
};

// ---- Steps ----

/// The largest prime that has steps.
constexpr int64_t largest_radix = 31;

/// By what a row of n is divided next: 0 where a prime is too large.
CAMEO_INLINE int64_t radix_of(int64_t n) {
  if (n % 2 == 0)
    return n % 4 == 0 ? 4 : 2;
  for (int64_t r = 3; r <= largest_radix; r += 2)
    if (n % r == 0)
      return r;
  return 0;
}

/// A step transforms RADIX numbers x[j * rest + p], whose results, turned by e^(-2 pi
/// i k p / (RADIX * rest)), become y[p * RADIX + k]. A number is `width` elements in one piece;
/// roots are `every` apart.
template <class T> struct transform_step {
  complex_parts<T> x, y;
  int64_t radix, rest, width;
  unit_roots<T> roots;
  int64_t every;

  CAMEO_INLINE T turn_re(int64_t p, int64_t k) const { return roots.re(p * k * every); }
  CAMEO_INLINE T turn_im(int64_t p, int64_t k) const { return roots.im(p * k * every); }
};

template <class V, class T> CAMEO_INLINE V load_as(const T *p) {
  if constexpr (std::is_same_v<V, T>)
    return *p;
  else
    return load_vector(p);
}
template <class V, class T> CAMEO_INLINE void store_as(T *p, V v) {
  if constexpr (std::is_same_v<V, T>)
    *p = v;
  else
    store_vector(p, v);
}

/// f(V{}, q) for the elements q of a number: vectors V, then single ones.
template <class T, class F> CAMEO_INLINE void for_width(int64_t width, const F &f) {
  constexpr int64_t lanes = vec<T>::lanes;
  int64_t q = 0;
  for (; q + lanes <= width; q += lanes)
    f(typename vec<T>::type{}, q);
  for (; q < width; ++q)
    f(T{}, q);
}

/// y = v * (re + i im)
template <class V, class T>
CAMEO_INLINE void store_turned(const complex_parts<T> &y, int64_t at, V v_re, V v_im, T re, T im) {
  store_as<V>(y.re + at, v_re * re - v_im * im);
  store_as<V>(y.im + at, v_re * im + v_im * re);
}

/// Sums of two, and of four: w is -i.
template <class V> CAMEO_INLINE void transform_few(V (&re)[2], V (&im)[2]) {
  const V a = re[0], b = im[0];
  re[0] = a + re[1];
  im[0] = b + im[1];
  re[1] = a - re[1];
  im[1] = b - im[1];
}
template <class V> CAMEO_INLINE void transform_few(V (&re)[4], V (&im)[4]) {
  const V sum_re = re[0] + re[2], sum_im = im[0] + im[2];
  const V odd_re = re[1] + re[3], odd_im = im[1] + im[3];
  const V rest_re = re[0] - re[2], rest_im = im[0] - im[2];
  const V turn_re = im[1] - im[3], turn_im = re[3] - re[1];
  re[0] = sum_re + odd_re;
  im[0] = sum_im + odd_im;
  re[1] = rest_re + turn_re;
  im[1] = rest_im + turn_im;
  re[2] = sum_re - odd_re;
  im[2] = sum_im - odd_im;
  re[3] = rest_re - turn_re;
  im[3] = rest_im - turn_im;
}

template <int R, class T> CAMEO_NOINLINE void even_step(const transform_step<T> &step) {
  const transform_step<T> s = step; // what is stored cannot be its own
  for (int64_t p = 0; p < s.rest; ++p) {
    T turn_re[array_size(R)], turn_im[array_size(R)];
    for (int k = 0; k < R; ++k) {
      turn_re[k] = s.turn_re(p, k);
      turn_im[k] = s.turn_im(p, k);
    }
    for_width<T>(s.width, [&](auto kind, int64_t q) {
      using V = decltype(kind);
      V re[array_size(R)], im[array_size(R)];
      CAMEO_UNROLL_ALL
      for (int j = 0; j < R; ++j) {
        re[j] = load_as<V>(s.x.re + (p + s.rest * j) * s.width + q);
        im[j] = load_as<V>(s.x.im + (p + s.rest * j) * s.width + q);
      }
      transform_few(re, im);
      const int64_t at = p * R * s.width + q;
      store_as<V>(s.y.re + at, re[0]);
      store_as<V>(s.y.im + at, im[0]);
      CAMEO_UNROLL_ALL
      for (int k = 1; k < R; ++k)
        store_turned<V>(s.y, at + k * s.width, re[k], im[k], turn_re[k], turn_im[k]);
    });
  }
}

/// For an odd radix R, or any (0). Numbers j and R - j are turned by roots that are conjugates:
/// their sums take the cosines, their differences the sines.
template <int R, class T> CAMEO_NOINLINE void odd_step(const transform_step<T> &step) {
  constexpr int64_t most = R > 0 ? R : largest_radix;
  const transform_step<T> s = step;
  const int64_t radix = R > 0 ? R : s.radix, half = radix / 2;
  T cosine[array_size(most)], sine[array_size(most)];
  for (int64_t j = 0; j < radix; ++j) {
    cosine[j] = s.turn_re(s.rest, j);
    sine[j] = s.turn_im(s.rest, j);
  }
  for (int64_t p = 0; p < s.rest; ++p)
    for_width<T>(s.width, [&](auto kind, int64_t q) {
      using V = decltype(kind);
      constexpr auto room = array_size(most / 2 + 1);
      V sum_re[room], sum_im[room], rest_re[room], rest_im[room];
      const T *const re = s.x.re + p * s.width + q, *const im = s.x.im + p * s.width + q;
      const V first_re = load_as<V>(re), first_im = load_as<V>(im);
      V all_re = first_re, all_im = first_im;
      for (int64_t j = 1; j <= half; ++j) {
        const int64_t left = j * s.rest * s.width, right = (radix - j) * s.rest * s.width;
        const V a_re = load_as<V>(re + left), b_re = load_as<V>(re + right);
        const V a_im = load_as<V>(im + left), b_im = load_as<V>(im + right);
        sum_re[j] = a_re + b_re;
        sum_im[j] = a_im + b_im;
        rest_re[j] = a_re - b_re;
        rest_im[j] = a_im - b_im;
        all_re += sum_re[j];
        all_im += sum_im[j];
      }
      const int64_t at = p * radix * s.width + q;
      store_as<V>(s.y.re + at, all_re);
      store_as<V>(s.y.im + at, all_im);
      for (int64_t k = 1; k <= half; ++k) {
        V even_re = first_re, even_im = first_im, odd_re = V{}, odd_im = V{};
        for (int64_t j = 1, turn = k; j <= half; ++j) {
          even_re += sum_re[j] * cosine[turn];
          even_im += sum_im[j] * cosine[turn];
          odd_re += rest_re[j] * sine[turn];
          odd_im += rest_im[j] * sine[turn];
          turn += turn + k < radix ? k : k - radix;
        }
        store_turned<V>(s.y, at + k * s.width, even_re - odd_im, even_im + odd_re, s.turn_re(p, k),
                        s.turn_im(p, k));
        store_turned<V>(s.y, at + (radix - k) * s.width, even_re + odd_im, even_im - odd_re,
                        s.turn_re(p, radix - k), s.turn_im(p, radix - k));
      }
    });
}

/// Transforms `length` numbers of `width` elements, and returns which of x and y has the results.
template <class T>
CAMEO_INLINE complex_parts<T> transform(complex_parts<T> x, complex_parts<T> y, int64_t length,
                                        int64_t width, const unit_roots<T> &roots) {
  for (int64_t n = length; n > 1;) {
    const int64_t radix = radix_of(n);
    const transform_step<T> step = {x, y, radix, n / radix, width, roots, length / n};
    if (radix == 4)
      even_step<4>(step);
    else if (radix == 2)
      even_step<2>(step);
    else if (radix == 3)
      odd_step<3>(step);
    else if (radix == 5)
      odd_step<5>(step);
    else
      odd_step<0>(step);
    const complex_parts<T> results = y;
    y = x;
    x = results;
    n /= radix;
    width *= radix;
  }
  return x;
}

// ---- Any length ----

/// How rows are transformed.
struct fourier_plan {
  int64_t points;  // of a row
  bool is_halved;  // two real numbers are a complex one
  int64_t length;  // complex numbers of a row
  int64_t padded;  // the length of transforms: another where it is a convolution
  int64_t columns; // rows that are transformed at a time

  CAMEO_INLINE bool is_convolved() const { return padded != length; }
  /// Elements of a buffer of parts.
  CAMEO_INLINE int64_t buffer() const {
    const int64_t most = padded > length ? padded : length + 1;
    return ceil_div(most * columns, 64) * 64;
  }
  /// Elements of a convolution's tables: the chirp, its spectrum, roots; two parts of each.
  CAMEO_INLINE int64_t tables() const {
    return is_convolved() ? 2 * (ceil_div(length, 64) * 64 + 2 * ceil_div(padded, 64) * 64) : 0;
  }
};

template <class T>
CAMEO_INLINE fourier_plan plan_fourier(int64_t points, bool is_real, int64_t rows) {
  constexpr int64_t lanes = vec<T>::lanes, most_elements = 1 << 16; // of a buffer that caches hold
  fourier_plan plan{};
  plan.points = points;
  plan.is_halved = is_real && points > 0 && points % 2 == 0;
  plan.length = plan.is_halved ? points / 2 : points;
  int64_t rest = plan.length > 0 ? plan.length : 1;
  for (int64_t radix; rest > 1 && (radix = radix_of(rest)) > 0;)
    rest /= radix;
  plan.padded = plan.length;
  if (rest > 1)
    for (plan.padded = 1; plan.padded < 2 * plan.length - 1;)
      plan.padded *= 2;
  plan.columns = 4 * rows >= lanes && rows > 1 && plan.padded * lanes <= most_elements ? lanes : 1;
  return plan;
}

/// a convolution's tables.
template <class T> struct chirp_tables {
  complex_parts<T> chirp, spectrum; // spectrum: divided by the padded length
  unit_roots<T> roots;
};

/// Cosines and sines of 2 pi k / count, as products of two of them.
template <class T> CAMEO_NOINLINE void fill_roots(int64_t count, T *cosine, T *sine) {
  constexpr int64_t piece = 32;
  const double angle = 6.283185307179586476925286766559 / static_cast<double>(count);
  double near_re[piece], near_im[piece];
  for (int64_t k = 0; k < piece; ++k) {
    near_re[k] = math::cos(angle * static_cast<double>(k));
    near_im[k] = math::sin(angle * static_cast<double>(k));
  }
  for (int64_t first = 0; first < count; first += piece) {
    const double re = math::cos(angle * static_cast<double>(first));
    const double im = math::sin(angle * static_cast<double>(first));
    for (int64_t k = 0; k < piece && first + k < count; ++k) {
      cosine[first + k] = static_cast<T>(re * near_re[k] - im * near_im[k]);
      sine[first + k] = static_cast<T>(re * near_im[k] + im * near_re[k]);
    }
  }
}

/// Makes the tables in `memory`; x and y are buffers of the plan.
template <class T>
CAMEO_NOINLINE chirp_tables<T> make_chirp(const fourier_plan &plan, T *memory, complex_parts<T> x,
                                          complex_parts<T> y) {
  const int64_t length = plan.length, padded = plan.padded;
  const int64_t chirp = ceil_div(length, 64) * 64, row = ceil_div(padded, 64) * 64;
  T *const spectrum = memory + 2 * chirp, *const roots = spectrum + 2 * row;
  const chirp_tables<T> tables = {
      {memory, memory + chirp}, {spectrum, spectrum + row}, {roots, roots + row, 1}};
  fill_roots(padded, roots, roots + row);
  for (int64_t n = 0; n < padded; ++n)
    x.re[n] = x.im[n] = 0;
  int64_t turn = 0; // n^2 modulo twice the length
  for (int64_t n = 0; n < length; ++n) {
    const double angle =
        3.1415926535897932384626433832795 * static_cast<double>(turn) / static_cast<double>(length);
    const T re = static_cast<T>(math::cos(angle)), im = static_cast<T>(math::sin(angle));
    tables.chirp.re[n] = re;
    tables.chirp.im[n] = -im;
    x.re[n] = x.re[n > 0 ? padded - n : 0] = re;
    x.im[n] = x.im[n > 0 ? padded - n : 0] = im;
    turn = (turn + 2 * n + 1) % (2 * length);
  }
  const complex_parts<T> result = transform(x, y, padded, 1, tables.roots);
  for (int64_t k = 0; k < padded; ++k) {
    tables.spectrum.re[k] = result.re[k] / static_cast<T>(padded);
    tables.spectrum.im[k] = result.im[k] / static_cast<T>(padded);
  }
  return tables;
}

/// x[n] *= by[n] for numbers of `width` elements.
template <class T>
CAMEO_NOINLINE void multiply_numbers(complex_parts<T> x, complex_parts<T> by, int64_t count,
                                     int64_t width) {
  for (int64_t n = 0; n < count; ++n)
    for_width<T>(width, [&](auto kind, int64_t q) {
      using V = decltype(kind);
      const int64_t at = n * width + q;
      store_turned<V>(x, at, load_as<V>(x.re + at), load_as<V>(x.im + at), by.re[n], by.im[n]);
    });
}

/// The plan's transform of numbers of `columns` elements in x; returns where the results are.
template <class T>
CAMEO_INLINE complex_parts<T> transform(const fourier_plan &plan, const chirp_tables<T> &tables,
                                        const unit_roots<T> &roots, complex_parts<T> x,
                                        complex_parts<T> y) {
  const int64_t columns = plan.columns;
  if (!plan.is_convolved())
    return transform(x, y, plan.length, columns, roots);
  multiply_numbers(x, tables.chirp, plan.length, columns);
  for (int64_t i = plan.length * columns; i < plan.padded * columns; ++i)
    x.re[i] = x.im[i] = 0;
  const complex_parts<T> there = transform(x, y, plan.padded, columns, tables.roots);
  const complex_parts<T> other = there.re == x.re ? y : x;
  multiply_numbers(there, tables.spectrum, plan.padded, columns);
  const complex_parts<T> back =
      transform(there.swapped(), other.swapped(), plan.padded, columns, tables.roots).swapped();
  multiply_numbers(back, tables.chirp, plan.length, columns);
  return back;
}

// ---- Rows of numbers ----

/// f(n, lane) for lanes [0, lanes) of numbers n in [from, to): a few numbers of each lane at a
/// time, so that the lines of both sides are still there when the next lane comes.
template <class F>
CAMEO_INLINE void for_numbers(int64_t from, int64_t to, int64_t lanes, const F &f) {
  constexpr int64_t few = 16;
  for (int64_t first = from; first < to; first += few) {
    const int64_t end = first + few < to ? first + few : to;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      CAMEO_INDEPENDENT
      for (int64_t n = first; n < end; ++n)
        f(n, lane);
    }
  }
}

/// f(n, at) for numbers n in [from, to] and every element of their columns.
template <class F>
CAMEO_INLINE void for_elements(int64_t from, int64_t to, int64_t columns, const F &f) {
  if (columns == 1) {
    CAMEO_INDEPENDENT
    for (int64_t n = from; n < to; ++n)
      f(n, 0);
  } else {
    for (int64_t n = from; n < to; ++n) {
      CAMEO_INDEPENDENT
      for (int64_t q = 0; q < columns; ++q)
        f(n, q);
    }
  }
}

/// Some rows, from their loads to their stores.
template <class P, class T, class LOAD, class STORE> struct fourier_rows {
  static constexpr int R = P::batch_rank;

  const P &p;
  fourier_plan plan;
  unit_roots<T> roots; // of the row's points
  chirp_tables<T> tables;
  LOAD load;
  STORE store;

  CAMEO_INLINE void operator()(int64_t first, int64_t count, complex_parts<T> x,
                               complex_parts<T> y) const {
    const index<R> batch = batch_of<R>(p);
    index<R> rows[array_size(vec<T>::lanes)];
    for (int64_t lane = 0; lane < count; ++lane)
      rows[lane] = unflatten(first + lane, batch);
    const unit_roots<T> every = {roots.cosine, roots.sine, plan.is_halved ? 2 : 1};
    const bool swaps = p.parts > 1 && p.inverse;
    if constexpr (P::real_output) {
      take(rows, count, y);
      make_whole(y, x);
    } else {
      take(rows, count, x);
    }
    complex_parts<T> result = swaps ? transform(plan, tables, every, x.swapped(), y.swapped())
                                    : transform(plan, tables, every, x, y);
    if (swaps)
      result = result.swapped();
    if (p.parts == 1 && plan.is_halved) {
      const complex_parts<T> other = result.re == x.re ? y : x;
      take_apart(result, other);
      result = other;
    }
    give(rows, count, result);
  }

private:
  CAMEO_INLINE T number(const index<R> &row, int64_t n, int64_t part) const {
    return static_cast<T>(load(append(append(row, n), part)));
  }

  /// Fills numbers of x: what the rows lack is zero.
  CAMEO_INLINE void take(const index<R> *rows, int64_t count, complex_parts<T> x) const {
    const int64_t columns = plan.columns, terms = p.terms;
    const bool is_real = p.parts == 1, pairs = is_real && plan.is_halved;
    const int64_t whole = pairs ? terms / 2 : terms;
    const int64_t half = plan.points / 2 + 1, all = plan.length > 0 ? plan.length : 1;
    const int64_t room = P::real_output ? half : all;
    for (int64_t i = count < columns ? 0 : whole * columns; i < room * columns; ++i)
      x.re[i] = x.im[i] = 0;
    const auto fill = [&](int64_t step, auto imaginary) {
      for_numbers(0, whole, count, [&](int64_t n, int64_t lane) {
        x.re[n * columns + lane] = number(rows[lane], step * n, 0);
        x.im[n * columns + lane] = imaginary(rows[lane], n);
      });
    };
    if (pairs)
      fill(2, [&](const index<R> &row, int64_t n) { return number(row, 2 * n + 1, 0); });
    else if (is_real)
      fill(1, [](const index<R> &, int64_t) { return T{0}; });
    else
      fill(1, [&](const index<R> &row, int64_t n) { return number(row, n, 1); });
    if (pairs && terms % 2 != 0)
      for (int64_t lane = 0; lane < count; ++lane)
        x.re[whole * columns + lane] = number(rows[lane], terms - 1, 0);
  }

  /// The first half of the spectrum of real numbers that were transformed in pairs: z's numbers k
  /// and length - k have those of even and of odd places, which are half their sum and difference.
  CAMEO_INLINE void take_apart(complex_parts<T> z, complex_parts<T> y) const {
    const int64_t columns = plan.columns, length = plan.length;
    for (int64_t q = 0; q < columns; ++q) {
      const T re = z.re[q], im = z.im[q];
      y.re[q] = re + im;
      y.re[length * columns + q] = re - im;
      y.im[q] = y.im[length * columns + q] = 0;
    }
    for_elements(1, length, columns, [=](int64_t k, int64_t q) {
      const int64_t a = k * columns + q, b = (length - k) * columns + q;
      const T even_re = z.re[a] + z.re[b], even_im = z.im[a] - z.im[b];
      const T odd_re = z.im[a] + z.im[b], odd_im = z.re[b] - z.re[a];
      const T re = roots.re(k), im = roots.im(k);
      y.re[a] = (even_re + (odd_re * re - odd_im * im)) / 2;
      y.im[a] = (even_im + (odd_re * im + odd_im * re)) / 2;
    });
  }

  /// The numbers whose inverse transform has real results, in pairs if they are even, out of the
  /// spectrum's first half in y.
  CAMEO_INLINE void make_whole(complex_parts<T> y, complex_parts<T> x) const {
    const int64_t columns = plan.columns, length = plan.length;
    for (int64_t q = 0; q < columns; ++q) {
      y.im[q] = 0; // real, as the middle one is
      if (plan.is_halved)
        y.im[length * columns + q] = 0;
      x.re[q] = y.re[q];
      x.im[q] = 0;
    }
    if (!plan.is_halved) {
      for_elements(1, length / 2 + 1, columns, [=](int64_t k, int64_t q) {
        const int64_t a = k * columns + q, b = (length - k) * columns + q;
        x.re[a] = x.re[b] = y.re[a];
        x.im[a] = y.im[a];
        x.im[b] = -y.im[a];
      });
      return;
    }
    for_elements(0, length, columns, [=](int64_t k, int64_t q) {
      const int64_t a = k * columns + q, b = (length - k) * columns + q;
      const T even_re = y.re[a] + y.re[b], even_im = y.im[a] - y.im[b];
      const T odd_re = y.re[a] - y.re[b], odd_im = y.im[a] + y.im[b];
      const T re = roots.re(k), im = -roots.im(k);
      x.re[a] = even_re - (odd_re * im + odd_im * re);
      x.im[a] = even_im + (odd_re * re - odd_im * im);
    });
  }

  CAMEO_INLINE void give(const index<R> *rows, int64_t count, complex_parts<T> result) const {
    const int64_t columns = plan.columns, points = plan.points;
    if constexpr (P::real_output) {
      const bool pairs = plan.is_halved;
      for_numbers(0, p.bins, count, [&](int64_t n, int64_t lane) {
        const int64_t at = (pairs ? n / 2 : n) * columns + lane;
        store(append(append(rows[lane], n), 0),
              pairs && n % 2 != 0 ? result.im[at] : result.re[at]);
      });
      return;
    }
    const bool turns = p.parts == 1 && p.inverse; // into the conjugates
    const int64_t bins = p.bins, half = plan.is_halved ? plan.length + 1 : points;
    const int64_t own = bins < half ? bins : half;
    for_numbers(0, own, count, [&](int64_t k, int64_t lane) {
      const int64_t at = k * columns + lane;
      store(append(append(rows[lane], k), 0), result.re[at]);
      store(append(append(rows[lane], k), 1), turns ? -result.im[at] : result.im[at]);
    });
    for_numbers(own, bins, count, [&](int64_t k, int64_t lane) {
      const int64_t at = (points - k) * columns + lane;
      store(append(append(rows[lane], k), 0), result.re[at]);
      store(append(append(rows[lane], k), 1), turns ? result.im[at] : -result.im[at]);
    });
  }
};

template <class T, class P> CAMEO_INLINE fourier_plan fourier_plan_of(const P &p) {
  return plan_fourier<T>(p.points, P::real_output || p.parts == 1,
                         volume(batch_of<P::batch_rank>(p)));
}

/// Bytes that fourier takes from e.scratch for roots of type T.
template <class T, class P> int64_t fourier_scratch(const P &p, int threads) {
  const fourier_plan plan = fourier_plan_of<T>(p);
  return (plan.tables() + 4 * plan.buffer() * threads) * static_cast<int64_t>(sizeof(T));
}

template <class P, class T, class LOAD, class STORE>
void fourier(exec &e, const P &p, const T *roots, LOAD load, STORE store) {
  constexpr int R = P::batch_rank;
  const fourier_plan plan = fourier_plan_of<T>(p);
  auto *memory =
      static_cast<T *>(e.scratch(static_cast<size_t>(fourier_scratch<T>(p, e.threads()))));
  if (memory == nullptr)
    return;
  const int64_t rows = volume(batch_of<R>(p)), blocks = ceil_div(rows, plan.columns);
  const auto buffers = [&](int thread) {
    T *const own = memory + plan.tables() + 4 * plan.buffer() * thread;
    return complex_parts<T>{own, own + plan.buffer()};
  };
  const auto behind = [&](complex_parts<T> x) {
    return complex_parts<T>{x.im + plan.buffer(), x.im + 2 * plan.buffer()};
  };
  fourier_rows<P, T, LOAD, STORE> work = {p,  plan, {roots, roots + plan.points, 1},
                                          {}, load, store};
  if (plan.is_convolved())
    work.tables = make_chirp(plan, memory, buffers(0), behind(buffers(0)));
  const bool worth_it = blocks > 1 && 32 * rows * plan.padded >= parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    const span own = share(blocks, thread, threads);
    for (int64_t block = own.begin; block < own.end; ++block) {
      const int64_t first = block * plan.columns, left = rows - first;
      work(first, left < plan.columns ? left : plan.columns, buffers(thread),
           behind(buffers(thread)));
    }
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
