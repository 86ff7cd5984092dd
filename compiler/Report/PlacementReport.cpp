// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/PlacementReport.h"

#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/Repetition.h"
#include "Dialect/ONNX/Analysis/SideReasons.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/FinishedWaits.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Shape/Assertions.h"
#include "Support/Diagnostic.h"
#include "Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// A constant that stands for an attribute of a node, whose results have the node's names; else "".
std::string describeMadeConstant(Value value) {
  auto constant = value.getDefiningOp<onnx::ConstantOp>();
  SmallVector<NodeLocation> nodes;
  if (constant)
    collectNodes(constant.getLoc(), nodes);
  bool isNodes =
      nodes.empty() || nodes.front().opType == "Constant" || nodes.front().opType == "Initializer";
  return isNodes ? "" : describeNode(value.getLoc()) + "/constant";
}

/// The model's name of a value, or its node and the number of the result.
std::string describeValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name"))
        return escapeText(name);
    return describeNode(argument.getOwner()->getParentOp()->getLoc()) + "/argument" +
           std::to_string(argument.getArgNumber());
  }
  auto result = cast<OpResult>(value);
  if (std::string constant = describeMadeConstant(value); !constant.empty())
    return constant;
  StringRef name = getOutputName(value.getLoc(), result.getResultNumber());
  if (!name.empty())
    return escapeText(name);
  return describeNode(value.getLoc()) + "#" + std::to_string(result.getResultNumber());
}

class Reporter {
public:
  using DemandStep = PlacementReport::DemandStep;

  explicit Reporter(bool hasDevice) { report.hasDevice = hasDevice; }

  PlacementReport report;

