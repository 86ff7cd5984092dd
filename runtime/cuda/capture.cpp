// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run whose stream is being captured. It is rehearsed first: the generated code runs and enqueues
// nothing, and what would wait, allocate or stage says so. Only then does it run into the caller's
// graph.
#include "lifecycle.h"

namespace cameo::cuda {

/// Checks that need none of the call's code to run.
status lifecycle::check_captured(context &c) {
  const cameo_model &m = *c.model;
  for (int32_t i = 0; i < m.input_count + m.output_count; ++i) {
    const cameo_tensor &t =
        i < m.input_count ? c.tensors.inputs[i] : c.tensors.outputs[i - m.input_count];
    if (t.ready || t.done)
      return error_capture_event(i);
  }
  return success();
}

status lifecycle::rehearse(context &c, body generated) {
  c.capture_.begin_rehearsal();
  c.clear_run();
  status s = generated(c, c.tensors.inputs, c.tensors.outputs);
  if (ok(s))
    s = c.call_.first_error();
  c.capture_.end_rehearsal();
  return s;
}

status lifecycle::record(context &c, body generated) {
  c.capture_.begin_recording(c.compute.stream());
  status s = generated(c, c.tensors.inputs, c.tensors.outputs);
  c.order_.join_all(c.compute.stream());
  c.capture_.end_recording(c.compute.stream());
  if (ok(s))
    s = c.call_.first_error();
  account(c);
  return s;
}

status lifecycle::capture(context &c, api::stream stream, body generated) {
  const fp_scope environment;
  CAMEO_TRY(check_captured(c));
  c.compute = exec(stream, &c.call_.device(), &c.arena_.scratch());
  status s = rehearse(c, generated);
  c.clear_run();
  if (ok(s))
    s = record(c, generated);
  if (ok(s))
    c.release_inputs();
  else
    c.abandon();
  c.capture_.end(ok(s), c.tensors);
  return s;
}

/// Takes the results of the graph's last launch, for which the caller has waited.
void lifecycle::take_launched(context &c) {
  c.last = success();
  if (!c.capture_.is_launched())
    return;
  c.capture_.take_error();
  c.do_rest();
  c.capture_.take_extents(c.tensors);
}

} // namespace cameo::cuda
