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

} // namespace

// ---- The device --------------------------------------------------------------------------------

device_scope::device_scope(int32_t device) {
  error_ = api::get_device(&before_);
  if (error_ == api::success && before_ != device) {
    error_ = api::set_device(device);
    changed_ = error_ == api::success;
  }
  if (error_ != api::success)
    api::take_error();
}

device_scope::~device_scope() {
  if (changed_)
    api::set_device(before_);
}

status device_scope::entered() const {
  return api::is_lost(error_) ? error_lost_before(error_) : error_cuda(error_, -1);
}

status check_device(int32_t ordinal) {
  int count = 0;
  const api::error e = api::device_count(&count);
  if (api::is_driver_error(e)) {
    int driver = 0, runtime = 0;
    api::driver_version(&driver);
    api::runtime_version(&runtime);
    api::take_error();
    return driver == 0 ? error_no_driver(runtime) : error_driver(driver, runtime);
  }
  if (e != api::success || count == 0) {
    api::take_error();
    return api::is_lost(e) ? error_lost_before(e) : error_no_device(e);
  }
  if (ordinal < 0 || ordinal >= count)
    return error_device_ordinal(ordinal, count);
  const device_scope device(ordinal);
  CAMEO_TRY(device.entered());
  const api::error probed = probe_kernels();
  if (probed != api::success)
    api::take_error();
  return api::is_lost(probed) ? error_lost_before(probed) : error_cuda(probed, -1);
}

context_layout lifecycle::layout_of(const cameo_model &m) {
  return lay_out(m, sizeof(context), sizeof(port), counted_extents::bytes(m));
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
  CAMEO_TRY(device.entered());
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
  c->memory_.use_allocator(user_memory);
  const status s = open(*c);
  if (ok(s))
    out = c;
  else
    destroy(*c);
  return s;
}

status lifecycle::open(context &c) {
  const context_layout l = layout_of(*c.model);
  auto *block = reinterpret_cast<unsigned char *>(&c);
  c.ports_.use(*c.model, block + l.ports, block + l.bound);
  c.run_.extents.use(block + l.others);
  c.tensors.use(*c.model, block + l.tensors);
  c.generated_state = block + l.state;
  c.device_weights_ = static_cast<device_weights *>(c.weights)->device;
  c.arena_.open();
  if (c.options.device_arena)
    c.arena_.give(c.options.device_arena, c.options.device_arena_bytes);
  if (!c.order_.open())
    return c.call_.error();
  c.copy = exec(c.order_.transfers(), &c.call_.device(), &c.arena_.transfer_scratch());
  c.report_.open(c.memory_);
  return c.call_.error();
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
  cameo_context *half = &c.call_.host();
  const cameo_allocator allocator = c.options.allocator;
  const auto bytes = static_cast<size_t>(layout_of(*c.model).end);
  // In a child of fork() the device and what is on it are out of reach; they are the parent's.
  if (!c.call_.host().forked()) {
    const device_scope device(c.options.device);
    close(c);
  }
  c.target = nullptr;
  c.~context();
  host_release(allocator, &c, bytes);
  cpu::destroy(half);
}

void lifecycle::close(context &c) {
  if (c.order_.is_open())
    c.order_.drain();
  c.memory_.close();
  c.arena_.close();
  c.report_.close(c.memory_);
  c.ports_.close(c.memory_);
  c.staging_.close();
  c.run_.rest.close(c);
  c.order_.close();
  c.bodies_.close();
  api::take_error(); // of a lost device: there is nothing to be done about it
}

// ---- Run ---------------------------------------------------------------------------------------

status run(const cameo_model &model, cameo_context *base, const cameo_tensor *inputs,
           int32_t input_count, cameo_tensor *outputs, int32_t output_count, void *stream,
           body generated) {
  if (!base)
    return error_null_argument();
  if (base->target != &target || base->model != &model)
    return error_context_of_other_model();
  CAMEO_TRY(lifecycle::admit_call(as_context(base)));
  const status s = lifecycle::call(as_context(base), inputs, input_count, outputs, output_count,
                                   static_cast<api::stream>(stream), generated);
  leave(*base);
  return s;
}

/// Takes the call lock of a context whose device is in reach.
status lifecycle::admit_call(context &c) {
  return c.call_.host().forked() ? error_forked() : enter(c);
}