  void visit(func::FuncOp function) {
    placed.clear();
    forEachValue(function, [&](Value value) {
      if (SideReasonAttr reason = getSideReason(value))
        placed[reason.getNumber()] = {value, reason};
    });
    for (auto [text, state] : Assertions::getRecords(function))
      report.assertions.push_back({escapeText(text, 400), state.str()});
    for (BlockArgument argument : function.getArguments())
      addValue(argument, "input");
    function.walk([&](Operation *op) {
      if (auto fetch = dyn_cast<FetchOp>(op))
        return addFetch(fetch);
      if (auto upload = dyn_cast<UploadOp>(op))
        return addCrossing("upload", upload, upload.getSource(), upload.getOutput());
      if (isa<AwaitOp, func::FuncOp>(op))
        return;
      std::string node = describeNode(op->getLoc());
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          addValue(argument, node);
      for (Value result : op->getResults())
        addValue(result, node);
    });
    addGraph(function.getName(), std::nullopt, function.getBody());
  }

private:
  void addValue(Value value, std::string producer) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    PlacementReport::PlacedValue row;
    row.name = describeValue(value);
    row.producer = std::move(producer);
    row.type = reportType(value.getType());
    row.bytes = reportBytes(value.getType());
    row.side = !report.hasDevice         ? "host"
               : type && type.isDevice() ? "device"
               : isOnBothSides(value)    ? "both"
                                         : "host";
    row.reason = "the target has no device";
    if (SideReasonAttr reason = getSideReason(value)) {
      row.reason = describeReason(value, reason);
      row.hostCost = reason.getHostCost();
      row.deviceCost = reason.getDeviceCost();
      describeWay(reason, row);
    }
    numbers[value] = report.values.size();
    report.values.push_back(std::move(row));
  }

  //===--- The graph ---===//

  void addGraph(StringRef name, std::optional<size_t> node, Region &region) {
    PlacementReport::Graph graph;
    graph.name = escapeText(name);
    graph.node = node;
    for (BlockArgument argument : region.getArguments())
      graph.arguments.push_back(numbers.lookup(argument));
    size_t number = report.graphs.size();
    report.graphs.push_back(std::move(graph));
    for (Operation &op : region.front())
      addNode(op, number);
  }

  void addNode(Operation &op, size_t graph) {
    if (auto fetch = dyn_cast<FetchOp>(op))
      return linkCopy(fetch, fetch.getSource(), fetch.getTicket(), graph);
    if (auto await = dyn_cast<AwaitOp>(op)) {
      copies[await.getOutput()] = copies.lookup(await->getOperand(0));
      return;
    }
    if (auto upload = dyn_cast<UploadOp>(op))
      return linkCopy(upload, upload.getSource(), upload.getOutput(), graph);
    std::vector<PlacementReport::Read> operands;
    for (OpOperand &operand : op.getOpOperands())
      operands.push_back(makeRead(operand));
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      report.graphs[graph].results = std::move(operands);
      return;
    }
    PlacementReport::Node node;
    node.name = getNodeName(op);
    node.graph = graph;
    node.isConstant = isa<onnx::ConstantOp>(op);
    node.operands = std::move(operands);
    for (Value result : op.getResults())
      node.results.push_back(numbers.lookup(result));
    size_t number = report.nodes.size();
    report.nodes.push_back(std::move(node));
    for (Region &region : op.getRegions())
      addGraph(cast<OnnxOp>(op).getRegionNames()[region.getRegionNumber()], number, region);
  }

  static std::string getNodeName(Operation &op) {
    auto bind = dyn_cast<BindElementsOp>(op);
    if (!bind)
      return describeNode(op.getLoc());
    std::string name = "extents: ";
    llvm::raw_string_ostream stream(name);
    llvm::interleaveComma(bind.getSymbols().getAsRange<SymbolAttr>(), stream,
                          [&](SymbolAttr symbol) { stream << escapeText(symbol.getName()); });
    return name;
  }

  void linkCopy(Operation *crossing, Value source, Value copy, size_t graph) {
    PlacementReport::Read read = copies.lookup(source);
    read.value = getSource(source);
    // The condition of a loop that the device runs stays there.
    if (auto found = crossingOf.find(crossing); found != crossingOf.end()) {
      read.crossing = found->second;
      report.crossings[*read.crossing].number = read.value;
      report.crossings[*read.crossing].graph = graph;
    }
    copies[copy] = std::move(read);
  }

  /// The value that `value` is, or is a copy of.
  size_t getSource(Value value) const {
    auto copy = copies.find(value);
    return copy != copies.end() ? copy->second.value : numbers.lookup(value);
  }

  PlacementReport::Read makeRead(OpOperand &operand) const {
    PlacementReport::Read read = copies.lookup(operand.get());
    read.value = getSource(operand.get());
    Operation *op = operand.getOwner();
    if (!isa<OnnxOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
      return read;
    read.name = escapeText(makeDemand(operand).name);
    auto type = dyn_cast<SymTensorType>(operand.get().getType());
    read.isKernelArgument = report.hasDevice && getNeed(operand) == Need::SameSide &&
                            getSideOf(op) == Side::Device && type && type.isHost() &&
                            !isOnBothSides(operand.get());
    return read;
  }

  //===--- Reasons ---===//

  std::string describeReason(Value value, SideReasonAttr reason) const {
    std::optional<int64_t> other = reason.getBecauseOf();
    std::string because = other ? describeValue(placed.lookup(*other).value) : "";
    switch (reason.getCause()) {
    case SideCause::Constant:
      return "a constant, loaded to both sides";
    case SideCause::Extents:
      return cast<SymTensorType>(value.getType()).isDevice()
                 ? "made of integers that stay on the device, where kernels read them as they start"
                 : "follows from dims, which every side knows";
    case SideCause::HostOnly:
      return isHostOnly(value.getType()) ? "sequences, optionals and strings live on the host"
                                         : "made where sequences, optionals and strings live";
    case SideCause::Iteration:
      return "the host counts iterations";
    case SideCause::Cut:
      return describeCut(cast<SymTensorType>(value.getType()).isHost(), reason);
    case SideCause::Unasked:
      return std::string(reason.getDemands() ? "the host does not compute with it"
                                             : "nothing on the host reads it") +
             (other ? ", and " + because + " is on the device" : "");
    case SideCause::Large:
      return (because == describeValue(value) ? "" : because + " has ") + "more than the " +
             std::to_string(core::kMaxHostElements) + " elements that the host computes with";
    case SideCause::Inexact:
      return "the host need not round it as the device does";
    case SideCause::Carried:
      return "a loop carries it on the device";
    case SideCause::Collected:
      return "a loop collects it on the device";
    case SideCause::Pinned:
      return "pinned here";
    case SideCause::NoKernel:
      return "the device has no kernel for its operator";
    case SideCause::External:
      return "its operator, which is the user's, runs here (--external)";
    }
    llvm_unreachable("a cause without words");
  }

  static std::string describeCut(bool isHost, SideReasonAttr reason) {
    if (!reason.getHostCost())
      return "the cheapest of many ways to cut";
    int64_t here = isHost ? *reason.getHostCost() : *reason.getDeviceCost();
    int64_t there = isHost ? *reason.getDeviceCost() : *reason.getHostCost();
    return llvm::formatv("either side could have it: {0} ns here, {1} ns on the {2}", here, there,
                         isHost ? "device" : "host");
  }

  /// The shortest way from a value to an operand that decides something by it.
  SmallVector<DemandAttr> getWay(SideReasonAttr reason) const {
    SmallVector<DemandAttr> way;
    for (ArrayAttr demands = reason.getDemands(); demands;) {
      way.push_back(cast<DemandAttr>(demands[0]));
      std::optional<int64_t> next = way.back().getNext();
      demands = next ? placed.lookup(*next).reason.getDemands() : ArrayAttr();
    }
    return way;
  }

  /// Tells a value's way, a long one without its middle.
  void describeWay(SideReasonAttr reason, PlacementReport::PlacedValue &value) const {
    SmallVector<DemandAttr> way = getWay(reason);
    if (way.size() > PlacementReport::kMaxSteps) {
      value.stepsSkipped = way.size() - PlacementReport::kMaxSteps;
      auto middle = way.begin() + PlacementReport::kMaxSteps / 2;
      way.erase(middle, middle + static_cast<ptrdiff_t>(value.stepsSkipped));
    }
    for (DemandAttr demand : way) {
      DemandStep step = makeStep(demand);
      // A node that was written several times counts once.
      if (!value.demand.empty() && value.demand.back().node == step.node &&
          value.demand.back().name == step.name)
        value.demand.pop_back();
      value.demand.push_back(std::move(step));
      if (demand.getNext())
        value.demand.back().value = describeValue(placed.lookup(*demand.getNext()).value);
    }
  }

  /// The ends of all ways on from `demands`.
  llvm::SetVector<DemandAttr> getEnds(ArrayAttr demands) const {
    llvm::SetVector<DemandAttr> ends, reached;
    auto reach = [&](ArrayAttr more) {
      if (more)
        reached.insert_range(more.getAsRange<DemandAttr>());
    };
    reach(demands);
    for (size_t position = 0; position < reached.size(); ++position) {
      DemandAttr demand = reached[position];
      if (demand.getNext())
        reach(placed.lookup(*demand.getNext()).reason.getDemands());
      else
        ends.insert(demand);
    }
    return ends;
  }

  static DemandStep makeStep(DemandAttr demand) {
    return makeStep(demand.getKind(), demand.getNode(), demand.getName(), demand.getOperandClass());
  }

  static DemandStep makeStep(const Demand &demand) {
    return makeStep(demand.kind, demand.reader->getLoc(), demand.name, demand.operandClass);
  }

  static DemandStep makeStep(DemandKind kind, Location node, StringRef name,
                             OperandClass operandClass) {
    bool isOperand = kind == DemandKind::Operand;
    return {stringifyDemandKind(kind).str(), describeNode(node), escapeText(name),
            isOperand ? stringifyOperandClass(operandClass).str() : "", ""};
  }

  //===--- Crossings ---===//

  void addFetch(FetchOp fetch) {
    for (Operation *user : fetch.getTicket().getUsers())
      if (auto await = dyn_cast<AwaitOp>(user); await && !isOfRepetition(fetch.getTicket())) {
        addCrossing("fetch", fetch, fetch.getSource(), await.getOutput());
        return;
      }
  }

  void addCrossing(StringRef kind, Operation *op, Value source, Value copy) {
    SideReasonAttr reason = getSideReason(source);
    PlacementReport::Crossing crossing;
    crossing.kind = kind;
    crossing.value = describeValue(source);
    crossing.bytes = reportBytes(source.getType());
    crossing.producer = source.getDefiningOp() ? describeNode(source.getLoc()) : "input";
    crossing.reason = describeReason(source, reason);
    for (OpOperand &use : copy.getUses())
      addConsumers(use, crossing.consumers);
    crossing.blocking = kind == "fetch";
    crossing.perIterations = op->getParentOfType<onnx::LoopOp>() ? 1 : 0;
    std::string pinned = findPinned(source, copy);
    crossing.remedy = !pinned.empty()    ? "leave " + pinned + ", which is pinned, to the cut"
                      : kind == "upload" ? "bind or compute it on the device"
                                         : getRemedy(source, reason);
    report.uploads += kind == "upload";
    crossingOf[op] = report.crossings.size();
    report.crossings.push_back(std::move(crossing));
  }

  /// A value that the copy is there for because the user wants it where it is; "" for none.
  static std::string findPinned(Value source, Value copy) {
    SmallVector<Value> values{source};
    for (Operation *reader : copy.getUsers())
      llvm::append_range(values, reader->getResults());
    for (Value value : values)
      if (SideReasonAttr reason = getSideReason(value);
          reason && reason.getCause() == SideCause::Pinned)
        return describeValue(value);
    return "";
  }

  /// Who reads a copy, and all that the host decides by that.
  void addConsumers(OpOperand &use, std::vector<std::string> &consumers) const {
    if (auto bind = dyn_cast<BindElementsOp>(use.getOwner())) {
      for (DemandAttr end : getEnds(getSymbolDemands(bind)))
        consumers.push_back("extents, for " + makeStep(end).str());
      return;
    }
    std::string reader = makeStep(makeDemand(use)).str();
    llvm::SetVector<DemandAttr> ends;
    for (Value next : getFollowing(use))
      if (SideReasonAttr reason = getSideReason(next))
        ends.insert_range(getEnds(reason.getDemands()));
    for (DemandAttr end : ends)
      consumers.push_back(reader + ", for " + makeStep(end).str());
    if (ends.empty())
      consumers.push_back(std::move(reader));
  }

  /// Values that the reader of `use` computes from it on the host.
  static SmallVector<Value> getFollowing(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    auto yield = dyn_cast<onnx::YieldOp>(op);
    if (yield && isa<onnx::IfOp>(yield->getParentOp()))
      return {yield->getParentOp()->getResult(number)};
    auto loop = dyn_cast<onnx::LoopOp>(yield ? yield->getParentOp() : op);
    if (!loop)
      return SmallVector<Value>(op->getResults());
    // A body yields whether to go on, then the states.
    unsigned first = yield ? 1 : op->getNumOperands() - loop.getNumCarried();
    if (number < first)
      return {};
    unsigned state = number - first;
    if (state >= loop.getNumCarried())
      return {loop->getResult(state)};
    return {loop->getResult(state), loop.getBody().getArgument(state + 2)};
  }

  /// The part of the model that keeps a value that the host reads on the device, and a way to do
  /// without it.
  std::string getRemedy(Value source, SideReasonAttr reason) const {
    SmallVector<Value> chain{source};
    for (DemandAttr demand : getWay(reason))
      if (demand.getNext())
        chain.push_back(placed.lookup(*demand.getNext()).value);
    // The first of the values that follow from it that an assertion can name.
    auto *asserted = llvm::find_if(chain, [](Value value) {
      return getTrackableElements(value) && !getOnnxName(value).empty();
    });
    return getRewrite(reason) + suggestSize(reason) +
           (asserted == chain.end()
                ? ""
                : ", or say what follows from it (--value " + describeValue(*asserted) + "=...)");
  }

  /// Work that is taken for much, since its size is not known, in one symbol.
  std::string suggestSize(SideReasonAttr reason) const {
    if (reason.getCause() != SideCause::Large || !reason.getBecauseOf())
      return "";
    auto large = dyn_cast<SymTensorType>(placed.lookup(*reason.getBecauseOf()).value.getType());
    llvm::SetVector<StringRef> symbols;
    if (large)
      large.getNumElements().collectSymbols(symbols);
    if (symbols.size() != 1)
      return "";
    return ", or say that it is few elements, if it is (--assert '" + escapeText(symbols.front()) +
           " likely 8')";
  }

  static std::string getRewrite(SideReasonAttr reason) {
    switch (reason.getCause()) {
    case SideCause::Inexact:
      return "derive it from dims (Shape) or from an input on the host, or by integers and + - * / "
             "sqrt, which every machine rounds alike";
    case SideCause::Unasked:
      return "read the tensor itself in place of a sequence, an optional or a string";
    case SideCause::External:
      return "declare its operator for the host, if there is a function of it for that "
             "(--external)";
    case SideCause::Carried:
    case SideCause::Collected:
      return "compute it outside of the loop, from dims or from an input on the host";
    default:
      return "derive it from dims (Shape) or from an input on the host in place of device data";
    }
  }

  struct Placed {
    Value value;
    SideReasonAttr reason;
  };
  /// By the numbers that reasons name values by.
  llvm::DenseMap<int64_t, Placed> placed;
  /// In the report's values.
  llvm::DenseMap<Value, size_t> numbers;
  /// The value as which a copy, or the ticket of one, is read.
  llvm::DenseMap<Value, PlacementReport::Read> copies;
  /// In the report's crossings.
  llvm::DenseMap<Operation *, size_t> crossingOf;
};

} // namespace

