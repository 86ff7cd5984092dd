// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per error, so that texts live in one file (host/errors.cpp), generated code passes
// numbers only, and both targets say the same thing. `tensor` counts inputs first, outputs after
// them; see cameo_status.
#pragma once

#include "cameo/status.h"

namespace cameo {

struct fault_slot;

// The call.
status error_null_argument();
status error_options_version(int64_t got);
status error_model_version(int64_t got);
status error_context_of_other_model();
status error_busy();
status error_input_count(int64_t got, int64_t need);
status error_output_count(int64_t got, int64_t need);
status error_index(int64_t got, int64_t limit);
status error_not_run();
status error_not_ready();
status error_refused();

// A tensor of the call.
status error_kind(int32_t tensor, int64_t got, int64_t need);
status error_dtype(int32_t tensor, int64_t got, int64_t need);
status error_rank(int32_t tensor, int64_t got, int64_t need);
status error_null_dims(int32_t tensor);
status error_null_data(int32_t tensor);
status error_dim(int32_t tensor, int64_t dim, int64_t got, int64_t need);
status error_dim_range(int32_t tensor, int64_t dim, int64_t got, int64_t min, int64_t max);
status error_negative_dim(int32_t tensor, int64_t dim, int64_t got);
status error_symbol(int32_t tensor, int64_t dim, int64_t got, int64_t bound, int64_t symbol);
status error_size_overflow(int32_t tensor);
status error_bytes(int32_t tensor, int64_t got, int64_t need);
status error_alignment(int32_t tensor, int64_t need);
status error_space(int32_t tensor, int64_t got);
status error_strides(int32_t tensor);
/// Elements of an output would lie over one another.
status error_stride(int32_t tensor, int64_t dim, int64_t got, int64_t need);
/// An output whose dim the device counts has no strides before its extents are known.
status error_counted_strides(int32_t tensor, int64_t dim);
/// It would have to be repacked, and there is no memory for that.
status error_no_repack(int32_t tensor);
status error_overlap(int32_t tensor, int64_t other);
status error_bool(int32_t tensor, int64_t position, int64_t got);
status error_item_count(int32_t tensor, int64_t got, int64_t need);

// Values met by the run.
/// A kernel raised a fault.
status error_value(const fault_slot &fault);
/// A host value that decides an extent (Reshape, Expand, Pad, ...) makes no sense.
status error_shape_value(int32_t node, int64_t got, int64_t limit);
status error_shape_overflow(int32_t node);
/// Two extents that must be equal, or broadcast, do not.
status error_broadcast(int32_t node, int64_t a, int64_t b);
/// An assertion that a user made when compiling does not hold; `node` is its text.
status error_assertion(int32_t node, int64_t got, int64_t need);
/// A dim of an input is no multiple of what a user said that it is.
status error_divisor(int64_t got, int64_t divisor);
status error_loop_trips(int32_t node, int64_t limit);
/// The status that the function of a user's operator has returned.
status error_external(int32_t node, const status &said);

// Memory, weights, build.
status error_out_of_memory(int64_t bytes);
status error_arena(int64_t got, int64_t need);
status error_extent_overflow();
status error_no_heap();
status error_isa_name();
status error_isa_missing();
status error_weights_missing();
status error_weights_file();
status error_own_weights_file();
status error_weights_magic();
status error_weights_size(int64_t got, int64_t need);
status error_weights_other_model();
status error_weights_hash();
status error_weights_alignment(int64_t need);
status error_no_async();
status error_not_lendable(int32_t tensor);

} // namespace cameo
