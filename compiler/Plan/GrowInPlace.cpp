// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that loops carry and append to along an inner axis, laid out for the last iteration: see
// Passes.td. Only types and the distances in calls change; cameo-plan-buffers then finds that the
// value is updated in place.

#include "Plan/Aliases.h"
#include "Plan/CopyKernel.h"
#include "Plan/Passes.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Dialect/Prog/IR/OutsideKernels.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_GROWINPLACEPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

/// Where a tensor lies that is the front of a larger one: the axis along which that is longer, and
/// its extent there.
struct Room {
  size_t axis;
  ExtentAttr extent;
};

SymTensorType layOut(SymTensorType type, const Room &room) {
  SmallVector<ExtentAttr> extents(type.getExtents());
  extents[room.axis] = room.extent;
  return type.withExtents(extents);
}

/// The elements of a tensor of some of its extents.
ExtentAttr countElements(SymTensorType type, ArrayRef<ExtentAttr> extents) {
  return type.withExtents(extents).getNumElements();
}

/// The room of what a view shows; nullopt where the axis is none of the view's.
std::optional<Room> findViewed(ViewOp view, const Room &room) {
  SymTensorType type = view.getType();
  ArrayRef<ExtentAttr> from = cast<SymTensorType>(view.getSource().getType()).getExtents();
  ArrayRef<ExtentAttr> to = type.getExtents();
  if (!view.getOffset().isConstant(0) || view.getType().getLayout())
    return std::nullopt;
  for (size_t axis = 0; axis < to.size(); ++axis)
    if (to[axis] == from[room.axis] &&
        countElements(type, to.take_front(axis)) ==
            countElements(type, from.take_front(room.axis)) &&
        countElements(type, to.drop_front(axis + 1)) ==
            countElements(type, from.drop_front(room.axis + 1)))
      return Room{axis, room.extent};
  return std::nullopt;
}

/// The distance of neighbours along an axis of a dense tensor.
ExtentAttr getDistance(SymTensorType type, size_t axis) {
  return countElements(type, type.getExtents().drop_front(axis + 1));
}

/// The distance in the room for one in the dense tensor; null where it is along no axis.
ExtentAttr moveDistance(ExtentAttr distance, SymTensorType type, const Room &room) {
  if (distance.isConstant(0))
    return distance;
  for (size_t axis = 0; axis < type.getExtents().size(); ++axis)
    if (distance == getDistance(type, axis))
      return getDistance(layOut(type, room), axis);
  return {};
}

/// The record's operand of input `number`.
const TemplateOperand *findInput(CallOp call, unsigned number) {
  const KernelTemplate *kernel = findTemplate(call.getCallee());
  if (!kernel)
    return nullptr;
  for (const TemplateOperand &operand : kernel->operands)
    if (operand.isInput() && number-- == 0)
      return &operand;
  return nullptr;
}

/// The changes where a value lies in a room.
class Relocation {
public:
  /// Has `value` lie in `room`; false where one of its readers could not read it there. `isWriter`:
  /// uses that are no reader's.
  bool add(Value value, const Room &room, llvm::function_ref<bool(OpOperand &)> isWriter) {
    values.push_back({value, room});
    return llvm::all_of(value.getUses(),
                        [&](OpOperand &use) { return isWriter(use) || addReader(use, room); });
  }

  bool addReader(OpOperand &use, const Room &room) {
    Operation *reader = use.getOwner();
    if (auto view = dyn_cast<ViewOp>(reader)) {
      std::optional<Room> viewed = findViewed(view, room);
      return viewed && add(view, *viewed, [](OpOperand &) { return false; });
    }
    if (auto call = dyn_cast<CallOp>(reader))
      return addInput(call, use, room);
    auto kernel = dyn_cast<KernelOp>(reader);
    return isa<LoadOp, StoreOp>(reader) ||
           (kernel && use.getOperandNumber() < kernel.getIns().size());
  }

