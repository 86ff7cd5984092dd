// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a CUDA context that own memory, each by itself: blocks on the device, slots for
// transfers, the arena.
#include <catch2/catch.hpp>

#include "parts.h"

using namespace cameo;
using namespace cameo::cuda;
using namespace calls;

// ---- device_memory -----------------------------------------------------------------------------

TEST_CASE("a block grows by powers of two, and what it was goes when the host has waited",
          "[parts]") {
  staging parts;
  const cameo_emu_counters before = emulator();
  growing_block block = {};
  void *first = parts.memory.grow(block, 300);
  CHECK(block.bytes == 512);
  CHECK(parts.memory.grow(block, 512) == first);
  CHECK(parts.memory.grow(block, 513) != first);
  CHECK(block.bytes == 1024);
  CHECK(parts.owner.counters.device_allocs == 2);
  CHECK(parts.owner.counters.blocking_syncs == 0);
  CHECK(emulator().device_frees == before.device_frees);
  parts.memory.release_retired();
  CHECK(emulator().device_frees == before.device_frees + 1);
  parts.memory.release(block.data, block.bytes);
  CHECK(emulator().live_device_bytes == before.live_device_bytes);
}

TEST_CASE("what a graph may use is not freed until the end", "[parts]") {
  const int64_t live = emulator().live_device_allocs;
  {
    staging parts;
    parts.memory.retire(parts.memory.allocate(256), 256);
    parts.memory.keep();
    parts.memory.release_retired();
    CHECK(emulator().live_device_allocs == live + 1);
  }
  CHECK(emulator().live_device_allocs == live);
}

TEST_CASE("where the device is short the host waits and gives retired blocks back", "[parts]") {
  staging parts;
  parts.memory.retire(parts.memory.allocate(256), 256);
  cameo_emu_fail("cudaMalloc", 1, cudaErrorMemoryAllocation, 0);
  void *memory = parts.memory.allocate(512);
  REQUIRE(memory);
  CHECK(parts.owner.counters.blocking_syncs == 1);
  CHECK(ok(parts.call.first_error()));
  parts.memory.release(memory, 512);
  // Without any there is nothing to wait for.
  cameo_emu_fail("cudaMalloc", 1, cudaErrorMemoryAllocation, 0);
  CHECK(parts.memory.allocate(512) == nullptr);
  CHECK(parts.owner.counters.blocking_syncs == 1);
  CHECK(text_of(parts.call.first_error()) == text_of(error_device_memory(512)));
}

TEST_CASE("memory that is asked for twice is had in the size there is room for", "[parts]") {
  staging parts;
  size_t bytes = 4096;
  void *memory = parts.memory.allocate(3000, bytes);
  CHECK(bytes == 4096);
  parts.memory.release(memory, bytes);
  cameo_emu_fail("cudaMalloc", 1, cudaErrorMemoryAllocation, 0);
  memory = parts.memory.allocate(3000, bytes);
  REQUIRE(memory);
  CHECK(bytes == 3000);
  CHECK(ok(parts.call.first_error()));
  CHECK(parts.owner.counters.device_allocs == 2);
  parts.memory.release(memory, bytes);
}

TEST_CASE("a run that is to be captured gets no memory", "[parts]") {
  staging parts;
  parts.call.set_pass(call_state::pass::rehearsing);
  growing_block block = {};
  CHECK(parts.memory.allocate(256) == nullptr);
  CHECK(parts.memory.grow(block, 256) == nullptr);
  CHECK(parts.memory.allocate_pinned(256) == nullptr);
  CHECK(text_of(parts.call.first_error()) == text_of(error_capture_memory()));
  CHECK(parts.owner.counters.device_allocs == 0);
  CHECK(parts.owner.counters.host_allocs == 0);
}

// ---- staging_pool ------------------------------------------------------------------------------

