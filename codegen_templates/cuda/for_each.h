// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for_each and for_rows: a grid-stride loop, one thread per point, last index fastest; of a body
// with a wide form (wide.h) one thread per chunk of neighbours. copy: bytes.
// Kernels get what a template is called with, a CALL: the host asks it for the extents to size the
// grid, and each thread, behind load_counts(), for the extents, which may be counted ones, and the
// body.
#pragma once

#include "cameo/common/coordinates.h"
#include "cameo/counted.h"
#include "cameo/cuda/device.h"
#include "cameo/cuda/exec.h"
#include "cameo/cuda/wide.h"

namespace cameo::cuda {

/// Threads of a block that works on independent elements.
constexpr int element_threads = 256;

/// Blocks for `count` independent pieces of work, `per_block` at a time: enough to fill any device,
/// the rest by striding.
inline dim3 grid_for(int64_t count, int64_t per_block) {
  constexpr int64_t most = 16384;
  const int64_t blocks = (count + per_block - 1) / per_block;
  return dim3(static_cast<unsigned>(blocks < most ? blocks : most));
}

/// Points of a grid. The host has the most that each counted extent can be, and their product need
/// not fit: beyond this many, grids no longer grow.
template <int R> int64_t points_at_most(const index<R> &extents) {
  constexpr int64_t enough = int64_t{1} << 40;
  int64_t n = 1;
  if constexpr (R > 0)
    for (int64_t extent : extents.at) {
      if (extent <= 0)
        return 0;
      n = extent > enough / n ? enough : n * extent;
    }
  else
    (void)extents;
  return n;
}

/// Point number `flat` of a space of n points; 32-bit divisions where they do.
template <int R>
CAMEO_DEVICE_ONLY index<R> point_of(int64_t flat, int64_t n, const index<R> &extents) {
  if (n > INT32_MAX)
    return unflatten(flat, extents);
  index<R> r{};
  if constexpr (R > 0) {
    auto rest = static_cast<uint32_t>(flat);
    for (int d = R - 1; d > 0; --d) {
      const auto extent = static_cast<uint32_t>(extents[d]);
      r[d] = rest % extent;
      rest /= extent;
    }
    r[0] = rest;
  }
  return r;
}

/// A number that many are divided by, prepared on the host: a multiplication and a shift for each
/// (Granlund and Montgomery, 1994).
class divisor {
public:
  divisor() = default;
  /// By 1 to 2^31 - 1.
  explicit divisor(int64_t by) {
    while (int64_t{1} << (shift_ - fraction) < by)
      ++shift_;
    const auto divided = static_cast<uint64_t>(by);
    multiplier_ = static_cast<uint32_t>(((uint64_t{1} << shift_) + divided - 1) / divided);
  }
  /// For a number below 2^31: rounded up, the multiplier is too large by less than 2^-31 of itself.
  CAMEO_DEVICE uint32_t quotient(uint32_t dividend) const {
    return static_cast<uint32_t>(uint64_t{dividend} * multiplier_ >> shift_);
  }

private:
  static constexpr int fraction = 31;
  uint32_t multiplier_ = 0;
  int shift_ = fraction;
};

/// Extents that only a run knows, with what divides by them; at least two.
template <int R> struct divided_space {
  index<R> extents;
  divisor by[array_size(R)];

  explicit divided_space(const index<R> &of) : extents(of) {
    for (int d = 1; d < R; ++d)
      if (extents[d] > 0 && extents[d] <= INT32_MAX)
        by[d] = divisor(extents[d]);
  }
};
template <int R> CAMEO_DEVICE int64_t volume(const divided_space<R> &space) {
  return cameo::volume(space.extents);
}

template <int R>
CAMEO_DEVICE_ONLY index<R> point_of(int64_t flat, int64_t n, const divided_space<R> &space) {
  if (n > INT32_MAX)
    return unflatten(flat, space.extents);
  index<R> r{};
  auto rest = static_cast<uint32_t>(flat);
  for (int d = R - 1; d > 0; --d) {
    const uint32_t whole = space.by[d].quotient(rest);
    r[d] = rest - whole * static_cast<uint32_t>(space.extents[d]);
    rest = whole;
  }
  r[0] = rest;
  return r;
}

struct quotient {
  int64_t whole, rest;
};

/// flat / by and flat % by, of a flat below n; a 32-bit division where that fits.
CAMEO_DEVICE_ONLY quotient divide(int64_t flat, int64_t by, int64_t n) {
  if (n > INT32_MAX)
    return {flat / by, flat % by};
  const auto dividend = static_cast<uint32_t>(flat), divisor = static_cast<uint32_t>(by);
  return {dividend / divisor, dividend % divisor};
}

template <class CALL> CAMEO_KERNEL void for_each_kernel(CALL call) {
  call.load_counts();
  const auto &extents = call.extents();
  const auto &body = call.body();
  const int64_t n = volume(extents);
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    body(point_of(i, n, extents));
}

/// Calls call.body()(index<R>) at every point of call.extents(), of which there are at most n.
template <class CALL> void for_each_call(exec &e, const CALL &call, int64_t n) {
  if (n > 0)
    e.launch(&for_each_kernel<CALL>, grid_for(n, element_threads), dim3(element_threads), 0, call);
}
template <class CALL> void for_each_call(exec &e, const CALL &call) {
  for_each_call(e, call, points_at_most(call.extents()));
}

template <int R, class SPACE, class BODY> struct points_call {
  SPACE space;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(space, each); }
  CAMEO_DEVICE index<R> extents() const { return space; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

template <int R, class BODY> struct divided_points_call {
  divided_space<R> space;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(each); }
  CAMEO_DEVICE const divided_space<R> &extents() const { return space; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

// ---- By chunks of neighbours ----

/// The chunks of `width` neighbours along the last axis; the last one of a line may have fewer.
template <int R> CAMEO_DEVICE constexpr index<R> chunks_of(index<R> extents, int width) {
  extents[R - 1] = (extents[R - 1] + width - 1) / width;
  return extents;
}

/// A call with constant extents.
template <int WIDTH, class I, int64_t... N> struct constant_chunks;
template <int WIDTH, size_t... I, int64_t... N>
struct constant_chunks<WIDTH, std::index_sequence<I...>, N...> {
  using type = static_index<(I + 1 < sizeof...(N) ? N : (N + WIDTH - 1) / WIDTH)...>;
};
template <class BODY, int64_t... N> struct constant_chunks_call {
  static constexpr int R = sizeof...(N);
  /// Whether all chunks are known to have all neighbours.
  static constexpr bool is_whole = index<R>(static_index<N...>{})[R - 1] % widest_of<BODY> == 0;
  using space =
      typename constant_chunks<widest_of<BODY>, std::make_index_sequence<sizeof...(N)>, N...>::type;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(each); }
  CAMEO_DEVICE index<R> chunks() const { return space{}; }
  CAMEO_DEVICE int64_t length() const { return index<R>(static_index<N...>{})[R - 1]; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

/// A call with extents that a launch knows.
template <int RANK, class BODY> struct chunks_call {
  static constexpr int R = RANK;
  static constexpr bool is_whole = false;
  std::conditional_t<(R > 1), divided_space<R>, index<R>> space;
  int64_t last;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(each); }
  CAMEO_DEVICE const auto &chunks() const { return space; }
  CAMEO_DEVICE int64_t length() const { return last; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

/// A call with counted extents.
template <int RANK, class BODY> struct counted_chunks_call {
  static constexpr int R = RANK;
  static constexpr bool is_whole = false;
  counted_index<R> space;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(space, each); }
  CAMEO_DEVICE index<R> chunks() const { return chunks_of<R>(space, widest_of<BODY>); }
  CAMEO_DEVICE int64_t length() const { return index<R>(space)[R - 1]; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

template <class CALL> CAMEO_KERNEL void for_each_chunk_kernel(CALL call) {
  call.load_counts();
  const auto &chunks = call.chunks();
  const auto &body = call.body();
  constexpr int width = widest_of<std::decay_t<decltype(body)>>;
  const bool is_aligned = body.is_aligned();
  const int64_t n = volume(chunks), length = call.length();
  for (int64_t i = grid_thread(); i < n; i += grid_threads()) {
    index<CALL::R> at = point_of(i, n, chunks);
    at[CALL::R - 1] *= width;
    const int64_t left = length - at[CALL::R - 1];
    if (is_aligned && (CALL::is_whole || left >= width)) {
      body.template wide<width>(at);
    } else {
      CAMEO_LOOP
      for (int64_t j = 0; j < width && j < left; ++j)
        body(advance(at, j));
    }
  }
}
template <class CALL> void for_each_chunk(exec &e, const CALL &call, int64_t n) {
  if (n > 0)
    e.launch(&for_each_chunk_kernel<CALL>, grid_for(n, element_threads), dim3(element_threads), 0,
             call);
}

// ---- Any body ----

template <int R, class BODY> void for_each(exec &e, const index<R> &extents, const BODY &body) {
  if constexpr (widest_of < BODY >> 1) {
    const index<R> chunks = chunks_of(extents, widest_of<BODY>);
    const chunks_call<R, BODY> call{decltype(call.space)(chunks), extents[R - 1], body};
    for_each_chunk(e, call, points_at_most(chunks));
  } else if constexpr (R < 2) {
    for_each_call(e, points_call<R, index<R>, BODY>{extents, body});
  } else {
    for_each_call(e, divided_points_call<R, BODY>{divided_space<R>(extents), body},
                  points_at_most(extents));
  }
}
template <int64_t... N, class BODY>
void for_each(exec &e, static_index<N...> extents, const BODY &body) {
  if constexpr (widest_of < BODY >> 1) {
    const constant_chunks_call<BODY, N...> call{body};
    for_each_chunk(e, call, points_at_most(call.chunks()));
  } else {
    for_each_call(e, points_call<sizeof...(N), static_index<N...>, BODY>{extents, body});
  }
}
/// A launch over counted extents has a chunk for each of the points that there can be, since lines
/// may be of any length.
template <int R, class BODY>
void for_each(exec &e, const counted_index<R> &extents, const BODY &body) {
  if constexpr (widest_of < BODY >> 1)
    for_each_chunk(e, counted_chunks_call<R, BODY>{extents, body}, extents.points);
  else
    for_each_call(e, points_call<R, counted_index<R>, BODY>{extents, body}, extents.points);
}

template <int RO, int RI, class BODY>
CAMEO_DEVICE_ONLY void each_row_point(const index<RO> &outer, const index<RI> &inner,
                                      const BODY &body) {
  const int64_t n = volume(outer) * volume(inner);
  for (int64_t i = grid_thread(); i < n; i += grid_threads()) {
    const index<RO + RI> at = point_of(i, n, join(outer, inner));
    body(slice<0, RO>(at))(slice<RO, RI>(at));
  }
}

template <class CALL> CAMEO_KERNEL void for_rows_kernel(CALL call) {
  call.load_counts();
  each_row_point(call.outer(), call.inner(), call.body());
}

/// Calls call.body()(outer index)(inner index) at every point of call.outer() and call.inner().
template <class CALL> void for_rows_call(exec &e, const CALL &call) {
  const int64_t n = points_at_most(join(call.outer(), call.inner()));
  if (n > 0)
    e.launch(&for_rows_kernel<CALL>, grid_for(n, element_threads), dim3(element_threads), 0, call);
}

template <int RO, int RI, class OUTER, class BODY> struct row_points_call {
  OUTER rows;
  index<RI> row;
  BODY each;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(rows, each); }
  CAMEO_DEVICE index<RO> outer() const { return rows; }
  CAMEO_DEVICE index<RI> inner() const { return row; }
  CAMEO_DEVICE const BODY &body() const { return each; }
};

template <int RO, int RI, class BODY>
void for_rows(exec &e, const index<RO> &outer, const index<RI> &inner, const BODY &body) {
  for_rows_call(e, row_points_call<RO, RI, index<RO>, BODY>{outer, inner, body});
}
template <int RO, int RI, class BODY>
void for_rows(exec &e, const counted_index<RO> &outer, const index<RI> &inner, const BODY &body) {
  for_rows_call(e, row_points_call<RO, RI, counted_index<RO>, BODY>{outer, inner, body});
}

inline void copy(exec &e, void *dst, const void *src, int64_t bytes) { e.copy(dst, src, bytes); }

} // namespace cameo::cuda
