// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// create, run and destroy of the CPU target, and its side of the generic calls. A context lies in
// one block with its tables and the generated code's state: in the caller's arena if there is one,
// else in memory of the allocator.
#include "cameo/cpu/context.h"

#include "cameo/call.h"
#include "cameo/standard.h"

#include "processors.h"
#include "team.h"

namespace cameo::cpu {

#if CAMEO_THREADS
/// Where finish() waits for a run that the caller's executor does.
struct async {
  monitor m;
  bool running = false;
};
#endif

/// The functions that need the inside of a context.
struct lifecycle {
  static status open(context &c);
  static status execute(context &c);
  static status submit(context &c);
  static status call(context &c, const cameo_tensor *inputs, int32_t input_count,
                     cameo_tensor *outputs, int32_t output_count, body generated);
  static void close(context &c);
  static status wait(context &c, bool block);
  static status fetch(context &c, int32_t output, void *destination, size_t bytes);
  static status lend(context &c, int32_t index, cameo_tensor &tensor);
#if CAMEO_THREADS
  static void run_submitted(void *self);
#endif

  static context_layout layout_of(const cameo_model &model);
};

namespace {

context &as_context(cameo_context *c) { return *static_cast<context *>(c); }

} // namespace

context_layout lifecycle::layout_of(const cameo_model &m) {
  return lay_out(m, sizeof(context), sizeof(context::port), 0);
}

void complete(const cameo_model &model, cameo_memory &plan) {
  // Buffers end aligned, scratch memory behind them need not, and takes what plan() makes of it.
  constexpr auto alignment = static_cast<uint64_t>(arena_alignment);
  const uint64_t used = (plan.host_arena + alignment - 1) & -alignment;
  plan.host_arena = used + static_cast<uint64_t>(lifecycle::layout_of(model).end);
  plan.weights = model.weights.bytes;
  plan.alignment = alignment;
}

int32_t default_threads() {
#if CAMEO_THREADS
  return available_processors();
#else
  return 1;
#endif
}

// ---- Create and destroy ------------------------------------------------------------------------

status create(const cameo_model &model, const cameo_options *options, cameo_context **out) {
  if (!out)
    return error_null_argument();
  *out = nullptr;
  if (model.abi != CAMEO_ABI_VERSION)
    return error_model_version(model.abi);
  cameo_options filled;
  CAMEO_TRY(check_options(options, filled));
  const context_layout l = lifecycle::layout_of(model);
  // A caller's arena need not be aligned: what that costs at its start is not counted.
  auto *block = static_cast<unsigned char *>(filled.host_arena);
  const auto skew = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(block) % arena_alignment);
  const auto given = static_cast<int64_t>(filled.host_arena_bytes);
  if (block) {
    if (given < skew + l.end)
      return error_arena(given, skew + l.end);
    block += skew;
  } else {
    block =
        static_cast<unsigned char *>(host_allocate(filled.allocator, static_cast<size_t>(l.end)));
    if (!block)
      return error_out_of_memory(l.end);
  }
  __builtin_memset(block, 0, static_cast<size_t>(l.end));
  auto *c = new (block) context;
  c->target = &target;
  c->model = &model;
  c->options = filled;
  if (filled.host_arena) {
    c->options.host_arena = block + l.end;
    c->options.host_arena_bytes = static_cast<size_t>(given - skew - l.end);
  }
  const status s = lifecycle::open(*c);
  if (!ok(s)) {
    destroy(c);
    return s;
  }
  *out = c;
  return s;
}