PlacementReport cameo::makePlacementReport(ModuleOp module, bool hasDevice) {
  Reporter reporter(hasDevice);
  for (auto function : module.getOps<func::FuncOp>())
    reporter.visit(function);
  return std::move(reporter.report);
}

/// A count which the host has to know after all.
static PlacementReport::Crossing describeCount(FetchOp fetch, Value count, LocationAttr reader) {
  PlacementReport::Crossing crossing;
  crossing.kind = "fetch";
  crossing.value = describeValue(count);
  crossing.bytes = reportBytes(count.getType());
  crossing.producer = describeNode(count.getLoc());
  crossing.reason = "the device counts it";
  crossing.consumers.push_back(describeNode(reader) + ", which needs the count on the host");
  crossing.blocking = true;
  crossing.perIterations = fetch->getParentOfType<prog::LoopOp>() ? 1 : 0;
  crossing.remedy = "keep what depends on it out of branches, loops and outputs on the host";
  return crossing;
}

/// By its location, an op is of an assertion: a call on the device, a check on the host.
static void addChecks(PlacementReport &report, ModuleOp planned) {
  llvm::StringMap<bool> isOnDevice;
  planned.walk([&](Operation *op) {
    SmallVector<NodeLocation> nodes;
    collectNodes(op->getLoc(), nodes);
    for (const NodeLocation &node : nodes)
      if (node.opType == kAssertionOpType && isa<CallOp, CheckOp>(op))
        isOnDevice[escapeText(node.name, 400)] |= isa<CallOp>(op);
  });
  for (PlacementReport::Assertion &assertion : report.assertions)
    if (auto found = isOnDevice.find(assertion.text); found != isOnDevice.end())
      assertion.state =
          found->second ? "checked on the device, where it raises an error" : "checked on the host";
}

