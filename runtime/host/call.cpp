// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cameo/call.h. The call lock of context_base.h, by which a context that is inside a call
// refuses another, is here and not beside the generic calls, since it depends on how the runtime
// was built.
#include "cameo/call.h"

namespace cameo {
namespace {

int64_t after(int64_t offset, size_t bytes) {
  return (offset + static_cast<int64_t>(bytes) + arena_alignment - 1) & -arena_alignment;
}

/// The run decides extents of the port, and so how many bytes it needs.
bool is_open(const cameo_port &port) {
  bool open = port.rank < 0;
  for (int32_t d = 0; d < port.rank; ++d)
    open |= port.dims[d].kind == CAMEO_DIM_OPEN;
  return open;
}

} // namespace

// ---- The block of a context --------------------------------------------------------------------

context_layout lay_out(const cameo_model &m, size_t context_bytes, size_t port_bytes,
                       size_t other_bytes) {
  const auto ports = static_cast<size_t>(m.input_count + m.output_count);
  context_layout l{};
  l.ports = after(0, context_bytes);
  l.bound = after(l.ports, ports * port_bytes);
  l.tensors = after(l.bound, static_cast<size_t>(m.output_count) * sizeof(int64_t));
  l.others = after(l.tensors, bindings::bytes(m));
  l.state = after(l.others, other_bytes);
  l.end = after(l.state, m.state_bytes);
  return l;
}

// ---- Inputs ------------------------------------------------------------------------------------

status check_input(const cameo_context &context, int32_t i) {
#if CAMEO_CHECKS
  return check_data(*context.model, context.tensors.inputs, i);
#else
  (void)context, (void)i;
  return success();
#endif
}

const void *default_of(const cameo_context &context, int32_t input, const unsigned char *data) {
  const cameo_default *initial = context.model->inputs[input].initial;
  return initial ? data + initial->offset : nullptr;
}

// ---- Outputs -----------------------------------------------------------------------------------

status find_output_memory(const cameo_context &context, cameo_tensor &t, int32_t k, int64_t bytes,
                          bool &lends) {
  const int32_t number = context.model->input_count + k;
  if (!t.data && t.bind) {
    const int64_t span = span_bytes(t);
    bytes = span > bytes ? span : bytes; // what is wrong with strides is for the checks to say
    t.data = t.bind(t.user, &t, static_cast<size_t>(bytes));
    t.bytes = static_cast<size_t>(bytes);
    if (!t.data) {
      status refused = error_out_of_memory(bytes);
      refused.tensor = number;
      return refused;
    }
  }
  lends = !t.data && is_open(context.model->outputs[k]);
  return t.data || lends ? success() : error_null_data(number);
}

void lend_memory(cameo_tensor &t, void *memory, int64_t bytes, int32_t space) {
  t.data = memory;
  t.bytes = static_cast<size_t>(bytes);
  t.space = space;
  t.strides = nullptr;
}

status check_lent(const cameo_context &context, int32_t index, const cameo_tensor &t,
                  int64_t &bytes) {
  const cameo_model &m = *context.model;
  if (t.kind != CAMEO_TENSOR)
    return error_not_lendable(index);
  CAMEO_TRY(check_shape(index < m.input_count ? m.inputs[index] : m.outputs[index - m.input_count],
                        index, t));
  bytes = dense_bytes(t.dtype, t.dims, t.rank);
  return success();
}

status check_fetch(const cameo_context &context, int32_t k, size_t bytes, int64_t &need) {
  const cameo_tensor &t = context.tensors.outputs[k];
  const int32_t number = context.model->input_count + k;
  need = dense_bytes(t.dtype, t.dims, t.rank);
  if (t.kind != CAMEO_TENSOR || need < 0)
    return error_not_lendable(number);
  if (static_cast<uint64_t>(need) > bytes)
    return error_bytes(number, static_cast<int64_t>(bytes), need);
  return success();
}

// ---- Loops -------------------------------------------------------------------------------------

status count_trip(cameo_context &context, int64_t iteration, int32_t node) {
  ++context.counters.loop_iterations;
  const int64_t most = context.options.max_loop_trips;
  return iteration < most ? success() : error_loop_trips(node, most);
}

// ---- The call lock -----------------------------------------------------------------------------

status enter(cameo_context &context) {
#if CAMEO_THREADS
  if (__atomic_exchange_n(&context.busy, 1, __ATOMIC_ACQUIRE))
    return error_busy();
#else
  if (context.busy)
    return error_busy();
  context.busy = 1;
#endif
  return success();
}

void leave(cameo_context &context) {
#if CAMEO_THREADS
  __atomic_store_n(&context.busy, 0, __ATOMIC_RELEASE);
#else
  context.busy = 0;
#endif
}

status read_counters(cameo_context *context, cameo_counters *counters) {
  CAMEO_TRY(enter(*context));
  *counters = context->counters;
  leave(*context);
  return success();
}

} // namespace cameo
