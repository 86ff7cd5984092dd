// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/ChoosingLoops.h"

#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Plan/Choice.h"
#include "Plan/Repetition.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// The same loop, with or without a condition; what the body yields is the caller's.
static LoopOp replace(LoopOp loop, Value condition) {
  OpBuilder builder(loop);
  auto fresh =
      LoopOp::create(builder, loop.getLoc(), loop->getResultTypes(), loop.getTripCount(), condition,
                     loop.getInits(), loop.getIv(), loop.getTripAttr(), loop.getCountAttr(),
                     loop.getSymbolsAttr(), loop.getInitExtentsAttr());
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  fresh.getBody().takeBody(loop.getBody());
  loop->replaceAllUsesWith(fresh);
  loop->erase();
  return fresh;
}

/// A bool of the device that is true, as the host gets it.
static Value askForTrue(OpBuilder &builder, Location location) {
  MLIRContext *context = builder.getContext();
  auto type = SymTensorType::get({}, builder.getI1Type(), Side::Device);
  auto kernel = KernelOp::create(builder, location, TypeRange{type}, ValueRange{}, ValueRange{},
                                 builder.getArrayAttr({}), builder.getAffineMapArrayAttr({}),
                                 builder.getAffineMapArrayAttr({AffineMap::get(0, 0, context)}),
                                 builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&kernel.getBody());
    Value holds = SConstantOp::create(builder, location, builder.getBoolAttr(true));
    YieldOp::create(builder, location, ValueRange{holds});
  }
  Value ticket =
      FetchOp::create(builder, location, TicketType::get(context, type), kernel.getResult(0));
  Value await = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
  return ElementOp::create(builder, location, type.getElementType(), await,
                           ExtentAttr::constant(context, 0));
}

/// The kernel that makes the bool by which a loop goes on, where that always holds.
static KernelOp findAlwaysTrue(LoopOp loop) {
  if (!loop.getCondition())
    return {};
  auto element = loop.getBody().front().getTerminator()->getOperand(0).getDefiningOp<ElementOp>();
  auto await = element ? element.getTensor().getDefiningOp<AwaitOp>() : AwaitOp();
  auto kernel = await ? await.getAwaited().getDefiningOp<KernelOp>() : KernelOp();
  if (!kernel || !kernel->hasOneUse() || !await->hasOneUse() || !element->hasOneUse())
    return {};
  Value holds = kernel.getBodyBlock()->getTerminator()->getOperand(0);
  auto constant = holds.getDefiningOp<SConstantOp>();
  bool isTrue = constant && constant.getValue() == BoolAttr::get(loop.getContext(), true);
  return isTrue ? kernel : KernelOp();
}

static LoopOp addEnd(LoopOp loop) {
  OpBuilder builder(loop);
  Value holds = SConstantOp::create(builder, loop.getLoc(), builder.getBoolAttr(true));
  LoopOp ending = replace(loop, holds);
  Operation *yield = ending.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  yield->insertOperands(0, askForTrue(builder, ending.getLoc()));
  return ending;
}

static void dropEnd(LoopOp loop, KernelOp always) {
  Operation *yield = loop.getBody().front().getTerminator();
  Operation *element = yield->getOperand(0).getDefiningOp();
  auto await = cast<ElementOp>(element).getTensor().getDefiningOp<AwaitOp>();
  Operation *fetch = await.getTicket().getDefiningOp();
  yield->eraseOperand(0);
  for (Operation *gone : {element, await.getOperation(), fetch, always.getOperation()})
    gone->erase();
  replace(loop, {});
}

/// Whether the host waits in each iteration, and only for branches that the device could choose.
static bool waitsForChoices(LoopOp loop) {
  std::optional<int64_t> trips =
      loop.getTrip() ? loop.getTripAttr().getConstant() : std::optional<int64_t>();
  if (loop.getCondition() || isRepeated(loop) || isInRepetition(loop) || trips == 1)
    return false;
  Choices choices(loop);
  bool waits = false;
  WalkResult walked = walkOutsideKernels(loop, [&](AwaitOp await) {
    waits = true;
    return choices.contains(await) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return waits && !walked.wasInterrupted();
}

void cameo::repeatChoosingLoops(func::FuncOp function) {
  SmallVector<LoopOp> loops;
  walkOutsideKernels(function, [&](LoopOp loop) {
    if (waitsForChoices(loop))
      loops.push_back(loop);
  });
  for (LoopOp loop : loops) {
    LoopOp ending = addEnd(loop);
    if (findEnd(ending))
      setRepeated(ending, true);
    else
      leaveToHost(ending);
  }
}

void cameo::leaveToHost(LoopOp loop) {
  setRepeated(loop, false);
  if (KernelOp always = findAlwaysTrue(loop))
    dropEnd(loop, always);
}
