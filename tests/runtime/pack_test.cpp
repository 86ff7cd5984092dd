// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packer's promise as a property: whatever the sizes and lifetimes, no two buffers alive at one
// step share a byte, everything is aligned, and what was placed before stays.
#include "cameo/gen.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace cameo;

namespace {

buffer make(int64_t bytes, int32_t first, int32_t last) {
  buffer b;
  b.bytes = bytes;
  b.first = first;
  b.last = last;
  return b;
}

bool alive_together(const buffer &a, const buffer &b) {
  for (int32_t step = a.first; step <= a.last; ++step)
    if (b.first <= step && step <= b.last)
      return true;
  return false;
}

/// How often the promise is broken.
int violations(const std::vector<buffer> &buffers, int64_t arena) {
  int n = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const buffer &a = buffers[i];
    if (a.bytes <= 0)
      continue;
    n += a.offset < 0 || a.offset % arena_alignment != 0 || a.offset + a.bytes > arena;
    for (size_t k = 0; k < i; ++k) {
      const buffer &b = buffers[k];
      if (b.bytes > 0 && a.block == b.block && alive_together(a, b))
        n += a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    }
  }
  return n;
}

std::vector<buffer> random_buffers(std::mt19937 &random, int count, int steps) {
  std::vector<buffer> v;
  for (int i = 0; i < count; ++i) {
    const auto first = static_cast<int32_t>(random() % static_cast<unsigned>(steps));
    const auto last = std::min(steps - 1, first + static_cast<int32_t>(random() % 6));
    const int64_t bytes = random() % 8 == 0 ? 0 : static_cast<int64_t>(random() % 10000);
    v.push_back(make(bytes, first, last));
  }
  return v;
}

status pack_all(std::vector<buffer> &v, int32_t from, int64_t &bytes) {
  return pack(v.data(), static_cast<int32_t>(v.size()), from, 0, bytes);
}

} // namespace

TEST_CASE("buffers alive together never overlap", "[pack]") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<buffer> v = random_buffers(random, 1 + trial % 60, 1 + trial % 25);
    int64_t arena = -1;
    REQUIRE(ok(pack_all(v, 0, arena)));
    REQUIRE(violations(v, arena) == 0);
    const int64_t least = live_bytes(v.data(), static_cast<int32_t>(v.size()), nullptr);
    REQUIRE(arena >= least);
    // Far from a proof, but a packer that stopped reusing memory would fail here.
    REQUIRE(arena <= 2 * least);
  }
}

TEST_CASE("placing later buffers moves no earlier one", "[pack]") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<buffer> v = random_buffers(random, 40, 20);
    std::vector<int64_t> sizes;
    for (buffer &b : v) {
      sizes.push_back(b.bytes);
      if (b.first >= 10)
        b.bytes = unknown_bytes;
    }
    int64_t arena = 0;
    REQUIRE(ok(pack_all(v, 0, arena)));
    for (const buffer &b : v)
      REQUIRE((b.first < 10 || b.offset < 0));
    const std::vector<buffer> before = v;
    for (size_t i = 0; i < v.size(); ++i)
      v[i].bytes = sizes[i];
    REQUIRE(ok(pack_all(v, 10, arena)));
    REQUIRE(violations(v, arena) == 0);
    for (size_t i = 0; i < v.size(); ++i)
      if (v[i].first < 10)
        REQUIRE(v[i].offset == before[i].offset);
  }
}

TEST_CASE("a block of its own starts at 0 and ignores the arena", "[pack]") {
  std::vector<buffer> v = {make(1000, 0, 5), make(500, 3, 5), make(500, 4, 5)};
  int64_t bytes = 0;
  REQUIRE(ok(pack(v.data(), 3, 0, 0, bytes)));
  const int64_t placed = v[0].offset;
  REQUIRE(ok(pack(v.data(), 3, 3, 1, bytes)));
  CHECK(v[0].offset == placed);
  CHECK(v[0].block == 0);
  CHECK(v[1].block == 1);
  CHECK(bytes == 1024);
  CHECK(violations(v, 1024) == 0);
}

