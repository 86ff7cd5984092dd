// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Repetition.h"

#include "Plan/Choice.h"
#include "Plan/DeviceWork.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

static bool isOfDevice(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return tensor && tensor.isDevice();
}

AwaitOp cameo::findEnd(LoopOp loop) {
  Block &body = loop.getBody().front();
  if (!loop.getCondition() || !llvm::all_of(body.getArgumentTypes(), isOfDevice))
    return {};
  auto element = body.getTerminator()->getOperand(0).getDefiningOp<ElementOp>();
  auto await = element ? element.getTensor().getDefiningOp<AwaitOp>() : AwaitOp();
  if (!await || !element->hasOneUse() || !await->hasOneUse() || element->getBlock() != &body ||
      !await.getType().getElementType().isInteger(1) || !element.getOffset().isConstant(0))
    return {};
  Operation *fetch = await.getTicket().getDefiningOp();
  Choices choices(loop);
  auto canRepeat = [&](Operation &op) {
    if (&op == element || &op == await || &op == fetch || isa<CountOp, DefineOp>(op) ||
        choices.contains(&op))
      return true;
    // Elements of what the host has from outside.
    auto read = dyn_cast<ElementOp>(op);
    return isDeviceWork(&op) || (read && read.getTensor().getParentBlock() != &body);
  };
  return fetch->getBlock() == &body && llvm::all_of(body, canRepeat) ? await : AwaitOp();
}
