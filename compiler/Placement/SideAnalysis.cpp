// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needs flow backward, from what decides extents and branches through everything small that it is
// computed from, to the inputs: those are on the host. Availability then flows forward: what
// follows from host values and is small stays on the host, everything else is on the device. A
// chain that starts in large data is on the device to its end, where its last value is fetched;
// no costs are compared.

#include "Placement/SideAnalysis.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// Host work on more elements than this is the device's.
constexpr int64_t kMaxHostElements = 16;

bool isSmall(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  std::optional<int64_t> count =
      type && type.hasRank() ? type.getNumElements().getConstant() : std::nullopt;
  return count && *count <= kMaxHostElements;
}

/// Sequences, optionals and strings never leave the host.
bool isHostOnly(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return !tensor || isa<StringType>(tensor.getElementType());
}

} // namespace

bool cameo::isOnBothSides(Value value) {
  return isa_and_nonnull<ConstantOp, FromExtentsOp>(value.getDefiningOp());
}

bool cameo::isKernelArgument(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type && type.getNumElements().isConstant(1);
}

Need cameo::getNeed(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<BindElementsOp>(op))
    return Need::Host;
  if (!isa<OnnxOp>(op))
    return Need::Nothing;
  switch (getOperandClass(op, operand.getOperandNumber())) {
  case OperandClass::Host:
  case OperandClass::HostBound:
    return Need::Host;
  case OperandClass::DimsOnly:
    return Need::Nothing;
  case OperandClass::Data:
  case OperandClass::Param:
    // What a loop or a branch is given goes on to its region, whatever its side.
    return op->getNumRegions() == 0 ? Need::SameSide : Need::Nothing;
  }
  return Need::SameSide;
}

SideAnalysis::SideAnalysis(func::FuncOp function) {
  findNeeds(function);
  placeArguments(function);
  do {
    do {
      changed = false;
      visitBlock(function.getBody().front());
    } while (changed);
    giveBackArguments(function);
  } while (changed);
}

void SideAnalysis::need(Value value) {
  if (needed.insert(value).second)
    pending.push_back(value);
}

void SideAnalysis::findNeeds(func::FuncOp function) {
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

/// To have `value`, the host needs what it is computed from; where that is much, it fetches.
void SideAnalysis::needSources(Value value) {
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
  } else if (isa<OnnxOp>(op) && op->getNumRegions() == 0) {
    auto isData = [](OpOperand &operand) {
      return getNeed(operand) == Need::SameSide && !isOnBothSides(operand.get());
    };
    bool isCheap = llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return !isData(operand) || isSmall(operand.get());
    });
    for (OpOperand &operand : op->getOpOperands())
      if (isCheap && isData(operand))
        need(operand.get());
  }
}

Side SideAnalysis::getSide(Value value) const {
  auto found = sides.find(value);
  return found == sides.end() ? Side::Host : found->second;
}

void SideAnalysis::join(Value value, Side side) {
  auto [entry, inserted] = sides.try_emplace(value, side);
  if (!inserted && entry->second == Side::Host && side == Side::Device)
    entry->second = side;
  else if (!inserted)
    return;
  changed = true;
}

void SideAnalysis::placeArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    bool onHost = needed.contains(argument) || isHostOnly(argument.getType());
    join(argument, onHost ? Side::Host : Side::Device);
  }
}

/// Inputs that came to the host in vain: what they are needed for is computed on the device all the
/// same, since another operand is there.
void SideAnalysis::giveBackArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    bool helps = llvm::any_of(argument.getUses(), [&](OpOperand &use) {
      Operation *op = use.getOwner();
      return getNeed(use) == Need::Host || !isa<OnnxOp>(op) || op->getNumRegions() != 0 ||
             llvm::any_of(op->getResults(), [&](Value result) {
               return needed.contains(result) && getSide(result) == Side::Host;
             });
    });
    if (!helps && !isHostOnly(argument.getType()))
      join(argument, Side::Device);
  }
}

void SideAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void SideAnalysis::visit(Operation *op) {
  if (auto branch = dyn_cast<onnx::IfOp>(op)) {
    for (Region *region : {&branch.getThenBranch(), &branch.getElseBranch()}) {
      visitBlock(region->front());
      Operation *yield = region->front().getTerminator();
      for (auto [result, value] : llvm::zip_equal(op->getResults(), yield->getOperands()))
        join(result, getSide(value));
    }
    return;
  }
  if (auto loop = dyn_cast<onnx::LoopOp>(op))
    return visitLoop(loop);
  if (!isa<OnnxOp>(op) || isa<ConstantOp>(op))
    return;

  bool onDevice = false, hasData = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (getNeed(operand) != Need::SameSide)
      continue;
    hasData = true;
    onDevice |= !isOnBothSides(operand.get()) && getSide(operand.get()) == Side::Device;
  }
  // Without data to read (a fill, a range) a kernel is as near as the host, unless the host reads
  // it.
  bool hostReads =
      llvm::any_of(op->getUses(), [](OpOperand &use) { return getNeed(use) == Need::Host; });
  for (Value result : op->getResults()) {
    bool stays = !onDevice && isSmall(result) && (hasData || hostReads);
    join(result, stays || isHostOnly(result.getType()) ? Side::Host : Side::Device);
  }
}

void SideAnalysis::visitLoop(onnx::LoopOp loop) {
  Block &body = loop.getBody().front();
  auto carried = body.getArguments().drop_front(2);
  auto carriedResults = loop->getResults().take_front(loop.getNumCarried());
  join(body.getArgument(0), Side::Host);
  join(body.getArgument(1), Side::Host);
  for (auto [argument, init] : llvm::zip_equal(carried, loop.getVInitial()))
    join(argument, isOnBothSides(init) && !isSmall(init) ? Side::Device : getSide(init));
  visitBlock(body);
  OperandRange yielded = body.getTerminator()->getOperands().drop_front();
  for (auto [argument, value] : llvm::zip_equal(carried, yielded.take_front(loop.getNumCarried())))
    join(argument, getSide(value));
  for (auto [result, argument] : llvm::zip_equal(carriedResults, carried))
    join(result, getSide(argument));
  for (Value result : loop->getResults().drop_front(loop.getNumCarried()))
    join(result, isHostOnly(result.getType()) ? Side::Host : Side::Device);
}
