// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network: the host is the source, the device the sink, every operator whose results may be on
// either side a node, and so is every argument, carried value and result of a branch. An edge from
// the source costs what the device takes for the operator, one to the sink what the host takes.
// A copy is a node of its own between the value and all who read it there, so that it is paid once:
//
//   reader on the host --never--> readback --cost--> value on the device
//   value on the host  --cost---> upload  --never--> reader on the device
//
// So is an If between whose results the device could choose: on the host it reads the condition
// there.

#include "Dialect/ONNX/Analysis/SideAnalysis.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/Repetition.h"
#include "Dialect/ONNX/Analysis/Selects.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

CrossingCosts::CrossingCosts(TargetAttr target)
    : readback(target.getCrossingCost("readback")), upload(target.getCrossingCost("upload")),
      input(target.getCrossingCost("input")), launch(target.getCrossingCost("launch")),
      count(target.getCrossingCost("count")), select(target.getCrossingCost("select")),
      selectedOperator(target.getCrossingCost("selected_operator")),
      hostOperator(target.getCrossingCost("host_operator")),
      hostElement(target.getCrossingCost("host_element")),
      bytesPerNanosecond(target.getCrossingCost("bytes_per_nanosecond")) {}

/// Tensors made of extents that integers on the device decide are there.
static func::FuncOp markDeviceExtents(func::FuncOp function) {
  SymbolAnalysis symbols(function);
  function.walk([&](FromExtentsOp op) {
    if (llvm::any_of(op.getElements().getAsRange<ExtentAttr>(),
                     [&](ExtentAttr element) { return symbols.isOnDevice(element); }))
      setOnDevice(op);
  });
  return function;
}