  void apply() {
    for (auto &[call, member, distance] : distances) {
      NamedAttrList params(call.getParams());
      params.set(member, distance);
      call.setParamsAttr(params.getDictionary(call.getContext()));
    }
    for (auto [value, room] : values)
      value.setType(layOut(cast<SymTensorType>(value.getType()), room));
  }

private:
  struct Distances {
    CallOp call;
    StringRef member;
    ArrayAttr values;
  };

  bool addInput(CallOp call, OpOperand &use, const Room &room) {
    if (use.getOperandNumber() >= call.getIns().size())
      return false;
    const TemplateOperand *input = findInput(call, use.getOperandNumber());
    auto type = cast<SymTensorType>(use.get().getType());
    if (!input || input->distances.empty() || !liesTogether(call, *input, type, room))
      return false;
    auto given = call.getParams().getAs<ArrayAttr>(input->distances);
    if (!given)
      return true;
    SmallVector<Attribute> moved;
    for (ExtentAttr distance : given.getAsRange<ExtentAttr>()) {
      moved.push_back(moveDistance(distance, type, room));
      if (!moved.back())
        return false;
    }
    distances.push_back({call, input->distances, ArrayAttr::get(call.getContext(), moved)});
    return true;
  }

  /// Whether a part that the call reads is one in the room too: all behind an axis that is the
  /// room's or an inner one.
  static bool liesTogether(CallOp call, const TemplateOperand &input, SymTensorType type,
                           const Room &room) {
    ExtentAttr part = input.part(CallFacts(call, *findTemplate(call.getCallee())));
    for (size_t axis = room.axis; axis < type.getExtents().size(); ++axis)
      if (part == type.getExtents()[axis] * getDistance(type, axis))
        return true;
    return part.isConstant(1);
  }

  SmallVector<std::pair<Value, Room>> values;
  SmallVector<Distances> distances;
};

/// A value that a loop carries and appends to.
class Growth {
public:
  Growth(LoopOp loop, unsigned number)
      : loop(loop), number(number), current(loop.getBody().getArgument(number)) {}

  /// Whether it grows along an inner axis, to an extent that is known in front of the loop, and the
  /// body can read it in its room.
  bool find(const SymbolAnalysis &symbols) {
    return findRoom(symbols) && findParts() && isBegun() && findResults() && relocate();
  }
  void apply();

private:
  bool findRoom(const SymbolAnalysis &symbols);
  bool findParts();
  bool isBegun();
  bool findResults();
  bool relocate();
  void applyBehind(ViewOp result);

  LoopOp loop;
  unsigned number;
  BlockArgument current;
  Room room;
  /// The parts of the next value, as they are written: the last one is this value.
  SmallVector<OpResult> parts;
  /// The value behind the loop, with the extents that it has there.
  SmallVector<ViewOp> results;
  Relocation inBody;
};

bool Growth::findRoom(const SymbolAnalysis &symbols) {
  auto type = dyn_cast<SymTensorType>(current.getType());
  auto next = dyn_cast<SymTensorType>(getNextValue(loop, number).get().getType());
  if (!type || !next || !type.hasRank() || type.getLayout() || next.getRank() != type.getRank())
    return false;
  SmallVector<size_t> growing;
  for (auto [axis, extents] :
       llvm::enumerate(llvm::zip_equal(type.getExtents(), next.getExtents())))
    if (std::get<0>(extents) != std::get<1>(extents))
      growing.push_back(axis);
  auto isOne = [](ExtentAttr extent) { return extent.isConstant(1); };
  if (growing.size() != 1 || llvm::all_of(type.getExtents().take_front(growing.front()), isOne))
    return false;
  ExtentAttr extent = type.getExtents()[growing.front()];
  room = {growing.front(), symbols.getBound(symbols.getLoopBound(extent), loop)};
  return symbols.areKnownBefore(room.extent, loop);
}

