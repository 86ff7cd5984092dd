// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// create, run and destroy of the CUDA target. A context lies in one block of host memory with its
// tables and the generated code's state. Beside it stands a CPU context of the same model, which
// has the host arena, the threads and the error slot of kernels that run on the host.
#include "lifecycle.h"

#include <new>

namespace cameo::cuda {
namespace {

context &as_context(cameo_context *c) { return *static_cast<context *>(c); }

int64_t after(int64_t offset, size_t bytes) {
  return (offset + static_cast<int64_t>(bytes) + arena_alignment - 1) & -arena_alignment;
}

/// The device that the options name exists and runs this build's code.
status check_device(int32_t ordinal) {
  int count = 0;
  const cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaErrorInsufficientDriver || e == cudaErrorSystemDriverMismatch) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();
    return error_driver(driver, runtime);
  }
  if (e != cudaSuccess || count == 0) {
    cudaGetLastError();
    return is_lost(e) ? error_lost_before(e) : error_no_device(e);
  }
  if (ordinal < 0 || ordinal >= count)
    return error_device_ordinal(ordinal, count);
  const device_scope device(ordinal);
  const cudaError_t probed = probe_kernels();
  if (probed != cudaSuccess)
    cudaGetLastError();
  return is_lost(probed) ? error_lost_before(probed) : error_cuda(probed, -1);
}

} // namespace

lifecycle::layout lifecycle::layout_of(const cameo_model &m) {
  const auto ports = static_cast<size_t>(m.input_count + m.output_count);
  layout l{};
  l.ports = after(0, sizeof(context));
  l.bound = after(l.ports, ports * sizeof(context::port));
  l.state = after(l.bound, static_cast<size_t>(m.output_count) * sizeof(int64_t));
  l.end = after(l.state, m.state_bytes);
  return l;
}

void describe_arena(const buffer *buffers, int32_t count, const char *const *names,
                    int64_t arena_bytes, cameo_memory &plan) {
  const uint64_t host = plan.host_arena;
  cameo::describe_arena(buffers, count, names, arena_bytes, plan);
  plan.device_arena = plan.host_arena;
  plan.host_arena = host;
}

void describe_arena(int64_t arena_bytes, int64_t peak_bytes, const char *peak_tensor,
                    cameo_memory &plan) {
  const uint64_t host = plan.host_arena;
  cameo::describe_arena(arena_bytes, peak_bytes, peak_tensor, plan);
  plan.device_arena = plan.host_arena;
  plan.host_arena = host;
}

void complete(const cameo_model &model, cameo_memory &plan) {
  cpu::complete(model, plan);
  plan.host_arena += static_cast<uint64_t>(lifecycle::layout_of(model).end);
  constexpr uint64_t device_alignment = 256;
  plan.alignment = device_alignment;
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
  CAMEO_TRY(check_device(filled.device));
  const device_scope device(filled.device);
  const bool user_memory = options && options->allocator.allocate;

  device_weights *weights = nullptr;
  if (filled.shared) {
    weights = static_cast<device_weights *>(filled.shared);
    if (weights->target != &target || weights->bytes != model.weights.bytes ||
        weights->hash != model.weights.hash)
      return error_weights_other_model();
    if (weights->ordinal != filled.device)
      return error_weights_device(weights->ordinal, filled.device);
    weights_retain(*weights);
  } else {
    CAMEO_TRY(load_weights(model, filled, user_memory, weights));
  }

  const status s = lifecycle::make(model, filled, user_memory, *weights, *out);
  if (!ok(s))
    cameo_weights_release(weights);
  return s;
}

status lifecycle::make(const cameo_model &model, const cameo_options &options, bool user_memory,
                       device_weights &weights, cameo_context *&out) {
  // The host's half: the same blob, and no thread of its own unless asked for.
  cameo_options host = options;
  host.shared = nullptr;
  host.weights = weights.data ? weights.data - sizeof(cameo_weights_header) : nullptr;
  host.weights_bytes = weights.data ? weights.bytes + sizeof(cameo_weights_header) : 0;
  host.verify_weights = 0;
  host.threads = options.threads > 0 ? options.threads : 1;
  host.executor.submit = nullptr;
  cameo_context *half = nullptr;
  CAMEO_TRY(cpu::create(model, &host, &half));

  const auto bytes = static_cast<size_t>(layout_of(model).end);
  void *block = host_allocate(options.allocator, bytes);
  if (!block) {
    cpu::destroy(half);
    return error_out_of_memory(static_cast<int64_t>(bytes));
  }
  __builtin_memset(block, 0, bytes);
  auto *c = new (block) context(*static_cast<cpu::context *>(half));
  c->target = &target;
  c->model = &model;
  c->options = options;
  c->weights = &weights;
  c->user_memory_ = user_memory;
  const status s = open(*c);
  if (ok(s))
    out = c;
  else
    destroy(*c);
  return s;
}

