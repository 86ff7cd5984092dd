// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every text and code of a status, in the order of errors.h.
#include "cameo/errors.h"
#include "cameo/fault.h"

namespace cameo {

namespace {

status make(cameo_code code, const char *message, int64_t a = 0, int64_t b = 0, int64_t c = 0,
            int64_t d = 0) {
  return {code, -1, -1, 0, message, {a, b, c, d}};
}
status of_tensor(int32_t tensor, status s) {
  s.tensor = tensor;
  return s;
}
status of_node(int32_t node, status s) {
  s.node = node;
  return s;
}

} // namespace

status error_null_argument() { return make(CAMEO_INVALID_ARGUMENT, "a pointer argument is null"); }
status error_options_version(int64_t got) {
  return make(CAMEO_INVALID_ARGUMENT, "options are of interface version {0}, need {1}", got,
              CAMEO_ABI_VERSION);
}
status error_model_version(int64_t got) {
  return make(CAMEO_UNSUPPORTED, "the model is of interface version {0}, the runtime of {1}", got,
              CAMEO_ABI_VERSION);
}
status error_context_of_other_model() {
  return make(CAMEO_INVALID_ARGUMENT, "the context belongs to another model, or is destroyed");
}
status error_busy() { return make(CAMEO_BUSY, "the context is in use by another call"); }
status error_input_count(int64_t got, int64_t need) {
  return make(CAMEO_INVALID_ARGUMENT, "got {0} inputs, need {1}", got, need);
}
status error_output_count(int64_t got, int64_t need) {
  return make(CAMEO_INVALID_ARGUMENT, "got {0} outputs, need {1}", got, need);
}
status error_index(int64_t got, int64_t limit) {
  return make(CAMEO_INVALID_ARGUMENT, "index {0} is outside [0, {1})", got, limit);
}
status error_not_run() { return make(CAMEO_INVALID_ARGUMENT, "the context has not run yet"); }
status error_not_ready() { return make(CAMEO_NOT_READY, "not finished yet"); }
status error_refused() { return make(CAMEO_LIMIT, "the executor refused the run"); }

status error_kind(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: kind is {kind0}, need {kind1}", got, need));
}
status error_dtype(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT,
                                "{tensor}: element type is {dtype0}, need {dtype1}", got, need));
}
status error_rank(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT, "{tensor}: rank is {0}, need {1}", got, need));
}
status error_null_dims(int32_t tensor) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: dims is null"));
}
status error_null_data(int32_t tensor) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: data is null"));
}
status error_dim(int32_t tensor, int64_t dim, int64_t got, int64_t need) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: dimension {0} is {1}, need {2}",
                                dim, got, need));
}
status error_dim_range(int32_t tensor, int64_t dim, int64_t got, int64_t min, int64_t max) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT, "{tensor}: dimension {0} is {1}, need {2} to {3}",
                        dim, got, min, max));
}
status error_negative_dim(int32_t tensor, int64_t dim, int64_t got) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: dimension {0} is negative ({1})", dim, got));
}
status error_symbol(int32_t tensor, int64_t dim, int64_t got, int64_t bound, int64_t symbol) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT,
                        "{tensor}: dimension {0} is {1}, but {symbol3} is {2} in an earlier place",
                        dim, got, bound, symbol));
}
status error_size_overflow(int32_t tensor) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: the size in bytes does not fit 63 bits"));
}
status error_bytes(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: buffer has {0} bytes, need {1}", got, need));
}
status error_alignment(int32_t tensor, int64_t need) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: data is not aligned to {0} bytes", need));
}
status error_space(int32_t tensor, int64_t got) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: {space0} memory cannot be bound here", got));
}
status error_strides(int32_t tensor) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: strides are negative or not accepted here"));
}
status error_stride(int32_t tensor, int64_t dim, int64_t got, int64_t need) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT,
                                "{tensor}: stride {1} of dimension {0} lays elements over one "
                                "another, need {2} or more",
                                dim, got, need));
}
status error_counted_strides(int32_t tensor, int64_t dim) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT,
                                "{tensor}: dimension {0} is counted while the model runs, so its "
                                "elements must be dense on the device",
                                dim));
}
status error_no_repack(int32_t tensor) {
  return of_tensor(tensor,
                   make(CAMEO_UNSUPPORTED,
                        "{tensor}: its strides or alignment need a copy, and the program is "
                        "built without a heap: bind it dense, or give an allocator"));
}
status error_overlap(int32_t tensor, int64_t other) {
  return of_tensor(
      tensor, make(CAMEO_INVALID_ARGUMENT, "{tensor}: memory overlaps that of {tensor0}", other));
}
status error_bool(int32_t tensor, int64_t position, int64_t got) {
  return of_tensor(tensor, make(CAMEO_INVALID_ARGUMENT,
                                "{tensor}: element {0} is {1}, a bool is 0 or 1", position, got));
}
status error_item_count(int32_t tensor, int64_t got, int64_t need) {
  return of_tensor(tensor,
                   make(CAMEO_INVALID_ARGUMENT, "{tensor}: has {0} items, need {1}", got, need));
}

