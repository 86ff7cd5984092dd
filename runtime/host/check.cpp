// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of a call's tensors against the model's table, and the geometry of strided tensors.
// Written so that no value of the caller is used before it has been checked: dims before products,
// products before addresses.
#include "cameo/gen.h"

namespace cameo {

namespace {

/// Deeper nesting of sequences and optionals than any type of ONNX.
constexpr int max_nesting = 8;

bool absent(const cameo_port &port, const cameo_tensor &t) {
  return (port.flags & CAMEO_PORT_DEFAULT) && t.space == CAMEO_SPACE_NULL;
}

bool on_host(const cameo_tensor &t) {
  return t.space == CAMEO_SPACE_HOST || t.space == CAMEO_SPACE_PINNED ||
         t.space == CAMEO_SPACE_MANAGED;
}

int64_t element_bytes(int32_t dtype) { return cameo_dtype_bits(dtype) / 8; }

status check_dim(const cameo_port &port, int32_t index, int32_t d, int64_t got, int64_t *symbols) {
  if (got < 0)
    return error_negative_dim(index, d, got);
  const cameo_dim &dim = port.dims[d];
  if (dim.kind == CAMEO_DIM_VALUE && got != dim.min)
    return error_dim(index, d, got, dim.min);
  if (dim.kind == CAMEO_DIM_RANGE && (got < dim.min || got > dim.max))
    return error_dim_range(index, d, got, dim.min, dim.max);
  if (dim.symbol < 0 || !symbols)
    return success();
  int64_t &bound = symbols[dim.symbol];
  if (bound < 0)
    bound = got;
  if (bound != got)
    return error_symbol(index, d, got, bound, dim.symbol);
  return success();
}

/// dtype, rank and dims of a tensor. `symbols` is null for items, which bind none.
status check_tensor_dims(const cameo_port &port, int32_t index, const cameo_tensor &t,
                         int64_t *symbols) {
  if (t.dtype != port.dtype)
    return error_dtype(index, t.dtype, port.dtype);
  if (port.rank >= 0 ? t.rank != port.rank : t.rank < 0 || t.rank > CAMEO_MAX_RANK)
    return error_rank(index, t.rank, port.rank >= 0 ? port.rank : CAMEO_MAX_RANK);
  if (t.rank > 0 && !t.dims)
    return error_null_dims(index);
  for (int32_t d = 0; d < t.rank; ++d) {
    if (port.rank >= 0) {
      CAMEO_TRY(check_dim(port, index, d, t.dims[d], symbols));
    } else if (t.dims[d] < 0) {
      return error_negative_dim(index, d, t.dims[d]);
    }
  }
  if (dense_bytes(t.dtype, t.dims, t.rank) < 0)
    return error_size_overflow(index);
  return success();
}

status check_bools(int32_t index, const cameo_tensor &t) {
  if (!is_dense(t))
    return success();
  const auto *bytes = static_cast<const unsigned char *>(t.data);
  const int64_t n = element_count(t);
  unsigned char all = 0;
  for (int64_t i = 0; i < n; ++i)
    all = static_cast<unsigned char>(all | bytes[i]);
  if (all > 1)
    for (int64_t i = 0; i < n; ++i)
      if (bytes[i] > 1)
        return error_bool(index, i, bytes[i]);
  return success();
}

status check_tensor_data(const cameo_port &port, int32_t index, const cameo_tensor &t) {
  if (element_count(t) == 0)
    return success();
  if (!t.data || t.space == CAMEO_SPACE_NULL)
    return error_null_data(index);
  if (t.space < 0 || t.space > CAMEO_SPACE_NULL || !(port.spaces >> t.space & 1))
    return error_space(index, t.space);
  for (int32_t d = 0; t.strides && d < t.rank; ++d)
    if (t.strides[d] < 0)
      return error_strides(index);
  const bool dense = is_dense(t);
  if (!dense && (!port.accept_strides || cameo_dtype_bits(t.dtype) < 8))
    return error_strides(index);
  const int64_t need = dense ? dense_bytes(t.dtype, t.dims, t.rank) : span_bytes(t);
  if (need < 0)
    return error_size_overflow(index);
  if (static_cast<uint64_t>(need) > t.bytes)
    return error_bytes(index, static_cast<int64_t>(t.bytes), need);
  if (!port.accept_strides && !is_aligned(port, t))
    return error_alignment(index, port.alignment);
  if (t.dtype == CAMEO_BOOL && on_host(t))
    return check_bools(index, t);
  return success();
}

/// Walks the items of a sequence, optional or map; `data` = their data too.
status check_items(const cameo_port &port, int32_t index, const cameo_tensor &t, bool data,
                   int depth) {
  const auto n = static_cast<int64_t>(t.bytes / sizeof(cameo_tensor));
  if (port.kind == CAMEO_OPTIONAL && n > 1)
    return error_item_count(index, n, 1);
  if (port.kind == CAMEO_MAP && n != 2)
    return error_item_count(index, n, 2);
  if (n > 0 && !t.data)
    return error_null_data(index);
  if (depth == max_nesting)
    return error_kind(index, t.kind, port.kind);
  const auto *items = static_cast<const cameo_tensor *>(t.data);
  for (int64_t i = 0; i < n; ++i) {
    const cameo_port &type = port.item[port.kind == CAMEO_MAP ? i : 0];
    if (items[i].kind != type.kind)
      return error_kind(index, items[i].kind, type.kind);
    if (type.kind != CAMEO_TENSOR) {
      CAMEO_TRY(check_items(type, index, items[i], data, depth + 1));
      continue;
    }
    CAMEO_TRY(check_tensor_dims(type, index, items[i], nullptr));
    if (data)
      CAMEO_TRY(check_tensor_data(type, index, items[i]));
  }
  return success();
}

struct range {
  uintptr_t begin, end;
};
range memory_of(const cameo_tensor &t, int64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(t.data);
  return {begin, begin + static_cast<uintptr_t>(bytes)};
}
bool overlap(range a, range b) {
  return a.begin < b.end && b.begin < a.end && a.begin != a.end && b.begin != b.end;
}

/// Whether an output lies where the input does that it updates.
bool updates(const cameo_port &port, int32_t input, const cameo_tensor &from,
             const cameo_tensor &to, int64_t bytes) {
  return (port.flags & CAMEO_PORT_ALIAS) && port.updated == input && from.data == to.data &&
         is_dense(from) && is_dense(to) && span_bytes(from) == bytes;
}

/// Whether output `index` touches the memory of an input or of another output.
status check_overlap(const cameo_model &model, const cameo_tensor *inputs,
                     const cameo_tensor *outputs, int32_t index, const int64_t *bound) {
  const range written = memory_of(outputs[index], bound[index]);
  const int32_t tensor = model.input_count + index;
  for (int32_t i = 0; i < model.input_count; ++i) {
    const cameo_tensor &t = inputs[i];
    if (!t.data || t.kind != CAMEO_TENSOR || (model.inputs[i].flags & CAMEO_PORT_DIMS_ONLY) ||
        absent(model.inputs[i], t))
      continue;
    if (updates(model.outputs[index], i, t, outputs[index], bound[index]))
      continue;
    if (overlap(written, memory_of(t, span_bytes(t))))
      return error_overlap(tensor, i);
  }
  for (int32_t k = 0; k < model.output_count; ++k)
    if (k != index && bound[k] > 0 && overlap(written, memory_of(outputs[k], bound[k])))
      return error_overlap(tensor, model.input_count + k);
  return success();
}

/// An output's strides write each element once if, from the smallest on, each reaches beyond all
/// elements that the smaller ones tell apart.
status check_strides(int32_t tensor, const cameo_tensor &t) {
  checked span = 1;   // elements of the dims so far, gaps included
  int64_t last = 0;   // their largest stride,
  int32_t after = -1; // of equal ones their last dim
  for (;;) {
    int32_t next = -1;
    for (int32_t d = 0; d < t.rank; ++d) {
      const bool done = t.strides[d] < last || (t.strides[d] == last && d <= after);
      if (t.dims[d] > 1 && !done && (next < 0 || t.strides[d] < t.strides[next]))
        next = d;
    }
    if (next < 0)
      return success();
    last = t.strides[next];
    after = next;
    if (!span.fits())
      return error_size_overflow(tensor);
    if (last < span.value())
      return error_stride(tensor, next, last, span.value());
    span = span + checked(t.dims[next] - 1) * checked(last);
  }
}

/// Calls move(strided element, dense element) for each element in row-major order.
template <class F> void for_each_element(const cameo_tensor &t, void *dense, F move) {
  const int64_t n = element_count(t), size = element_bytes(t.dtype);
  auto *flat = static_cast<unsigned char *>(dense);
  auto *element = static_cast<unsigned char *>(t.data);
  int64_t at[CAMEO_MAX_RANK] = {};
  for (int64_t i = 0; i < n; ++i) {
    move(element, flat, static_cast<size_t>(size));
    flat += size;
    for (int32_t d = t.rank - 1; d >= 0; --d) {
      element += t.strides[d] * size;
      if (++at[d] < t.dims[d])
        break;
      element -= at[d] * t.strides[d] * size;
      at[d] = 0;
    }
  }
}

} // namespace

bool is_dense(const cameo_tensor &t) {
  if (!t.strides || count_elements(t.dims, t.rank).value() == 0)
    return true;
  int64_t stride = 1;
  for (int32_t d = t.rank - 1; d >= 0; --d) {
    if (t.dims[d] != 1 && t.strides[d] != stride)
      return false;
    stride *= t.dims[d];
  }
  return true;
}

int64_t span_bytes(const cameo_tensor &t) {
  checked last = 0;
  if (is_dense(t))
    return dense_bytes(t.dtype, t.dims, t.rank);
  for (int32_t d = 0; d < t.rank; ++d)
    last = last + checked(t.dims[d] - 1) * checked(t.strides[d]);
  const checked bytes = (last + checked(1)) * checked(element_bytes(t.dtype));
  return bytes.fits() ? bytes.value() : -1;
}

bool is_aligned(const cameo_port &port, const cameo_tensor &t) {
  return port.alignment < 2 || reinterpret_cast<uintptr_t>(t.data) % port.alignment == 0;
}

const cameo_tensor *with_defaults(const cameo_model &model, const cameo_tensor *inputs,
                                  int32_t count, cameo_tensor *filled) {
  if (count != model.input_count || !inputs)
    return inputs;
  for (int32_t i = 0; i < count; ++i) {
    const cameo_port &port = model.inputs[i];
    filled[i] = inputs[i];
    if (!absent(port, inputs[i]))
      continue;
    const cameo_default &initial = *port.initial;
    cameo_tensor &t = filled[i];
    t = {};
    t.kind = port.kind;
    t.dtype = port.dtype;
    t.rank = port.rank;
    t.dims = const_cast<int64_t *>(initial.dims);
    t.space = CAMEO_SPACE_HOST;
    t.data = const_cast<void *>(initial.data);
    const int64_t bytes = dense_bytes(t.dtype, t.dims, t.rank);
    t.bytes = bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }
  return filled;
}

status check_dims(const cameo_model &model, const cameo_tensor *inputs, int32_t count,
                  int64_t *symbols) {
  if (count != model.input_count)
    return error_input_count(count, model.input_count);
  if (count > 0 && !inputs)
    return error_null_argument();
  for (int32_t i = 0; i < model.symbol_count; ++i)
    symbols[i] = -1;
  for (int32_t i = 0; i < count; ++i) {
    const cameo_port &port = model.inputs[i];
    const cameo_tensor &t = inputs[i];
    if (t.kind != port.kind)
      return error_kind(i, t.kind, port.kind);
    if (port.kind != CAMEO_TENSOR) {
      CAMEO_TRY(check_items(port, i, t, false, 0));
      continue;
    }
    CAMEO_TRY(check_tensor_dims(port, i, t, symbols));
    if (port.flags & CAMEO_PORT_HOST_VALUE) {
      CAMEO_TRY(check_tensor_data(port, i, t));
      if (element_count(t) > 0 && !on_host(t))
        return error_space(i, t.space);
    }
  }
  return success();
}

status check_data(const cameo_model &model, const cameo_tensor *inputs, int32_t index) {
  const cameo_port &port = model.inputs[index];
  const cameo_tensor &t = inputs[index];
  if (absent(port, t) || (port.flags & CAMEO_PORT_DIMS_ONLY))
    return success();
  if (port.kind != CAMEO_TENSOR)
    return check_items(port, index, t, true, 0);
  return check_tensor_data(port, index, t);
}

status check_counts(const cameo_model &model, const cameo_tensor *inputs, int32_t input_count,
                    const cameo_tensor *outputs, int32_t output_count) {
  if (input_count != model.input_count)
    return error_input_count(input_count, model.input_count);
  if (output_count != model.output_count)
    return error_output_count(output_count, model.output_count);
  if ((input_count > 0 && !inputs) || (output_count > 0 && !outputs))
    return error_null_argument();
  for (int32_t k = 0; k < output_count; ++k) {
    const cameo_port &port = model.outputs[k];
    const int32_t tensor = model.input_count + k;
    if (outputs[k].kind != port.kind)
      return error_kind(tensor, outputs[k].kind, port.kind);
    if (port.kind != CAMEO_TENSOR)
      continue;
    if (outputs[k].dtype != port.dtype)
      return error_dtype(tensor, outputs[k].dtype, port.dtype);
    if (port.rank != 0 && !outputs[k].dims)
      return error_null_dims(tensor);
  }
  return success();
}

status check_shape(const cameo_port &port, int32_t tensor, const cameo_tensor &t) {
  return check_tensor_dims(port, tensor, t, nullptr);
}

status set_shape(const cameo_model &model, cameo_tensor &output, int32_t index, const checked *dims,
                 int32_t rank, int64_t &bytes) {
  const int32_t tensor = model.input_count + index;
  if (rank > 0 && !output.dims)
    return error_null_dims(tensor);
  output.dtype = model.outputs[index].dtype;
  output.rank = rank;
  for (int32_t d = 0; d < rank; ++d) {
    if (!dims[d].fits())
      return error_size_overflow(tensor);
    if (dims[d].value() < 0)
      return error_negative_dim(tensor, d, dims[d].value());
    output.dims[d] = dims[d].value();
  }
  bytes = dense_bytes(output.dtype, output.dims, rank);
  return bytes < 0 ? error_size_overflow(tensor) : success();
}

void shrink_shape(cameo_tensor &output, std::initializer_list<int64_t> dims, int64_t rank) {
  const auto all = static_cast<int64_t>(dims.size());
  output.rank = static_cast<int32_t>(rank < 0 ? all : rank);
  const int64_t *last = dims.end() - output.rank;
  for (int32_t d = 0; d < output.rank; ++d)
    output.dims[d] = last[d];
}

status infer_shape(const cameo_model &model, cameo_tensor *outputs, int32_t count, int32_t index,
                   std::initializer_list<checked> dims) {
  if (count != model.output_count)
    return error_output_count(count, model.output_count);
  if (!outputs)
    return error_null_argument();
  int64_t bytes = 0;
  CAMEO_TRY(set_shape(model, outputs[index], index, dims.begin(), static_cast<int32_t>(dims.size()),
                      bytes));
  outputs[index].kind = CAMEO_TENSOR;
  outputs[index].bytes = static_cast<size_t>(bytes);
  return success();
}

status check_output_memory(const cameo_model &model, const cameo_tensor *inputs,
                           const cameo_tensor *outputs, int32_t index, int64_t *bound) {
  const cameo_tensor &t = outputs[index];
  const cameo_port &port = model.outputs[index];
  const int32_t tensor = model.input_count + index;
  if (t.space < 0 || t.space >= CAMEO_SPACE_NULL || !(port.spaces >> t.space & 1))
    return error_space(tensor, t.space);
  for (int32_t d = 0; t.strides && d < t.rank; ++d)
    if (t.strides[d] < 0)
      return error_strides(tensor);
  if (!is_dense(t) || (t.strides && port.rank < 0)) {
    if (!port.accept_strides || cameo_dtype_bits(t.dtype) < 8)
      return error_strides(tensor);
    CAMEO_TRY(check_strides(tensor, t));
  }
  const int64_t need = span_bytes(t);
  if (need < 0)
    return error_size_overflow(tensor);
  if (static_cast<uint64_t>(need) > t.bytes)
    return error_bytes(tensor, static_cast<int64_t>(t.bytes), need);
  if (!port.accept_strides && !is_aligned(port, t))
    return error_alignment(tensor, port.alignment);
  bound[index] = need;
  return check_overlap(model, inputs, outputs, index, bound);
}

bool takes_strides(const cameo_port &port, const cameo_tensor &t) {
  return (port.flags & CAMEO_PORT_STRIDED) && t.rank > 0 && !is_dense(t) && is_aligned(port, t) &&
         (t.strides[t.rank - 1] == 1 || t.dims[t.rank - 1] == 1);
}

int64_t dense_stride(const cameo_tensor &t, int32_t d) {
  int64_t stride = 1;
  for (int32_t inner = t.rank - 1; inner > d; --inner)
    stride *= t.dims[inner];
  return stride;
}

void copy_to_dense(void *dense, const cameo_tensor &strided) {
  for_each_element(strided, dense, [](const void *element, void *flat, size_t size) {
    __builtin_memcpy(flat, element, size);
  });
}

void copy_from_dense(const cameo_tensor &strided, const void *dense) {
  for_each_element(
      strided, const_cast<void *>(dense),
      [](void *element, const void *flat, size_t size) { __builtin_memcpy(element, flat, size); });
}

} // namespace cameo
