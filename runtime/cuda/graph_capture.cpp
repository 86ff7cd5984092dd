// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/graph_capture.h.
#include "cameo/cuda/graph_capture.h"

namespace cameo::cuda {

void graph_capture::begin_rehearsal() {
  pool_.land(); // the transfers of the run before have ended with it
  call().set_pass(call_state::pass::rehearsing);
  call().device().rehearsing = true;
  arena_.freeze_scratch(true);
}

void graph_capture::end_rehearsal() {
  needs_slot_ = call().device().may_raise || run_.rest.is_pending();
  pool_.give_back_held();
  call().device().error = api::success; // it is noted
  call().device().rehearsing = false;
  call().owner().counters = {};
}

void graph_capture::begin_recording(api::stream compute) {
  call().set_pass(call_state::pass::capturing);
  memory_.keep();
  if (needs_slot_)
    report_.capture_clear(call(), compute);
}

void graph_capture::end_recording(api::stream compute) {
  if (!needs_slot_ || !report_.capture_fetch(call(), compute))
    return;
  cameo_counters &counters = call().owner().counters;
  ++counters.d2h;
  counters.d2h_bytes += int64_t{sizeof(error_slot)};
}

void graph_capture::end(bool complete, const bindings &tensors) {
  call().set_pass(call_state::pass::running);
  arena_.freeze_scratch(false);
  complete_ = complete;
  if (!complete)
    return;
  // Until there is a launch nothing has been raised, and an extent is what it can be at most.
  report_.expect_launch(run_.rest.is_pending());
  if (int64_t *values = extents())
    run_.extents.expect(values, tensors);
}

/// The counted extents that the last launch has left; null: the graph counts none.
int64_t *graph_capture::extents() const {
  const counted_extents &counted = run_.extents;
  return counted.is_empty() ? nullptr : static_cast<int64_t *>(pool_.at(counted.slot()));
}

void graph_capture::take_error() {
  if (report_.is_raised())
    run_.note(error_value(report_.fault()));
}

void graph_capture::take_extents(bindings &tensors) const {
  if (const int64_t *values = extents())
    run_.extents.give(values, tensors);
}

} // namespace cameo::cuda