status error_value(const fault_slot &fault) {
  const char *text = fault.code == CAMEO_OUT_OF_RANGE ? "{node}: value {0} is out of range of {1}"
                     : fault.code == CAMEO_LIMIT      ? "{node}: {0} exceeds the limit {1}"
                     : fault.code == CAMEO_OUT_OF_MEMORY
                         ? "{node}: no memory for {0} bytes"
                         : "{node}: value {0} is not allowed here ({1})";
  return of_node(fault.fault_node,
                 make(static_cast<cameo_code>(fault.code), text, fault.got, fault.limit));
}
status error_shape_value(int32_t node, int64_t got, int64_t limit) {
  return of_node(node, make(CAMEO_INVALID_ARGUMENT,
                            "{node}: value {0} makes no valid shape (limit {1})", got, limit));
}
status error_shape_overflow(int32_t node) {
  return of_node(node, make(CAMEO_INVALID_ARGUMENT, "{node}: a size does not fit 64 bits"));
}
status error_broadcast(int32_t node, int64_t a, int64_t b) {
  return of_node(node,
                 make(CAMEO_INVALID_ARGUMENT, "{node}: extents {0} and {1} do not match", a, b));
}
status error_assertion(int32_t node, int64_t got, int64_t need) {
  return of_node(node,
                 make(CAMEO_OUT_OF_RANGE,
                      "{node}: what was asserted does not hold (got {0}, need {1})", got, need));
}
status error_divisor(int64_t got, int64_t divisor) {
  return make(CAMEO_INVALID_ARGUMENT, "a dimension is {0}, need a multiple of {1}", got, divisor);
}
status error_loop_trips(int32_t node, int64_t limit) {
  return of_node(node, make(CAMEO_LIMIT, "{node}: more than {0} iterations", limit));
}
status error_external(int32_t node, const status &said) {
  const bool is_code = said.code > CAMEO_OK && said.code <= CAMEO_INTERNAL;
  status s = make(is_code ? static_cast<cameo_code>(said.code) : CAMEO_INTERNAL,
                  said.message ? said.message : "{node}: the operator has failed");
  for (int i = 0; i < 4; ++i)
    s.values[i] = said.values[i];
  return of_node(node, s);
}

status error_out_of_memory(int64_t bytes) {
  return make(CAMEO_OUT_OF_MEMORY, "no memory for {0} bytes", bytes);
}
status error_arena(int64_t got, int64_t need) {
  return make(CAMEO_LIMIT, "the arena has {0} bytes, need {1}", got, need);
}
status error_extent_overflow() {
  return make(CAMEO_LIMIT, "the size of a tensor does not fit 63 bits");
}
status error_no_heap() {
  return make(CAMEO_UNSUPPORTED, "built without a heap: give an arena or an allocator");
}
status error_isa_name() {
  return make(CAMEO_INVALID_ARGUMENT,
              "CAMEO_ISA in the environment is none of x86-64, x86-64-v3, x86-64-v4, "
              "x86-64-v4-avx512vnni");
}
status error_isa_missing() {
  return make(CAMEO_UNSUPPORTED, "CAMEO_ISA in the environment is more than this machine has");
}
status error_weights_missing() {
  return make(CAMEO_LOAD_ERROR,
              "the weights are not in the program, and no file or pointer is given");
}
status error_weights_file() { return make(CAMEO_LOAD_ERROR, "the weights file cannot be read"); }
status error_own_weights_file() {
  return make(CAMEO_LOAD_ERROR, "the weights file {weights} beside the program cannot be read");
}
status error_weights_magic() { return make(CAMEO_LOAD_ERROR, "this is not a weights blob"); }
status error_weights_size(int64_t got, int64_t need) {
  return make(CAMEO_LOAD_ERROR, "the weights blob has {0} bytes, need {1}", got, need);
}
status error_weights_other_model() {
  return make(CAMEO_LOAD_ERROR, "the weights belong to another model");
}
status error_weights_hash() { return make(CAMEO_LOAD_ERROR, "the weights are damaged"); }
status error_weights_alignment(int64_t need) {
  return make(CAMEO_LOAD_ERROR, "the weights are not aligned to {0} bytes", need);
}
status error_no_async() {
  return make(CAMEO_UNSUPPORTED, "built without threads: an executor cannot submit");
}
status error_not_lendable(int32_t tensor) {
  return of_tensor(tensor, make(CAMEO_UNSUPPORTED, "{tensor}: only a tensor can be lent"));
}

} // namespace cameo