SideAnalysis::SideAnalysis(func::FuncOp function)
    : pins(function), costs(TargetAttr::lookup(function)), candidates(markDeviceExtents(function)) {
  addArguments(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { addOp(op); });
  addBounds();
  onHost = cut.solve();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t SideAnalysis::getFrequency(Block *block) const {
  int64_t frequency = 1;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (auto loop = dyn_cast<onnx::LoopOp>(op)) {
      ExtentAttr trip = loop.getTripAttr();
      int64_t trips =
          (trip ? candidates.getLikely(trip) : std::nullopt).value_or(costs::kUnknownTrips);
      frequency = std::clamp<int64_t>(trips, 1, costs::kMaxTrips / frequency) * frequency;
    }
  return frequency;
}

int64_t SideAnalysis::getCopyCost(Value value, int64_t latency) const {
  auto type = cast<SymTensorType>(value.getType());
  int64_t bytes =
      std::min(candidates.getLikely(getStorageBytes(type)).value_or(0), costs::kMaxBytes);
  return (latency + bytes / costs.bytesPerNanosecond) * getFrequency(value.getParentBlock());
}

int64_t SideAnalysis::getHostCost(Operation *op) const {
  int64_t cost = costs.hostOperator;
  for (Value result : op->getResults()) {
    int64_t elements = candidates.getLikelyCount(result).value_or(0);
    cost += costs.hostElement * std::min(elements, costs::kMaxElements);
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Side SideAnalysis::getSide(Value value) const {
  return isOnBothSides(value) || onHost[getNode(value)] ? Side::Host : Side::Device;
}

bool SideAnalysis::isOnHost(Value value) const {
  auto copy = readbacks.find(value);
  return getSide(value) == Side::Host || (copy != readbacks.end() && onHost[copy->second]);
}

bool SideAnalysis::isSelected(onnx::IfOp branch) const {
  auto choice = selects.find(branch);
  return choice != selects.end() && !onHost[choice->second];
}

SideReason SideAnalysis::getReason(Value value, const CutComparison &comparison) const {
  if (isHostOnly(value.getType()))
    return {SideCause::HostOnly, {}, {}};
  if (isOnBothSides(value) || value.getDefiningOp<FromExtentsOp>())
    return {value.getDefiningOp<ConstantOp>() ? SideCause::Constant : SideCause::Extents, {}, {}};
  if (auto op = value.getDefiningOp<OnnxOp>(); op && op.getOwnSide())
    return {SideCause::External, {}, {}};
  if (auto found = pinned.find(value); found != pinned.end())
    return {found->second, {}, {}};
  Node node = getNode(value);
  if (node == kHost)
    return {isa<BlockArgument>(value) ? SideCause::Iteration : SideCause::HostOnly, {}, {}};
  if (node != kDevice)
    return {SideCause::Cut, {}, comparison.compare(node)};
  if (isOfRepetition(value))
    return {SideCause::Carried, {}, {}};
  if (auto loop = value.getDefiningOp<onnx::LoopOp>()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (number >= loop.getNumCarried())
      return {SideCause::Collected, {}, {}};
    return {SideCause::Carried, loop.getBody().getArgument(number + 2), {}};
  }
  Obstacle obstacle = *candidates.findObstacle(value);
  return {obstacle.cause, obstacle.because, {}};
}

SmallVector<Demand, 1> SideAnalysis::getDemands(Value value) const {
  SmallVector<Demand, 1> demands(candidates.getDemands(value));
  if (OpOperand *read = hostReaders.lookup(value); read && demands.empty())
    demands.push_back(makeDemand(*read));
  return demands;
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

SideAnalysis::Node SideAnalysis::getNode(Value value) const {
  if (isHostOnly(value.getType()))
    return kHost;
  auto found = nodes.find(value);
  return found == nodes.end() ? kDevice : found->second;
}

std::optional<SideAnalysis::Node> SideAnalysis::findPin(ValueRange values) {
  std::optional<SidePins::Pin> pin;
  for (Value value : values) {
    std::optional<SidePins::Pin> wanted = pins.lookup(value);
    // A value that both sides have is where anybody wants it.
    if (!wanted || isOnBothSides(value))
      continue;
    if (isHostOnly(value.getType()) && wanted->side == Side::Device)
      conflicts.push_back({value, wanted->side, "sequences, optionals and strings live there"});
    else if (pin && pin->side != wanted->side)
      conflicts.push_back({value, wanted->side, "another result of its operator is pinned there"});
    pin = wanted;
  }
  if (!pin)
    return std::nullopt;
  for (Value value : values)
    pinned[value] = pin->cause;
  return pin->side == Side::Host ? kHost : kDevice;
}

/// Whether an error of the operator is one of the device's, which counts where its branch is taken.
static bool isMasked(Operation *op) {
  auto branch = dyn_cast<onnx::IfOp>(op->getParentOp());
  return branch && branch.getSelectsAttr() && op->hasTrait<RaisesInKernel>();
}

SideAnalysis::Node SideAnalysis::addValue(Value value) {
  if (std::optional<Node> pin = findPin(value))
    return nodes[value] = *pin;
  if (isHostOnly(value.getType()))
    return kHost;
  if (!candidates.contains(value))
    return kDevice;
  return nodes[value] = cut.addNode();
}

void SideAnalysis::read(Value value, Node reader, bool asArgument) {
  Node node = getNode(value);
  if (node == reader || isOnBothSides(value) || isHostOnly(value.getType()))
    return;
  if (reader != kDevice && node != kHost) {
    auto [copy, isNew] = readbacks.try_emplace(value);
    if (isNew) {
      copy->second = cut.addNode();
      cut.addEdge(copy->second, node, getCopyCost(value, costs.readback));
    }
    cut.addEdge(reader, copy->second, MinimumCut::kNever);
  }
  if (reader != kHost && node != kDevice && !asArgument) {
    auto [copy, isNew] = uploads.try_emplace(value);
    if (isNew) {
      copy->second = cut.addNode();
      cut.addEdge(node, copy->second, getCopyCost(value, costs.upload));
    }
    cut.addEdge(copy->second, reader, MinimumCut::kNever);
  }
}

/// Operands that the device may have, at a price. One for all that meet in an operator, since the
/// same kernel leaves where a slice begins and how long it is; one for all that follow from one
/// value, which a single readback would have them all by.
void SideAnalysis::addBounds() {
  llvm::MapVector<Value, std::pair<Node, int64_t>> groups;
  for (Value value : bounds) {
    auto [group, isNew] = groups.try_emplace(derived.getOrInsertLeaderValue(value));
    auto &[counts, frequency] = group->second;
    if (isNew)
      counts = cut.addNode();
    if (Node node = getNode(value); node != kHost)
      cut.addEdge(counts, node, MinimumCut::kNever);
    frequency = std::max({frequency, getFrequency(value.getParentBlock()), int64_t(1)});
  }
  for (auto &[first, group] : groups)
    cut.addEdge(kHost, group.first, costs.count * group.second);
}

void SideAnalysis::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (Node node = addValue(argument); node != kHost && node != kDevice)
      cut.addEdge(node, kDevice, costs.input);
}

void SideAnalysis::addBounds(Operation *op) {
  Value first;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBound(operand) || isOnBothSides(operand.get()))
      continue;
    first = first ? first : operand.get();
    bounds.insert(operand.get());
    derived.unionSets(first, operand.get());
  }
}

void SideAnalysis::addOp(Operation *op) {
  if (auto branch = dyn_cast<onnx::IfOp>(op))
    return addIf(branch);
  for (OpOperand &operand : op->getOpOperands())
    if (getNeed(operand) == Need::Host)
      read(operand.get(), kHost);
  addBounds(op);
  if (auto loop = dyn_cast<onnx::LoopOp>(op))
    return addLoop(loop);
  if (auto yield = dyn_cast<onnx::YieldOp>(op))
    return addYield(yield);
  if (!isa<OnnxOp>(op) || isa<ConstantOp>(op) || op->getNumResults() == 0)
    return;

  // One side for all results: an operator runs once.
  std::optional<Node> pin = findPin(op->getResults());
  if (std::optional<Side> side = getRequiredSide(op)) {
    Node there = side == Side::Host ? kHost : kDevice;
    if (pin && pin != there && !isHostOnly(op->getResult(0).getType()))
      conflicts.push_back({op->getResult(0), side == Side::Host ? Side::Device : Side::Host,
                           cast<OnnxOp>(op).getOwnSide()
                               ? StringLiteral("its operator is declared for that side")
                               : StringLiteral("it is computed from strings")});
    pin = there;
  }
  Node node = pin.value_or(kDevice);
  for (Value result : op->getResults())
    if (node == kDevice && !pin && !isMasked(op) && !isOfRepetition(result))
      node = addValue(result);
  for (Value result : op->getResults())
    nodes[result] = node;
  if (node != kHost && node != kDevice) {
    int64_t frequency = getFrequency(op->getBlock());
    cut.addEdge(kHost, node, costs.launch * frequency);
    cut.addEdge(node, kDevice, getHostCost(op) * frequency);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (getNeed(operand) != Need::SameSide)
      continue;
    // Extents that the host has are arguments of kernels, as many as they are.
    read(operand.get(), node, isSymbolic(operand) || isKernelArgument(operand.get()));
    if (isFree(node) && getNode(operand.get()) != kHost && !isOnBothSides(operand.get()))
      derived.unionSets(operand.get(), op->getResult(0));
    if (node == kHost)
      hostReaders.try_emplace(operand.get(), &operand);
  }
}

/// Whether the user wants an operator in a branch on the host that may raise an error there.
bool SideAnalysis::raisesOnHost(onnx::IfOp branch) const {
  WalkResult walked = branch->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto pin = pins.lookup(result);
          pin && pin->side == Side::Host && op->hasTrait<RaisesInKernel>())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walked.wasInterrupted();
}