status lifecycle::open(context &c) {
  const layout l = layout_of(*c.model);
  auto *block = reinterpret_cast<unsigned char *>(&c);
  c.ports_ = reinterpret_cast<context::port *>(block + l.ports);
  c.bound_ = reinterpret_cast<int64_t *>(block + l.bound);
  c.generated_state = block + l.state;
  c.device_weights_ = static_cast<device_weights *>(c.weights)->device;
  c.scratch_ = scratch_arena(c.device_allocator());
  c.copy_scratch_ = scratch_arena(c.device_allocator());
  c.arena_given_ = c.options.device_arena != nullptr;
  if (c.arena_given_) {
    c.arena_ = static_cast<unsigned char *>(c.options.device_arena);
    c.arena_bytes_ = static_cast<int64_t>(c.options.device_arena_bytes);
  }
  const bool made = c.check(cudaStreamCreateWithFlags(&c.own_stream_, cudaStreamNonBlocking)) &&
                    c.check(cudaStreamCreateWithFlags(&c.copy_stream_, cudaStreamNonBlocking)) &&
                    c.check(cudaEventCreateWithFlags(&c.order_event_, cudaEventDisableTiming)) &&
                    c.check(cudaEventCreateWithFlags(&c.end_event_, cudaEventDisableTiming)) &&
                    c.check(cudaEventCreateWithFlags(&c.result_event_, cudaEventDisableTiming));
  if (!made)
    return c.error_;
  c.compute = exec(c.own_stream_, &c.state_, &c.scratch_);
  c.copy = exec(c.copy_stream_, &c.state_, &c.copy_scratch_);
  c.result_ = static_cast<error_slot *>(c.allocate_pinned(sizeof(error_slot)));
  c.state_.slot = static_cast<error_slot *>(c.allocate_device(sizeof(error_slot)));
  c.slot_dirty_ = true;
  return c.error_;
}

void destroy(cameo_context *base) {
  if (!base)
    return;
  cameo_weights *weights = base->weights;
  lifecycle::destroy(as_context(base));
  cameo_weights_release(weights);
}

/// All but the weights, which the caller holds.
void lifecycle::destroy(context &c) {
  cameo_context *half = &c.half_;
  const cameo_allocator allocator = c.options.allocator;
  const auto bytes = static_cast<size_t>(layout_of(*c.model).end);
  {
    const device_scope device(c.options.device);
    close(c);
  }
  c.target = nullptr;
  c.~context();
  host_release(allocator, &c, bytes);
  cpu::destroy(half);
}

void lifecycle::close(context &c) {
  c.settle();
  // A stream of the caller's may be gone: the event behind the last run stands for it.
  if (c.last_stream_)
    cudaEventSynchronize(c.end_event_);
  if (c.own_stream_)
    cudaStreamSynchronize(c.own_stream_);
  if (c.copy_stream_)
    cudaStreamSynchronize(c.copy_stream_);
  const cameo_allocator *allocator = c.device_allocator();
  c.release_retired();
  c.scratch_.release();
  c.copy_scratch_.release();
  while (context::late_block *b = c.late_) {
    c.late_ = b->next;
    device_release(allocator, b->base, b->bytes);
    host_release(c, b, sizeof(*b));
  }
  if (!c.arena_given_)
    device_release(allocator, c.arena_, static_cast<size_t>(c.arena_bytes_));
  device_release(allocator, c.state_.slot, sizeof(error_slot));
  for (int32_t i = 0; i < c.model->input_count + c.model->output_count; ++i) {
    context::port &p = c.ports_[i];
    device_release(allocator, p.lent.data, p.lent.bytes);
    device_release(allocator, p.device.data, p.device.bytes);
    if (p.complete)
      cudaEventDestroy(p.complete);
  }
  for (context::staging_slot &s : c.slots_) {
    c.release_pinned(s.memory, s.bytes);
    if (s.event)
      cudaEventDestroy(s.event);
  }
  c.release_pinned(c.result_, sizeof(error_slot));
  for (const cudaEvent_t e : {c.order_event_, c.end_event_, c.result_event_})
    if (e)
      cudaEventDestroy(e);
  for (const cudaStream_t s : {c.own_stream_, c.copy_stream_})
    if (s)
      cudaStreamDestroy(s);
  cudaGetLastError(); // of a lost device: there is nothing to be done about it
}

// ---- Run ---------------------------------------------------------------------------------------

