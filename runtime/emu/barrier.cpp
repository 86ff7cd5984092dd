// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA threads wait for: block barriers, named barriers, warp-wide operations, spin loops. A
// warp-wide operation of any kind works the same way: each lane leaves its argument and waits, the
// last lane evaluates for all. So its misuse is found in one place: lanes that are missing from the
// mask, have exited, or have come to another call.
#include "grid.h"

#include <cstring>

namespace cameo::emu {

bool evaluating = false;

namespace {

bool same_place(site a, site b) {
  return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

void complete(barrier_state &barrier) {
  barrier.count_result = barrier.counted;
  barrier.counted = 0;
  barrier.arrived = barrier.expected = 0;
  ++barrier.generation;
  for (cuda_thread *thread : barrier.waiting)
    make_ready(thread);
  barrier.waiting.clear();
  note_progress();
}

void arrive(barrier_state &barrier, bool wait, site at) {
  char *order = &barrier.order[barrier.generation % 2];
  race_release(order);
  if (++barrier.arrived == barrier.expected) {
    complete(barrier);
  } else if (wait) {
    barrier.waiting.push_back(&current());
    suspend(wait_kind::barrier, at);
  }
  if (wait)
    race_acquire(order);
}

/// The hardware executes a block barrier per warp: lanes that come to different ones are undefined.
void check_same_barrier(cuda_thread &me, const barrier_state &barrier, site at) {
  cuda_warp &warp = *me.warp;
  if (warp.barrier_generation != barrier.generation) {
    warp.barrier_generation = barrier.generation;
    warp.barrier_at = at;
  } else if (!same_place(warp.barrier_at, at)) {
    fail("lanes of one warp wait at different barriers: %s:%d and %s:%d", warp.barrier_at.file,
         warp.barrier_at.line, at.file, at.line);
  }
}

void named_barrier(unsigned id, unsigned threads, bool wait, site at) {
  cuda_block &block = *current().home;
  if (id == 0 || id >= cuda_block::named_barriers || threads == 0 || threads % 32 != 0)
    fail("named barrier %u for %u threads at %s:%d: ids are 1 to 15, counts multiples of 32", id,
         threads, at.file, at.line);
  barrier_state &barrier = block.barriers[id];
  if (barrier.arrived == 0)
    barrier.expected = threads;
  if (barrier.expected != threads)
    fail("named barrier %u is for %u threads to some and %u to others, at %s:%d", id,
         barrier.expected, threads, at.file, at.line);
  arrive(barrier, wait, at);
}

} // namespace

void block_barrier(site at) {
  cuda_thread &me = current();
  barrier_state &barrier = me.home->barriers[0];
  check_same_barrier(me, barrier, at);
  const unsigned all = block_size.x * block_size.y * block_size.z;
  if (me.home->live != all)
    fail("%u threads of the block had ended before this barrier, %s:%d", all - me.home->live,
         at.file, at.line);
  barrier.expected = all;
  arrive(barrier, true, at);
}

int block_barrier_count(bool value, site at) {
  barrier_state &barrier = current().home->barriers[0];
  barrier.counted += value ? 1 : 0;
  block_barrier(at);
  return barrier.count_result;
}

void named_barrier_wait(unsigned id, unsigned threads, site at) {
  named_barrier(id, threads, true, at);
}

void named_barrier_arrive(unsigned id, unsigned threads, site at) {
  named_barrier(id, threads, false, at);
}

void warp_collective(unsigned mask, void *argument, evaluate_fn evaluate, bool whole_warp,
                     site at) {
  cuda_thread &me = current();
  cuda_warp &warp = *me.warp;
  const unsigned bit = 1u << me.lane;
  if ((mask & bit) == 0)
    fail("lane %u is not in the mask %08x that it passes at %s:%d", me.lane, mask, at.file,
         at.line);
  if ((mask & warp.exited) != 0)
    fail("the mask %08x at %s:%d names lanes that have exited (%08x)", mask, at.file, at.line,
         warp.exited);
  if (whole_warp && (mask & warp.present) != ~0u)
    fail("a matrix operation at %s:%d in a warp of fewer than 32 threads", at.file, at.line);

  pending_collective *pending = nullptr;
  for (pending_collective &p : warp.pending) {
    if (p.arrived == 0)
      continue;
    const bool same = p.mask == mask && p.evaluate == evaluate && same_place(p.at, at);
    if (same)
      pending = &p;
    // Lanes that wait there for this one, while this one waits here for them.
    else if ((p.mask & bit) != 0 && (p.arrived & mask) != 0)
      fail("lanes of one warp come to different warp-wide operations: %s:%d with mask %08x and "
           "%s:%d "
           "with mask %08x",
           p.at.file, p.at.line, p.mask, at.file, at.line, mask);
  }
  for (pending_collective &p : warp.pending)
    if (pending == nullptr && p.arrived == 0)
      pending = &p;
  if (pending == nullptr)
    fail("more than %d warp-wide operations of one warp at once", cuda_warp::max_pending);

  pending->mask = mask;
  pending->evaluate = evaluate;
  pending->at = at;
  pending->arrived |= bit;
  me.argument = argument;
  char *order = &pending->order[pending->generation % 2];
  race_release(order);
  const unsigned wanted = mask & warp.present;
  if (pending->arrived != wanted) {
    suspend(wait_kind::collective, at);
    race_acquire(order);
    return;
  }
  race_acquire(order);
  void *lanes[32] = {};
  for (unsigned i = 0; i < 32; ++i)
    if ((wanted >> i & 1) != 0)
      lanes[i] = me.home->threads[warp.first + i].argument;
  evaluating = true;
  evaluate(lanes, wanted);
  evaluating = false;
  race_release(order);
  pending->arrived = 0;
  ++pending->generation;
  for (unsigned i = 0; i < 32; ++i)
    if ((wanted >> i & 1) != 0 && i != me.lane)
      make_ready(&me.home->threads[warp.first + i]);
  note_progress();
}

void spin(site at) { yield(at); }

void thread_exits(cuda_thread &thread) {
  cuda_block &block = *thread.home;
  --block.live;
  thread.warp->exited |= 1u << thread.lane;
  if (block.barriers[0].arrived != 0) {
    const cuda_thread &other = *block.barriers[0].waiting.front();
    fail("this thread has ended while others wait at the barrier %s:%d", other.waits_at.file,
         other.waits_at.line);
  }
  for (const pending_collective &p : thread.warp->pending)
    if (p.arrived != 0 && (p.mask >> thread.lane & 1) != 0)
      fail("this thread has ended while lanes of its warp wait for it at %s:%d", p.at.file,
           p.at.line);
}

} // namespace cameo::emu
