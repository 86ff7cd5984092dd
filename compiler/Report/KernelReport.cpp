// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/KernelReport.h"

#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/Host/IR/HostDialect.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Kernels/Explained.h"
#include "Support/Diagnostic.h"
#include "Support/NodeLocation.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <map>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static KernelReport::Way readWay(DictionaryAttr said) {
  auto text = [&](StringRef name) {
    auto found = said.getAs<StringAttr>(name);
    return found ? found.str() : std::string();
  };
  KernelReport::Way way;
  way.name = text("name");
  way.function = text("function");
  way.bound = text("bound");
  way.refusedBy = text("refused");
  way.isTaken = said.contains("taken");
  if (auto choices = said.getAs<DictionaryAttr>("choices"))
    for (NamedAttribute choice : choices)
      way.choices.emplace_back(choice.getName().str(),
                               cast<IntegerAttr>(choice.getValue()).getInt());
  if (auto price = said.getAs<IntegerAttr>("price"))
    way.picoseconds = price.getInt();
  if (auto percent = said.getAs<IntegerAttr>("percent"))
    way.percent = percent.getInt();
  return way;
}

/// `tf32` of `factor_type::tf32`.
static std::string readFactors(CallOp call) {
  auto factors = call.getParams().getAs<StringAttr>("factors");
  return factors ? factors.getValue().rsplit("::").second.str() : std::string();
}

/// `H * W <= 400`, `H * W > 400`.
static std::string describeRange(DictionaryAttr where) {
  std::string measure = describeExtent(reportExtent(where.getAs<ExtentAttr>("measure")));
  auto above = where.getAs<IntegerAttr>("above"), most = where.getAs<IntegerAttr>("most");
  if (!above)
    return llvm::formatv("{0} <= {1}", measure, most.getInt());
  if (!most)
    return llvm::formatv("{0} > {1}", measure, above.getInt());
  return llvm::formatv("{0} in {1}..{2}", measure, above.getInt() + 1, most.getInt());
}

static KernelReport::Kernel readKernel(Operation *op) {
  KernelReport::Kernel kernel;
  SmallVector<NodeLocation> nodes;
  collectNodes(op->getLoc(), nodes);
  kernel.node = describeNode(op->getLoc());
  kernel.numNodes = nodes.size();
  if (auto call = dyn_cast<CallOp>(op)) {
    kernel.function = call.getCallee().str();
    kernel.factors = readFactors(call);
  }
  if (auto replaced = op->getAttrOfType<StringAttr>(kReplaced))
    kernel.replaced = replaced.str();
  if (op->getNumResults() != 0)
    if (auto type = dyn_cast<SymTensorType>(op->getResult(0).getType())) {
      kernel.side = type.isHost() ? "host" : "device";
      kernel.type = reportType(type);
    }
  if (auto where = op->getAttrOfType<DictionaryAttr>(kWhere)) {
    kernel.where = describeRange(where);
    kernel.isUsual = where.contains("usual");
  }
  if (auto weighed = op->getAttrOfType<ArrayAttr>(kWeighed))
    for (auto said : weighed.getAsRange<DictionaryAttr>())
      kernel.ways.push_back(readWay(said));
  return kernel;
}

KernelReport cameo::makeKernelReport(ModuleOp planned, bool hasDevice) {
  KernelReport report;
  report.hasDevice = hasDevice;
  planned.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<CallOp, KernelOp>(op))
      report.kernels.push_back(readKernel(op));
  });
  return report;
}

/// A planned kernel and its launch have the nodes and the template in common.
using LaunchKey = std::pair<std::string, std::string>;

static LaunchKey getKey(host::LaunchKernelOp launch, host::KernelOp kernel) {
  auto call = dyn_cast<CallOp>(kernel.getKernel());
  return {describeNode(launch.getLoc()), call ? call.getCallee().str() : ""};
}

