// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/HostCandidates.h"

#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/Repetition.h"
#include "Dialect/ONNX/IR/ScalarBody.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// Whether the operator reads this operand's elements, and they are on one side only.
bool isData(OpOperand &operand) {
  return getNeed(operand) == Need::SameSide && !isOnBothSides(operand.get());
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

/// For what symbols are wanted: an operand that the host reads and that is made of them, or else
/// the first operator with such extents.
class SymbolDemands {
public:
  /// `needed` has the extents that the host reads.
  template <class Needed> SymbolDemands(func::FuncOp function, const Needed &needed) {
    for (auto &entry : needed)
      if (auto extents = entry.first.template getDefiningOp<FromExtentsOp>())
        uses.forEach(extents, [&](StringRef symbol) {
          users[symbol].push_back({extents, entry.first});
        });
    followDefinitions(function);
    function.walk([&](OnnxOp op) {
      uses.forEach(op, [&](StringRef symbol) {
        users.try_emplace(symbol, SmallVector<User, 1>{{op, {}}});
      });
    });
    followDefinitions(function);
  }

  /// All that is made of the symbols; by the op itself where nothing is.
  SmallVector<Demand> get(BindElementsOp bind) const {
    SmallVector<Demand> found;
    for (auto symbol : bind.getSymbols().getAsRange<SymbolAttr>())
      if (auto known = users.find(symbol.getName()); known != users.end())
        for (User user : known->second)
          found.push_back(makeDemand(user, symbol.getName()));
    if (found.empty())
      found.push_back(makeDemand({bind, {}}, cast<SymbolAttr>(bind.getSymbols()[0]).getName()));
    return found;
  }

private:
  /// An op that is made of a symbol, and its result where the host asks for that.
  using User = std::pair<Operation *, Value>;

  static Demand makeDemand(User user, StringRef symbol) {
    return {DemandKind::Symbol, user.first, symbol, OperandClass::Data, user.second};
  }

  /// A demand on a symbol is one on the symbols that define it, which are earlier. One way on is
  /// enough: all of them, through definitions of definitions, would be too many.
  void followDefinitions(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder, ReverseIterator>([&](DefineOp definition) {
      auto found = users.find(definition.getSymbol().getName());
      if (found == users.end())
        return;
      User user = found->second.front();
      for (StringRef symbol : uses.get(definition.getExtent()))
        users.try_emplace(symbol, SmallVector<User, 1>{user});
    });
  }

  SymbolUses uses;
  DenseMap<StringRef, SmallVector<User, 1>> users;
};

} // namespace

HostCandidates::HostCandidates(func::FuncOp function) : symbols(function) {
  findNeeds(function);
  findAvailable(function);
}

std::optional<int64_t> HostCandidates::getLikelyCount(Value value) const {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type ? symbols.getLikely(type.getNumElements()) : std::nullopt;
}

bool HostCandidates::isSmall(Value value) const {
  std::optional<int64_t> count = getLikelyCount(value);
  return count && *count <= core::kMaxHostElements;
}

Value HostCandidates::findLarge(Operation *op) const {
  for (Value result : op->getResults())
    if (!isSmall(result))
      return result;
  for (OpOperand &operand : op->getOpOperands())
    if (isData(operand) && !isSmall(operand.get()))
      return operand.get();
  return {};
}

std::optional<Obstacle> HostCandidates::findObstacle(Value value) const {
  if (isOfRepetition(value) && !isOnBothSides(value))
    return Obstacle{SideCause::Carried, {}};
  if (isAvailable(value))
    return std::nullopt;
  auto op = value.getDefiningOp<OnnxOp>();
  if (op && op.getOwnSide())
    return Obstacle{SideCause::External, {}};
  bool isComputed = op && op->getNumRegions() == 0;
  if (!needed.contains(value))
    return Obstacle{SideCause::Unasked, isComputed ? findUnavailable(op) : Value()};
  if (!isSmall(value))
    return Obstacle{SideCause::Large, value};
  if (!isComputed)
    return std::nullopt;
  if (Value large = findLarge(op))
    return Obstacle{SideCause::Large, large};
  if (!isExact(op))
    return Obstacle{SideCause::Inexact, {}};
  return std::nullopt;
}

ArrayRef<Demand> HostCandidates::getDemands(Value value) const {
  auto found = needed.find(value);
  return found == needed.end() ? ArrayRef<Demand>() : found->second;
}

