// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitPlanJson.h"

#include "Support/NodeLocation.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;
namespace json = llvm::json;

/// Of this file's form; scripts look at it first.
static constexpr int64_t kSchema = 1;

namespace {

/// JSON is UTF-8; names of a model need not be.
std::string text(StringRef bytes) { return json::fixUTF8(bytes); }

json::Array getShape(SymTensorType type) {
  json::Array shape;
  for (ExtentAttr extent : type.getExtents()) {
    if (std::optional<int64_t> constant = extent.getConstant())
      shape.push_back(*constant);
    else
      shape.push_back(text(extent.str()));
  }
  return shape;
}

StringRef getSpace(SymTensorType type) { return type.isDevice() ? "device" : "host"; }

json::Object getTensor(StringRef name, SymTensorType type) {
  return json::Object{{"name", text(name)},
                      {"dtype", getCppType(type.getElementType())->name.str()},
                      {"shape", getShape(type)},
                      {"space", getSpace(type)}};
}

json::Array getNodes(Operation *op) {
  SmallVector<NodeLocation> locations;
  collectNodes(op->getLoc(), locations);
  json::Array nodes;
  for (const NodeLocation &location : locations)
    if (location.opType != kInitializerOpType)
      nodes.push_back(json::Object{{"name", text(location.name)}, {"op", text(location.opType)}});
  return nodes;
}

class PlanPrinter {
public:
  PlanPrinter(const Program &program, const EmittedKernels &kernels)
      : program(program), kernels(kernels) {}

  json::Value print();

private:
  json::Array getSteps(Block &block);
  json::Object getStep(Operation &op);
  json::Array getBuffers();
  json::Array getWeights();
  json::Array getCrossings();

  const Program &program;
  const EmittedKernels &kernels;
};

} // namespace

json::Object PlanPrinter::getStep(Operation &op) {
  json::Object step{{"kind", op.getName().stripDialect()}, {"nodes", getNodes(&op)}};
  auto call = kernels.calls.find(&op);
  if (call != kernels.calls.end())
    step["function"] = call->second.function.str();
  json::Array results;
  for (OpResult result : op.getResults())
    if (auto type = dyn_cast<SymTensorType>(result.getType())) {
      json::Object tensor = getTensor(program.getName(result), type);
      if (int64_t row = program.getBufferOf(result); row >= 0)
        tensor["buffer"] = row;
      results.push_back(std::move(tensor));
    }
  if (!results.empty())
    step["results"] = std::move(results);
  if (!isa<KernelOp, CallOp>(op))
    for (Region &region : op.getRegions()) {
      json::Array *bodies = step.getArray("bodies");
      if (!bodies)
        bodies = (step["bodies"] = json::Array()).getAsArray();
      bodies->push_back(getSteps(region.front()));
    }
  return step;
}

json::Array PlanPrinter::getSteps(Block &block) {
  json::Array steps;
  for (Operation &op : block.without_terminator())
    if (!isa<ScalarOpInterface, SConstantOp, SExtentOp, WeightOp, NullOp, EmptyOp, ElementOp>(op))
      steps.push_back(getStep(op));
  return steps;
}

json::Array PlanPrinter::getBuffers() {
  json::Array buffers;
  for (Attribute row : program.getBuffers()) {
    auto buffer = cast<BufferAttr>(row);
    json::Object entry{{"bytes", text(buffer.getBytes().str())},
                       {"first", buffer.getFirst()},
                       {"last", buffer.getLast()},
                       {"side", stringifySide(buffer.getSide())}};
    if (buffer.isOutput())
      entry["output"] = buffer.getOutput();
    buffers.push_back(std::move(entry));
  }
  return buffers;
}

json::Array PlanPrinter::getWeights() {
  json::Array weights;
  program.getMain()->walk([&](WeightOp weight) {
    json::Object entry = getTensor(program.getName(weight.getOutput()), weight.getType());
    entry["offset"] = weight->getAttrOfType<IntegerAttr>("offset").getInt();
    // The nodes that were folded into it.
    if (json::Array nodes = getNodes(weight); !nodes.empty())
      entry["nodes"] = std::move(nodes);
    weights.push_back(std::move(entry));
  });
  return weights;
}

json::Array PlanPrinter::getCrossings() {
  json::Array crossings;
  program.getMain()->walk([&](Operation *op) {
    if (!isa<FetchOp, StageOp>(op))
      return;
    Value source = op->getOperand(0);
    auto type = cast<SymTensorType>(source.getType());
    bool isBlocking = llvm::any_of(op->getUsers(), llvm::IsaPred<AwaitOp>);
    crossings.push_back(json::Object{{"blocking", isBlocking},
                                     {"bytes", text(getByteSize(type).str())},
                                     {"direction", isa<FetchOp>(op) ? "to_host" : "to_device"},
                                     {"nodes", getNodes(op)},
                                     {"value", text(program.getName(source))}});
  });
  return crossings;
}

json::Value PlanPrinter::print() {
  json::Array inputs, outputs, symbols;
  for (const PortInfo &input : program.getInputs())
    inputs.push_back(getTensor(input.name, input.type));
  for (const PortInfo &output : program.getOutputs())
    outputs.push_back(getTensor(output.name, output.type));
  for (StringRef symbol : program.getEntrySymbols())
    symbols.push_back(text(symbol));
  return json::Object{{"schema", kSchema},
                      {"name", program.getOptions().name},
                      {"target", program.isCuda() ? "cuda" : "cpu"},
                      {"compiler", text(program.getOptions().version)},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"symbols", std::move(symbols)},
                      {"steps", getSteps(program.getBody())},
                      {"buffers", getBuffers()},
                      {"weights", getWeights()},
                      {"crossings", getCrossings()}};
}

std::string cameo::emitPlanJson(const Program &program, const EmittedKernels &kernels) {
  std::string printed;
  llvm::raw_string_ostream os(printed);
  // Objects print with sorted keys.
  os << llvm::formatv("{0:2}", PlanPrinter(program, kernels).print()) << "\n";
  return printed;
}