void cameo::addFinished(KernelReport &report, ModuleOp finished) {
  SymbolTable symbols(finished);
  std::map<LaunchKey, std::deque<std::string>> called;
  finished.walk<WalkOrder::PreOrder>([&](host::LaunchKernelOp launch) {
    auto kernel = symbols.lookup<host::KernelOp>(launch.getKernel());
    called[getKey(launch, kernel)].push_back(kernel.getCalled()->str());
  });
  for (KernelReport::Kernel &kernel : report.kernels) {
    std::deque<std::string> &launches = called[{kernel.node, kernel.function}];
    if (launches.empty())
      continue;
    kernel.called = launches.front();
    launches.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object toJson(const KernelReport::Way &way) {
  json::Object row{{"name", way.name}, {"function", way.function}, {"taken", way.isTaken}};
  if (!way.refusedBy.empty()) {
    row["refused_by"] = way.refusedBy;
    return row;
  }
  json::Object choices;
  for (const auto &[name, number] : way.choices)
    choices[name] = number;
  row["choices"] = std::move(choices);
  if (way.picoseconds) {
    row["picoseconds"] = *way.picoseconds;
    row["bound_by"] = way.bound;
    row["bound_percent"] = way.percent;
  }
  return row;
}

static json::Array toJson(ArrayRef<KernelReport::Time> times) {
  json::Array rows;
  for (const KernelReport::Time &time : times)
    rows.push_back(json::Object{{"machine", json::fixUTF8(time.machine)},
                                {"us", time.microseconds},
                                {"bound_by", json::fixUTF8(time.binds)}});
  return rows;
}

json::Array KernelReport::toJson() const {
  json::Array rows;
  for (const Kernel &kernel : kernels) {
    json::Array ways;
    for (const Way &way : kernel.ways)
      ways.push_back(::toJson(way));
    json::Object row{{"node", kernel.node},
                     {"nodes", static_cast<int64_t>(kernel.numNodes)},
                     {"side", kernel.side},
                     {"type", json::Object(kernel.type)},
                     {"ways", std::move(ways)}};
    if (!kernel.function.empty())
      row["function"] = kernel.function;
    if (!kernel.replaced.empty())
      row["in_place_of"] = kernel.replaced;
    if (!kernel.where.empty())
      row["where"] = kernel.where;
    if (!kernel.factors.empty())
      row["factors"] = kernel.factors;
    if (!kernel.called.empty())
      row["called"] = kernel.called;
    if (!kernel.times.empty())
      row["predicted"] = ::toJson(kernel.times);
    rows.push_back(std::move(row));
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeTime(int64_t picoseconds) {
  return llvm::formatv("{0:F3} us", static_cast<double>(picoseconds) / 1e6).str();
}

static std::string describe(const KernelReport::Way &way, std::optional<int64_t> taken) {
  std::string text = way.name;
  for (const auto &[name, number] : way.choices)
    text += llvm::formatv(", {0} = {1}", name, number);
  if (!way.refusedBy.empty())
    return text + ": refused, it needs " + way.refusedBy;
  text += way.picoseconds ? ": " + describeTime(*way.picoseconds) : ": allowed";
  if (way.picoseconds)
    text += llvm::formatv(", {0} % {1}", way.percent, way.bound);
  if (way.isTaken)
    return text + ", taken";
  return way.picoseconds && taken && *way.picoseconds < *taken
             ? text + ", too little below what is taken"
             : text;
}

static void print(const KernelReport::Kernel &kernel, bool hasDevice, llvm::raw_ostream &os) {
  os << (kernel.function.empty() ? "loop over elements" : kernel.function);
  if (!kernel.replaced.empty())
    os << " in place of " << kernel.replaced;
  if (!kernel.factors.empty())
    os << " by factors rounded to " << kernel.factors;
  os << "  " << (kernel.node.empty() ? "none of the model's nodes" : kernel.node);
  if (kernel.numNodes > 1)
    os << " and " << kernel.numNodes - 1 << " more";
  if (!kernel.type.empty())
    os << " -> " << describeType(kernel.type);
  if (hasDevice && !kernel.side.empty())
    os << " on the " << kernel.side;
  if (!kernel.where.empty())
    os << " where " << kernel.where;
  os << '\n';
  auto taken = llvm::find_if(kernel.ways, [](const auto &way) { return way.isTaken; });
  for (const KernelReport::Way &way : kernel.ways)
    os << "    " << describe(way, taken == kernel.ways.end() ? std::nullopt : taken->picoseconds)
       << '\n';
  for (const KernelReport::Time &time : kernel.times)
    os << llvm::formatv("    {0}: {1:F3} us, bound by {2}\n", escapeText(time.machine),
                        time.microseconds, escapeText(time.binds));
}

std::string KernelReport::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  size_t chosen = 0;
  int64_t picoseconds = 0;
  for (const Kernel &kernel : kernels)
    for (const Way &way : kernel.ways)
      if (way.isTaken) {
        ++chosen;
        picoseconds += kernel.isUsual ? way.picoseconds.value_or(0) : 0;
      }
  os << kernels.size() << " kernels, " << chosen << " of them chosen among variants";
  if (picoseconds != 0)
    os << ", predicted to take " << describeTime(picoseconds)
       << " on one core: prices compare variants, `cameo bench` measures";
  os << '\n';
  for (const Run &run : runs)
    os << llvm::formatv(
        "predicted of {0}: {1:F4} ms with the gaps between kernels, {2:F4} at least\n",
        escapeText(run.machine), run.microseconds / 1e3, run.limitMicroseconds / 1e3);
  os << '\n';
  for (const Kernel &kernel : kernels)
    print(kernel, hasDevice, os);
  return text;
}
