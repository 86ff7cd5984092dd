// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH64 (Yann Collet's algorithm, written from its specification): fast enough to hash weights at
// load, and LLVM has it too, so compiler and runtime agree without sharing code. It finds damage
// and mistaken files; it is no signature.
#include "cameo/context_base.h"

namespace cameo {

namespace {

constexpr uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu,
                   prime3 = 0x165667b19e3779f9u, prime4 = 0x85ebca77c2b2ae63u,
                   prime5 = 0x27d4eb2f165667c5u;

uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

template <class T> uint64_t load(const unsigned char *p) {
  T v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

uint64_t round(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round(0, lane)) * prime1 + prime4; }

} // namespace

uint64_t hash64(const void *data, size_t bytes) {
  const auto *p = static_cast<const unsigned char *>(data);
  const unsigned char *const end = p + bytes;
  uint64_t hash = prime5;
  if (bytes >= 32) {
    uint64_t lane[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
    for (; end - p >= 32; p += 32)
      for (int i = 0; i < 4; ++i)
        lane[i] = round(lane[i], load<uint64_t>(p + 8 * i));
    hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (const uint64_t l : lane)
      hash = merge(hash, l);
  }
  hash += bytes;
  for (; end - p >= 8; p += 8)
    hash = rotate(hash ^ round(0, load<uint64_t>(p)), 27) * prime1 + prime4;
  if (end - p >= 4) {
    hash = rotate(hash ^ (load<uint32_t>(p) * prime1), 23) * prime2 + prime3;
    p += 4;
  }
  for (; p != end; ++p)
    hash = rotate(hash ^ (*p * prime5), 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

} // namespace cameo
