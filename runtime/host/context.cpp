// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of cpu::context that generated code calls during a run, and those of exec that are
// not inline. Assumes the context locked; see lifecycle.cpp for how it gets there.
#include "cameo/cpu/context.h"

#include "cameo/call.h"
#include "cameo/external.h"
#include "cameo/standard.h"

#include "team.h"

namespace cameo::cpu {

// ---- Errors ------------------------------------------------------------------------------------

void context::fail(const status &error) {
  if (ok(error_))
    error_ = error;
}

status context::ready() const {
  if (!ok(error_))
    return error_;
  return fault.code == CAMEO_OK ? success() : error_value(fault);
}

status context::external(cameo_external_fn function, int32_t node, const external_call &call) {
  step(node);
  return call_external(*model, function, node, call);
}

status context::trip(int64_t iteration) { return count_trip(*this, iteration, fault.node); }

// ---- Memory ------------------------------------------------------------------------------------

void *context::grow(growing_block &b, int64_t bytes) {
  const auto need = static_cast<size_t>(bytes);
  if (b.bytes >= need && b.data)
    return b.data;
  host_release(*this, b.data, b.bytes);
  b = {};
  void *memory = host_allocate(*this, need);
  if (memory) {
    b = {memory, need};
  } else {
    fail(options.allocator.allocate ? error_out_of_memory(bytes) : error_no_heap());
  }
  return memory;
}

/// Memory for the dense copy of a tensor.
void *context::grow_repack(int32_t tensor, int64_t bytes) {
  if (!options.allocator.allocate) {
    fail(error_no_repack(tensor));
    return nullptr;
  }
  return grow(ports_[tensor].repack, bytes);
}

status context::plan(buffer_table buffers, int64_t scratch) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  return arena_.plan(bytes, scratch);
}

void *exec::scratch(size_t bytes) {
  context &c = *owner_;
  constexpr uint64_t most = INT64_MAX / 4;
  if (bytes > most) {
    raise(CAMEO_OUT_OF_MEMORY, INT64_MAX, 0);
    return nullptr;
  }
  const auto need = static_cast<int64_t>(bytes);
  const int64_t begin = (scratch_used_ + arena_alignment - 1) & -arena_alignment;
  void *memory = nullptr;
  if (!c.arena_.scratch(begin, need, scratch_used_, memory))
    raise(c.arena_.is_given() ? CAMEO_LIMIT : CAMEO_OUT_OF_MEMORY, begin + need,
          c.arena_.scratch_room());
  return memory;
}

// ---- Bindings ----------------------------------------------------------------------------------

bool context::strided(const cameo_tensor &tensor) const {
  return takes_strides(model->outputs[&tensor - tensors.outputs], tensor);
}

const void *context::bind_input(const cameo_tensor &tensor) {
  const auto i = static_cast<int32_t>(&tensor - tensors.inputs);
  const status s = check_input(*this, i);
  if (!ok(s)) {
    fail(s);
    return nullptr;
  }
  if (tensor.space == CAMEO_SPACE_NULL)
    return default_of(*this, i, weights->data);
  if (element_count(tensor) == 0)
    return nullptr;
  if (is_dense(tensor) && is_aligned(model->inputs[i], tensor))
    return tensor.data;
  const int64_t bytes = dense_bytes(tensor.dtype, tensor.dims, tensor.rank);
  void *dense = grow_repack(i, bytes);
  if (!dense)
    return nullptr;
  ++counters.repacks;
  counters.repack_bytes += bytes;
  if (is_dense(tensor))
    __builtin_memcpy(dense, tensor.data, static_cast<size_t>(bytes));
  else
    copy_to_dense(dense, tensor);
  return dense;
}

/// The memory of an output, or null after an error.
void *context::output_memory(cameo_tensor &tensor, int32_t index, int64_t bytes) {
  if (tensor.data) // in most runs
    return tensor.data;
  bool lends = false;
  const status s = find_output_memory(*this, tensor, index, bytes, lends);
  if (!ok(s))
    fail(s);
  if (lends)
    lend_memory(tensor, grow(output_port(index).lent, bytes), bytes, CAMEO_SPACE_HOST);
  return tensor.data;
}

void *context::bind_output(cameo_tensor &tensor, const checked *dims, int32_t rank) {
  const auto k = static_cast<int32_t>(&tensor - tensors.outputs);
  int64_t bytes = 0;
  const status shaped = set_shape(*model, tensor, k, dims, rank, bytes);
  if (!ok(shaped)) {
    fail(shaped);
    return nullptr;
  }
  port &p = output_port(k);
  bound_[k] = 0;
  if (bytes == 0)
    return nullptr;
  if (!output_memory(tensor, k, bytes))
    return nullptr;
  const status checked_memory =
      check_output_memory(*model, tensors.inputs, tensors.outputs, k, bound_);
  if (!ok(checked_memory)) {
    fail(checked_memory);
    return nullptr;
  }
  if (strided(tensor))
    return tensor.data;
  p.data = tensor.data;
  if (is_dense(tensor) && is_aligned(model->outputs[k], tensor))
    return tensor.data;
  void *dense = grow_repack(model->input_count + k, bytes);
  if (dense) {
    p.data = dense;
    p.pending = true;
    ++counters.repacks;
    counters.repack_bytes += bytes;
  }
  return dense;
}

status context::done() {
  CAMEO_TRY(ready());
  for (int32_t k = 0; k < model->output_count; ++k) {
    port &p = output_port(k);
    if (!p.pending)
      continue;
    const cameo_tensor &t = tensors.outputs[k];
    if (is_dense(t))
      __builtin_memcpy(t.data, p.repack.data,
                       static_cast<size_t>(dense_bytes(t.dtype, t.dims, t.rank)));
    else
      copy_from_dense(t, p.repack.data);
    p.pending = false;
  }
  return success();
}

// ---- Threads -----------------------------------------------------------------------------------

#if CAMEO_THREADS

namespace {

/// A piece of work on the caller's executor, whose threads have any floating-point environment.
struct guarded_task {
  void (*task)(void *arg, int32_t thread);
  void *arg;
  static void call(void *self, int32_t thread) {
    const fp_scope environment;
    const auto *g = static_cast<guarded_task *>(self);
    g->task(g->arg, thread);
  }
};

} // namespace

bool context::forked() const { return process_ != process_number(); }

void exec::fork(void (*task)(void *arg, int32_t thread), void *arg) {
  if (owner_->forked()) {
    for (int32_t i = 0; i < threads_; ++i)
      task(arg, i);
    return;
  }
  if (owner_->team_) {
    owner_->team_->run(task, arg);
    return;
  }
  guarded_task g{task, arg};
  const cameo_executor &executor = owner_->options.executor;
  executor.parallel(executor.user, threads_, guarded_task::call, &g);
}

#else

bool context::forked() const { return false; }

#endif

} // namespace cameo::cpu
