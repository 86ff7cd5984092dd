// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition on the device makes the host wait, and a run that waits cannot be captured. Where
// conditions are all that it waits for, the device can choose: see Passes.td.

#include "Plan/DeviceWork.h"
#include "Plan/Passes.h"

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Dialect/Prog/IR/ProgDialect.h"
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

/// An element of what the host has waited for.
struct AwaitedElement {
  ElementOp element;
  AwaitOp await;
  /// In row-major order.
  int64_t offset;
};

/// A `prog.if` and what the host computes for its condition only.
struct Choice {
  IfOp branch;
  SmallVector<AwaitOp> awaits;
  SmallVector<ViewOp> views;
  SmallVector<AwaitedElement> elements;
  /// Scalars, each behind its operands.
  SmallVector<Operation *> scalars;

  bool reads(Operation *op) const {
    return llvm::any_of(elements, [&](const AwaitedElement &e) { return e.element == op; });
  }
};

class ChoiceFinder {
public:
  /// All of them, inner ones first; none where the host waits for anything else.
  std::vector<Choice> find(func::FuncOp main);

private:
  std::optional<Choice> find(IfOp branch);
  bool collect(Value value, Operation *user, Choice &choice);
  static std::optional<AwaitedElement> findAwaited(ElementOp element);
  static bool isReadBy(Value tensor, Choice &choice);
  bool isWorkOfDevice(Operation *op) const;

  /// What becomes of the choices found so far.
  llvm::DenseSet<Operation *> chosen;
};

} // namespace

std::vector<Choice> ChoiceFinder::find(func::FuncOp main) {
  std::vector<Choice> choices;
  main.walk([&](IfOp branch) {
    if (std::optional<Choice> choice = find(branch)) {
      chosen.insert(branch);
      for (AwaitOp await : choice->awaits)
        chosen.insert_range(ArrayRef<Operation *>{await, await.getTicket().getDefiningOp()});
      chosen.insert_range(choice->views);
      for (const AwaitedElement &element : choice->elements)
        chosen.insert(element.element);
      choices.push_back(std::move(*choice));
    }
  });
  WalkResult walked = walkOutsideKernels(main, [&](AwaitOp await) {
    return chosen.contains(await) || await.getChooses() ? WalkResult::advance()
                                                        : WalkResult::interrupt();
  });
  return walked.wasInterrupted() ? std::vector<Choice>() : choices;
}

std::optional<Choice> ChoiceFinder::find(IfOp branch) {
  Choice choice;
  choice.branch = branch;
  auto isDeviceTensor = [](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    return tensor && tensor.isDevice();
  };
  if (!branch.getSymbols().empty() || !llvm::all_of(branch->getResultTypes(), isDeviceTensor))
    return std::nullopt;
  for (Region &region : branch->getRegions())
    if (!llvm::all_of(region.front(), [&](Operation &op) { return isWorkOfDevice(&op); }))
      return std::nullopt;
  if (!collect(branch.getCondition(), branch, choice) || choice.awaits.empty())
    return std::nullopt;
  for (AwaitOp await : choice.awaits)
    if (!isReadBy(await.getOutput(), choice))
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

/// Takes a scalar that only `user` reads, and what it is computed from; false where the host needs
/// any of it elsewhere, or has it from anywhere but the device.
bool ChoiceFinder::collect(Value value, Operation *user, Choice &choice) {
  Operation *op = value.getDefiningOp();
  if (!op || !llvm::all_of(value.getUsers(), [&](Operation *other) { return other == user; }))
    return isa_and_nonnull<SConstantOp>(op);
  if (isa<SConstantOp>(op) || choice.reads(op) || llvm::is_contained(choice.scalars, op))
    return true;
  if (auto element = dyn_cast<ElementOp>(op)) {
    std::optional<AwaitedElement> awaited = findAwaited(element);
    if (!awaited)
      return false;
    choice.elements.push_back(*awaited);
    if (!llvm::is_contained(choice.awaits, awaited->await))
      choice.awaits.push_back(awaited->await);
    return true;
  }
  if (!isa<ScalarOpInterface>(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, op, choice))
      return false;
  choice.scalars.push_back(op);
  return true;
}

/// Looks through views, of a list that several values share.
std::optional<AwaitedElement> ChoiceFinder::findAwaited(ElementOp element) {
  std::optional<int64_t> offset = element.getOffset().getConstant();
  Value tensor = element.getTensor();
  for (ViewOp view; (view = tensor.getDefiningOp<ViewOp>()); tensor = view.getSource()) {
    std::optional<int64_t> more = view.getOffset().getConstant();
    if (!offset || !more)
      return std::nullopt;
    *offset += *more;
  }
  auto await = tensor.getDefiningOp<AwaitOp>();
  if (!await || !offset)
    return std::nullopt;
  auto type = cast<SymTensorType>(await.getType());
  if (type.getLayout() || !type.getNumElements().isConstant())
    return std::nullopt;
  return AwaitedElement{element, await, *offset};
}

/// Whether nothing but the choice reads the tensor; takes its views.
bool ChoiceFinder::isReadBy(Value tensor, Choice &choice) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view)
      return choice.reads(user);
    choice.views.push_back(view);
    return isReadBy(view.getOutput(), choice);
  });
}

/// Whether the host only enqueues it, in a branch that may not be taken.
bool ChoiceFinder::isWorkOfDevice(Operation *op) const {
  return chosen.contains(op) || isDeviceWork(op);
}

namespace {

struct ChooseOnDevicePass : cameo::impl::ChooseOnDevicePassBase<ChooseOnDevicePass> {
  using ChooseOnDevicePassBase::ChooseOnDevicePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (const Choice &choice : ChoiceFinder().find(function))
        leaveToDevice(choice);
  }

private:
  /// The condition as a tensor of the device, fetched where it is made and awaited where it is
  /// needed.
  void leaveToDevice(const Choice &choice) {
    IfOp branch = choice.branch;
    OpBuilder builder(getLastFetch(choice));
    Value condition = makeCondition(builder, choice);
    auto type = cast<SymTensorType>(condition.getType());
    AwaitOp first = choice.awaits.front();
    Location location = first.getLoc();
    Value ticket =
        FetchOp::create(builder, location, TicketType::get(&getContext(), type), condition);
    builder.setInsertionPoint(branch);
    auto await = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    await.setChooses(true);
    branch.getConditionMutable().assign(ElementOp::create(
        builder, location, type.getElementType(), await, ExtentAttr::constant(&getContext(), 0)));
    erase(choice);
    ++numChoices;
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

  static void erase(const Choice &choice) {
    for (Operation *scalar : llvm::reverse(choice.scalars))
      scalar->erase();
    for (AwaitedElement element : choice.elements)
      element.element.erase();
    for (ViewOp view : llvm::reverse(choice.views))
      view.erase();
    for (AwaitOp await : choice.awaits) {
      Operation *fetch = await.getTicket().getDefiningOp();
      await.erase();
      fetch->erase();
    }
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
