// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to the members of a params object `p` (see README.md): array members may be static
// constexpr or ordinary, and are absent when their length is 0. `outer_of<R>(p)` and the like give
// them as an index<R>; of a static member the values stay constants of the kernel, on the device
// too, where naming a static array would be an error. Optional members have an accessor with their
// default.
#pragma once

#include "cameo/index.h"
#include "cameo/standard.h"

namespace cameo {

/// Values of roi[], floats or doubles, which index<R> cannot hold.
template <int R> struct real_array {
  double at[array_size(R > 0 ? R : 1)];
  CAMEO_DEVICE constexpr double operator[](int d) const { return at[d]; }
};

/// The store that drops its value.
struct discard {
  template <class I, class V> CAMEO_DEVICE void operator()(const I &, const V &) const {}
};

namespace params {

template <class D, int R, class A> CAMEO_DEVICE constexpr D copy(const A &values) {
  D d{};
  if constexpr (R > 0)
    for (int i = 0; i < R; ++i)
      d.at[i] = values[i];
  else
    (void)values;
  return d;
}

} // namespace params

/// Whether a kernel has its member NAME, which P has, as a constant.
#define CAMEO_IS_STATIC(P, NAME) (!std::is_member_object_pointer_v<decltype(&P::NAME)>)

/// Defines NAME_of<R>(p): the R values of p.NAME as RESULT<R>.
#define CAMEO_ARRAY_PARAM(NAME, RESULT)                                                            \
  template <int R, class P> CAMEO_DEVICE constexpr RESULT<R> NAME##_of(const P &p) {               \
    if constexpr (R == 0) {                                                                        \
      (void)p;                                                                                     \
      return {};                                                                                   \
    } else if constexpr (CAMEO_IS_STATIC(P, NAME)) {                                               \
      (void)p;                                                                                     \
      constexpr RESULT<R> values = params::copy<RESULT<R>, R>(P::NAME);                            \
      return values;                                                                               \
    } else {                                                                                       \
      return params::copy<RESULT<R>, R>(p.NAME);                                                   \
    }                                                                                              \
  }

CAMEO_ARRAY_PARAM(outer, index)
CAMEO_ARRAY_PARAM(reduced, index)
CAMEO_ARRAY_PARAM(batch, index)
CAMEO_ARRAY_PARAM(a_batch_stride, index)
CAMEO_ARRAY_PARAM(b_batch_stride, index)
CAMEO_ARRAY_PARAM(q_batch_stride, index)
CAMEO_ARRAY_PARAM(k_batch_stride, index)
CAMEO_ARRAY_PARAM(v_batch_stride, index)
CAMEO_ARRAY_PARAM(input, index)
CAMEO_ARRAY_PARAM(kernel, index)
CAMEO_ARRAY_PARAM(output, index)
CAMEO_ARRAY_PARAM(stride, index)
CAMEO_ARRAY_PARAM(dilation, index)
CAMEO_ARRAY_PARAM(pad, index)
CAMEO_ARRAY_PARAM(pad_end, index)
CAMEO_ARRAY_PARAM(halo, index)
CAMEO_ARRAY_PARAM(index, index)
CAMEO_ARRAY_PARAM(inner, index)
CAMEO_ARRAY_PARAM(axes, index)
CAMEO_ARRAY_PARAM(data_dims, index)
CAMEO_ARRAY_PARAM(index_dims, index)
CAMEO_ARRAY_PARAM(begin, index)
CAMEO_ARRAY_PARAM(shape, index)
CAMEO_ARRAY_PARAM(up, index)
CAMEO_ARRAY_PARAM(down, index)
CAMEO_ARRAY_PARAM(roi, real_array)
CAMEO_ARRAY_PARAM(scale, real_array)

#undef CAMEO_ARRAY_PARAM

