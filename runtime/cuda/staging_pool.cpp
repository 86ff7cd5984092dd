// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/staging_pool.h.
#include "cameo/cuda/staging_pool.h"

#include "cameo/cuda/errors.h"

namespace cameo::cuda {
namespace {

constexpr size_t smallest_slot = 4096; // one transfer per page: see tests/emu
constexpr int32_t many = 64;

} // namespace

/// The smallest idle slot that has `need` bytes, else the smallest, else -1. `flying` is one whose
/// transfer is under way, -1 = none.
int32_t staging_pool::find_idle(size_t need, int32_t &flying) {
  int32_t found = -1;
  size_t least = 0;
  flying = -1;
  for (int32_t i = 0; i < count_; ++i) {
    slot &s = slots_[i];
    // Not twice in a run, even if its transfer is done: a run must leave what one that is captured
    // needs, however fast the device was.
    const bool may_be_done = s.run != run_ || count_ >= many;
    if (s.use == state::flying && s.bytes >= need && may_be_done &&
        stream_order::query(s.event) == api::success)
      s.use = state::idle;
    if (s.use == state::flying)
      flying = flying < 0 ? i : flying;
    if (s.use != state::idle)
      continue;
    const size_t excess = s.bytes - need; // of one that is too short, more than any that fits
    if (found < 0 || excess < least) {
      found = i;
      least = excess;
    }
  }
  return found;
}

/// One more slot, or -1.
int32_t staging_pool::add() {
  if (count_ == room_) {
    const int32_t room = room_ > 0 ? 2 * room_ : 8;
    const size_t bytes = static_cast<size_t>(room) * sizeof(slot);
    auto *slots = static_cast<slot *>(host_allocate(call_.owner(), bytes));
    if (!slots) {
      call_.fail(error_out_of_memory(static_cast<int64_t>(bytes)));
      return -1;
    }
    for (int32_t i = 0; i < count_; ++i)
      slots[i] = slots_[i];
    host_release(call_.owner(), slots_, static_cast<size_t>(room_) * sizeof(slot));
    slots_ = slots;
    room_ = room;
  }
  slots_[count_] = {};
  return count_++;
}

/// Waits for a transfer; its slot, or -1.
int32_t staging_pool::await(int32_t flying) {
  ++call_.owner().counters.blocking_syncs;
  if (!call_.check(api::wait(slots_[flying].event)))
    return -1;
  slots_[flying].use = state::idle;
  return flying;
}

/// Gives an idle slot its event and memory.
bool staging_pool::prepare(slot &s, size_t need) {
  if (!s.event && !call_.check(api::create_event(&s.event)))
    return false;
  if (s.bytes < need) {
    if (!call_.may_allocate())
      return false;
    memory_.release_pinned(s.memory, s.bytes);
    s.bytes = device_memory::power_of_two(need, smallest_slot);
    s.memory = memory_.allocate_pinned(s.bytes);
    if (!s.memory) {
      s.bytes = 0;
      return false;
    }
  }
  s.run = run_;
  return true;
}

int32_t staging_pool::take(int64_t bytes) {
  const auto need = static_cast<size_t>(bytes);
  int32_t flying = -1;
  int32_t found = find_idle(need, flying);
  const bool fits = found >= 0 && slots_[found].bytes >= need;
  if (!fits && count_ < many)
    found = add();
  else if (found < 0 && flying >= 0)
    found = await(flying);
  else if (found < 0) // all hold something for the host
    found = add();
  return found >= 0 && prepare(slots_[found], need) ? found : -1;
}

bool staging_pool::record(int32_t slot, api::stream stream) {
  return call_.check(api::record(slots_[slot].event, stream));
}

void staging_pool::turn_all(state from, state to) {
  for (int32_t i = 0; i < count_; ++i)
    turn(slots_[i], from, to);
}

void staging_pool::close() {
  for (int32_t i = 0; i < count_; ++i) {
    memory_.release_pinned(slots_[i].memory, slots_[i].bytes);
    if (slots_[i].event)
      api::destroy_event(slots_[i].event);
  }
  host_release(call_.owner(), slots_, static_cast<size_t>(room_) * sizeof(slot));
  slots_ = nullptr;
  count_ = room_ = 0;
}

} // namespace cameo::cuda
