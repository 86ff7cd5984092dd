// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run whose stream is being captured. It is rehearsed first: the generated code runs and enqueues
// nothing, and what would wait, allocate or stage says so. Only then does it run into the caller's
// graph. Nothing is known of the graph's launches but what they leave in pinned memory.
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

/// All of the run but what it would enqueue, into memory that the context already has.
status lifecycle::rehearse(context &c, api::stream stream, body generated) {
  c.staging_.land(); // the run before is finished, and so are its transfers
  c.compute = exec(stream, &c.state_, &c.arena_.scratch());
  c.call_.set_pass(call_state::pass::rehearsing);
  c.state_.rehearsing = true;
  c.arena_.scratch().freeze(true);
  c.copy_scratch_.freeze(true);
  c.clear_run();
  status s = generated(c, c.tensors.inputs, c.tensors.outputs);
  if (ok(s))
    s = c.call_.first_error();
  c.staging_.give_back_held();
  c.state_.error = api::success;
  c.state_.rehearsing = false;
  c.counters = {};
  return s;
}

status lifecycle::capture(context &c, api::stream stream, body generated) {
  const fp_scope environment;
  CAMEO_TRY(check_captured(c));
  status s = rehearse(c, stream, generated);
  // The error slot also tells that there was a launch, without which the host has nothing to do.
  const bool raises = c.state_.may_raise || c.run_.rest.is_pending();
  c.clear_run();
  c.call_.set_pass(call_state::pass::capturing);
  if (ok(s)) {
    c.memory_.keep();
    if (raises)
      c.report_.capture_clear(c.call_, stream);
    s = generated(c, c.tensors.inputs, c.tensors.outputs);
    c.order_.join_all(c.compute.stream());
    if (raises && c.report_.capture_fetch(c.call_, stream)) {
      ++c.counters.d2h;
      c.counters.d2h_bytes += int64_t{sizeof(error_slot)};
    }
    if (ok(s))
      s = c.call_.first_error();
    account(c);
  }
  c.call_.set_pass(call_state::pass::running);
  c.arena_.scratch().freeze(false);
  c.copy_scratch_.freeze(false);
  if (ok(s))
    c.release_inputs();
  else
    c.abandon();
  c.run_.set_captured(ok(s));
  if (ok(s))
    expect_replay(c);
  return s;
}

/// The extents that the graph's last launch has left; null: it counts none.
int64_t *lifecycle::extents_of_launch(context &c) {
  const counted_extents &e = c.run_.extents;
  return e.is_empty() ? nullptr : static_cast<int64_t *>(c.staging_.at(e.slot()));
}

/// Until the graph is launched its pinned memory says that nothing was, or has been raised, and
/// that every counted extent is what it can be at most.
void lifecycle::expect_replay(context &c) {
  c.report_.expect_launch(c.run_.rest.is_pending());
  if (int64_t *extents = extents_of_launch(c))
    c.run_.extents.expect(extents, c.tensors);
}

/// Takes the results of the graph's last launch, for which the caller has waited.
void lifecycle::take_replay(context &c) {
  c.last = success();
  if (!c.report_.is_launched())
    return;
  if (c.report_.is_raised())
    c.run_.note(error_value(c.report_.fault()));
  c.do_rest();
  if (const int64_t *extents = extents_of_launch(c))
    c.run_.extents.give(extents, c.tensors);
}

} // namespace cameo::cuda
