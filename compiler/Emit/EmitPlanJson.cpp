// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitPlanJson.h"

#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Support/JsonText.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;
namespace json = llvm::json;

/// Number of this file's form; scripts look at it first.
static constexpr int64_t kSchema = 2;

/// The functions whose statements are steps.
static constexpr StringRef kFunctions[] = {"read_symbols", "main"};

namespace {

/// JSON is UTF-8; names of a model need not be.
std::string text(StringRef bytes) { return json::fixUTF8(bytes); }

StringRef getSpace(SymTensorType type) { return type.isDevice() ? "device" : "host"; }

/// A tensor's members but those that begin with a or b; `printMore` those from `name` to `shape`.
void printTensor(
    json::OStream &os, StringRef name, SymTensorType type, function_ref<void()> printMore = [] {}) {
  json::Object members = reportType(type);
  os.attribute("dtype", *members.get("dtype"));
  os.attribute("name", text(name));
  printMore();
  os.attribute("shape", *members.get("shape"));
  os.attribute("space", getSpace(type));
}

void printNode(json::OStream &os, const NodeLocation &location) {
  os.attribute("name", text(location.name));
  os.attribute("op", text(location.opType));
}

void printNodes(json::OStream &os, ArrayRef<NodeLocation> locations) {
  os.attributeArray("nodes", [&] {
    for (const NodeLocation &location : locations)
      os.object([&] { printNode(os, location); });
  });
}

/// Whether an op is listed under "steps".
bool isStep(Operation *op) {
  return isa<host::LaunchKernelOp, host::BindOp, host::DefineOp, host::CheckOp, host::ViewOp,
             host::FromElementsOp, host::WriteElementsOp, host::FetchOp, host::AwaitOp, host::AskOp,
             host::UploadOp, host::ExternalOp, host::IfOp, host::ChooseOp, host::LoopOp,
             host::WhileOp, host::CopyOp>(op);
}

/// A tensor that a statement writes, and the row that it lies in.
struct Written {
  StringRef name;
  SymTensorType type;
  int64_t row;
};

/// Prints as it goes, since the objects of a large model's plan would take more memory than all
/// other stages; members are in alphabetical order.
class PlanPrinter {
public:
  PlanPrinter(const Program &program, const EmittedKernels &kernels, const Provenance &provenance,
              json::OStream &os)
      : program(program), kernels(kernels), provenance(provenance), os(os) {}

  void print();

private:
  void printSteps(Block &block);
  void printStep(Operation &op);
  void printResults(Operation &op);
  void printBuffers();
  void printWeights();
  void printCapture();
  void printCrossings();
  void printFolded();
  void printPorts(StringRef name, ArrayRef<PortInfo> ports);

  const Program &program;
  const EmittedKernels &kernels;
  const Provenance &provenance;
  json::OStream &os;
};

} // namespace

void PlanPrinter::printResults(Operation &op) {
  SmallVector<Written> written;
  auto add = [&](Value value, int64_t row) {
    written.push_back({host::getName(value), cast<SymTensorType>(value.getType()), row});
  };
  for (OpResult result : op.getResults())
    if (isa<SymTensorType>(result.getType()))
      add(result, -1);
  if (auto launch = dyn_cast<host::LaunchKernelOp>(op)) {
    auto types = launch.getWritten().getAsValueRange<TypeAttr>();
    size_t count = launch.getWritten().size();
    for (auto [number, type] : llvm::enumerate(types))
      written.push_back({getValueName(launch.getLoc(), number, count), cast<SymTensorType>(type),
                         launch.getRows() ? (*launch.getRows())[number] : -1});
  }
  auto addTarget = [&](Value target) { add(target, program.getBufferOf(target)); };
  if (auto await = dyn_cast<host::AwaitOp>(op))
    addTarget(await.getTarget());
  if (auto upload = dyn_cast<host::UploadOp>(op))
    addTarget(upload.getTarget());
  if (auto elements = dyn_cast<host::WriteElementsOp>(op))
    addTarget(elements.getTarget());
  if (auto external = dyn_cast<host::ExternalOp>(op))
    llvm::for_each(external.getOuts(), addTarget);
  if (written.empty())
    return;
  os.attributeArray("results", [&] {
    for (const Written &each : written)
      os.object([&] {
        if (each.row >= 0)
          os.attribute("buffer", each.row);
        printTensor(os, each.name, each.type);
      });
  });
}

void PlanPrinter::printStep(Operation &op) {
  auto launch = dyn_cast<host::LaunchKernelOp>(op);
  os.object([&] {
    if (op.getNumRegions() != 0)
      os.attributeArray("bodies", [&] {
        for (Region &region : op.getRegions())
          os.array([&] { printSteps(region.front()); });
      });
    const KernelCall *call = launch ? &kernels.getCall(launch) : nullptr;
    if (call)
      os.attribute("function", call->function.str());
    if (auto external = dyn_cast<host::ExternalOp>(op))
      os.attribute("function", external.getFunction());
    os.attribute("kind", (call ? call->kernel : &op)->getName().stripDialect());
    printNodes(os, getNodes(&op));
    printResults(op);
  });
}

