// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/PlacementReport.h"

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Placement/Needs.h"
#include "Support/Diagnostic.h"
#include "Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

std::string describeNode(Location location) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty())
    return "";
  return escapeText(nodes.front().opType) + ":" + escapeText(nodes.front().name);
}

/// What the model calls a value, or its node and the number of the result.
std::string describeValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name"))
        return escapeText(name);
    return describeNode(argument.getOwner()->getParentOp()->getLoc()) + "/argument" +
           std::to_string(argument.getArgNumber());
  }
  auto result = cast<OpResult>(value);
  StringRef name = getOutputName(value.getLoc(), result.getResultNumber());
  if (!name.empty())
    return escapeText(name);
  return describeNode(value.getLoc()) + "#" + std::to_string(result.getResultNumber());
}

std::string describeConsumer(Operation *op) {
  if (isa<func::ReturnOp>(op))
    return "output";
  if (isa<BindElementsOp>(op))
    return describeNode(op->getLoc()) + " (an extent)";
  if (isa<onnx::YieldOp>(op))
    return describeNode(op->getParentOp()->getLoc()) + " (result of a body)";
  return describeNode(op->getLoc());
}

std::string describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto tensor = dyn_cast<SymTensorType>(type)) {
    stream << tensor.getElementType() << '[';
    llvm::interleave(
        tensor.getExtents(), stream, [&](ExtentAttr extent) { stream << extent.str(); }, ", ");
    stream << ']';
  } else {
    stream << type;
  }
  return escapeText(text, 400);
}

std::string describeBytes(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (!tensor || !tensor.hasRank() || !tensor.getElementType().isIntOrFloat())
    return "unknown";
  int64_t bytes = llvm::divideCeil(tensor.getElementType().getIntOrFloatBitWidth(), 8);
  return (tensor.getNumElements() * bytes).str();
}

class Reporter {
public:
  explicit Reporter(bool hasDevice) { report.hasDevice = hasDevice; }

  PlacementReport report;

  void visit(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      addValue(argument, "input");
    function.walk([&](Operation *op) {
      if (auto fetch = dyn_cast<FetchOp>(op))
        return addFetch(fetch);
      if (auto stage = dyn_cast<StageOp>(op))
        return addCrossing("stage", stage, stage.getSource(), stage.getOutput());
      if (isa<AwaitOp, func::FuncOp>(op))
        return;
      for (Value result : op->getResults())
        addValue(result, describeNode(op->getLoc()));
    });
  }

private:
  void addValue(Value value, std::string producer) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    std::string side = !report.hasDevice         ? "host"
                       : isOnBothSides(value)    ? "both"
                       : type && type.isDevice() ? "device"
                                                 : "host";
    report.values.push_back({describeValue(value), std::move(producer),
                             describeType(value.getType()), std::move(side),
                             report.hasDevice ? getReason(value) : "the target has no device"});
  }

  /// Why Place put it there: the rules of HostCandidates and SideAnalysis, read backwards.
  static std::string getReason(Value value) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    if (!type || isa<StringType>(type.getElementType()))
      return "sequences, optionals and strings live on the host";
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<FromExtentsOp>(op))
      return "follows from dims, which every side knows";
    if (isOnBothSides(value))
      return "a constant, loaded to both sides";
    for (OpOperand &use : value.getUses())
      if (type.isHost() && getNeed(use) == Need::Host)
        return "read on the host by " + describeConsumer(use.getOwner());
    if (!op)
      return type.isHost() ? "given on the host" : "only device code reads it";
    for (Value operand : op->getOperands())
      if (auto source = dyn_cast<SymTensorType>(operand.getType());
          source && type.isDevice() && source.isDevice())
        return "computed from " + describeValue(operand) + ", which is on the device";
    if (type.isDevice())
      return "made where it is read";
    for (Value operand : op->getOperands())
      if (auto await = operand.getDefiningOp<AwaitOp>())
        return "few elements, computed from " +
               describeValue(await.getTicket().getDefiningOp<FetchOp>().getSource()) +
               ", which is read back";
    return "few elements, all computed from host values";
  }

  void addFetch(FetchOp fetch) {
    for (Operation *user : fetch.getTicket().getUsers())
      if (auto await = dyn_cast<AwaitOp>(user)) {
        addCrossing("fetch", fetch, fetch.getSource(), await.getOutput());
        ++report.readbacks;
        ++report.blockingSyncs;
        return;
      }
  }

  void addCrossing(StringRef kind, Operation *op, Value source, Value copy) {
    PlacementReport::Crossing crossing;
    crossing.kind = kind;
    crossing.value = describeValue(source);
    crossing.bytes = describeBytes(source.getType());
    crossing.producer = source.getDefiningOp() ? describeNode(source.getLoc()) : "input";
    bool decidesExtent = false;
    for (OpOperand &use : copy.getUses()) {
      Operation *user = use.getOwner();
      auto demands =
          getNeed(use) == Need::Host ? llvm::SetVector<Operation *>() : findDemands(user);
      decidesExtent |=
          isa<BindElementsOp>(user) || llvm::any_of(demands, llvm::IsaPred<BindElementsOp>);
      if (demands.empty())
        crossing.consumers.push_back(describeConsumer(user));
      for (Operation *demand : demands)
        crossing.consumers.push_back(describeConsumer(user) + ", for " + describeConsumer(demand));
    }
    crossing.blocking = kind == "fetch";
    crossing.inLoop = op->getParentOfType<onnx::LoopOp>() != nullptr;
    crossing.remedy = getRemedy(kind, source, decidesExtent);
    report.uploads += kind == "stage";
    report.crossings.push_back(std::move(crossing));
  }

  /// The ops that need on the host what follows from `op` there.
  static llvm::SetVector<Operation *> findDemands(Operation *op) {
    llvm::SetVector<Operation *> demands, reached;
    reached.insert(op);
    for (size_t next = 0; next < reached.size(); ++next)
      for (Value result : reached[next]->getResults())
        for (OpOperand &use : result.getUses())
          if (auto type = dyn_cast<SymTensorType>(result.getType()); type && type.isHost())
            (getNeed(use) == Need::Host ? demands : reached).insert(use.getOwner());
    return demands;
  }

  static std::string getRemedy(StringRef kind, Value source, bool decidesExtent) {
    if (kind == "stage")
      return "bind or compute it on the device";
    if (isa<BlockArgument>(source))
      return "give this input on the host";
    if (decidesExtent)
      return "derive it from dims (Shape) or from an input on the host in place of device data";
    return "compute it from dims or from inputs on the host";
  }
};

} // namespace

