// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches on a bool of the device. A captured run has no value to go by: a kernel hands it to a
// conditional node, whose two bodies are captured on a stream of their own.
#include "device_state.h"

namespace cameo::cuda {

asked::asked(context &c, const bool *conditions, int32_t count)
    : context_(c), conditions_(conditions),
      decides_(c.call_.is_running() && !c.state_.rehearsing && !c.call_.captures()),
      values_{-1, count * int64_t{sizeof(bool)}} {
  if (decides_)
    values_ = c.fetch(conditions, values_.bytes);
}

asked::~asked() {
  context_.drop(values_); // of branches in one that was not taken
}

bool asked::read(int32_t number, bool &value) {
  const fetched awaited = values_;
  values_.slot = -1;
  if (awaited.slot >= 0 && !ok(context_.await(awaited, read_)))
    return false;
  value = read_[number];
  return true;
}

status asked::end() const { return context_.call_.first_error(); }

choice::choice(asked &a, int32_t number) : conditional(a.context_), asked_(a), number_(number) {
  if (!context_.call_.is_running())
    can_add(api::conditional_if, 2);
}

bool choice::next() {
  end_body();
  const int turn = turn_++;
  if (!ok(context_.call_.first_error()))
    return false;
  return turn == 0 ? take_first() : turn == 1 && take_second();
}

bool choice::take_first() {
  if (asked_.decides_)
    return asked_.read(number_, taken_);
  taken_ = true;
  if (context_.call_.captures() && !add_branches())
    return false;
  return begin_body(bodies_[0]);
}

bool choice::take_second() {
  context &c = context_;
  taken_ = !taken_;
  const bool sizes_are_new = c.run_.has_new_sizes() || c.staging_.run() <= 1;
  if (asked_.decides_ && (!sizes_are_new || c.bodies_.is_deepest()))
    return false;
  return begin_body(bodies_[taken_ ? 0 : 1]);
}

/// Work that is enqueued from now on comes behind a node that chooses between `bodies_`.
bool choice::add_branches() {
  context &c = context_;
  api::graph graph = nullptr;
  api::conditional_handle handle = 0;
  if (!c.call_.check(api::capture_info(c.compute.stream(), &graph, nullptr, nullptr)) ||
      !c.call_.check(api::create_handle(&handle, graph)))
    return false;
  launch_decide(c.compute, asked_.conditions_ + number_, handle);
  return ok(c.call_.first_error()) && add_node(api::conditional_if, handle, graph, bodies_, 2);
}

} // namespace cameo::cuda
