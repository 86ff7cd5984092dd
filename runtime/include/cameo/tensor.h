// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in C++: a cameo_tensor that carries its own dims, made from a typed pointer and a shape.
// Owns no data. Copying copies the dims; ranks above 8 use the C struct directly. A session copies
// what it is given: a tensor may go right after run(), its data not before finish().
#pragma once

#include "cameo/element_types.h"
#include "cameo/standard.h"
#include "cameo/status.h"

namespace cameo {

class tensor {
public:
  static constexpr int max_rank = 8;

  tensor() = default;
  /// `count` elements at `data` (not of a type below a byte, which are packed), which is how much a
  /// run may touch; `shape` may be larger or smaller than that: runs check it.
  template <class T>
  tensor(T *data, size_t count, std::initializer_list<int64_t> shape,
         cameo_space space = CAMEO_SPACE_HOST)
      : tensor(data, count * sizeof(T), element<std::remove_const_t<T>>::dtype, shape, space) {
    static_assert(element<std::remove_const_t<T>>::dtype != 0, "ONNX has no such element type");
    static_assert(!is_packed_v<std::remove_const_t<T>>, "bind packed elements as bytes");
  }
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

  /// The same of a rank known when it runs; `strides` in elements, or null.
  tensor(const void *data, size_t bytes, int32_t dtype, const int64_t *shape,
         const int64_t *strides, int32_t rank, cameo_space space)
      : tensor(data, bytes, dtype, {}, space) {
    for (; c_.rank < rank && c_.rank < max_rank; ++c_.rank) {
      dims_[c_.rank] = shape[c_.rank];
      strides_[c_.rank] = strides ? strides[c_.rank] : 0;
    }
    c_.strides = strides ? strides_ : nullptr;
  }

  /// Strides in elements, one for each dim.
  tensor &strides(std::initializer_list<int64_t> strides) {
    int32_t d = 0;
    for (const int64_t stride : strides)
      if (d < max_rank)
        strides_[d++] = stride;
    c_.strides = strides_;
    return *this;
  }
  /// Device events: what to wait for before the run touches the data, and what to record when it no
  /// longer does; null for none.
  tensor &events(void *ready, void *done) {
    c_.ready = ready;
    c_.done = done;
    return *this;
  }

  int32_t rank() const { return c_.rank; }
  int64_t dim(int32_t d) const { return dims_[d]; }
  template <class T> T *data() const { return static_cast<T *>(c_.data); }
  size_t bytes() const { return c_.bytes; }

  /// The struct to hand to C, its dims being this object's: valid while this object is, and here.
  cameo_tensor c() {
    c_.dims = dims_;
    c_.strides = c_.strides ? strides_ : nullptr; // of the object that this is a copy of, perhaps
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
  int64_t dims_[max_rank] = {}, strides_[max_rank] = {};
};

} // namespace cameo