/// The first wait of the program, by the crossing that it is for.
static void addObstacle(PlacementReport &report, WaitOpInterface wait) {
  PlacementReport::Capture &capture = *report.capture;
  // Fusion may have given the value more nodes; a crossing keeps its own.
  std::string made = describeNode(wait.getAwaited().getLoc()),
              crossed = describeNode(wait.getLoc());
  auto crossing = llvm::find_if(report.crossings, [&](const PlacementReport::Crossing &crossing) {
    return crossing.blocking && (crossing.producer == crossed || crossing.producer == made);
  });
  bool isReported = crossing != report.crossings.end();
  capture.awaited = isReported ? crossing->value : describeValue(wait.getAwaited());
  capture.producer = isReported ? crossing->producer : crossed;
  capture.remedy = isReported ? crossing->remedy : "";
}

static void addCapture(PlacementReport &report, ModuleOp planned) {
  PlacementReport::Capture &capture = report.capture.emplace();
  planned.walk([&](WaitOpInterface wait) {
    if (wait.isLeftToDevice())
      return WalkResult::advance();
    addObstacle(report, wait);
    return WalkResult::interrupt();
  });
  planned.walk([&](prog::IfOp branch) {
    if (getChooser(branch))
      capture.choices.push_back(describeNode(branch.getLoc()));
  });
  for (auto function : planned.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<SymTensorType>(argument.getType());
          type && type.isHost() && !argument.use_empty())
        capture.keptInputs.push_back(describeValue(argument));
}

