// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies into shared memory that complete later: cp.async groups, and bulk copies that complete on
// an mbarrier. Both are as late as the hardware may be. A cp.async lands, and reads its source,
// when its thread waits for it; a bulk copy when every thread that could run is spinning. Until
// then the target holds 0xff.
#include "grid.h"

#include <algorithm>
#include <cstring>

namespace cameo::emu {

void (*note_access)(const void *pointer, size_t bytes, bool write, site at) = nullptr;

namespace {

unsigned char *check_target(void *shared, unsigned bytes, const char *what, site at) {
  const block_view &block = *self->block;
  auto *target = static_cast<unsigned char *>(shared);
  if (target < block.shared || target + bytes > block.shared + block.shared_bytes)
    fail("%s to %p, which is not in the %zu bytes of shared memory, at %s:%d", what, shared,
         block.shared_bytes, at.file, at.line);
  return target;
}

mbarrier_state &find(cuda_block &block, const uint64_t *object, site at) {
  for (mbarrier_state &m : block.mbarriers)
    if (m.object == object)
      return m;
  fail("mbarrier used before mbarrier_init, at %s:%d", at.file, at.line);
}

void complete_phase_if_due(mbarrier_state &barrier) {
  if (barrier.missing != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.missing = static_cast<int>(barrier.expected);
  note_progress();
}

} // namespace

void copy_async(void *shared, const void *source, unsigned bytes, unsigned valid, site at) {
  check_aligned(shared, bytes, "asynchronous copy", at);
  if (valid != 0)
    check_aligned(source, bytes, "asynchronous copy", at);
  unsigned char *target = check_target(shared, bytes, "asynchronous copy", at);
  if (note_access != nullptr) {
    note_access(target, bytes, true, at);
    if (valid != 0)
      note_access(source, valid, false, at);
  }
  memset(target, 0xff, bytes);
  cuda_thread &me = current();
  me.copies.push_back(
      {target, static_cast<const unsigned char *>(source), bytes, valid, me.copy_group});
}

void copy_async_commit() { ++current().copy_group; }

void copy_async_wait(unsigned groups_left) {
  cuda_thread &me = current();
  size_t &landed = me.copies_landed;
  for (; landed < me.copies.size() && me.copies[landed].group + groups_left < me.copy_group;
       ++landed) {
    const pending_copy &copy = me.copies[landed];
    if (copy.valid != 0)
      memcpy(copy.target, copy.source, copy.valid);
    memset(copy.target + copy.valid, 0, copy.bytes - copy.valid);
  }
  if (landed == me.copies.size()) {
    me.copies.clear();
    landed = 0;
  }
}

void mbarrier_init(uint64_t *barrier, unsigned arrivals, site at) {
  check_aligned(barrier, sizeof(*barrier), "mbarrier", at);
  check_target(barrier, sizeof(*barrier), "mbarrier", at);
  if (arrivals == 0)
    fail("mbarrier for no arrivals, at %s:%d", at.file, at.line);
  auto &all = current().home->mbarriers;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [=](const mbarrier_state &m) { return m.object == barrier; }),
            all.end());
  all.push_back({barrier, arrivals, static_cast<int>(arrivals), 0, 0, {}});
}

void mbarrier_arrive(uint64_t *barrier, unsigned expected_bytes, site at) {
  mbarrier_state &state = find(*current().home, barrier, at);
  if (state.missing == 0)
    fail("more arrivals at an mbarrier than the %u it is for, at %s:%d", state.expected, at.file,
         at.line);
  race_release(&state.order[state.phase % 2]);
  state.bytes += expected_bytes;
  --state.missing;
  complete_phase_if_due(state);
}

void mbarrier_wait(uint64_t *barrier, unsigned parity, site at) {
  cuda_block &block = *current().home;
  for (;;) {
    const mbarrier_state &state = find(block, barrier, at);
    if (state.phase % 2 != parity)
      break;
    if (only_spinners() && land_bulk_copy(block))
      continue;
    yield(at);
  }
  mbarrier_state &state = find(block, barrier, at);
  race_acquire(&state.order[parity % 2]);
}

void copy_bulk(void *shared, const void *source, unsigned bytes, uint64_t *barrier, site at) {
  check_aligned(shared, 16, "bulk copy", at);
  check_aligned(source, 16, "bulk copy", at);
  if (bytes == 0 || bytes % 16 != 0)
    fail("bulk copy of %u bytes, not a multiple of 16, at %s:%d", bytes, at.file, at.line);
  unsigned char *target = check_target(shared, bytes, "bulk copy", at);
  cuda_block &block = *current().home;
  find(block, barrier, at);
  memset(target, 0xff, bytes);
  block.bulk.push_back({target, static_cast<const unsigned char *>(source), bytes, barrier});
}

bool land_bulk_copy(cuda_block &block) {
  if (block.bulk_landed == block.bulk.size())
    return false;
  const pending_bulk copy = block.bulk[block.bulk_landed++];
  memcpy(copy.target, copy.source, copy.bytes);
  for (mbarrier_state &state : block.mbarriers) {
    if (state.object != copy.barrier)
      continue;
    state.bytes -= copy.bytes;
    complete_phase_if_due(state);
  }
  note_progress();
  return true;
}

} // namespace cameo::emu