PlacementReport cameo::makePlacementReport(ModuleOp module, bool hasDevice) {
  Reporter reporter(hasDevice);
  for (auto function : module.getOps<func::FuncOp>())
    reporter.visit(function);
  return std::move(reporter.report);
}

llvm::json::Object PlacementReport::toJson() const {
  llvm::json::Array valueRows, crossingRows;
  for (const PlacedValue &value : values)
    valueRows.push_back(llvm::json::Object{{"name", value.name},
                                           {"producer", value.producer},
                                           {"reason", value.reason},
                                           {"side", value.side},
                                           {"type", value.type}});
  for (const Crossing &crossing : crossings)
    crossingRows.push_back(llvm::json::Object{{"blocking", crossing.blocking},
                                              {"bytes", crossing.bytes},
                                              {"consumers", crossing.consumers},
                                              {"in_loop", crossing.inLoop},
                                              {"kind", crossing.kind},
                                              {"producer", crossing.producer},
                                              {"remedy", crossing.remedy},
                                              {"value", crossing.value}});
  return llvm::json::Object{{"schema", 1},
                            {"readbacks", readbacks},
                            {"uploads", uploads},
                            {"blocking_syncs", blockingSyncs},
                            {"crossings", std::move(crossingRows)},
                            {"values", std::move(valueRows)}};
}

std::string PlacementReport::toText() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << readbacks << " readbacks, " << uploads << " uploads, " << blockingSyncs
         << " blocking syncs\n";
  if (!hasDevice)
    stream << "the target has no device: every value lives on the host (--target cuda has one)\n";
  for (const Crossing &crossing : crossings) {
    stream << llvm::formatv("\n{0} {1}: {2} bytes{3}{4}\n  from {5}\n", crossing.kind,
                            crossing.value, crossing.bytes, crossing.blocking ? ", blocks" : "",
                            crossing.inLoop ? ", in every iteration" : "", crossing.producer);
    for (const std::string &consumer : crossing.consumers)
      stream << "  to " << consumer << '\n';
    stream << "  to remove it: " << crossing.remedy << '\n';
  }
  stream << '\n';
  for (const PlacedValue &value : values)
    stream << llvm::formatv("{0,-6}  {1}: {2}  ({3}; {4})\n", value.side, value.name, value.type,
                            value.producer, value.reason);
  return text;
}
