// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/Needs.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

void cameo::forEachValue(func::FuncOp function, function_ref<void(Value)> visit) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visit(argument);
  });
}

Need cameo::getNeed(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto bind = dyn_cast<BindElementsOp>(op))
    return bind.getOnDevice() ? Need::Nothing : Need::Host;
  if (!isa<OnnxOp>(op))
    return Need::Nothing;
  if (auto branch = dyn_cast<onnx::IfOp>(op); branch && branch.getSelectsAttr())
    return Need::SameSide;
  switch (getOperandClass(op, operand.getOperandNumber())) {
  case OperandClass::Host:
  // A bounded one that kernels may read is treated as Symbolic by then.
  case OperandClass::Bounded:
    return Need::Host;
  case OperandClass::DimsOnly:
    return Need::Nothing;
  // Kernels read a bounded one too.
  case OperandClass::HostBound:
  case OperandClass::Symbolic:
  case OperandClass::Data:
  case OperandClass::Param:
    // Operands of a loop or a branch go on to its region, whatever its side.
    return op->getNumRegions() == 0 ? Need::SameSide : Need::Nothing;
  }
  return Need::SameSide;
}

bool cameo::isBound(OpOperand &operand) {
  Operation *op = operand.getOwner();
  // The host checks an input before anything runs; what is computed is checked where it is.
  if (isa<AssertOp>(op))
    return isa<BlockArgument>(operand.get()) && isa<func::FuncOp>(op->getParentOp());
  if (auto bind = dyn_cast<BindElementsOp>(op))
    return bind.getOnDevice();
  if (!isa<OnnxOp>(op))
    return false;
  return isSymbolic(operand) ||
         getOperandClass(op, operand.getOperandNumber()) == OperandClass::HostBound;
}

bool cameo::isSymbolic(OpOperand &operand) {
  return getOperandClass(operand.getOwner(), operand.getOperandNumber()) == OperandClass::Symbolic;
}

Side cameo::getSideOf(Operation *op) {
  auto result = dyn_cast<SymTensorType>(op->getResult(0).getType());
  return result ? result.getSide() : Side::Host;
}

static constexpr StringLiteral kOnDevice = "cameo.on_device";

void cameo::setOnDevice(FromExtentsOp op) {
  op->setDiscardableAttr(kOnDevice, UnitAttr::get(op.getContext()));
}

bool cameo::isOnBothSides(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<ConstantOp, FromExtentsOp>(op) && !op->hasAttr(kOnDevice);
}

bool cameo::isKernelArgument(Value value) { return getConstantCount(value) == 1; }

std::optional<int64_t> cameo::getConstantCount(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type ? type.getNumElements().getConstant() : std::nullopt;
}

bool cameo::isHostOnly(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return !tensor || isa<StringType>(tensor.getElementType());
}

/// Whether an operator reads or makes strings.
static bool handlesStrings(Operation *op) {
  auto areStrings = [](Value value) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    return type && isa<StringType>(type.getElementType());
  };
  return llvm::any_of(op->getResults(), areStrings) ||
         llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           return areStrings(operand.get()) && getNeed(operand) == Need::SameSide;
         });
}

std::optional<Side> cameo::getRequiredSide(Operation *op) {
  if (handlesStrings(op))
    return Side::Host;
  auto typed = dyn_cast<OnnxOp>(op);
  return typed ? typed.getOwnSide() : std::nullopt;
}
