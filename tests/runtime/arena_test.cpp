// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a CPU context: how long it becomes, where buffers go whose sizes come late, and
// scratch memory behind it.
#include "cameo/cpu/host_arena.h"
#include "cameo/late_blocks.h"

#include <catch2/catch.hpp>

#include <initializer_list>

#include "counting_allocator.h"

using namespace cameo;
using cameo::cpu::host_arena;

namespace {

/// An arena in memory that is counted.
struct counted_arena {
  counting_allocator memory;
  cameo_context owner{};
  host_arena arena{owner};

  counted_arena() {
    const cameo_options options = memory.options();
    REQUIRE(ok(check_options(&options, owner.options)));
  }
  ~counted_arena() {
    arena.close();
    CHECK(memory.live == 0);
  }
};

/// Two buffers that are alive together, the second from step 1 on.
struct two {
  buffer first, second;
};
two of(int64_t first, int64_t second) {
  two b;
  b.first = {first, 0, 2, -1, 0, 0, 0};
  b.second = {second, 1, 2, -1, 0, 0, 0};
  return b;
}

late_block block(int32_t from, int32_t number, unsigned char *base) {
  return {nullptr, base, 0, 0, from, number};
}

} // namespace

TEST_CASE("late blocks are found by step and by number", "[arena]") {
  unsigned char memory[3];
  late_block *first = nullptr;
  late_blocks blocks(first);
  CHECK(blocks.find(5) == nullptr);
  CHECK(blocks.number_for(5) == 1);
  late_block a = block(5, 1, memory), b = block(9, 2, memory + 1), c = block(5, 1, memory + 2);
  blocks.add(&a);
  CHECK(blocks.number_for(5) == 1);
  CHECK(blocks.number_for(9) == 2);
  blocks.add(&b);
  CHECK(blocks.number_for(3) == 3);
  CHECK(blocks.base(1) == memory);
  CHECK(blocks.base(2) == memory + 1);
  blocks.replace(&a, &c);
  CHECK(blocks.find(5) == &c);
  CHECK(blocks.base(1) == memory + 2);
  CHECK(blocks.number_for(3) == 3);
  CHECK(blocks.take() == &b);
  CHECK(blocks.take() == &c);
  CHECK(blocks.take() == nullptr);
}

TEST_CASE("an arena is made long enough once", "[arena]") {
  counted_arena a;
  REQUIRE(ok(a.arena.plan(1000, 100)));
  CHECK(a.memory.live == 1024 + 128);
  CHECK(a.arena.scratch_room() == 128);
  REQUIRE(ok(a.arena.plan(64, 0)));
  CHECK(a.owner.counters.host_allocs == 1);
  CHECK(a.arena.scratch_room() == 1152 - 64);
  CHECK_FALSE(ok(a.arena.plan(-1, 0)));
  CHECK_FALSE(ok(a.arena.plan(0, -1)));
  CHECK_FALSE(ok(a.arena.plan(INT64_MAX, 0)));
}

TEST_CASE("the caller's arena does not grow", "[arena]") {
  counted_arena a;
  a.owner.options.allocator = {};
  alignas(64) unsigned char given[256];
  a.arena.give(given, sizeof(given));
  CHECK(a.arena.is_given());
  CHECK(ok(a.arena.plan(256, 0)));
  CHECK(a.arena.at(64) == given + 64);
  CHECK(a.arena.plan(257, 0).code == error_arena(256, 320).code);
  two b = of(100, 300);
  CHECK(a.arena.replan(b, 1).code == error_arena(256, 320).code);
}

TEST_CASE("what is late and fits goes behind what is there", "[arena]") {
  counted_arena a;
  REQUIRE(ok(a.arena.plan(64, 1000)));
  two b = of(64, unknown_bytes);
  int64_t bytes = 0;
  REQUIRE(ok(pack(&b.first, 2, INT32_MIN, 0, bytes)));
  const int64_t room = a.arena.scratch_room();
  b.second.bytes = 128;
  REQUIRE(ok(a.arena.replan(b, 1)));
  CHECK(b.second.block == 0);
  CHECK(a.arena.at(b.second) == a.arena.at(int64_t{64}));
  CHECK(a.arena.scratch_room() == room - 128);
}