status run(const cameo_model &model, cameo_context *base, const cameo_tensor *inputs,
           int32_t input_count, cameo_tensor *outputs, int32_t output_count, void *stream,
           body generated) {
  if (!base)
    return error_null_argument();
  if (base->target != &target || base->model != &model)
    return error_context_of_other_model();
  CAMEO_TRY(enter(*base));
  const status s = lifecycle::call(as_context(base), inputs, input_count, outputs, output_count,
                                   static_cast<cudaStream_t>(stream), generated);
  leave(*base);
  return s;
}

status lifecycle::call(context &c, const cameo_tensor *inputs, int32_t input_count,
                       cameo_tensor *outputs, int32_t output_count, cudaStream_t stream,
                       body generated) {
  const device_scope device(c.options.device);
  c.counters = {};
  status s = check_counts(*c.model, inputs, input_count, outputs, output_count);
  if (ok(s))
    s = begin(c, stream ? stream : c.own_stream_);
  if (ok(s)) {
    c.inputs_ = inputs;
    c.outputs_ = outputs;
    s = execute(c, generated);
  }
  c.ran = true;
  c.last = s;
  return s;
}

/// Orders the run after the one before, and makes the context ready for it.
status lifecycle::begin(context &c, cudaStream_t stream) {
  if (!ok(c.lost_))
    return c.lost_;
  c.settle();
  const cudaError_t before = cudaPeekAtLastError();
  if (is_lost(before))
    return c.lost_ = error_lost_before(before);
  if (before != cudaSuccess)
    log(c.options, CAMEO_LOG_WARNING, "an error of the CUDA runtime was pending before the call");
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  c.error_ = success();
  if (!c.check(cudaStreamIsCapturing(stream, &capturing)))
    return c.device_status();
  if (capturing != cudaStreamCaptureStatusNone)
    return error_capture();

  if (c.unfinished_) {
    bool copying = false, host_needed = c.extent_count_ > 0;
    for (int32_t k = 0; k < c.model->output_count; ++k) {
      copying |= c.output_port(k).left == context::port::copying;
      host_needed |= c.output_port(k).left == context::port::staged;
    }
    if (host_needed) { // what the run before has left for the host would be overwritten
      ++c.counters.blocking_syncs;
      const status s = finish_run(c, true);
      if (!ok(s) && s.code == CAMEO_DEVICE_LOST)
        return s;
    } else if (copying) {
      c.order(c.copy_stream_, stream);
    }
  }
  if (c.last_stream_ && c.last_stream_ != stream)
    c.check(cudaStreamWaitEvent(stream, c.end_event_, 0));
  c.compute = exec(stream, &c.state_, &c.scratch_);
  c.clear_run();
  if (c.slot_dirty_)
    c.slot_dirty_ = !c.check(cudaMemsetAsync(c.state_.slot, 0, sizeof(error_slot), stream));
  return c.device_status();
}

status lifecycle::execute(context &c, body generated) {
  const fp_scope environment;
  status s = generated(c, c.inputs_, c.outputs_);
  // Whatever was enqueued, what comes later must come after it.
  if (c.check(cudaEventRecord(c.end_event_, c.compute.stream())))
    c.last_stream_ = c.compute.stream();
  c.unfinished_ = true;
  if (ok(s))
    s = c.device_status();
  if (!ok(c.lost_))
    s = c.lost_;
  c.counters.launches = c.state_.launches;
  c.counters.d2d = c.state_.copies;
  c.counters.host_allocs += c.half_.counters.host_allocs;
  const int64_t scratch = c.scratch_.allocations() + c.copy_scratch_.allocations();
  c.counters.device_allocs += scratch - c.scratch_allocations_;
  c.scratch_allocations_ = scratch;
  return s;
}

void context::clear_run() {
  if (!unfinished_) { // else errors are ordered over all runs since the last finish
    state_.kernels = 0;
    state_.may_raise = false;
  }
  half_.fault = {};
  half_.counters = {};
  state_.error = cudaSuccess;
  state_.failed = nullptr;
  state_.node = -1;
  state_.launches = 0;
  state_.copies = 0;
  result_started_ = false;
  extent_count_ = 0;
  extents_.slot = -1;
  copies_pending_ = false;
  uploads_ordered_ = false;
  for (staging_slot &s : slots_)
    if (s.use == staging_slot::held) // of a run that failed: its transfer may still be under way
      s.use = s.event ? staging_slot::flying : staging_slot::idle;
  for (int32_t i = 0; i < model->input_count + model->output_count; ++i) {
    ports_[i].data = nullptr;
    ports_[i].slot = -1;
    ports_[i].left = port::nothing;
  }
  for (int32_t k = 0; k < model->output_count; ++k)
    bound_[k] = -1;
}

} // namespace cameo::cuda