void SideAnalysis::addIf(onnx::IfOp branch) {
  // Results that are chosen on the device are there.
  if (branch.getSelectsAttr())
    return read(branch.getCond(), kDevice, isKernelArgument(branch.getCond()));
  for (Value result : branch->getResults())
    addValue(result);
  std::optional<Selection> selection = findSelection(branch);
  auto isHost = [&](Value result) { return getNode(result) == kHost; };
  if (!selection || llvm::any_of(branch->getResults(), isHost) || raisesOnHost(branch))
    return read(branch.getCond(), kHost);
  Node choice = selects[branch] = cut.addNode();
  cut.addEdge(kHost, choice,
              (costs.select + costs.selectedOperator * selection->operators) *
                  getFrequency(branch->getBlock()));
  read(branch.getCond(), choice, isKernelArgument(branch.getCond()));
  for (Value result : branch->getResults())
    if (Node node = getNode(result); node != kDevice)
      cut.addEdge(node, choice, MinimumCut::kNever);
}

void SideAnalysis::addLoop(onnx::LoopOp loop) {
  auto arguments = loop.getBody().getArguments();
  if (isRepeated(loop)) {
    nodes[arguments[1]] = kHost;
    for (Value init : loop.getVInitial())
      read(init, kDevice);
    return;
  }
  for (Value counted : arguments.take_front(2)) {
    nodes[counted] = kHost;
    if (auto pin = pins.lookup(counted); pin && pin->side == Side::Device)
      conflicts.push_back({counted, Side::Device, "the host runs the loop by it"});
  }
  for (auto [number, init] : llvm::enumerate(loop.getVInitial())) {
    Value argument = arguments[number + 2];
    // The state of all iterations and what is left of it are in one place.
    std::optional<Node> pin = findPin({argument, loop->getResult(number)});
    Node node = pin ? nodes[argument] = *pin : addValue(argument);
    if (pin || (node != kHost && node != kDevice))
      nodes[loop->getResult(number)] = node;
    read(init, node);
  }
}

/// A value that a region yields must be where its operator's result is.
void SideAnalysis::addYield(onnx::YieldOp yield) {
  auto yielded = yield->getOperands();
  Operation *parent = yield->getParentOp();
  if (auto loop = dyn_cast<onnx::LoopOp>(parent)) {
    if (!isRepeated(loop))
      read(yielded.front(), kHost);
    yielded = yielded.drop_front();
  }
  for (auto [value, result] : llvm::zip_equal(yielded, parent->getResults()))
    read(value, getNode(result));
}
