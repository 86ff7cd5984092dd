// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check that ends the Place stage.

#include "Dialect/ONNX/Analysis/Needs.h"
#include "Placement/Passes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_VERIFYSIDESPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

struct VerifySidesPass : cameo::impl::VerifySidesPassBase<VerifySidesPass> {
  using VerifySidesPassBase::VerifySidesPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (failed(verify(operand)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult verify(OpOperand &operand) {
    Operation *op = operand.getOwner();
    auto type = dyn_cast<SymTensorType>(operand.get().getType());
    if (!type || isOnBothSides(operand.get()))
      return success();
    auto reject = [&](StringRef needed) {
      return op->emitOpError() << "reads operand " << operand.getOperandNumber()
                               << " from the wrong side (got " << stringifySide(type.getSide())
                               << ", need " << needed << ")";
    };
    if (type.getSide() == Side::Unplaced)
      return reject("a side");
    Need need = getNeed(operand);
    if (need == Need::Host && !type.isHost())
      return reject("host");
    if (need != Need::SameSide)
      return success();
    Side side = getSideOf(op);
    if (side != type.getSide() && !(type.isHost() && isKernelArgument(operand.get())))
      return reject(stringifySide(side));
    return success();
  }
};

} // namespace
