// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How generated code calls what a user computes an operator by (cameo_external_fn). Nothing here
// allocates.
#pragma once

#include "cameo/dense.h"
#include "cameo/element_types.h"
#include "cameo/status.h"

namespace cameo {

/// The arguments of an operator's function.
struct external_call {
  const cameo_tensor *inputs;
  int32_t input_count;
  cameo_tensor *outputs;
  int32_t output_count;
  const cameo_attribute *attributes;
  int32_t attribute_count;
  int64_t *counts; ///< null where it has none to tell
  int32_t count_count;
};

/// Calls the function on the host, where counts are 0 until it has written them, and on the device,
/// whose work it enqueues on `stream`, in so many `launches` as it says. An error is that of
/// `node`.
status call_external(const cameo_model &model, cameo_external_fn function, int32_t node,
                     const external_call &call);
status call_external(const cameo_model &model, cameo_external_fn function, int32_t node,
                     void *stream, const external_call &call, int64_t &launches);

/// A dense tensor of `rank` dims, whose bytes have been found to fit.
template <class T>
cameo_tensor external_tensor(cameo_space space, const T *data, int64_t *dims, int32_t rank) {
  cameo_tensor tensor = {};
  tensor.data = const_cast<T *>(data);
  tensor.dims = dims;
  tensor.rank = rank;
  tensor.dtype = element<T>::dtype;
  tensor.space = data ? space : CAMEO_SPACE_NULL;
  tensor.bytes = data ? static_cast<size_t>(dense_bytes(tensor.dtype, dims, rank)) : 0;
  return tensor;
}

} // namespace cameo
