// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of cpu::context that generated code calls during a run, and those of exec that are
// not inline. Assumes the context locked; see lifecycle.cpp for how it gets there.
#include "cameo/cpu/context.h"

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

status context::trip(int64_t iteration) {
  ++counters.loop_iterations;
  if (iteration < options.max_loop_trips)
    return success();
  return error_loop_trips(fault.node, options.max_loop_trips);
}

// ---- Memory ------------------------------------------------------------------------------------

void *context::grow(block &b, int64_t bytes) {
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

status context::reserve(int64_t bytes) {
  if (bytes <= arena_bytes_)
    return success();
  if (arena_given_)
    return error_arena(arena_bytes_, bytes);
  host_release(*this, arena_, static_cast<size_t>(arena_bytes_));
  arena_bytes_ = 0;
  arena_ = static_cast<unsigned char *>(host_allocate(*this, static_cast<size_t>(bytes)));
  if (!arena_)
    return error_out_of_memory(bytes);
  arena_bytes_ = bytes;
  return success();
}

status context::plan(int64_t arena_bytes, int64_t scratch) {
  release_blocks();
  if (arena_bytes < 0 || scratch < 0)
    return error_extent_overflow();
  const checked begin = align_up(checked(arena_bytes), arena_alignment);
  checked end = begin + align_up(checked(scratch), arena_alignment);
  if (!arena_given_)
    end = max(max(end, begin + checked(wanted_scratch_)), checked(wanted_arena_));
  if (!end.fits())
    return error_extent_overflow();
  scratch_begin_ = begin.value();
  // NAME_memory knows of no more threads than default_threads(): what others take of scratch memory
  // comes from the allocator, if there is one.
  if (arena_given_ && options.allocator.allocate)
    return reserve(begin.value());
  return reserve(end.value());
}

status context::plan(buffer_table buffers, int64_t scratch) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  return plan(bytes, scratch);
}

status context::replan(buffer_table buffers, int32_t from) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, 0, bytes));
  if (bytes <= arena_bytes_) {
    scratch_begin_ = bytes > scratch_begin_ ? bytes : scratch_begin_;
    return success();
  }
  if (arena_given_)
    return error_arena(arena_bytes_, bytes);
  const checked wanted = checked(bytes) + checked(arena_bytes_ - scratch_begin_);
  if (wanted.fits() && wanted.value() > wanted_arena_)
    wanted_arena_ = wanted.value();
  late_block *b = late_;
  while (b && b->from != from)
    b = b->next;
  const int32_t number = b ? b->number : late_ ? late_->number + 1 : 1;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, number, bytes));
  return late_memory(b, from, bytes);
}

status context::late_memory(late_block *&b, int32_t from, int64_t bytes) {
  constexpr int64_t header = arena_alignment;
  static_assert(sizeof(late_block) <= header, "the header keeps the alignment");
  const auto need = static_cast<size_t>(bytes + header);
  if (b && b->bytes >= need)
    return success();
  auto *memory = static_cast<unsigned char *>(host_allocate(*this, need));
  if (!memory)
    return error_out_of_memory(bytes);
  if (!b) {
    const int32_t number = late_ ? late_->number + 1 : 1;
    late_ = new (memory) late_block{late_, memory + header, need, from, number};
    b = late_;
    return success();
  }
  // The old block's buffers are dead: this is the same place of the program once more.
  auto *larger = new (memory) late_block{b->next, memory + header, need, from, b->number};
  late_block **link = &late_;
  while (*link != b)
    link = &(*link)->next;
  *link = larger;
  host_release(*this, b, b->bytes);
  b = larger;
  return success();
}

void context::release_blocks() {
  while (late_) {
    late_block *b = late_;
    late_ = b->next;
    host_release(*this, b, b->bytes);
  }
  while (more_scratch_) {
    scratch_block *b = more_scratch_;
    more_scratch_ = b->next;
    host_release(*this, b, static_cast<size_t>(b->end - b->begin + arena_alignment));
  }
}