status lifecycle::open(context &c) {
  const context_layout l = layout_of(*c.model);
  auto *block = reinterpret_cast<unsigned char *>(&c);
  c.ports_ = reinterpret_cast<context::port *>(block + l.ports);
  c.bound_ = reinterpret_cast<int64_t *>(block + l.bound);
  c.tensors.use(*c.model, block + l.tensors);
  c.generated_state = block + l.state;
  if (c.options.host_arena)
    c.arena_.give(c.options.host_arena, c.options.host_arena_bytes);
  c.compute.owner_ = &c;
  c.compute.slot_ = &c.fault;

  c.own_weights_.target = &target;
  c.own_weights_.allocator = c.options.allocator;
  if (cameo_weights *shared = c.options.shared) {
    if (shared->bytes != c.model->weights.bytes || shared->hash != c.model->weights.hash ||
        shared->target != &target)
      return error_weights_other_model();
    weights_retain(*shared);
    c.weights = shared;
  } else {
    CAMEO_TRY(open_weights(*c.model, c.options, c.own_weights_));
    c.weights = &c.own_weights_;
  }

  const cameo_executor &executor = c.options.executor;
#if CAMEO_THREADS
  c.process_ = process_number();
  if (executor.submit) {
    void *memory = host_allocate(c.options.allocator, sizeof(async));
    if (!memory)
      return error_out_of_memory(sizeof(async));
    c.async_ = new (memory) async;
  }
  if (executor.parallel) {
    c.compute.threads_ = executor.threads > 1 ? executor.threads : 1;
    return success();
  }
  const int32_t wanted = c.options.threads > 0 ? c.options.threads : default_threads();
  if (wanted <= 1 || executor.submit || !c.options.allocator.allocate)
    return success();
  c.team_ = team::start(c.options.allocator, wanted);
  if (!c.team_)
    return error_out_of_memory(wanted);
  c.compute.threads_ = c.team_->threads();
  if (c.team_->threads() < wanted)
    log(c.options, CAMEO_LOG_WARNING, "the system has fewer threads than asked for");
#else
  if (executor.submit)
    return error_no_async();
#endif
  return success();
}

void destroy(cameo_context *base) {
  if (!base)
    return;
  context &c = as_context(base);
  (void)lifecycle::wait(c, true);
  // A fork() in the middle of a call may have left memory half handed over: it stays where it is.
  if (c.forked() && c.busy)
    return;
  lifecycle::close(c);
  const cameo_allocator allocator = c.options.allocator;
  const bool in_arena = c.options.host_arena != nullptr;
  const auto bytes = static_cast<size_t>(lifecycle::layout_of(*c.model).end);
  c.target = nullptr;
  c.~context();
  if (!in_arena)
    host_release(allocator, base, bytes);
}

void lifecycle::close(context &c) {
#if CAMEO_THREADS
  if (c.team_)
    team::stop(c.options.allocator, c.team_, c.forked());
  if (c.async_)
    host_release(c.options.allocator, c.async_, sizeof(async));
#endif
  if (c.weights == &c.own_weights_)
    close_weights(c.own_weights_);
  else if (c.weights)
    cameo_weights_release(c.weights);
  c.arena_.close();
  for (int32_t i = 0; i < c.model->input_count + c.model->output_count; ++i) {
    host_release(c, c.ports_[i].lent.data, c.ports_[i].lent.bytes);
    host_release(c, c.ports_[i].repack.data, c.ports_[i].repack.bytes);
  }
}

// ---- Run ---------------------------------------------------------------------------------------

status lifecycle::execute(context &c) {
  const fp_scope environment;
  const int32_t inputs = c.model->input_count, outputs = c.model->output_count;
  c.fault = {};
  c.error_ = success();
  c.counters = {};
  for (int32_t k = 0; k < outputs; ++k) {
    c.ports_[inputs + k].data = nullptr;
    c.ports_[inputs + k].pending = false;
    c.bound_[k] = -1;
  }
  const status s = c.generated_(c, c.tensors.inputs, c.tensors.outputs);
  c.counters.launches = c.fault.step;
  return s;
}

#if CAMEO_THREADS
void lifecycle::run_submitted(void *self) {
  context &c = *static_cast<context *>(self);
  c.last = execute(c);
  // Both at once for whoever waits: not running any more, and free for the next call.
  async &a = *c.async_;
  a.m.lock();
  leave(c);
  a.running = false;
  a.m.notify_all();
  a.m.unlock();
}

status lifecycle::submit(context &c) {
  async &a = *c.async_;
  a.m.lock();
  a.running = true;
  a.m.unlock();
  const cameo_executor &executor = c.options.executor;
  if (executor.submit(executor.user, run_submitted, &c) == 0)
    return success();
  a.m.lock();
  a.running = false;
  a.m.unlock();
  c.last = error_refused();
  leave(c);
  return error_refused();
}
#endif

status run(const cameo_model &model, cameo_context *base, const cameo_tensor *inputs,
           int32_t input_count, cameo_tensor *outputs, int32_t output_count, body generated) {
  if (!base)
    return error_null_argument();
  if (base->target != &target || base->model != &model)
    return error_context_of_other_model();
  CAMEO_TRY(enter(*base));
  return lifecycle::call(as_context(base), inputs, input_count, outputs, output_count, generated);
}

