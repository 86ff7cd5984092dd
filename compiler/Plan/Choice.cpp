// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Choice.h"

#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Plan/DeviceWork.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

void Choice::forEachOp(llvm::function_ref<void(Operation *)> visit) const {
  for (AwaitOp await : awaits) {
    visit(await.getTicket().getDefiningOp());
    visit(await);
  }
  for (ViewOp view : views)
    visit(view);
  for (const AwaitedElement &element : elements)
    visit(element.element);
  for (Operation *scalar : scalars)
    visit(scalar);
}

//===----------------------------------------------------------------------===//
// One condition
//===----------------------------------------------------------------------===//

/// Looks through views, of a list that several values share, and takes these.
static bool collectElement(ElementOp element, Choice &choice) {
  std::optional<int64_t> offset = element.getOffset().getConstant();
  Value tensor = element.getTensor();
  for (ViewOp view; (view = tensor.getDefiningOp<ViewOp>()); tensor = view.getSource()) {
    std::optional<int64_t> more = view.getOffset().getConstant();
    if (!offset || !more)
      return false;
    *offset += *more;
    if (!llvm::is_contained(choice.views, view))
      choice.views.push_back(view);
  }
  auto await = tensor.getDefiningOp<AwaitOp>();
  if (!await || await.getChooses() || !offset)
    return false;
  auto type = cast<SymTensorType>(await.getType());
  if (type.getLayout() || !type.getNumElements().isConstant())
    return false;
  choice.elements.push_back({element, await, *offset});
  if (!llvm::is_contained(choice.awaits, await))
    choice.awaits.push_back(await);
  return true;
}

/// Takes a scalar and what it is computed from; false where the host has any of it from anywhere
/// but the device.
static bool collectScalar(Value value, Choice &choice) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<SConstantOp>(op) || llvm::is_contained(choice.scalars, op))
    return op != nullptr;
  if (auto element = dyn_cast<ElementOp>(op)) {
    bool isTaken = llvm::any_of(choice.elements,
                                [&](const AwaitedElement &e) { return e.element == element; });
    return isTaken || collectElement(element, choice);
  }
  if (!isa<ScalarOpInterface>(op) ||
      !llvm::all_of(op->getOperands(), [&](Value v) { return collectScalar(v, choice); }))
    return false;
  choice.scalars.push_back(op);
  return true;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

Choices::Choices(Operation *root) {
  collect(root);
  while (IfOp shared = findShared()) {
    excluded.insert(shared);
    collect(root);
  }
}

void Choices::collect(Operation *root) {
  choices.clear();
  ops.clear();
  root->walk([&](IfOp branch) {
    std::optional<Choice> choice = excluded.contains(branch) ? std::nullopt : find(branch);
    if (!choice)
      return;
    ops.insert(branch);
    choice->forEachOp([&](Operation *op) { ops.insert(op); });
    choices.push_back(std::move(*choice));
  });
}

std::optional<Choice> Choices::find(IfOp branch) const {
  auto isDeviceTensor = [](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    return tensor && tensor.isDevice();
  };
  bool areCounted = getCountedSymbols(branch).size() == branch.getSymbols().size();
  if (!areCounted || !llvm::all_of(branch->getResultTypes(), isDeviceTensor))
    return std::nullopt;
  for (Region &region : branch->getRegions())
    if (!llvm::all_of(region.front(), [&](Operation &op) { return isWorkOfDevice(&op); }))
      return std::nullopt;
  Choice choice;
  choice.branch = branch;
  if (!collectScalar(branch.getCondition(), choice) || choice.awaits.empty())
    return std::nullopt;
  // One place to compute the condition at, where the last of its operands is made; and one choice
  // for each time that it is asked for.
  Operation *asked = choice.awaits.front().getTicket().getDefiningOp();
  bool isOneBlock = llvm::all_of(choice.awaits, [&](AwaitOp await) {
    return await.getTicket().getDefiningOp()->getBlock() == asked->getBlock();
  });
  if (asked->getParentOfType<LoopOp>() != branch->getParentOfType<LoopOp>())
    return std::nullopt;
  return isOneBlock ? std::optional(choice) : std::nullopt;
}

IfOp Choices::findShared() const {
  for (const Choice &choice : choices) {
    bool isShared = false;
    choice.forEachOp([&](Operation *op) {
      isShared |= !llvm::all_of(op->getUsers(), [&](Operation *user) { return contains(user); });
    });
    if (isShared)
      return choice.branch;
  }
  return {};
}

bool Choices::isWorkOfDevice(Operation *op) const {
  auto definition = dyn_cast<DefineOp>(op);
  return contains(op) || isDeviceWork(op) || isa<CountOp>(op) ||
         (definition && !definition.getChecked());
}

bool cameo::waitsForChoicesOnly(func::FuncOp function, const Choices &choices) {
  WalkResult walked = walkOutsideKernels(function, [&](AwaitOp await) {
    return choices.contains(await) || isInRepetition(await) ? WalkResult::advance()
                                                            : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}