void PlanPrinter::printSteps(Block &block) {
  for (Operation &op : block.without_terminator())
    if (isStep(&op))
      printStep(op);
    else if (auto rest = dyn_cast<host::RestOp>(op))
      printSteps(rest.getBody().front());
}

void PlanPrinter::printBuffers() {
  os.attributeArray("buffers", [&] {
    for (Attribute row : program.getBuffers()) {
      auto buffer = cast<BufferAttr>(row);
      os.object([&] {
        os.attribute("bytes", reportExtent(buffer.getBytes()));
        os.attribute("first", buffer.getFirst());
        os.attribute("last", buffer.getLast());
        if (buffer.isPlaced())
          os.attribute("offset", buffer.getOffset());
        if (buffer.isOutput())
          os.attribute("output", buffer.getOutput());
        os.attribute("side", stringifySide(buffer.getSide()));
      });
    }
  });
}

void PlanPrinter::printWeights() {
  os.attributeArray("weights", [&] {
    walkOutsideKernels(program.getMain(), [&](WeightOp weight) {
      os.object([&] {
        printTensor(os, host::getName(weight.getOutput()), weight.getType(), [&] {
          // The nodes that were folded into it.
          if (SmallVector<NodeLocation> nodes = getNodes(weight); !nodes.empty())
            printNodes(os, nodes);
          if (auto offset = weight->getAttrOfType<IntegerAttr>("offset"))
            os.attribute("offset", offset.getInt());
        });
      });
    });
  });
}

/// Whether a run can be captured as a graph: what it waits for if not, and the inputs whose
/// elements a graph does not read again.
void PlanPrinter::printCapture() {
  if (!program.getTarget().device)
    return;
  SmallVector<WaitOpInterface> waits;
  walkOutsideKernels(program.getMain(), [&](WaitOpInterface wait) {
    if (!wait.isLeftToDevice())
      waits.push_back(wait);
  });
  os.attributeObject("capture", [&] {
    os.attribute("capturable", waits.empty());
    os.attributeArray("kept_inputs", [&] {
      for (auto [number, port] : llvm::enumerate(program.getInputs()))
        if (port.type.isHost() && program.isRead(number))
          os.value(text(port.name));
    });
    os.attributeArray("waits", [&] {
      for (WaitOpInterface wait : waits)
        os.object([&] {
          printNodes(os, getNodes(wait));
          os.attribute("value", text(host::getName(wait.getAwaited())));
        });
    });
  });
}

void PlanPrinter::printCrossings() {
  os.attributeArray("crossings", [&] {
    walkOutsideKernels(program.getMain(), [&](Operation *op) {
      // In a loop that the device runs it asks itself.
      if (!isa<host::FetchOp, host::AskOp, host::UploadOp>(op) ||
          op->getParentOfType<host::WhileOp>())
        return;
      Value source = op->getOperand(0);
      auto type = cast<SymTensorType>(source.getType());
      os.object([&] {
        os.attribute("blocking", llvm::any_of(op->getUsers(), [](Operation *user) {
                       return isa<WaitOpInterface>(user) && !user->getParentOfType<host::RestOp>();
                     }));
        os.attribute("bytes", reportBytes(type));
        os.attribute("direction", isa<host::UploadOp>(op) ? "to_device" : "to_host");
        printNodes(os, getNodes(op));
        os.attribute("value", text(host::getName(source)));
      });
    });
  });
}

/// The nodes that neither a step nor a weight names; one without "into" was read by nobody.
void PlanPrinter::printFolded() {
  SmallVector<Operation *> named;
  for (StringRef function : kFunctions)
    program.getFunction(function)->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isStep(op) || isa<WeightOp>(op))
        named.push_back(op);
    });
  os.attributeArray("folded", [&] {
    for (const FoldedNode &folded : provenance.findFolded(named))
      os.object([&] {
        if (folded.into)
          os.attributeObject("into", [&] { printNode(os, *folded.into); });
        printNode(os, folded.node);
      });
  });
}

void PlanPrinter::printPorts(StringRef name, ArrayRef<PortInfo> ports) {
  os.attributeArray(name, [&] {
    for (const PortInfo &port : ports)
      os.object([&] {
        printTensor(os, port.name, port.type, [&] {
          if (!port.dims)
            os.attribute("rank", "dynamic");
        });
      });
  });
}

void PlanPrinter::print() {
  os.object([&] {
    printBuffers();
    printCapture();
    os.attribute("compiler", text(program.getOptions().version));
    printCrossings();
    printFolded();
    printPorts("inputs", program.getInputs());
    os.attribute("name", program.getOptions().name);
    printPorts("outputs", program.getOutputs());
    os.attribute("schema", kSchema);
    os.attributeArray("steps", [&] {
      for (StringRef function : kFunctions)
        printSteps(*program.getFunction(function));
    });
    os.attributeArray("symbols", [&] {
      for (StringRef symbol : program.getEntrySymbols())
        os.value(text(symbol));
    });
    os.attribute("target", program.getTarget().name);
    printWeights();
  });
}

std::string cameo::emitPlanJson(const Program &program, const EmittedKernels &kernels,
                                const Provenance &provenance) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  json::OStream os(stream, /*IndentSize=*/2);
  PlanPrinter(program, kernels, provenance, os).print();
  stream << "\n";
  return escapeNonAscii(std::move(printed));
}