status lifecycle::call(context &c, const cameo_tensor *inputs, int32_t input_count,
                       cameo_tensor *outputs, int32_t output_count, body generated) {
  c.generated_ = generated;
  c.ran = true;
  c.last = check_counts(*c.model, inputs, input_count, outputs, output_count);
  if (ok(c.last)) {
    c.tensors.take(*c.model, inputs, outputs);
#if CAMEO_THREADS
    if (c.async_ && !c.forked())
      return submit(c);
#endif
    c.last = execute(c);
  }
  for (int32_t k = 0; ok(c.last) && k < output_count; ++k)
    c.tensors.give(k, outputs[k]);
  const status s = c.last;
  leave(c);
  return s;
}

// ---- Generic calls -----------------------------------------------------------------------------

status lifecycle::wait(context &c, bool block) {
#if CAMEO_THREADS
  if (c.async_ && !c.forked()) {
    monitor &m = c.async_->m;
    m.lock();
    while (block && c.async_->running)
      m.wait();
    const bool running = c.async_->running;
    m.unlock();
    if (running)
      return error_not_ready();
  }
#else
  (void)block;
#endif
  CAMEO_TRY(enter(c));
  const status s = c.ran ? c.last : error_not_run();
  leave(c);
  return s;
}

status lifecycle::fetch(context &c, int32_t output, void *destination, size_t bytes) {
  int64_t need = 0;
  CAMEO_TRY(check_fetch(c, output, bytes, need));
  const void *dense = c.output_port(output).data;
  if (need > 0 && dense)
    __builtin_memcpy(destination, dense, static_cast<size_t>(need));
  else if (need > 0)
    copy_to_dense(destination, c.tensors.outputs[output]);
  return success();
}

status lifecycle::lend(context &c, int32_t index, cameo_tensor &t) {
  int64_t bytes = 0;
  CAMEO_TRY(check_lent(c, index, t, bytes));
  c.error_ = success();
  void *memory = c.grow(c.ports_[index].lent, bytes > 0 ? bytes : 1);
  lend_memory(t, memory, bytes, CAMEO_SPACE_HOST);
  return c.error_;
}

namespace {

status finish(cameo_context *c) { return lifecycle::wait(as_context(c), true); }
status poll(cameo_context *c) { return lifecycle::wait(as_context(c), false); }
status ready(cameo_context *c, int32_t) { return poll(c); }
status wait(cameo_context *c, int32_t) { return finish(c); }

status fetch(cameo_context *c, int32_t output, void *destination, size_t bytes) {
  CAMEO_TRY(finish(c));
  CAMEO_TRY(enter(*c));
  const status s = lifecycle::fetch(as_context(c), output, destination, bytes);
  leave(*c);
  return s;
}

status lend(cameo_context *c, int32_t index, cameo_tensor *tensor) {
  CAMEO_TRY(enter(*c));
  const status s = lifecycle::lend(as_context(c), index, *tensor);
  leave(*c);
  return s;
}

status extent(cameo_context *c, int32_t output, int32_t dim, cameo_tensor *tensor) {
  CAMEO_TRY(finish(c));
  CAMEO_TRY(enter(*c));
  const status s = c->tensors.extent(output, dim, *tensor);
  leave(*c);
  return s;
}

status load(const cameo_model *model, const cameo_options *options, cameo_weights **out) {
  cameo_options filled;
  CAMEO_TRY(check_options(options, filled));
  void *memory = host_allocate(filled.allocator, sizeof(cameo_weights));
  if (!memory)
    return filled.allocator.allocate ? error_out_of_memory(sizeof(cameo_weights)) : error_no_heap();
  auto *w = new (memory) cameo_weights;
  w->target = &target;
  w->allocator = filled.allocator;
  const status s = open_weights(*model, filled, *w);
  if (ok(s))
    *out = w;
  else
    host_release(filled.allocator, w, sizeof(cameo_weights));
  return s;
}

void release(cameo_weights *w) {
  if (!weights_drop(*w))
    return;
  close_weights(*w);
  host_release(w->allocator, w, sizeof(cameo_weights));
}

} // namespace

const cameo_target target = {"cpu", finish, poll,          ready, wait,   fetch,
                             lend,  extent, read_counters, load,  release};

} // namespace cameo::cpu
