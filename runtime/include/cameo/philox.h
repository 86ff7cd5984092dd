// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a block of
// random bits is a function of a counter and a key, so that every element of a tensor is drawn on
// its own, on any machine, in any order, and twice where that is cheaper than keeping it.
#pragma once

#include "cameo/config.h"

namespace cameo {

struct philox_block {
  uint32_t words[4];
};

CAMEO_DEVICE constexpr philox_block philox4x32(const philox_block &counter, uint32_t key_0,
                                               uint32_t key_1) {
  uint32_t a = counter.words[0], b = counter.words[1], c = counter.words[2], d = counter.words[3];
  for (int round = 0; round < 10; ++round) {
    const uint64_t from_a = uint64_t{0xD2511F53u} * a, from_c = uint64_t{0xCD9E8D57u} * c;
    a = static_cast<uint32_t>(from_c >> 32) ^ b ^ key_0;
    c = static_cast<uint32_t>(from_a >> 32) ^ d ^ key_1;
    b = static_cast<uint32_t>(from_c);
    d = static_cast<uint32_t>(from_a);
    key_0 += 0x9E3779B9u;
    key_1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

/// The block of an element: the counter is its position and the number of the draw, the key the
/// seed, lower words first.
CAMEO_DEVICE constexpr philox_block random_block(int64_t seed, int64_t draw, int64_t position) {
  const auto p = static_cast<uint64_t>(position), d = static_cast<uint64_t>(draw);
  const auto k = static_cast<uint64_t>(seed);
  return philox4x32({{static_cast<uint32_t>(p), static_cast<uint32_t>(p >> 32),
                      static_cast<uint32_t>(d), static_cast<uint32_t>(d >> 32)}},
                    static_cast<uint32_t>(k), static_cast<uint32_t>(k >> 32));
}

} // namespace cameo
