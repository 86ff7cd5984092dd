// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Placement/HostCandidates.h"

#include "Dialect/ONNX/IR/ScalarBody.h"
#include "Placement/Needs.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// Host work on more elements than this is the device's.
constexpr int64_t kMaxHostElements = 16;

bool isSmall(Value value) {
  std::optional<int64_t> count = getConstantCount(value);
  return count && *count <= kMaxHostElements;
}

/// Whether the operator reads this operand's elements, and they are on one side only.
bool isData(OpOperand &operand) {
  return getNeed(operand) == Need::SameSide && !isOnBothSides(operand.get());
}

/// Whether the host could run an operator without regions, little as it is.
bool isLittleWork(Operation *op) {
  return llvm::all_of(op->getResults(), isSmall) &&
         llvm::all_of(op->getOpOperands(), [](OpOperand &operand) {
           return !isData(operand) || isSmall(operand.get());
         });
}

/// Whether both sides compute the same bits: integers, and elementwise arithmetic that IEEE 754
/// rounds correctly. Sums of floats depend on the order, which is a kernel's own.
bool isExact(OnnxOp op) {
  auto isInteger = [](Value value) { return elementTypeOf(value).isIntOrIndex(); };
  if (llvm::all_of(op->getOperands(), isInteger) && llvm::all_of(op->getResults(), isInteger))
    return true;
  if (!op.hasScalarBody())
    return false;
  DetachedBody body = buildDetachedBody(op);
  return llvm::all_of(*body.block, [](Operation &scalar) {
    auto computed = dyn_cast<ScalarOpInterface>(scalar);
    return !computed || computed.isExact();
  });
}

} // namespace

HostCandidates::HostCandidates(func::FuncOp function) {
  findNeeds(function);
  findAvailable(function);
}

bool HostCandidates::contains(Value value) const {
  if (isAvailable(value))
    return true;
  if (!needed.contains(value) || !isSmall(value))
    return false;
  auto op = value.getDefiningOp<OnnxOp>();
  if (!op || op->getNumRegions() != 0)
    return true;
  return isLittleWork(op) && isExact(op);
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

void HostCandidates::need(Value value) {
  if (needed.insert(value).second)
    pending.push_back(value);
}

void HostCandidates::findNeeds(func::FuncOp function) {
  function.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (getNeed(operand) == Need::Host)
        need(operand.get());
    if (auto loop = dyn_cast<onnx::LoopOp>(op))
      need(getYield(loop.getBody()).getOperand(0));
  });
  while (!pending.empty())
    needSources(pending.pop_back_val());
}

/// To have `value`, the host needs what it is computed from; where that is much, it reads back.
void HostCandidates::needSources(Value value) {
  if (!isSmall(value))
    return;
  auto needCarried = [&](onnx::LoopOp loop, unsigned number) {
    need(loop.getVInitial()[number]);
    need(getYield(loop.getBody()).getOperand(number + 1));
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<onnx::LoopOp>(argument.getOwner()->getParentOp());
    if (loop && argument.getArgNumber() >= 2)
      needCarried(loop, argument.getArgNumber() - 2);
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<onnx::IfOp>(op)) {
    for (Region *region : {&branch.getThenBranch(), &branch.getElseBranch()})
      need(getYield(*region).getOperand(number));
  } else if (auto loop = dyn_cast<onnx::LoopOp>(op)) {
    if (number < loop.getNumCarried())
      needCarried(loop, number);
  } else if (isa<OnnxOp>(op) && op->getNumRegions() == 0 && isLittleWork(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isData(operand))
        need(operand.get());
  }
}

//===----------------------------------------------------------------------===//
// Availability
//===----------------------------------------------------------------------===//

bool HostCandidates::isAvailable(Value value) const { return !excluded.contains(value); }

void HostCandidates::exclude(Value value) {
  if (!isHostOnly(value.getType()) && !isOnBothSides(value))
    changed |= excluded.insert(value).second;
}

void HostCandidates::findAvailable(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (!needed.contains(argument))
      exclude(argument);
  do {
    changed = false;
    visitBlock(function.getBody().front());
  } while (changed);
}

void HostCandidates::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void HostCandidates::visit(Operation *op) {
  if (auto branch = dyn_cast<onnx::IfOp>(op))
    return visitIf(branch);
  if (auto loop = dyn_cast<onnx::LoopOp>(op))
    return visitLoop(loop);
  if (!isa<OnnxOp>(op))
    return;
  auto reads = [](OpOperand &operand) { return getNeed(operand) == Need::SameSide; };
  // Without data to read (a fill, a range) a kernel is as near as the host, unless the host needs
  // the result.
  bool isWanted = llvm::any_of(op->getOpOperands(), reads) ||
                  llvm::any_of(op->getResults(), [&](Value r) { return needed.contains(r); });
  bool follows = isWanted && op->getNumRegions() == 0 && llvm::all_of(op->getResults(), isSmall) &&
                 llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
                   return !reads(operand) || isAvailable(operand.get());
                 });
  if (!follows)
    for (Value result : op->getResults())
      exclude(result);
}

void HostCandidates::visitIf(onnx::IfOp branch) {
  for (Region *region : {&branch.getThenBranch(), &branch.getElseBranch()}) {
    visitBlock(region->front());
    for (auto [result, value] :
         llvm::zip_equal(branch->getResults(), getYield(*region).getOperands()))
      if (!isSmall(result) || !isAvailable(value))
        exclude(result);
  }
}

void HostCandidates::visitLoop(onnx::LoopOp loop) {
  Block &body = loop.getBody().front();
  visitBlock(body);
  for (OpResult result : loop->getResults()) {
    unsigned number = result.getResultNumber();
    if (number >= loop.getNumCarried()) {
      exclude(result);
      continue;
    }
    Value argument = body.getArgument(number + 2);
    if (!isSmall(argument) || !isAvailable(loop.getVInitial()[number]) ||
        !isAvailable(body.getTerminator()->getOperand(number + 1))) {
      exclude(argument);
      exclude(result);
    }
  }
}
