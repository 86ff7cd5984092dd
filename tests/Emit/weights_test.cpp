// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash of weights, which are made piece by piece.

#include "Emit/StreamHash.h"

#include "llvm/Support/xxhash.h"

#include <catch2/catch.hpp>

using namespace cameo;
using llvm::StringRef;

TEST_CASE("a hash of pieces is that of the whole") {
  std::string text;
  for (int byte = 0; byte < 200; ++byte)
    text += static_cast<char>(7 * byte + byte / 5);
  for (size_t size = 0; size <= text.size(); ++size)
    for (size_t piece : {size_t(1), size_t(3), size_t(31), size_t(32), size_t(33), size_t(200)}) {
      StringRef whole = StringRef(text).take_front(size);
      StreamHash hash;
      for (StringRef rest = whole; !rest.empty();
           rest = rest.drop_front(std::min(piece, rest.size())))
        hash.add(rest.take_front(piece));
      CHECK(hash.get() == llvm::xxHash64(whole));
    }
}
