// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of a call's tensors (context_base.h). Each has room for the dims and strides of its
// port's rank, or of the largest rank where that is dynamic; a rank that is neither is copied as it
// is, for the checks to refuse, and nothing is read by it.
#include "cameo/context_base.h"

namespace cameo {
namespace {

constexpr int64_t rank_room(const cameo_port &port) {
  return port.rank >= 0 ? port.rank : CAMEO_MAX_RANK;
}

/// How many of an array of `rank` numbers fit.
int64_t readable(int32_t rank, int64_t room) { return rank < 0 ? 0 : rank < room ? rank : room; }

/// Copies numbers, zeros behind them; null where there are none.
int64_t *copy_numbers(const int64_t *from, int64_t count, int64_t room, int64_t *to) {
  if (!from)
    return nullptr;
  for (int64_t d = 0; d < room; ++d)
    to[d] = d < count ? from[d] : 0;
  return to;
}

} // namespace

size_t bindings::bytes(const cameo_model &m) {
  size_t bytes = static_cast<size_t>(m.input_count + m.output_count) * sizeof(cameo_tensor);
  for (int32_t i = 0; i < m.input_count; ++i)
    bytes += 2 * sizeof(int64_t) * static_cast<size_t>(rank_room(m.inputs[i]));
  for (int32_t k = 0; k < m.output_count; ++k)
    bytes += 2 * sizeof(int64_t) * static_cast<size_t>(rank_room(m.outputs[k]));
  return bytes;
}

void bindings::use(const cameo_model &m, void *memory) {
  inputs = static_cast<cameo_tensor *>(memory);
  outputs = inputs + m.input_count;
  static_assert(sizeof(cameo_tensor) % alignof(int64_t) == 0, "numbers follow the tensors");
  numbers_ = reinterpret_cast<int64_t *>(outputs + m.output_count);
}

void bindings::take(const cameo_model &m, const cameo_tensor *ins, const cameo_tensor *outs) {
  int64_t *next = numbers_;
  for (int32_t i = 0; i < m.input_count; ++i) {
    cameo_tensor &t = inputs[i] = ins[i];
    const int64_t room = rank_room(m.inputs[i]), count = readable(t.rank, room);
    t.dims = copy_numbers(t.dims, count, room, next);
    t.strides = copy_numbers(t.strides, count, room, next + room);
    next += 2 * room;
  }
  for (int32_t k = 0; k < m.output_count; ++k) {
    cameo_tensor &t = outputs[k] = outs[k];
    const int64_t room = rank_room(m.outputs[k]);
    // The run decides the dims; strides are for the rank that it will have.
    const int64_t rank = m.outputs[k].rank >= 0 ? room : readable(t.rank, room);
    t.dims = copy_numbers(t.dims, 0, room, next);
    t.strides = copy_numbers(t.strides, rank, room, next + room);
    next += 2 * room;
  }
}

void bindings::give(int32_t k, cameo_tensor &tensor) const {
  const cameo_tensor &t = outputs[k];
  tensor.data = t.data;
  tensor.bytes = t.bytes;
  tensor.rank = t.rank;
  tensor.dtype = t.dtype;
  tensor.space = t.space;
  tensor.kind = t.kind;
  if (!t.strides)
    tensor.strides = nullptr;
  for (int32_t d = 0; d < t.rank && t.dims && tensor.dims; ++d)
    tensor.dims[d] = t.dims[d];
}

status bindings::extent(int32_t k, int32_t dim, cameo_tensor &tensor) const {
  const cameo_tensor &t = outputs[k];
  const int32_t rank = t.kind == CAMEO_TENSOR ? t.rank : 0;
  if (dim < 0 || dim >= rank)
    return error_index(dim, rank);
  tensor = {};
  tensor.data = t.dims + dim;
  tensor.bytes = sizeof(int64_t);
  tensor.dtype = CAMEO_INT64;
  tensor.space = CAMEO_SPACE_HOST;
  return success();
}

} // namespace cameo
