// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// raise(): keeps, of all errors of a run, the one that comes first whatever the threads do.
#include "cameo/fault.h"

namespace cameo::cpu {

namespace {

/// Whether (code, got, limit) is kept in place of what the slot holds.
bool precedes(const fault_slot &slot, int32_t code, int64_t got, int64_t limit) {
  if (slot.code == CAMEO_OK)
    return true;
  if (slot.fault_step != slot.step)
    return false;
  if (slot.code != code)
    return code < slot.code;
  return slot.got != got ? got < slot.got : limit < slot.limit;
}

} // namespace

void raise(error_flag flag, cameo_code code, int64_t got, int64_t limit) {
  fault_slot &slot = *flag.slot;
#if CAMEO_THREADS
  // Held for a few instructions, by threads that have met an error: spinning is enough.
  while (__atomic_exchange_n(&slot.lock, 1, __ATOMIC_ACQUIRE))
    ;
#endif
  if (precedes(slot, code, got, limit)) {
    slot.code = code;
    slot.fault_node = slot.node;
    slot.fault_step = slot.step;
    slot.got = got;
    slot.limit = limit;
  }
#if CAMEO_THREADS
  __atomic_store_n(&slot.lock, 0, __ATOMIC_RELEASE);
#endif
}

} // namespace cameo::cpu
