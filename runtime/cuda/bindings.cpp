// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tensors of a call meet the program: inputs taken as they are, uploaded or repacked;
// outputs written where the caller wants them, or copied there at the end. A tensor costs at most
// one copy between the sides and one repack on its own side.
#include "device_state.h"

#include "cameo/call.h"

namespace cameo::cuda {
namespace {

bool on_device(const cameo_tensor &t) {
  return t.space == CAMEO_SPACE_DEVICE || t.space == CAMEO_SPACE_MANAGED;
}

/// Whether kernels may use it where it is. To copies it is enough that it is dense.
bool as_it_is(const cameo_port &port, const cameo_tensor &t) {
  return is_dense(t) && is_aligned(port, t);
}

api::event event_of(void *event) { return static_cast<api::event>(event); }

} // namespace

/// Whether the memory is of the space that the tensor claims, on our device.
bool context::real_space(const cameo_tensor &t, int32_t number) {
#if CAMEO_CHECKS
  api::pointer_attributes attributes;
  if (!call_.check(api::attributes(&attributes, t.data)))
    return false;
  const int32_t real = api::is_device(attributes)    ? CAMEO_SPACE_DEVICE
                       : api::is_managed(attributes) ? CAMEO_SPACE_MANAGED
                       : api::is_pinned(attributes)  ? CAMEO_SPACE_PINNED
                                                     : CAMEO_SPACE_HOST;
  const bool as_claimed = real == t.space || (real == CAMEO_SPACE_MANAGED) ||
                          (t.space == CAMEO_SPACE_HOST && real == CAMEO_SPACE_PINNED);
  if (!as_claimed) {
    call_.fail(error_real_space(number, t.space, real));
    return false;
  }
  if (real == CAMEO_SPACE_DEVICE && attributes.device != options.device) {
    call_.fail(error_other_device(number, attributes.device, options.device));
    return false;
  }
#else
  (void)t, (void)number;
#endif
  return true;
}

/// Host memory that something of the caller's still fills or reads: there is no way but to wait.
bool context::await_ready(const cameo_tensor &t) {
  if (!t.ready)
    return true;
  ++counters.blocking_syncs;
  return call_.check(api::wait(event_of(t.ready)));
}

void context::repack(const cameo_tensor &t, void *dense, bool gather) {
  ++counters.repacks;
  counters.repack_bytes += dense_bytes(t.dtype, t.dims, t.rank);
  launch_repack(compute, t, dense, gather);
}

// ---- Inputs ------------------------------------------------------------------------------------

/// Gathers a tensor in the host's memory into a dense copy there.
void context::gather_host(const cameo_tensor &t, void *dense, int64_t bytes) {
  if (is_dense(t)) {
    __builtin_memcpy(dense, t.data, static_cast<size_t>(bytes));
    ++counters.host_copies;
    counters.host_copy_bytes += bytes;
  } else {
    copy_to_dense(dense, t);
    ++counters.repacks;
    counters.repack_bytes += bytes;
  }
}

const void *context::upload_input(const cameo_tensor &t, port &p, int64_t bytes) {
  const bool direct = t.space == CAMEO_SPACE_PINNED && is_dense(t);
  if (!direct && !call_.may(error_capture_copy(static_cast<int32_t>(&t - tensors.inputs))))
    return nullptr;
  void *target = memory_.grow(p.device, bytes);
  if (!target)
    return nullptr;
  // A launch takes no bytes for which the device is still to wait.
  if (goes_with_launch(bytes) && !(direct && t.ready)) {
    if (!await_ready(t))
      return nullptr;
    alignas(16) unsigned char dense[CAMEO_LAUNCH_UPLOAD_BYTES];
    if (!is_dense(t))
      gather_host(t, dense, bytes);
    upload_with_launch(target, is_dense(t) ? t.data : dense, bytes);
    return target;
  }
  const void *source = t.data;
  int32_t slot = -1;
  if (direct) {
    if (t.ready && !call_.check(api::wait_for(order_.transfers(), event_of(t.ready))))
      return nullptr;
  } else {
    slot = await_ready(t) ? staging_.take(bytes) : -1;
    if (slot < 0)
      return nullptr;
    gather_host(t, staging_.at(slot), bytes);
    source = staging_.at(slot);
  }
  if (!order_.before_uploads(compute.stream()) || !send(target, source, bytes, order_.transfers()))
    return nullptr;
  order_.note_upload();
  if (slot >= 0 && staging_.record(slot, order_.transfers()))
    staging_.fly(slot);
  return target;
}

/// Whether input `i` has elements to bring to where they are read; else `data` is all that there is
/// of it: its default in `defaults`, or null.
bool context::has_elements(int32_t i, const unsigned char *defaults, const void *&data) {
  const cameo_tensor &t = tensors.inputs[i];
  data = nullptr;
  if (!call_.check(check_input(*this, i)))
    return false;
  if (t.space == CAMEO_SPACE_NULL) {
    data = default_of(*this, i, defaults);
    return false;
  }
  return ok(call_.error()) && element_count(t) != 0 && real_space(t, i);
}

const void *context::bind_input(const cameo_tensor &t) {
  const auto i = static_cast<int32_t>(&t - tensors.inputs);
  const void *data = nullptr;
  if (!has_elements(i, device_weights_, data))
    return data;
  port &p = ports_.input(i);
  const int64_t bytes = dense_bytes(t.dtype, t.dims, t.rank);
  if (!on_device(t))
    return upload_input(t, p, bytes);
  if (t.ready && !call_.check(api::wait_for(compute.stream(), event_of(t.ready))))
    return nullptr;
  if (as_it_is(model->inputs[i], t))
    return t.data;
  void *dense = memory_.grow(p.device, bytes);
  if (dense)
    repack(t, dense, true);
  return dense;
}

const void *context::bind_host_input(const cameo_tensor &t) {
  const auto i = static_cast<int32_t>(&t - tensors.inputs);
  const void *data = nullptr;
  if (!has_elements(i, weights->data, data))
    return data;
  const int64_t bytes = dense_bytes(t.dtype, t.dims, t.rank);
  int32_t slot = -1;
  if (t.space == CAMEO_SPACE_DEVICE) {
    if (!call_.may(error_capture_fetch(i)))
      return nullptr;
    const fetched f = fetch(bind_input(t), bytes);
    slot = f.slot < 0 ? -1 : staging_.take(bytes);
    if (slot < 0 || !ok(await(f, staging_.at(slot))))
      return nullptr;
  } else {
    if (!await_ready(t))
      return nullptr;
    if (as_it_is(model->inputs[i], t))
      return t.data;
    slot = staging_.take(bytes);
    if (slot < 0)
      return nullptr;
    if (is_dense(t))
      __builtin_memcpy(staging_.at(slot), t.data, static_cast<size_t>(bytes));
    else
      copy_to_dense(staging_.at(slot), t);
    ++counters.repacks;
    counters.repack_bytes += bytes;
  }
  staging_.hold(slot);
  ports_.input(i).slot = slot;
  return staging_.at(slot);
}

// ---- Outputs -----------------------------------------------------------------------------------

/// The memory of an output, or null after an error.
void *context::output_memory(cameo_tensor &t, int32_t k, int64_t bytes) {
  if (t.data) // in most runs
    return t.data;
  bool lends = false;
  call_.check(find_output_memory(*this, t, k, bytes, lends));
  if (lends)
    lend_memory(t, memory_.grow(ports_.output(k).lent, bytes), bytes, CAMEO_SPACE_DEVICE);
  return t.data;
}

bool context::strided(const cameo_tensor &t) const {
  const cameo_port &type = model->outputs[&t - tensors.outputs];
  return (type.space == CAMEO_SPACE_DEVICE) == on_device(t) && takes_strides(type, t);
}

/// The host must know the extents of a tensor that the device scatters, but for the first one,
/// which moves no element.
status context::check_scatter(const cameo_tensor &t, int32_t k) const {
  const cameo_port &type = model->outputs[k];
  for (int32_t d = 1; d < type.rank && on_device(t) && !is_dense(t); ++d)
    if (type.dims[d].kind == CAMEO_DIM_BOUNDED)
      return error_counted_strides(model->input_count + k, d);
  return success();
}

/// Sets the output's dims and finds its memory; false when there is none to write.
bool context::shape_output(cameo_tensor &t, const checked *dims, int32_t rank, int64_t &bytes) {
  const auto k = static_cast<int32_t>(&t - tensors.outputs);
  int64_t *bound = ports_.bound();
  bound[k] = 0;
  return call_.check(set_shape(*model, t, k, dims, rank, bytes)) && bytes > 0 &&
         output_memory(t, k, bytes) &&
         call_.check(check_output_memory(*model, tensors.inputs, tensors.outputs, k, bound)) &&
         call_.check(check_scatter(t, k)) && ok(call_.error()) &&
         real_space(t, model->input_count + k);
}

void *context::bind_output(cameo_tensor &t, const checked *dims, int32_t rank) {
  const auto k = static_cast<int32_t>(&t - tensors.outputs);
  int64_t bytes = 0;
  if (!shape_output(t, dims, rank, bytes))
    return nullptr;
  port &p = ports_.output(k);
  if (t.ready && !call_.check(api::wait_for(compute.stream(), event_of(t.ready))))
    return nullptr;
  if (strided(t))
    return t.data;
  if (on_device(t) && as_it_is(model->outputs[k], t)) {
    p.data = t.data;
    return t.data;
  }
  p.left = on_device(t) ? port::to_strided : port::to_host;
  p.data = memory_.grow(p.device, bytes);
  return p.device.data;
}

void *context::bind_host_output(cameo_tensor &t, const checked *dims, int32_t rank) {
  const auto k = static_cast<int32_t>(&t - tensors.outputs);
  int64_t bytes = 0;
  if (!shape_output(t, dims, rank, bytes))
    return nullptr;
  port &p = ports_.output(k);
  if (!on_device(t) && (strided(t) || as_it_is(model->outputs[k], t))) {
    if (!await_ready(t))
      return nullptr;
    p.data = strided(t) ? nullptr : t.data;
    return t.data;
  }
  if (!on_device(t) && !call_.may(error_capture_copy(model->input_count + k)))
    return nullptr;
  p.slot = staging_.take(bytes);
  if (p.slot < 0)
    return nullptr;
  staging_.hold(p.slot);
  p.data = staging_.at(p.slot);
  p.left = on_device(t) ? port::to_device : port::staged;
  if (t.ready && on_device(t))
    call_.check(api::wait_for(compute.stream(), event_of(t.ready)));
  return staging_.at(p.slot);
}

void context::deliver(cameo_tensor &t) {
  if (call_.is_well())
    start_delivery(t, static_cast<int32_t>(&t - tensors.outputs));
}

/// Starts what is left to do about an output.
void context::start_delivery(cameo_tensor &t, int32_t k) {
  port &p = ports_.output(k);
  const int64_t capacity = dense_bytes(t.dtype, t.dims, t.rank);
  if (p.left == port::to_strided) {
    p.left = port::nothing;
    repack(t, p.device.data, false);
    return;
  }
  if (p.left == port::to_device) {
    p.left = port::nothing;
    void *target = is_dense(t) ? t.data : memory_.grow(p.device, capacity);
    const int32_t slot = p.slot;
    p.slot = -1;
    if (!target || !send_slot(slot, target, capacity, compute.stream()))
      return;
    p.data = target;
    if (target != t.data)
      repack(t, target, false);
    return;
  }
  if (p.left != port::to_host)
    return;
  p.left = port::nothing;
  void *target = t.data;
  if (t.space == CAMEO_SPACE_PINNED && is_dense(t)) {
    if (!p.complete && !call_.check(api::create_event(&p.complete)))
      return;
  } else {
    if (!call_.may(error_capture_copy(model->input_count + k)))
      return;
    p.slot = staging_.take(capacity);
    if (p.slot < 0)
      return;
    staging_.hold(p.slot);
    target = staging_.at(p.slot);
  }
  if (!order_.fork(compute.stream()))
    return;
  ++counters.d2h_outputs;
  if (call_.is_rehearsing() ||
      !call_.check(
          api::copy_to_host(target, p.data, static_cast<size_t>(capacity), order_.transfers())))
    return;
  if (call_.is_running() && call_.check(api::record(delivered(p), order_.transfers())))
    p.left = p.slot < 0 ? port::copying : port::staged;
}

/// Whether nobody needs what the host writes before the run is finished.
bool context::leaves_rest() const {
  for (int32_t k = 0; k < model->output_count; ++k)
    if (ports_.output(k).left == port::to_device ||
        (tensors.outputs[k].done && !on_device(tensors.outputs[k])))
      return false;
  return true;
}

status context::done() {
  for (int32_t k = 0; k < model->output_count && call_.is_well(); ++k)
    start_delivery(tensors.outputs[k], k);
  CAMEO_TRY(ready());
  order_.join_all(compute.stream()); // the caller's stream stands for the whole run
  for (int32_t i = 0; i < model->input_count; ++i)
    mark_done(tensors.inputs[i], compute.stream());
  for (int32_t k = 0; k < model->output_count; ++k) {
    port &p = ports_.output(k);
    const cameo_tensor &t = tensors.outputs[k];
    if (t.done && p.left == port::staged) { // the host fills it: no way but to wait
      ++counters.blocking_syncs;
      if (call_.check(api::wait(delivered(p))))
        take_output(k);
    }
    mark_done(t, p.left == port::copying ? order_.transfers() : compute.stream());
  }
  return call_.first_error();
}

/// Records the caller's event for a tensor that the run no longer touches.
void context::mark_done(const cameo_tensor &t, api::stream stream) {
  if (t.done)
    call_.check(api::record(event_of(t.done), stream));
}

} // namespace cameo::cuda