TEST_CASE("the slot that fits best is taken, whole pages of it", "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  const int32_t large = pool.take(20000), small = pool.take(100);
  CHECK(large == small); // nobody has put it to use yet
  pool.hold(large);
  const int32_t other = pool.take(100);
  CHECK(other != large);
  pool.give_back(large);
  CHECK(pool.take(4096) == other);
  CHECK(pool.take(4097) == large);
  CHECK(pool.take(32768) == large);
  const int32_t larger = pool.take(32769);
  CHECK(larger != large);
  CHECK(larger != other);
  CHECK(parts.owner.counters.host_allocs == 4); // three slots, and their table
}

TEST_CASE("a slot that flies is idle in the next run, if its transfer has ended", "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  pool.begin_run();
  const int32_t slot = pool.take(100);
  must(cudaMemsetAsync(pool.at(slot), 0, 100, parts.order.transfers()));
  REQUIRE(pool.record(slot, parts.order.transfers()));
  pool.fly(slot);
  must(cudaStreamSynchronize(parts.order.transfers()));
  CHECK(pool.take(100) != slot); // not twice in a run
  pool.begin_run();
  CHECK(pool.take(100) == slot);
}

TEST_CASE("when many slots fly the host waits for one", "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  pool.begin_run();
  constexpr int32_t many = 64;
  for (int32_t i = 0; i < many; ++i) {
    const int32_t slot = pool.take(100);
    must(cudaMemsetAsync(pool.at(slot), 0, 100, parts.order.transfers()));
    REQUIRE(pool.record(slot, parts.order.transfers()));
    pool.fly(slot);
  }
  CHECK(parts.owner.counters.blocking_syncs == 0);
  CHECK(pool.take(100) == 0);
  CHECK(parts.owner.counters.blocking_syncs == 1);
}

TEST_CASE("when the host holds all slots there is another one, without a wait", "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  for (int32_t i = 0; i < 70; ++i) {
    const int32_t slot = pool.take(100);
    CHECK(slot == i);
    pool.hold(slot);
  }
  CHECK(parts.owner.counters.blocking_syncs == 0);
  pool.give_back_held();
  CHECK(pool.take(100) == 0);
}

TEST_CASE("what is kept is nobody else's, what is dropped is once its transfer has ended",
          "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  const int32_t kept = pool.take(100);
  pool.keep(kept);
  const int32_t held = pool.take(100);
  pool.hold(held);
  pool.give_back_held(kept);
  pool.drop(kept);
  pool.drop_held();
  CHECK(pool.take(100) != held); // it flies
  pool.land();
  CHECK(pool.take(100) == held);
  pool.give_back_held();
  pool.land();
  CHECK(pool.take(100) != kept);
}

TEST_CASE("a slot that cannot be had is an error, and may be had later", "[parts]") {
  staging parts;
  staging_pool &pool = parts.pool;
  for (const char *call : {"cudaEventCreateWithFlags", "cudaMallocHost"}) {
    cameo_emu_fail(call, 1, cudaErrorMemoryAllocation, 0);
    CHECK(pool.take(100) == -1);
    CHECK(parts.call.first_error().code == CAMEO_OUT_OF_MEMORY);
    parts.call.forget_error();
  }
  const int32_t slot = pool.take(100);
  CHECK(slot >= 0);
  parts.call.set_pass(call_state::pass::capturing);
  CHECK(pool.take(4096) == slot);
  CHECK(pool.take(4097) == -1);
  CHECK(text_of(parts.call.first_error()) == text_of(error_capture_memory()));
}

// ---- device_arena ------------------------------------------------------------------------------

namespace {

struct arena_parts : staging {
  device_arena arena{memory};

  arena_parts() { arena.open(); }
  ~arena_parts() {
    order.drain();
    arena.close();
  }
};

/// Two buffers that are alive together, the second from step 1 on.
struct two_buffers {
  buffer first{64, 0, 2, -1, 0, 0, 0}, second{unknown_bytes, 1, 2, -1, 0, 0, 0};
};

} // namespace

