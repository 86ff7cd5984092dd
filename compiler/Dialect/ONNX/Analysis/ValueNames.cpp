// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/ValueNames.h"

#include "Dialect/ONNX/Analysis/Needs.h"
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
