// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/NearNames.h"

#include "Support/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace cameo;

std::string cameo::listNear(StringRef name, ArrayRef<StringRef> known) {
  constexpr size_t kMost = 3;
  // With more letters wrong it is another name; one that goes on behind it may be meant.
  size_t size = name.size();
  auto limit = static_cast<unsigned>(size < 3 ? 0 : size < 4 ? 1 : std::max<size_t>(size / 3, 2));
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (StringRef other : known) {
    unsigned distance = name.edit_distance_insensitive(other, /*AllowReplacements=*/true, limit);
    if (distance > limit && !name.empty() && other.contains_insensitive(name))
      distance = limit;
    if (distance <= limit)
      near.emplace_back(distance, other);
  }
  llvm::stable_sort(near, llvm::less_first());
  std::string list;
  for (auto [number, found] : llvm::enumerate(ArrayRef(near).take_front(kMost)))
    list += (number == 0                                          ? ""
             : number + 1 == std::min<size_t>(near.size(), kMost) ? " or "
                                                                  : ", ") +
            quoteText(found.second);
  return list;
}

std::string cameo::suggestNear(StringRef name, ArrayRef<StringRef> known, StringRef otherwise) {
  std::string near = listNear(name, known);
  return near.empty() ? otherwise.str() : "did you mean " + near + "?";
}