/// Defines NAME_or(p, value): p.NAME, or `value` when P has no such member.
#define CAMEO_OPTIONAL_PARAM(NAME)                                                                 \
  namespace params {                                                                               \
  template <class P, class = void> struct has_##NAME : std::false_type {};                         \
  template <class P> struct has_##NAME<P, std::void_t<decltype(P::NAME)>> : std::true_type {};     \
  }                                                                                                \
  template <class P, class V> CAMEO_DEVICE constexpr V NAME##_or(const P &p, V value) {            \
    if constexpr (params::has_##NAME<P>::value) {                                                  \
      (void)value;                                                                                 \
      return p.NAME;                                                                               \
    } else {                                                                                       \
      (void)p;                                                                                     \
      return value;                                                                                \
    }                                                                                              \
  }

CAMEO_OPTIONAL_PARAM(across_rows)
CAMEO_OPTIONAL_PARAM(extrapolation_value)
CAMEO_OPTIONAL_PARAM(exclude_outside)
CAMEO_OPTIONAL_PARAM(cubic_coeff_a)
CAMEO_OPTIONAL_PARAM(count_include_pad)
CAMEO_OPTIONAL_PARAM(column_major)
CAMEO_OPTIONAL_PARAM(fill)
CAMEO_OPTIONAL_PARAM(lanes)
CAMEO_OPTIONAL_PARAM(groups)

#undef CAMEO_OPTIONAL_PARAM

/// Defines NAME_v<P>: the constant P::NAME, or false when P has no such member.
#define CAMEO_OPTIONAL_FLAG(NAME)                                                                  \
  namespace params {                                                                               \
  template <class P, class = void> struct NAME : std::false_type {};                               \
  template <class P>                                                                               \
  struct NAME<P, std::void_t<decltype(P::NAME)>> : std::bool_constant<P::NAME> {};                 \
  }                                                                                                \
  template <class P> constexpr bool NAME##_v = params::NAME<P>::value;

CAMEO_OPTIONAL_FLAG(antialias)
CAMEO_OPTIONAL_FLAG(w_in_blocks)

#undef CAMEO_OPTIONAL_FLAG

/// p.roi[2 * R], or the whole input when P has none.
namespace params {
template <class P, class = void> struct has_roi : std::false_type {};
template <class P> struct has_roi<P, std::void_t<decltype(P::roi)>> : std::true_type {};
} // namespace params
template <int R, class P> CAMEO_DEVICE constexpr real_array<2 * R> roi_or_all(const P &p) {
  if constexpr (params::has_roi<P>::value) {
    return roi_of<2 * R>(p);
  } else {
    (void)p;
    real_array<2 * R> all{};
    for (int d = 0; d < R; ++d)
      all.at[R + d] = 1.0;
    return all;
  }
}

/// The scales up / down of R axes.
template <int R> struct scale_fractions { real_array<R> up, down; };

/// p.scale[R], or p.up[R] over p.down[R], or output over input when P has neither.
namespace params {
template <class P, class = void> struct has_up : std::false_type {};
template <class P> struct has_up<P, std::void_t<decltype(P::up)>> : std::true_type {};
template <class P, class = void> struct has_scale : std::false_type {};
template <class P> struct has_scale<P, std::void_t<decltype(P::scale)>> : std::true_type {};
} // namespace params
template <int R, class P> CAMEO_DEVICE constexpr scale_fractions<R> scales_of(const P &p) {
  scale_fractions<R> r{};
  for (int d = 0; d < R; ++d)
    if constexpr (params::has_scale<P>::value) {
      r.up.at[d] = scale_of<R>(p)[d];
      r.down.at[d] = 1;
    } else if constexpr (params::has_up<P>::value) {
      r.up.at[d] = static_cast<double>(up_of<R>(p)[d]);
      r.down.at[d] = static_cast<double>(down_of<R>(p)[d]);
    } else {
      r.up.at[d] = static_cast<double>(output_of<R>(p)[d]);
      r.down.at[d] = static_cast<double>(input_of<R>(p)[d]);
    }
  return r;
}

/// Number of points of the outer and of the reduced space of a row template.
template <class P> CAMEO_DEVICE constexpr int64_t row_count(const P &p) {
  return volume(outer_of<P::outer_rank>(p));
}
template <class P> CAMEO_DEVICE constexpr int64_t row_length(const P &p) {
  return volume(reduced_of<P::reduced_rank>(p));
}

} // namespace cameo