/// The run leaves these crossings to whoever finishes it, or to the device, which runs a loop.
static void addUnasked(PlacementReport &report, ModuleOp planned) {
  planned.walk([&](AwaitOp await) {
    if (!isFinished(await) && !isInRepetition(await))
      return;
    std::string made = describeNode(await.getAwaited().getLoc()),
                crossed = describeNode(await.getLoc());
    for (PlacementReport::Crossing &crossing : report.crossings)
      if (crossing.producer == crossed || crossing.producer == made) {
        crossing.blocking = false;
        crossing.isLeftToDevice = isInRepetition(await);
        crossing.perIterations = crossing.isLeftToDevice ? 0 : crossing.perIterations;
      }
  });
}

void cameo::addPlanned(PlacementReport &report, ModuleOp planned) {
  addChecks(report, planned);
  addUnasked(report, planned);
  planned.walk([&](FetchOp fetch) {
    forEachCountRead(fetch, [&](Value count, LocationAttr reader) {
      report.crossings.push_back(describeCount(fetch, count, reader));
    });
    if (!isInRepetition(fetch))
      ++report.readbacks;
  });
  planned.walk([&](AwaitOp await) {
    // Elsewhere the device asks itself, or the run is over.
    if (!isInRepetition(await) && !isFinished(await))
      ++report.blockingSyncs;
  });
  planned.walk([&](ExtentsOp extents) {
    for (auto [output, axis] : llvm::zip_equal(extents.getOutputs(), extents.getAxes()))
      report.lateExtents.push_back({report.graphs.front().results[output].value, axis});
  });
  if (report.hasDevice)
    addCapture(report, planned);
}
