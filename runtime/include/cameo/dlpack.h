// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of other frameworks by DLPack: a cameo::tensor on the memory that a DLTensor describes,
// whoever owns it. DLPack's own header is not needed: any struct with its members will do.
#pragma once

#include "cameo/tensor.h"

namespace cameo {

namespace dlpack {

/// DLPack's code of an element type (DLDataTypeCode) and its bits, as a cameo_dtype; 0 for one that
/// ONNX does not have.
constexpr int32_t dtype_of(int code, int bits) {
  constexpr struct {
    int code, bits;
    int32_t dtype;
  } types[] = {{0, 8, CAMEO_INT8},
               {0, 16, CAMEO_INT16},
               {0, 32, CAMEO_INT32},
               {0, 64, CAMEO_INT64},
               {0, 4, CAMEO_INT4},
               {0, 2, CAMEO_INT2},
               {1, 8, CAMEO_UINT8},
               {1, 16, CAMEO_UINT16},
               {1, 32, CAMEO_UINT32},
               {1, 64, CAMEO_UINT64},
               {1, 4, CAMEO_UINT4},
               {1, 2, CAMEO_UINT2},
               {2, 16, CAMEO_FLOAT16},
               {2, 32, CAMEO_FLOAT},
               {2, 64, CAMEO_DOUBLE},
               {4, 16, CAMEO_BFLOAT16},
               {5, 64, CAMEO_COMPLEX64},
               {5, 128, CAMEO_COMPLEX128},
               {6, 8, CAMEO_BOOL},
               {10, 8, CAMEO_FLOAT8E4M3FN},
               {11, 8, CAMEO_FLOAT8E4M3FNUZ},
               {12, 8, CAMEO_FLOAT8E5M2},
               {13, 8, CAMEO_FLOAT8E5M2FNUZ},
               {14, 8, CAMEO_FLOAT8E8M0},
               {15, 6, CAMEO_FLOAT6E2M3},
               {16, 6, CAMEO_FLOAT6E3M2},
               {17, 4, CAMEO_FLOAT4E2M1}};
  for (const auto &type : types)
    if (type.code == code && type.bits == bits)
      return type.dtype;
  return 0;
}

/// DLPack's kind of memory (DLDeviceType) as a cameo_space; -1 for one that no model runs on.
constexpr int32_t space_of(int device) {
  switch (device) {
  case 1:
    return CAMEO_SPACE_HOST;
  case 2:
    return CAMEO_SPACE_DEVICE;
  case 3:
    return CAMEO_SPACE_PINNED;
  case 13:
    return CAMEO_SPACE_MANAGED;
  default:
    return -1;
  }
}

/// Elements from the first to the last of a tensor; -1 where strides are negative, or where 64 bits
/// do not count them.
inline int64_t span_of(const int64_t *shape, const int64_t *strides, int32_t rank) {
  int64_t span = 1, dense = 1;
  for (int32_t d = rank - 1; d >= 0; --d) {
    const int64_t stride = strides ? strides[d] : dense;
    int64_t last = 0;
    if (shape[d] == 0)
      return 0;
    if (shape[d] < 0 || stride < 0 || __builtin_mul_overflow(shape[d] - 1, stride, &last) ||
        __builtin_add_overflow(span, last, &span) ||
        __builtin_mul_overflow(dense, shape[d], &dense))
      return -1;
  }
  return span;
}

} // namespace dlpack

/// Makes `to` a view of what a DLTensor describes: no copy, no reference is held, so its owner's
/// deleter comes behind the run. The consumer's stream is the caller's to order (`__dlpack__` takes
/// it). False, with `to` as it was, for vectors as elements, types that ONNX does not have, memory
/// of other devices, negative strides, more than tensor::max_rank dims.
template <class DLTENSOR> bool from_dlpack(const DLTENSOR &from, tensor &to) {
  const int32_t dtype = dlpack::dtype_of(from.dtype.code, from.dtype.bits);
  const int32_t space = dlpack::space_of(static_cast<int>(from.device.device_type));
  if (dtype == 0 || space < 0 || from.dtype.lanes != 1 || from.ndim > tensor::max_rank)
    return false;
  const int64_t span = dlpack::span_of(from.shape, from.strides, from.ndim);
  if (span < 0 || span > INT64_MAX / from.dtype.bits - 7)
    return false;
  const int64_t bytes = (span * from.dtype.bits + 7) / 8;
  to = tensor(static_cast<const char *>(from.data) + from.byte_offset, static_cast<size_t>(bytes),
              dtype, from.shape, from.strides, from.ndim, static_cast<cameo_space>(space));
  return true;
}

} // namespace cameo
