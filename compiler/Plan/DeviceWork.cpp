// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/DeviceWork.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

bool cameo::isDeviceWork(Operation *op) {
  if (isa<YieldOp, WeightOp, NullOp, KeepOp, SConstantOp, SExtentOp, ScalarOpInterface>(op))
    return true;
  auto isOfDevice = [](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    return !tensor || tensor.isDevice();
  };
  return isa<KernelOp, CallOp, ViewOp, EmptyOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isOfDevice) &&
         llvm::all_of(op->getResultTypes(), isOfDevice);
}
