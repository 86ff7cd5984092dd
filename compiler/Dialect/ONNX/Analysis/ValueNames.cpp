// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/ValueNames.h"

#include "Dialect/ONNX/Analysis/Needs.h"
#include "Support/Diagnostic.h"
#include "Support/NodeLocation.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cameo;

StringRef cameo::getOnnxName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return getOutputName(value.getLoc(), cast<OpResult>(value).getResultNumber());
  if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name"))
      return name;
  return getOutputName(value.getLoc(), 0);
}

SmallVector<StringRef> cameo::getOnnxNames(func::FuncOp function) {
  llvm::SetVector<StringRef> names;
  forEachValue(function, [&](Value value) {
    if (StringRef name = getOnnxName(value); !name.empty())
      names.insert(name);
  });
  return names.takeVector();
}

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
