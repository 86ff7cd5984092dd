// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches on a bool of the device. A captured run has no value to go by: a kernel hands it to a
// conditional node, whose two bodies are captured on a stream of their own.
#include "device_state.h"

namespace cameo::cuda {

asked::asked(context &c, conditional_bodies &bodies, const bool *conditions, int32_t count)
    : context_(c), bodies_(bodies), conditions_(conditions),
      decides_(!bodies.is_recorded()), values_{-1, count * int64_t{sizeof(bool)}} {
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

status asked::end() const { return bodies_.call().first_error(); }

choice::choice(asked &a, int32_t number)
    : conditional(a.context_, a.bodies_), asked_(a), number_(number) {
  if (!call().is_running())
    bodies_.can_add(api::conditional_if, 2);
}

bool choice::next() {
  end_body();
  const int turn = turn_++;
  if (!call().is_well())
    return false;
  return turn == 0 ? take_first() : turn == 1 && take_second();
}

bool choice::take_first() {
  if (asked_.decides_)
    return asked_.read(number_, taken_);
  taken_ = true;
  if (call().captures() && !add_branches())
    return false;
  return begin_body(branches_[0]);
}

bool choice::take_second() {
  taken_ = !taken_;
  if (asked_.decides_ && (!bodies_.has_new_sizes() || bodies_.is_deepest()))
    return false;
  return begin_body(branches_[taken_ ? 0 : 1]);
}

/// Work that is enqueued from now on comes behind a node that chooses between `branches_`.
bool choice::add_branches() {
  api::graph graph = nullptr;
  api::conditional_handle handle = 0;
  if (!call().check(api::capture_info(context_.compute.stream(), &graph, nullptr, nullptr)) ||
      !call().check(api::create_handle(&handle, graph)))
    return false;
  launch_decide(context_.compute, asked_.conditions_ + number_, handle);
  return call().is_well() && add_node(api::conditional_if, handle, graph, branches_, 2);
}

} // namespace cameo::cuda
