// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition on the device makes the host wait, and a run that waits cannot be captured. Where
// conditions are all that it waits for, the device can choose: see Passes.td.

#include "Plan/Choice.h"
#include "Plan/Passes.h"

#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/ExtentKernel.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_CHOOSEONDEVICEPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

struct ChooseOnDevicePass : cameo::impl::ChooseOnDevicePassBase<ChooseOnDevicePass> {
  using ChooseOnDevicePassBase::ChooseOnDevicePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      choose(function);
  }

private:
  /// By the condition as the host computed it.
  DenseMap<Value, AwaitOp> asked;
  /// Ops that the host has no reason for any more.
  llvm::SetVector<Operation *> left;

  void choose(func::FuncOp function) {
    Choices choices(function);
    bool chooses = waitsForChoicesOnly(function, choices);
    for (const Choice &choice : choices.get())
      if (chooses || isInRepetition(choice.branch))
        leaveToDevice(choice);
    eraseUnused();
  }

  /// The condition as a tensor of the device, fetched where it is made and awaited where it is
  /// first needed.
  void leaveToDevice(const Choice &choice) {
    IfOp branch = choice.branch;
    AwaitOp &await = asked[branch.getCondition()];
    if (!await)
      await = ask(choice);
    Operation *first = await->getBlock()->findAncestorOpInBlock(*branch);
    if (first->isBeforeInBlock(await))
      await->moveBefore(first);
    OpBuilder builder(branch);
    SymTensorType type = await.getType();
    branch.getConditionMutable().assign(ElementOp::create(builder, await.getLoc(),
                                                          type.getElementType(), await,
                                                          ExtentAttr::constant(&getContext(), 0)));
    choice.forEachOp([&](Operation *op) { left.insert(op); });
    ++numChoices;
  }

  AwaitOp ask(const Choice &choice) {
    Operation *fetch = getLastFetch(choice);
    OpBuilder builder(fetch);
    Value condition = makeCondition(builder, choice);
    auto type = cast<SymTensorType>(condition.getType());
    AwaitOp first = choice.awaits.front();
    Location location = first.getLoc();
    Value ticket =
        FetchOp::create(builder, location, TicketType::get(&getContext(), type), condition);
    builder.setInsertionPoint(fetch->getBlock()->findAncestorOpInBlock(*choice.branch));
    auto await = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    await.setChooses(true);
    return await;
  }

  static Operation *getLastFetch(const Choice &choice) {
    Operation *last = nullptr;
    for (AwaitOp await : choice.awaits) {
      Operation *fetch = await.getTicket().getDefiningOp();
      if (!last || last->isBeforeInBlock(fetch))
        last = fetch;
    }
    return last;
  }

  /// Conditions may share what they are computed from.
  void eraseUnused() {
    bool changed = true;
    while (std::exchange(changed, false))
      for (Operation *op : llvm::to_vector(llvm::reverse(left)))
        if (op->use_empty()) {
          left.remove(op);
          op->erase();
          changed = true;
        }
    left.clear();
    asked.clear();
  }

  /// A kernel of one point, which reads each element that the condition is computed from; what is
  /// fetched already, where that is the condition.
  static Value makeCondition(OpBuilder &builder, const Choice &choice) {
    Value condition = choice.branch->getOperand(0);
    MLIRContext *context = builder.getContext();
    SmallVector<AffineMap> maps;
    SmallVector<Value> operands;
    for (AwaitedElement awaited : choice.elements) {
      Value source = awaited.await.getAwaited();
      auto type = cast<SymTensorType>(source.getType());
      if (awaited.element == condition.getDefiningOp() && type.getRank() == 0)
        return source;
      operands.push_back(source);
      maps.push_back(getMapTo(awaited.offset, type));
    }
    auto type = SymTensorType::get({}, condition.getType(), Side::Device);
    Location location = condition.getLoc();
    auto kernel = KernelOp::create(builder, location, TypeRange{type}, operands, ValueRange{},
                                   builder.getArrayAttr({}), builder.getAffineMapArrayAttr(maps),
                                   builder.getAffineMapArrayAttr({AffineMap::get(0, 0, context)}),
                                   builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
    OpBuilder::InsertionGuard guard(builder);
    Block &body = kernel.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&body);
    IRMapping inside;
    for (AwaitedElement awaited : choice.elements) {
      ElementOp element = awaited.element;
      inside.map(element.getResult(), body.addArgument(element.getType(), element.getLoc()));
    }
    for (Operation *scalar : choice.scalars) {
      for (Value operand : scalar->getOperands())
        if (auto constant = operand.getDefiningOp<SConstantOp>();
            constant && !inside.contains(operand))
          builder.clone(*constant, inside);
      builder.clone(*scalar, inside);
    }
    YieldOp::create(builder, location, ValueRange{inside.lookup(condition)});
    return kernel.getResult(0);
  }

  /// From no dimension to the element at `offset`.
  static AffineMap getMapTo(int64_t offset, SymTensorType type) {
    SmallVector<int64_t> shape = llvm::map_to_vector(
        type.getExtents(), [](ExtentAttr extent) { return *extent.getConstant(); });
    MLIRContext *context = type.getContext();
    return AffineMap::get(
        0, 0, getAffineConstantExprs(delinearize(offset, computeStrides(shape)), context), context);
  }
};

} // namespace