TEST_CASE("an arena of the device grows by powers of two, and what is behind it is scratch memory",
          "[parts]") {
  arena_parts parts;
  REQUIRE(ok(parts.arena.plan(70000, 1000)));
  CHECK(parts.owner.counters.device_allocs == 1);
  CHECK(parts.arena.scratch().take(256) == parts.arena.at(70144)); // 70000, aligned
  REQUIRE(ok(parts.arena.plan(131072, 0)));
  CHECK(parts.owner.counters.device_allocs == 1);
  REQUIRE(ok(parts.arena.plan(131073, 0)));
  CHECK(parts.owner.counters.device_allocs == 2);
  CHECK(parts.owner.counters.blocking_syncs == 0);
  CHECK_FALSE(ok(parts.arena.plan(-1, 0)));
  CHECK_FALSE(ok(parts.arena.plan(INT64_MAX, 0)));
}

TEST_CASE("late blocks of the device are retired by the next plan, which needs none", "[parts]") {
  arena_parts parts;
  two_buffers b;
  REQUIRE(ok(parts.arena.plan(64, 0)));
  const void *first = parts.arena.at(b.first);
  for (const int64_t bytes : {100000, 90000, 200000}) { // a loop that comes by again
    b.second.bytes = bytes;
    REQUIRE(ok(parts.arena.replan(b, 1)));
    CHECK(b.second.block == 1);
    must(cudaMemset(parts.arena.at(b.second), 0, static_cast<size_t>(bytes)));
  }
  CHECK(parts.owner.counters.device_allocs == 3); // 90000 bytes fit where 100000 were
  CHECK_FALSE(parts.arena.is_long_enough());
  CHECK(first != nullptr);
  REQUIRE(ok(parts.arena.plan(64, 0)));
  CHECK(parts.arena.is_long_enough());
  REQUIRE(ok(parts.arena.replan(b, 1)));
  CHECK(b.second.block == 0);
  CHECK(parts.owner.counters.device_allocs == 4);
  CHECK(parts.owner.counters.blocking_syncs == 0);
}

TEST_CASE("the next arena of the device takes what lay in all late blocks", "[parts]") {
  arena_parts parts;
  two_buffers b;
  REQUIRE(ok(parts.arena.plan(0, 0)));
  b.first.bytes = 100000;
  REQUIRE(ok(parts.arena.replan(b, 0)));
  b.second.bytes = 200000;
  REQUIRE(ok(parts.arena.replan(b, 1)));
  CHECK(b.first.block == 1);
  CHECK(b.second.block == 2);
  CHECK(parts.arena.at(b.first) != parts.arena.at(b.second));
  REQUIRE(ok(parts.arena.plan(0, 0)));
  REQUIRE(ok(parts.arena.replan(b, 0)));
  CHECK(b.first.block == 0);
  CHECK(b.second.block == 0);
}

TEST_CASE("the caller's arena of the device is neither grown nor freed", "[parts]") {
  void *memory = nullptr;
  must(cudaMalloc(&memory, some_bytes));
  {
    arena_parts parts;
    parts.arena.give(memory, some_bytes);
    CHECK(ok(parts.arena.plan(some_bytes, 0)));
    CHECK(parts.arena.plan(some_bytes + 1, 0).code == error_arena(0, 1).code);
    two_buffers b;
    b.second.bytes = 2 * some_bytes;
    CHECK(parts.arena.replan(b, 1).code == error_arena(0, 1).code);
    CHECK(parts.owner.counters.device_allocs == 0);
  }
  must(cudaFree(memory));
}

TEST_CASE("an arena of the device is not grown for a capture", "[parts]") {
  arena_parts parts;
  REQUIRE(ok(parts.arena.plan(64, 0)));
  parts.call.set_pass(call_state::pass::rehearsing);
  CHECK(ok(parts.arena.plan(64, 0)));
  two_buffers b;
  b.second.bytes = 100000;
  CHECK(text_of(parts.arena.replan(b, 1)) == text_of(error_capture_memory()));
  parts.call.forget_error();
  CHECK(text_of(parts.arena.plan(100000, 0)) == text_of(error_capture_memory()));
  parts.call.forget_error();
  parts.call.set_pass(call_state::pass::running);
}
