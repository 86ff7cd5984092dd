// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH64 with seed 0, of which LLVM has a function for bytes that are all there.

#include "Emit/StreamHash.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace cameo;
using llvm::rotl;
using llvm::StringRef;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

namespace {

constexpr uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f,
                   kPrime3 = 0x165667b19e3779f9, kPrime4 = 0x85ebca77c2b2ae63,
                   kPrime5 = 0x27d4eb2f165667c5;

uint64_t mixRound(uint64_t lane, uint64_t word) {
  return rotl(lane + word * kPrime2, 31) * kPrime1;
}

} // namespace

StreamHash::StreamHash() : lanes{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1}, rest{} {}

void StreamHash::mix(const char *stripe) {
  for (uint64_t &lane : lanes) {
    lane = mixRound(lane, read64le(stripe));
    stripe += sizeof(uint64_t);
  }
}

void StreamHash::add(StringRef piece) {
  size += piece.size();
  if (restSize != 0) {
    StringRef head = piece.take_front(kStripe - restSize);
    std::copy(head.begin(), head.end(), rest.begin() + restSize);
    restSize += head.size();
    piece = piece.drop_front(head.size());
    if (restSize < kStripe)
      return;
    mix(rest.data());
  }
  for (; piece.size() >= kStripe; piece = piece.drop_front(kStripe))
    mix(piece.data());
  std::copy(piece.begin(), piece.end(), rest.begin());
  restSize = piece.size();
}

uint64_t StreamHash::get() const {
  uint64_t hash = kPrime5;
  if (size >= kStripe) {
    hash = rotl(lanes[0], 1) + rotl(lanes[1], 7) + rotl(lanes[2], 12) + rotl(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = (hash ^ mixRound(0, lane)) * kPrime1 + kPrime4;
  }
  hash += size;
  StringRef left(rest.data(), restSize);
  for (; left.size() >= 8; left = left.drop_front(8))
    hash = rotl(hash ^ mixRound(0, read64le(left.data())), 27) * kPrime1 + kPrime4;
  if (left.size() >= 4) {
    hash = rotl(hash ^ read32le(left.data()) * kPrime1, 23) * kPrime2 + kPrime3;
    left = left.drop_front(4);
  }
  for (char byte : left)
    hash = rotl(hash ^ static_cast<unsigned char>(byte) * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}
