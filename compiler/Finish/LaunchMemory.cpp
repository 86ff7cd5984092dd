// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finish/LaunchMemory.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::host;

LaunchMemory::LaunchMemory(func::FuncOp main, const Target &target) : target(target) {
  if (auto table = main->getAttrOfType<ArrayAttr>("prog.buffers"))
    buffers = table.getValue();
}

/// The memory that a view shows, and whether it begins elsewhere than that.
static std::pair<Value, bool> getSource(Value value) {
  bool isShifted = false;
  while (auto view = value.getDefiningOp<ViewOp>()) {
    isShifted |= static_cast<bool>(view.getOffset());
    value = view.getSource();
  }
  return {value, isShifted};
}

Memory LaunchMemory::get(Value value) const {
  auto [source, isShifted] = getSource(value);
  if (source.getDefiningOp<prog::WeightOp>())
    return isShifted ? Memory::UnalignedWeight : Memory::Weight;
  auto at = source.getDefiningOp<AtOp>();
  bool isOfArena = at && !cast<prog::BufferAttr>(buffers[at.getRow()]).isOutput();
  return isOfArena && !isShifted ? Memory::Aligned : Memory::Any;
}

Memory LaunchMemory::get(LaunchOp launch, OpResult result) const {
  Value destination = launch.getDestination(result);
  return destination ? get(destination) : Memory::Any;
}