status lifecycle::call(context &c, const cameo_tensor *inputs, int32_t input_count,
                       cameo_tensor *outputs, int32_t output_count, api::stream stream,
                       body generated) {
  const device_scope device(c.options.device);
  c.counters = {};
  status s = check_counts(*c.model, inputs, input_count, outputs, output_count);
  if (ok(s) && ok(c.call_.lost()))
    s = device.entered();
  bool captured = false;
  if (ok(s))
    s = admit(c, stream, captured);
  if (ok(s) && !captured)
    s = begin(c, stream);
  if (ok(s)) {
    c.tensors.take(*c.model, inputs, outputs);
    s = captured ? capture(c, stream, generated) : execute(c, generated);
  }
  c.settle();
  c.order_.end_call();
  for (int32_t k = 0; ok(s) && k < output_count; ++k)
    c.tensors.give(k, outputs[k]);
  c.ran = true;
  c.last = s;
  return s;
}

/// Whether the context can run, and whether the run is captured. A call that is refused here leaves
/// the run before as it is.
status lifecycle::admit(context &c, api::stream stream, bool &captured) {
  if (!ok(c.call_.lost()))
    return c.call_.lost();
  const api::error before = api::peek_error();
  if (api::is_lost(before))
    return c.call_.lose(error_lost_before(before));
  if (before != api::success && before != api::not_ready)
    log(c.options, CAMEO_LOG_WARNING, "an error of the CUDA runtime was pending before the call");
  c.call_.forget_error();
  c.call_.device().error = api::success;
  api::capture_status capturing = api::not_capturing;
  const api::error asked = api::is_capturing(stream, &capturing);
  if (asked == api::capture_implicit) {
    api::take_error();
    return error_capture_default_stream();
  }
  if (!c.call_.check(asked))
    return c.call_.error();
  captured = capturing != api::not_capturing;
  if (capturing == api::capture_invalidated)
    return error_capture_invalid();
  if (captured && c.run_.is_unfinished())
    return error_capture_unfinished();
  return success();
}

/// Orders the run after the one before, and makes the context ready for it.
status lifecycle::begin(context &c, api::stream stream) {
  if (c.run_.is_unfinished() && c.owes_host()) { // it would be overwritten
    ++c.counters.blocking_syncs;
    if (c.call_.device().may_raise && !c.report_.is_started()) { // a finish's fetch, in this run
      ++c.counters.d2h;
      c.counters.d2h_bytes += int64_t{sizeof(error_slot)};
    }
    collect(c, true);
    if (!ok(c.call_.lost()))
      return c.call_.lost();
    c.call_.forget_error(); // noted
  }
  if (!c.order_.begin_run(stream))
    return c.call_.first_error();
  c.compute = exec(stream, &c.call_.device(), &c.arena_.scratch());
  c.clear_run();
  c.report_.clear(c.call_, stream);
  return c.call_.first_error();
}

status lifecycle::execute(context &c, body generated) {
  const fp_scope environment;
  c.run_.begin();
  status s = generated(c, c.tensors.inputs, c.tensors.outputs);
  // One event stands behind all that was enqueued on either stream.
  if (ok(s))
    c.order_.join_all(c.compute.stream());
  else
    c.join();
  c.order_.end_run(c.compute.stream());
  if (ok(s))
    s = c.call_.first_error();
  if (!ok(c.call_.lost()))
    s = c.call_.lost();
  c.settle();
  if (ok(s))
    c.release_inputs();
  else
    c.abandon();
  c.run_.end(s);
  account(c);
  return s;
}

void lifecycle::account(context &c) {
  c.counters.launches = c.call_.device().launches;
  c.counters.d2d = c.call_.device().copies;
  c.counters.host_allocs += c.call_.host().counters.host_allocs;
  c.counters.device_allocs += c.arena_.count_scratch();
}

/// The last run has left something that the next would overwrite and only the host can take.
bool context::owes_host() {
  return !run_.extents.is_empty() || run_.rest.is_pending() || ports_.has_staged();
}

void context::clear_run() {
  exec_state &device = call_.device();
  if (!run_.is_unfinished()) { // else errors are ordered over all runs since the last finish
    device.kernels = 0;
    device.may_raise = false;
  }
  staging_.begin_run();
  call_.host().fault = {};
  call_.host().counters = {};
  device.failed = nullptr;
  device.node = -1;
  device.launches = 0;
  device.copies = 0;
  report_.restart();
  run_.begin_pass();
  capture_.begin_pass();
  order_.begin_pass();
  ports_.begin_pass();
}

/// The host has read what inputs were staged for it.
void context::release_inputs() {
  for (int32_t i = 0; i < model->input_count; ++i) {
    port &p = ports_.input(i);
    if (p.slot >= 0)
      staging_.give_back(p.slot);
    p.slot = -1;
  }
}

/// Delivers nothing of a run that failed. Its transfers may still be under way.
void context::abandon() {
  staging_.drop_held();
  ports_.abandon();
  run_.abandon();
}

} // namespace cameo::cuda