ArrayRef<Demand> HostCandidates::getDemands(BindElementsOp bind) const {
  return bindDemands.find(bind)->second;
}

Demand cameo::makeDemand(OpOperand &operand, Value next) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  // A check, for which either side does.
  if (isa<AssertOp>(op))
    return {DemandKind::Operand, op, "tensor", OperandClass::HostBound, next};
  if (!isa<onnx::YieldOp>(op))
    return {DemandKind::Operand, op, getOperandName(op, number), getOperandClass(op, number), next};
  auto parent = cast<OnnxOp>(op->getParentOp());
  // A body yields its loop's condition in front of the states.
  if (isa<onnx::LoopOp>(parent) && number == 0)
    return {DemandKind::Operand, parent, parent.getOperandInfos()[1].name, OperandClass::Host,
            next};
  StringRef region = parent.getRegionNames()[op->getParentRegion()->getRegionNumber()];
  return {DemandKind::Yield, parent, region, OperandClass::Data, next};
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

void HostCandidates::findNeeds(func::FuncOp function) {
  function.walk([&](Operation *op) {
    // The demands on symbols are found below.
    if (isa<BindElementsOp>(op))
      return;
    bool isOnHost = isa<OnnxOp>(op) && getRequiredSide(op) == Side::Host;
    for (OpOperand &operand : op->getOpOperands())
      if ((isa<OnnxOp>(op) && getNeed(operand) == Need::Host) || isBound(operand) ||
          (isOnHost && getNeed(operand) == Need::SameSide))
        need(operand.get(), makeDemand(operand));
    if (auto loop = dyn_cast<onnx::LoopOp>(op); loop && !isRepeated(loop)) {
      OpOperand &condition = getYield(loop.getBody())->getOpOperand(0);
      need(condition.get(), makeDemand(condition));
    }
  });
  SymbolDemands symbols(function, needed);
  function.walk([&](BindElementsOp bind) {
    bindDemands[bind] = symbols.get(bind);
    for (const Demand &demand : bindDemands[bind])
      need(bind.getTensor(), demand);
  });
  for (size_t next = 0; next < needed.size(); ++next)
    needSources(needed.getArrayRef()[next].first);
}

/// To have `value`, the host needs what it is computed from; where that is much, it reads back.
void HostCandidates::needSources(Value value) {
  if (!isSmall(value))
    return;
  auto needOperand = [&](OpOperand &operand) { need(operand.get(), makeDemand(operand, value)); };
  auto needYielded = [&](Region &region, unsigned number) {
    needOperand(getYield(region)->getOpOperand(number));
  };
  auto needCarried = [&](onnx::LoopOp loop, unsigned number) {
    needOperand(loop.getVInitialMutable()[number]);
    needYielded(loop.getBody(), number + 1);
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
      needYielded(*region, number);
  } else if (auto loop = dyn_cast<onnx::LoopOp>(op)) {
    if (number < loop.getNumCarried())
      needCarried(loop, number);
  } else if (isa<OnnxOp>(op) && op->getNumRegions() == 0 && !findLarge(op) &&
             getRequiredSide(op) != Side::Device) {
    for (OpOperand &operand : op->getOpOperands())
      if (isData(operand))
        needOperand(operand);
  }
}

//===----------------------------------------------------------------------===//
// Availability
//===----------------------------------------------------------------------===//

bool HostCandidates::isAvailable(Value value) const {
  return !excluded.contains(value) && (isOnBothSides(value) || !isOfRepetition(value));
}

Value HostCandidates::findUnavailable(Operation *op) const {
  for (OpOperand &operand : op->getOpOperands())
    if (getNeed(operand) == Need::SameSide && !isAvailable(operand.get()))
      return operand.get();
  return {};
}

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
  std::optional<Side> required = getRequiredSide(op);
  if (required == Side::Host && op->getNumRegions() == 0)
    return;
  auto reads = [](OpOperand &operand) { return getNeed(operand) == Need::SameSide; };
  // Without data to read (a fill, a range) a kernel is as near as the host, unless the host needs
  // the result.
  bool isWanted = llvm::any_of(op->getOpOperands(), reads) ||
                  llvm::any_of(op->getResults(), [&](Value r) { return needed.contains(r); });
  bool areSmall = llvm::all_of(op->getResults(), [&](Value result) { return isSmall(result); });
  bool follows = required != Side::Device && isWanted && op->getNumRegions() == 0 && areSmall &&
                 !findUnavailable(op);
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