TEST_CASE("what is late and too long gets a block, and the next arena is long enough", "[arena]") {
  counted_arena a;
  two b = of(64, unknown_bytes);
  int64_t bytes = 0;
  REQUIRE(ok(pack(&b.first, 2, INT32_MIN, 0, bytes)));
  REQUIRE(ok(a.arena.plan(bytes, 0)));
  unsigned char *first = a.arena.at(b.first);
  for (const int64_t more : {1000, 500, 2000}) { // a loop that comes by again
    b.second.bytes = more;
    REQUIRE(ok(a.arena.replan(b, 1)));
    CHECK(b.second.block == 1);
    CHECK(a.arena.at(b.first) == first);
    __builtin_memset(a.arena.at(b.second), 1, static_cast<size_t>(more));
  }
  CHECK(a.owner.counters.host_allocs == 3); // 500 bytes fit where 1000 were
  REQUIRE(ok(a.arena.plan(64, 0)));
  REQUIRE(ok(a.arena.replan(b, 1)));
  CHECK(b.second.block == 0);
  CHECK(a.owner.counters.host_allocs == 4);
}

TEST_CASE("two late steps have a block each", "[arena]") {
  counted_arena a;
  REQUIRE(ok(a.arena.plan(0, 0)));
  two b = of(unknown_bytes, unknown_bytes);
  b.first.bytes = 100;
  REQUIRE(ok(a.arena.replan(b, 0)));
  b.second.bytes = 100;
  REQUIRE(ok(a.arena.replan(b, 1)));
  CHECK(b.first.block == 1);
  CHECK(b.second.block == 2);
  CHECK(a.arena.at(b.first) != a.arena.at(b.second));
}

TEST_CASE("scratch memory beyond the arena has positions of its own", "[arena]") {
  counted_arena a;
  REQUIRE(ok(a.arena.plan(64, 64)));
  int64_t end = 0;
  void *in_arena = nullptr, *beyond = nullptr, *again = nullptr;
  REQUIRE(a.arena.scratch(0, 64, end, in_arena));
  CHECK(in_arena == a.arena.at(int64_t{64}));
  CHECK(end == 64);
  REQUIRE(a.arena.scratch(64, 1000, end, beyond));
  CHECK(end == 64 + 1000);
  REQUIRE(a.arena.scratch(64, 900, end, again));
  CHECK(again == beyond);
  REQUIRE(ok(a.arena.plan(64, 64))); // as long as all of it
  CHECK(a.arena.scratch_room() >= 64 + 1000);
}

TEST_CASE("no scratch memory of no bytes is no failure", "[arena]") {
  counted_arena a;
  int64_t end = 0;
  void *memory = nullptr;
  CHECK(a.arena.scratch(0, 0, end, memory));
  a.memory.fail_at = a.memory.given;
  CHECK_FALSE(a.arena.scratch(0, 1, end, memory));
  CHECK(end == 0);
}

TEST_CASE("an arena without memory is an error, and may be had later", "[arena]") {
  counted_arena a;
  two b = of(64, unknown_bytes);
  int64_t bytes = 0;
  REQUIRE(ok(pack(&b.first, 2, INT32_MIN, 0, bytes)));
  a.memory.fail_at = a.memory.given;
  CHECK(a.arena.plan(bytes, 0).code == CAMEO_OUT_OF_MEMORY);
  REQUIRE(ok(a.arena.plan(bytes, 0)));
  b.second.bytes = 100;
  a.memory.fail_at = a.memory.given;
  CHECK(a.arena.replan(b, 1).code == CAMEO_OUT_OF_MEMORY);
  REQUIRE(ok(a.arena.replan(b, 1)));
}