/// The next value is written in parts, in the body, and nothing looks at it in between.
bool Growth::findParts() {
  Value value = getNextValue(loop, number).get();
  for (Value dest; (dest = getTiedDestination(value)); value = dest) {
    if (value.getParentBlock() != current.getOwner() || (!parts.empty() && !value.hasOneUse()))
      return false;
    parts.push_back(cast<OpResult>(value));
  }
  return value.getDefiningOp<EmptyOp>() && value.hasOneUse() && parts.size() > 1;
}

/// Whether the first part is a copy of what is carried, which nothing else reads.
bool Growth::isBegun() {
  auto kernel = dyn_cast<KernelOp>(parts.back().getOwner());
  if (!kernel || !current.hasOneUse() || kernel->getNumResults() != 1 ||
      !llvm::equal(kernel.getIns(), ValueRange{current}) ||
      !kernel.getInputMaps().front().isIdentity() || !kernel.getOutputMaps().front().isIdentity())
    return false;
  Block *body = kernel.getBodyBlock();
  return body->getTerminator()->getOperand(0) == body->getArgument(0) &&
         llvm::equal(kernel.getExtents().getAsRange<ExtentAttr>(),
                     cast<SymTensorType>(current.getType()).getExtents());
}

/// The result has the extents of the first value; whoever reads it does so under its own.
bool Growth::findResults() {
  for (Operation *user : loop->getResult(number).getUsers()) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view || !view.getOffset().isConstant(0) ||
        view.getType().getRank() != view.getSource().getType().getRank() ||
        layOut(cast<SymTensorType>(view.getSource().getType()), room) !=
            layOut(view.getType(), room))
      return false;
    results.push_back(view);
  }
  return true;
}

bool Growth::relocate() {
  return inBody.add(parts.front(), room,
                    [&](OpOperand &use) { return &use == &getNextValue(loop, number); });
}

void Growth::apply() {
  Value init = loop.getInits()[number];
  auto type = cast<SymTensorType>(init.getType());
  OpBuilder builder(loop);
  Value begun = createCopy(builder, init, layOut(type, room), type.getExtents());
  loop.getInitsMutable()[number].assign(begun);
  inBody.apply();
  SymTensorType laidOut = layOut(cast<SymTensorType>(current.getType()), room);
  current.setType(laidOut);
  loop->getResult(number).setType(laidOut);
  for (ViewOp result : results)
    applyBehind(result);
  Operation *copies = parts.pop_back_val().getOwner(), *empty = nullptr;
  empty = cast<KernelOp>(copies).getDests().front().getDefiningOp();
  for (OpResult part : parts)
    part.setType(laidOut);
  copies->getResult(0).replaceAllUsesWith(current);
  copies->erase();
  empty->erase();
}

/// Who can reads it where it lies behind the loop too; one copy is for all others.
void Growth::applyBehind(ViewOp result) {
  SmallVector<OpOperand *> others;
  Relocation behind;
  for (OpOperand &use : result->getUses()) {
    Relocation with = behind;
    if (with.addReader(use, room))
      behind = std::move(with);
    else
      others.push_back(&use);
  }
  behind.apply();
  if (!others.empty()) {
    OpBuilder builder(result);
    SymTensorType type = result.getType();
    Value dense = createCopy(builder, result.getSource(), type, type.getExtents());
    for (OpOperand *use : others)
      use->set(dense);
  }
  result.replaceAllUsesWith(result.getSource());
  result.erase();
}

struct GrowInPlacePass : cameo::impl::GrowInPlacePassBase<GrowInPlacePass> {
  using GrowInPlacePassBase::GrowInPlacePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<LoopOp> loops;
      walkOutsideKernels(function, [&](LoopOp loop) { loops.push_back(loop); });
      if (loops.empty())
        continue;
      SymbolAnalysis symbols(function);
      for (LoopOp loop : loops)
        for (unsigned number = 0; number < loop.getInits().size(); ++number)
          if (Growth growth(loop, number); growth.find(symbols)) {
            growth.apply();
            ++numGrowing;
          }
    }
  }
};

} // namespace
