// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash of weights that are never in memory as one.

#ifndef CAMEO_EMIT_STREAMHASH_H
#define CAMEO_EMIT_STREAMHASH_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace cameo {

/// llvm::xxHash64 of everything that was added, in one piece or in many.
class StreamHash {
public:
  StreamHash();
  void add(llvm::StringRef piece);
  uint64_t get() const;

private:
  static constexpr size_t kStripe = 32;
  void mix(const char *stripe);

  std::array<uint64_t, 4> lanes;
  /// The bytes at the end that are less than a stripe.
  std::array<char, kStripe> rest;
  size_t restSize = 0;
  uint64_t size = 0;
};

} // namespace cameo

#endif // CAMEO_EMIT_STREAMHASH_H
