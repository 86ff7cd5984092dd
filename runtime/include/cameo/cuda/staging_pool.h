// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory of the host for transfers: slots of whole pages, each for one transfer at a time,
// so that copies are asynchronous and what was copied from may change right after.
#pragma once

#include "cameo/cuda/device_memory.h"

namespace cameo::cuda {

/// A slot is known by its number, which stays. Waits are counted, errors noted in the call of
/// `memory`.
class staging_pool {
public:
  explicit staging_pool(device_memory &memory) : call_(memory.call()), memory_(memory) {}

  /// No slot is taken twice in a run: a plain run must leave as many as one that is captured needs.
  void begin_run() { ++run_; }
  /// An idle slot of at least `bytes` bytes, which stays idle until it is put to use below; -1
  /// after an error. Waits when many are in use by transfers; of a run that is captured none is.
  int32_t take(int64_t bytes);
  void *at(int32_t slot) const { return slots_[slot].memory; }

  // ---- Transfers ----

  /// Behind the last transfer of the slot.
  api::event event(int32_t slot) const { return slots_[slot].event; }
  /// Puts that event behind the transfer that `stream` has just been given; false after an error.
  bool record(int32_t slot, api::stream stream);
  /// The slot is idle when the transfer has ended.
  void fly(int32_t slot) { slots_[slot].use = state::flying; }
  /// All transfers have ended.
  void land() { turn_all(state::flying, state::idle); }

  // ---- Contents ----

  /// The host needs what is in the slot, until it gives the slot back.
  void hold(int32_t slot) { slots_[slot].use = state::held; }
  /// A captured transfer needs the slot for good.
  void keep(int32_t slot) { slots_[slot].use = state::kept; }
  void give_back(int32_t slot) { slots_[slot].use = state::idle; }
  /// The same, unless the slot is kept.
  void give_back_held(int32_t slot) { turn(slots_[slot], state::held, state::idle); }
  /// Nobody needs what is held, but the transfer into the slot may be under way.
  void drop(int32_t slot) { turn(slots_[slot], state::held, state::flying); }
  /// All held slots at once.
  void give_back_held() { turn_all(state::held, state::idle); }
  void drop_held() { turn_all(state::held, state::flying); }

  /// Frees everything. All transfers must have ended.
  void close();

private:
  enum class state : int32_t { idle, flying, held, kept };
  struct slot {
    void *memory;
    size_t bytes;
    api::event event;
    state use;
    int64_t run; ///< that took it last
  };

  static void turn(slot &s, state from, state to) { s.use = s.use == from ? to : s.use; }
  void turn_all(state from, state to);
  int32_t find_idle(size_t need, int32_t &flying);
  int32_t add();
  int32_t await(int32_t flying);
  bool prepare(slot &s, size_t need);

  call_state &call_;
  device_memory &memory_;
  slot *slots_ = nullptr;
  int32_t count_ = 0, room_ = 0;
  int64_t run_ = 0;
};

} // namespace cameo::cuda
