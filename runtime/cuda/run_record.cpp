// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/run_record.h.
#include "cameo/cuda/run_record.h"

namespace cameo::cuda {

// ---- Extents -----------------------------------------------------------------------------------

size_t counted_extents::bytes(const cameo_model &m) {
  size_t dims = 0;
  for (int32_t k = 0; k < m.output_count; ++k)
    dims += static_cast<size_t>(m.outputs[k].rank >= 0 ? m.outputs[k].rank : CAMEO_MAX_RANK);
  return dims * sizeof(counted_extent);
}

void counted_extents::begin(const fetched &copy, const int64_t *source, const counted_extent *which,
                            int32_t count) {
  slot_ = copy.slot;
  source_ = source;
  count_ = copy.slot < 0 ? 0 : count;
  for (int32_t i = 0; i < count_; ++i)
    which_[i] = which[i];
}

const int64_t *counted_extents::find(int32_t output, int32_t dim) const {
  const int64_t *found = nullptr;
  for (int32_t i = 0; i < count_; ++i)
    if (which_[i].output == output && which_[i].dim == dim)
      found = source_ + i;
  return found;
}

void counted_extents::give(const int64_t *values, bindings &tensors) const {
  for (int32_t i = 0; i < count_; ++i)
    tensors.outputs[which_[i].output].dims[which_[i].dim] = values[i];
}

void counted_extents::expect(int64_t *values, const bindings &tensors) const {
  for (int32_t i = 0; i < count_; ++i)
    values[i] = tensors.outputs[which_[i].output].dims[which_[i].dim];
}

// ---- Deferred work -----------------------------------------------------------------------------

bool deferred_work::keep(call_state &call, function f, const void *kept, size_t bytes) {
  if (kept_.bytes < bytes) {
    close(call.owner());
    kept_.data = host_allocate(call.owner(), bytes);
    kept_.bytes = kept_.data ? bytes : 0;
    if (!kept_.data) {
      call.fail(error_out_of_memory(static_cast<int64_t>(bytes)));
      return false;
    }
  }
  __builtin_memcpy(kept_.data, kept, bytes);
  function_ = f;
  return true;
}

status deferred_work::run(context &c) {
  const fp_scope environment;
  running_ = true;
  const status s = function_(c, kept_.data);
  running_ = false;
  return s;
}

void deferred_work::close(cameo_context &owner) { host_release(owner, kept_.data, kept_.bytes); }

// ---- The record --------------------------------------------------------------------------------

void run_record::begin_pass() {
  new_sizes_ = false;
  ++passes_;
  abandon();
}

void run_record::abandon() {
  extents.clear();
  rest.drop();
}

void run_record::note(const status &raised) {
  if (ok(raised_))
    raised_ = raised;
}

status run_record::take_raised() {
  const status raised = raised_;
  raised_ = success();
  return raised;
}

} // namespace cameo::cuda