TEST_CASE("the same table packs the same way", "[pack]") {
  std::mt19937 random(3);
  std::vector<buffer> a = random_buffers(random, 100, 30), b = a;
  int64_t x = 0, y = 0;
  REQUIRE(ok(pack_all(a, 0, x)));
  REQUIRE(ok(pack_all(b, 0, y)));
  REQUIRE(ok(pack_all(b, 0, y)));
  CHECK(x == y);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(a[i].offset == b[i].offset);
}

TEST_CASE("a chain reuses two slots", "[pack]") {
  std::vector<buffer> v;
  for (int32_t i = 0; i < 50; ++i)
    v.push_back(make(4096, i, i + 1));
  int64_t arena = 0;
  REQUIRE(ok(pack_all(v, 0, arena)));
  CHECK(arena == 8192);
}

TEST_CASE("sizes that do not fit are refused", "[pack]") {
  std::vector<buffer> v = {make(too_many_bytes, 0, 1)};
  int64_t arena = 0;
  CHECK(pack_all(v, 0, arena).code == CAMEO_LIMIT);
  v = {make(INT64_MAX / 2, 0, 1), make(INT64_MAX / 2, 0, 1), make(INT64_MAX / 2, 0, 1)};
  CHECK(pack_all(v, 0, arena).code == CAMEO_LIMIT);
  CHECK(bytes_of(checked(INT64_MAX) * 2) == too_many_bytes);
  CHECK(bytes_of(checked(-1)) == too_many_bytes);
  CHECK(bytes_of(checked(5)) == 5);
}

TEST_CASE("rows of few sizes are sized by a table", "[pack]") {
  std::vector<buffer> v = {make(1, 0, 0), make(2, 0, 0), make(3, 0, 0)};
  v[1].offset = 64;
  struct {
    buffer a, b, c;
  } table = {v[0], v[1], v[2]};
  const buffer_life lives[] = {{1, 0, 2}, {-1, 1, 3}, {0, 2, 2}};
  const int64_t sizes[] = {128, 4096};
  size_rows(table, lives, sizes);
  CHECK((table.a.bytes == 4096 && table.a.first == 0 && table.a.last == 2));
  CHECK((table.b.bytes == unknown_bytes && table.b.first == 1 && table.b.last == 3));
  CHECK(table.b.offset == -1);
  CHECK((table.c.bytes == 128 && table.c.last == 2));
}

TEST_CASE("nothing to place", "[pack]") {
  int64_t arena = -1;
  REQUIRE(ok(pack(nullptr, 0, 0, 0, arena)));
  CHECK(arena == 0);
  std::vector<buffer> v = {make(0, 0, 3)};
  REQUIRE(ok(pack_all(v, 0, arena)));
  CHECK(arena == 0);
  CHECK(v[0].offset == 0);
}

TEST_CASE("the description names the largest buffer at the peak", "[pack]") {
  std::vector<buffer> v = {make(100, 0, 1), make(5000, 1, 2), make(6000, 4, 4)};
  const char *const names[] = {"a", "b", "c"};
  int64_t arena = 0;
  REQUIRE(ok(pack_all(v, 0, arena)));
  cameo_memory plan{};
  describe_arena(v.data(), 3, names, arena, plan);
  CHECK(plan.host_arena == static_cast<uint64_t>(arena));
  CHECK(plan.peak_bytes == 6000);
  CHECK(std::string(plan.peak_tensor) == "c");
  v[0].bytes = 2000; // now steps 1 and 2 hold more than step 4
  REQUIRE(ok(pack_all(v, 0, arena)));
  describe_arena(v.data(), 3, names, arena, plan);
  CHECK(std::string(plan.peak_tensor) == "b");
}
