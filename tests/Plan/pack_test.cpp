// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// packBuffers() against the runtime's pack(): the same offsets and the same length for any table.
#include "Dialect/Core/IR/Limits.h"
#include "Plan/PackBuffers.h"

#include "cameo/gen.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

namespace {

struct Table {
  std::vector<cameo::PackedBuffer> compiler;
  std::vector<cameo::buffer> runtime;
};

/// Lifetimes short and long, sizes often equal, some of them 0.
Table makeTable(std::mt19937 &random, int count) {
  Table table;
  for (int i = 0; i < count; ++i) {
    auto first = static_cast<int32_t>(random() % 50);
    auto last = first + static_cast<int32_t>(random() % (random() % 4 == 0 ? 40 : 4));
    int64_t bytes = random() % 2 == 0 ? static_cast<int64_t>(random() % 4) * 100
                                      : static_cast<int64_t>(random() % 5000);
    table.compiler.push_back({bytes, first, last});
    cameo::buffer buffer;
    buffer.bytes = bytes;
    buffer.first = first;
    buffer.last = last;
    table.runtime.push_back(buffer);
  }
  return table;
}

} // namespace

TEST_CASE("both packers give the same offsets") {
  static_assert(cameo::core::kAlignment == cameo::arena_alignment);
  std::mt19937 random(1);
  for (int count = 0; count < 300; ++count) {
    Table table = makeTable(random, count);
    int64_t bytes = -1;
    cameo::status status = cameo::pack(table.runtime.data(), count, INT32_MIN, 0, bytes);
    REQUIRE(cameo::ok(status));
    REQUIRE(cameo::packBuffers(table.compiler) == bytes);
    for (int i = 0; i < count; ++i)
      REQUIRE(table.compiler[i].offset == table.runtime[i].offset);
    REQUIRE(cameo::getLiveBytes(table.compiler) ==
            cameo::live_bytes(table.runtime.data(), count, nullptr));
  }
}

TEST_CASE("other orders leave no larger gaps, and no bytes to two that are alive at once") {
  std::mt19937 random(2);
  int shorter = 0;
  for (int count = 1; count < 300; ++count) {
    Table table = makeTable(random, count);
    std::vector<cameo::PackedBuffer> &buffers = table.compiler;
    const std::optional<int64_t> first = cameo::packBuffers(buffers);
    const std::optional<int64_t> bytes = cameo::packTightly(buffers);
    REQUIRE(bytes.has_value());
    REQUIRE(*bytes <= *first);
    REQUIRE(*bytes >= cameo::getLiveBytes(buffers));
    REQUIRE(cameo::getEnd(buffers) == *bytes);
    shorter += *bytes < *first;
    for (const cameo::PackedBuffer &a : buffers)
      for (const cameo::PackedBuffer &b : buffers) {
        const bool meet = &a != &b && a.first <= b.last && b.first <= a.last && a.bytes > 0 &&
                          b.bytes > 0 && a.offset < b.offset + b.bytes &&
                          b.offset < a.offset + a.bytes;
        if (meet)
          FAIL("two buffers share bytes");
      }
  }
  CHECK(shorter > 10);
}

TEST_CASE("what does not fit has no length") {
  std::vector<cameo::PackedBuffer> table{{INT64_MAX - 1, 0, 1}, {64, 0, 1}};
  REQUIRE(!cameo::packBuffers(table));
  REQUIRE(!cameo::packTightly(table));
}
