// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a call that are the same on every target: where the parts of a context lie, and what is
// to be checked before a tensor of a call is used. Not for generated code.
#pragma once

#include "cameo/context_base.h"
#include "cameo/gen.h"

namespace cameo {

/// Where the parts of a context's block of memory lie, in bytes from its start: the context, a port
/// for each input and output, an int64_t for each output, the bindings, what else the target has,
/// the generated code's state.
struct context_layout {
  int64_t ports, bound, tensors, others, state, end;
};
context_layout lay_out(const cameo_model &model, size_t context_bytes, size_t port_bytes,
                       size_t other_bytes);
/// Holds input `i` against the model, unless the build has no checks of data.
status check_input(const cameo_context &context, int32_t i);
/// The data that stands in for an absent input: its default in weights at `data`; null when only
/// its dims are used.
const void *default_of(const cameo_context &context, int32_t input, const unsigned char *data);

/// Finds memory for output `k`, whose shape is set: the caller's, or `bytes` bytes of its `bind`.
/// `lends`: the context is to lend them, since the run decides how many they are.
status find_output_memory(const cameo_context &context, cameo_tensor &output, int32_t k,
                          int64_t bytes, bool &lends);
/// Describes memory of the context's that a tensor gets.
void lend_memory(cameo_tensor &tensor, void *memory, int64_t bytes, int32_t space);
/// Checks the shape of a tensor that wants memory of the context's; `bytes` is what it needs.
status check_lent(const cameo_context &context, int32_t index, const cameo_tensor &tensor,
                  int64_t &bytes);
/// Checks room of `bytes` bytes for output `k` of the last run, which needs `need`.
status check_fetch(const cameo_context &context, int32_t k, size_t bytes, int64_t &need);

/// Counts iteration number `iteration` of a loop in `node`; an error beyond max_loop_trips.
status count_trip(cameo_context &context, int64_t iteration, int32_t node);

} // namespace cameo