/// Scratch is a stack of positions. The first lie in the arena; those beyond it in blocks, each of
/// which has positions of its own, so that an access_scope gives everything back by one assignment.
void *context::take_scratch(int64_t begin, int64_t bytes, int64_t &end) {
  scratch_block **link = &more_scratch_;
  int64_t next = arena_bytes_ - scratch_begin_;
  next = begin > next ? begin : next;
  for (; *link; link = &(*link)->next) {
    scratch_block &b = **link;
    const int64_t at = begin > b.begin ? begin : b.begin;
    if (at + bytes <= b.end) {
      end = at + bytes;
      return b.base + (at - b.begin);
    }
    next = b.end > next ? b.end : next;
  }
  const int64_t length = align_up(checked(bytes), arena_alignment).value();
  auto *memory = static_cast<unsigned char *>(
      host_allocate(*this, static_cast<size_t>(length + arena_alignment)));
  if (!memory)
    return nullptr;
  static_assert(sizeof(scratch_block) <= arena_alignment, "the header keeps the alignment");
  *link = new (memory) scratch_block{nullptr, memory + arena_alignment, next, next + length};
  end = next + bytes;
  wanted_scratch_ = next + length > wanted_scratch_ ? next + length : wanted_scratch_;
  return (*link)->base;
}

void *exec::scratch(size_t bytes) {
  context &c = *owner_;
  constexpr uint64_t most = INT64_MAX / 4;
  if (bytes > most) {
    raise(CAMEO_OUT_OF_MEMORY, INT64_MAX, 0);
    return nullptr;
  }
  const auto need = static_cast<int64_t>(bytes);
  const int64_t room = c.arena_bytes_ - c.scratch_begin_;
  const int64_t begin = (scratch_used_ + arena_alignment - 1) & -arena_alignment;
  if (begin + need <= room) {
    scratch_used_ = begin + need;
    return c.arena_ + c.scratch_begin_ + begin;
  }
  void *memory = c.take_scratch(begin, need, scratch_used_);
  if (!memory)
    raise(c.arena_given_ ? CAMEO_LIMIT : CAMEO_OUT_OF_MEMORY, begin + need, room);
  return memory;
}

// ---- Bindings ----------------------------------------------------------------------------------

/// The data that stands in for an absent input: its default among the weights; null when only its
/// dims are used.
const void *context::default_of(int32_t input) const {
  const cameo_default *initial = model->inputs[input].initial;
  return initial ? weights->data + initial->offset : nullptr;
}

const void *context::bind_input(const cameo_tensor &tensor) {
  const auto i = static_cast<int32_t>(&tensor - tensors.inputs);
#if CAMEO_CHECKS
  const status s = check_data(*model, tensors.inputs, i);
  if (!ok(s)) {
    fail(s);
    return nullptr;
  }
#endif
  if (tensor.space == CAMEO_SPACE_NULL)
    return default_of(i);
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

void *context::output_memory(cameo_tensor &tensor, int32_t index, int64_t bytes) {
  const int32_t number = model->input_count + index;
  const cameo_port &type = model->outputs[index];
  if (!tensor.data && tensor.bind) {
    const int64_t span = span_bytes(tensor);
    bytes = span > bytes ? span : bytes; // what is wrong with strides is for the checks to say
    tensor.data = tensor.bind(tensor.user, &tensor, static_cast<size_t>(bytes));
    tensor.bytes = static_cast<size_t>(bytes);
    if (!tensor.data) {
      status refused = error_out_of_memory(bytes);
      refused.tensor = number;
      fail(refused);
      return nullptr;
    }
  }
  bool open = type.rank < 0;
  for (int32_t d = 0; d < type.rank; ++d)
    open |= type.dims[d].kind == CAMEO_DIM_OPEN;
  if (!tensor.data && open) {
    tensor.data = grow(output_port(index).lent, bytes);
    tensor.bytes = static_cast<size_t>(bytes);
    tensor.space = CAMEO_SPACE_HOST;
    tensor.strides = nullptr;
    if (!tensor.data)
      return nullptr;
  }
  if (!tensor.data) {
    fail(error_null_data(number));
    return nullptr;
  }
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
