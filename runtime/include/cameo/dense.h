// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of tensors whose elements lie without gaps. Header only: a program has them without a
// runtime, whose functions have names of its build's own (see the generated CMakeLists.txt).
#pragma once

#include "cameo/abi.h"
#include "cameo/extent.h"

namespace cameo {

/// Product of dims that are not negative. The dims of an empty tensor that are not 0 have to fit
/// too.
inline checked count_elements(const int64_t *dims, int32_t rank) {
  checked n = 1;
  for (int32_t d = 0; d < rank; ++d)
    n = n * checked(dims[d]);
  return n;
}

/// Product of the dims, which have been checked.
inline int64_t element_count(const cameo_tensor &tensor) {
  return count_elements(tensor.dims, tensor.rank).value();
}

/// Bytes of `dims` elements of `dtype`, packed where narrower than a byte; -1 when that does not
/// fit.
inline int64_t dense_bytes(int32_t dtype, const int64_t *dims, int32_t rank) {
  const checked n = count_elements(dims, rank);
  const int32_t bits = cameo_dtype_bits(dtype);
  const checked bytes = bits >= 8 ? n * checked(bits / 8) : ceil_div(n * checked(bits), checked(8));
  return bytes.fits() ? bytes.value() : -1;
}

} // namespace cameo
