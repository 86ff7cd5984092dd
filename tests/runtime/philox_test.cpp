// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 against the vectors of its authors (Random123, kat_vectors), and what an element's
// block is made of.
#include "cameo/scalar.h"

#include <catch2/catch.hpp>

namespace cameo::philox_test {
namespace {

struct vector {
  philox_block counter;
  uint32_t key[2];
  philox_block block;
};

constexpr vector vectors[] = {
    {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}}},
    {{{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}},
     {0xffffffffu, 0xffffffffu},
     {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}}},
    {{{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}},
     {0xa4093822u, 0x299f31d0u},
     {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}},
};

int64_t join(uint32_t low, uint32_t high) {
  return static_cast<int64_t>(low | static_cast<uint64_t>(high) << 32);
}

} // namespace

TEST_CASE("blocks of Philox", "[philox]") {
  for (const vector &v : vectors) {
    const philox_block got = philox4x32(v.counter, v.key[0], v.key[1]);
    for (int word = 0; word < 4; ++word)
      CHECK(got.words[word] == v.block.words[word]);
  }
}

TEST_CASE("random bits of an element", "[philox]") {
  for (const vector &v : vectors) {
    const uint32_t(&counter)[4] = v.counter.words;
    const int64_t position = join(counter[0], counter[1]), draw = join(counter[2], counter[3]);
    const int64_t seed = join(v.key[0], v.key[1]);
    CHECK(random_low(seed, draw, position) ==
          static_cast<uint64_t>(join(v.block.words[0], v.block.words[1])));
    CHECK(random_high(seed, draw, position) ==
          static_cast<uint64_t>(join(v.block.words[2], v.block.words[3])));
  }
}

} // namespace cameo::philox_test
