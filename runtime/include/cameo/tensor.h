// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in C++: a cameo_tensor that carries its own dims, made from a typed pointer and a shape.
// Owns no data. Copying copies the dims; ranks above 8 use the C struct directly. A session copies
// what it is given: a tensor may go right after run(), its data not before finish().
#pragma once

#include "cameo/floats.h"
#include "cameo/status.h"

#include <initializer_list>

namespace cameo {

/// The cameo_dtype of an element type. Packed kinds have none: they are bound as bytes with an
/// explicit dtype.
template <class T> struct dtype_of;
#define CAMEO_DTYPE(type, code)                                                                    \
  template <> struct dtype_of<type> { static constexpr int32_t value = code; };
CAMEO_DTYPE(float, CAMEO_FLOAT)
CAMEO_DTYPE(double, CAMEO_DOUBLE)
CAMEO_DTYPE(bool, CAMEO_BOOL)
CAMEO_DTYPE(int8_t, CAMEO_INT8)
CAMEO_DTYPE(int16_t, CAMEO_INT16)
CAMEO_DTYPE(int32_t, CAMEO_INT32)
CAMEO_DTYPE(int64_t, CAMEO_INT64)
CAMEO_DTYPE(uint8_t, CAMEO_UINT8)
CAMEO_DTYPE(uint16_t, CAMEO_UINT16)
CAMEO_DTYPE(uint32_t, CAMEO_UINT32)
CAMEO_DTYPE(uint64_t, CAMEO_UINT64)
CAMEO_DTYPE(half, CAMEO_FLOAT16)
CAMEO_DTYPE(bfloat16, CAMEO_BFLOAT16)
CAMEO_DTYPE(float8_e4m3fn, CAMEO_FLOAT8E4M3FN)
CAMEO_DTYPE(float8_e4m3fnuz, CAMEO_FLOAT8E4M3FNUZ)
CAMEO_DTYPE(float8_e5m2, CAMEO_FLOAT8E5M2)
CAMEO_DTYPE(float8_e5m2fnuz, CAMEO_FLOAT8E5M2FNUZ)
CAMEO_DTYPE(float8_e8m0, CAMEO_FLOAT8E8M0)
CAMEO_DTYPE(cameo_string, CAMEO_STRING)
#undef CAMEO_DTYPE

class tensor {
public:
  static constexpr int max_rank = 8;

  tensor() = default;
  /// `count` elements at `data`, which is how much a run may touch; `shape` may be larger or
  /// smaller than that: runs check it.
  template <class T>
  tensor(T *data, size_t count, std::initializer_list<int64_t> shape,
         cameo_space space = CAMEO_SPACE_HOST)
      : tensor(data, count * sizeof(T), dtype_of<std::remove_const_t<T>>::value, shape, space) {}
  template <class T, size_t N>
  tensor(T (&data)[N], std::initializer_list<int64_t> shape) : tensor(data, N, shape) {}
  /// Any element type, in bytes.
  tensor(const void *data, size_t bytes, int32_t dtype, std::initializer_list<int64_t> shape,
         cameo_space space = CAMEO_SPACE_HOST) {
    c_.data = const_cast<void *>(data);
    c_.bytes = bytes;
    c_.dtype = dtype;
    c_.space = space;
    for (const int64_t extent : shape)
      if (c_.rank < max_rank)
        dims_[c_.rank++] = extent;
  }

  int32_t rank() const { return c_.rank; }
  int64_t dim(int32_t d) const { return dims_[d]; }
  template <class T> T *data() const { return static_cast<T *>(c_.data); }
  size_t bytes() const { return c_.bytes; }

  /// The struct to hand to C, its dims being this object's: valid while this object is, and here.
  cameo_tensor c() {
    c_.dims = dims_;
    return c_;
  }
  /// Takes over what a run has made of such a struct, whose dims may lie anywhere; false when their
  /// number is too large.
  bool update(const cameo_tensor &ran) {
    if (ran.rank > max_rank)
      return false;
    c_ = ran;
    c_.dims = nullptr;
    for (int32_t d = 0; d < ran.rank; ++d)
      dims_[d] = ran.dims[d];
    return true;
  }

private:
  cameo_tensor c_{};
  int64_t dims_[max_rank] = {};
};

} // namespace cameo
