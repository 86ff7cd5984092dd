// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes after a run: waiting, the errors that kernels raised, counted extents, outputs on the
// host. The error slot is fetched here and not in the run, so that a run that raises nothing costs
// no transfer.
#include "lifecycle.h"

#include <new>

namespace cameo::cuda {
namespace {

context &as_context(cameo_context *c) { return *static_cast<context *>(c); }

/// Waits for an event only where it is to.
api::error reach(api::event event, bool block) {
  return block ? api::wait(event) : stream_order::query(event);
}

} // namespace

/// Moves an output that has reached its slot to the caller's memory.
void context::take_output(int32_t k) {
  port &p = ports_.output(k);
  if (p.left == port::staged) {
    const cameo_tensor &t = tensors.outputs[k];
    const int64_t bytes = dense_bytes(t.dtype, t.dims, t.rank);
    const void *source = staging_.at(p.slot);
    if (is_dense(t)) {
      __builtin_memcpy(t.data, source, static_cast<size_t>(bytes));
      ++counters.host_copies;
      counters.host_copy_bytes += bytes;
    } else {
      copy_from_dense(t, source);
      ++counters.repacks;
      counters.repack_bytes += bytes;
    }
    staging_.give_back(p.slot);
    p.slot = -1;
  }
  if (p.left == port::staged || p.left == port::copying)
    p.left = port::nothing;
}

/// The host's work behind a run that is over. A run that is captured has it again behind each
/// launch.
void context::do_rest() {
  if (!run_.rest.is_pending())
    return;
  call_.forget_error();
  const status s = run_.rest.run(*this);
  if (!capture_.is_captured())
    run_.rest.drop();
  if (!ok(s))
    run_.note(s);
}

bool lifecycle::collect(context &c, bool block) {
  run_record &r = c.run_;
  if (c.capture_.is_captured())
    take_launched(c);
  if (!r.is_unfinished())
    return true;
  c.call_.forget_error();
  bool reached = !c.call_.device().may_raise || c.report_.start(c.order_);
  if (reached) {
    const api::event event = c.call_.device().may_raise ? c.report_.event() : c.order_.end();
    const api::error e = reach(event, block);
    if (e == api::not_ready)
      return false;
    reached = c.call_.check(e);
  }
  r.finish();
  if (!reached) { // nobody knows what there is: wait for all of it, take nothing
    r.note(c.call_.error());
    c.settle();
    c.abandon();
    return true;
  }
  if (!r.extents.is_empty()) {
    const int32_t slot = r.extents.slot();
    r.extents.give(static_cast<const int64_t *>(c.staging_.at(slot)), c.tensors);
    c.staging_.give_back(slot);
    r.extents.clear();
  }
  c.do_rest();
  for (int32_t k = 0; k < c.model->output_count; ++k)
    c.take_output(k);
  c.call_.clear_suspects();
  if (c.call_.device().may_raise && c.report_.is_raised()) {
    c.report_.soil();
    const fault_slot fault = c.report_.fault();
    // An error that run() has returned is told already, but for one of an earlier kernel.
    const bool earlier =
        c.call_.host().fault.code != CAMEO_OK && fault.fault_step < c.call_.host().fault.fault_step;
    if (ok(r.returned()) || earlier)
      r.note(error_value(fault));
  }
  c.memory_.release_retired();
  if (!c.memory_.is_kept())
    c.arena_.consolidate_scratch();
  return true;
}

status lifecycle::wait(context &c, bool block) {
  CAMEO_TRY(lifecycle::admit_call(c));
  const device_scope device(c.options.device);
  status s = error_not_run();
  if (!ok(c.call_.lost())) {
    s = c.call_.lost();
  } else if (c.ran) {
    if (!collect(c, block)) {
      s = error_not_ready();
    } else {
      const status raised = c.run_.take_raised();
      if (!ok(raised))
        c.last = raised;
      s = ok(c.call_.lost()) ? c.last : c.call_.lost();
    }
  }
  leave(c);
  return s;
}

/// Whether one output is there, alone where it is on its way to the host; else with all of its run.
status lifecycle::wait_output(context &c, int32_t k, bool block) {
  const port &p = c.ports_.output(k);
  const bool alone = c.run_.extents.is_empty() && !c.run_.rest.is_pending() && ok(c.last) &&
                     c.ran && c.run_.is_unfinished() && p.is_coming();
  if (!alone)
    return wait(c, block);
  CAMEO_TRY(lifecycle::admit_call(c));
  const device_scope device(c.options.device);
  c.call_.forget_error();
  const api::error e = reach(c.delivered(p), block);
  status s = error_not_ready();
  if (e != api::not_ready) {
    if (c.call_.check(e))
      c.take_output(k);
    s = c.call_.first_error();
    c.settle();
  }
  leave(c);
  return s;
}

status lifecycle::fetch(context &c, int32_t k, void *destination, size_t bytes) {
  const cameo_tensor &t = c.tensors.outputs[k];
  int64_t need = 0;
  CAMEO_TRY(check_fetch(c, k, bytes, need));
  if (need == 0)
    return success();
  c.call_.forget_error();
  port &p = c.ports_.output(k);
  // In stream order behind the run, whatever side it left the output on.
  const void *dense = p.data;
  if (!dense && t.space != CAMEO_SPACE_DEVICE && t.space != CAMEO_SPACE_MANAGED) {
    copy_to_dense(destination, t);
    return success();
  }
  if (!dense) { // it lies at strides on the device: made dense there
    dense = c.memory_.grow(p.device, need);
    if (dense)
      launch_repack(c.copy, t, p.device.data, true);
  }
  if (dense)
    c.call_.check(api::copy(destination, dense, static_cast<size_t>(need), c.order_.transfers()));
  c.call_.check(api::wait(c.order_.transfers()));
  c.settle();
  return c.call_.first_error();
}

/// Where the device counts it and nobody has finished the run, it is on the device only.
status lifecycle::extent(context &c, int32_t k, int32_t dim, cameo_tensor &t) {
  if (!ok(c.call_.lost()))
    return c.call_.lost();
  if (!c.ran)
    return error_not_run();
  if (!ok(c.last))
    return c.last;
  CAMEO_TRY(c.tensors.extent(k, dim, t));
  if (const int64_t *counted = c.run_.extents.find(k, dim)) {
    t.data = const_cast<int64_t *>(counted);
    t.space = CAMEO_SPACE_DEVICE;
  }
  return success();
}

status lifecycle::lend(context &c, int32_t index, cameo_tensor &t) {
  const int32_t inputs = c.model->input_count;
  const cameo_port &port =
      index < inputs ? c.model->inputs[index] : c.model->outputs[index - inputs];
  int64_t bytes = 0;
  CAMEO_TRY(check_lent(c, index, t, bytes));
  const bool on_device = (port.spaces >> CAMEO_SPACE_DEVICE & 1) != 0;
  if (!on_device)
    return cpu::target.buffer(&c.call_.host(), index, &t);
  c.call_.forget_error();
  void *memory = c.memory_.grow(c.ports_.at(index).lent, bytes > 0 ? bytes : 1);
  lend_memory(t, memory, bytes, CAMEO_SPACE_DEVICE);
  return c.call_.error();
}

namespace {

status finish(cameo_context *c) { return lifecycle::wait(as_context(c), true); }
status poll(cameo_context *c) { return lifecycle::wait(as_context(c), false); }
status ready(cameo_context *c, int32_t output) {
  return lifecycle::wait_output(as_context(c), output, false);
}
status wait(cameo_context *c, int32_t output) {
  return lifecycle::wait_output(as_context(c), output, true);
}

status fetch(cameo_context *c, int32_t output, void *destination, size_t bytes) {
  CAMEO_TRY(finish(c));
  CAMEO_TRY(lifecycle::admit_call(as_context(c)));
  const device_scope device(c->options.device);
  status s = device.entered();
  if (ok(s))
    s = lifecycle::fetch(as_context(c), output, destination, bytes);
  leave(*c);
  return s;
}

status lend(cameo_context *c, int32_t index, cameo_tensor *tensor) {
  CAMEO_TRY(lifecycle::admit_call(as_context(c)));
  const device_scope device(c->options.device);
  status s = device.entered();
  if (ok(s))
    s = lifecycle::lend(as_context(c), index, *tensor);
  leave(*c);
  return s;
}

status extent(cameo_context *c, int32_t output, int32_t dim, cameo_tensor *tensor) {
  CAMEO_TRY(lifecycle::admit_call(as_context(c)));
  const status s = lifecycle::extent(as_context(c), output, dim, *tensor);
  leave(*c);
  return s;
}

status load(const cameo_model *model, const cameo_options *options, cameo_weights **out) {
  cameo_options filled;
  CAMEO_TRY(check_options(options, filled));
  CAMEO_TRY(check_device(filled.device));
  const device_scope device(filled.device);
  CAMEO_TRY(device.entered());
  device_weights *w = nullptr;
  CAMEO_TRY(load_weights(*model, filled, options && options->allocator.allocate, w));
  *out = w;
  return success();
}

} // namespace

const cameo_target target = {"cuda", finish, poll,          ready, wait,           fetch,
                             lend,   extent, read_counters, load,  release_weights};

} // namespace cameo::cuda
