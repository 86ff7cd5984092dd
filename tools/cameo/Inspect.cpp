// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo inspect: what a model is, and what of it Cameo cannot compile.

#include "Common.h"
#include "ManyModels.h"
#include "Progress.h"

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/FixedExtents.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Plan/Aliases.h"
#include "Plan/ArenaNeed.h"
#include "Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <fmt/format.h>

#include <map>

using namespace cameo;
using namespace cameo::cli;
using namespace cameo::core;
namespace json = llvm::json;

namespace {

struct Port {
  std::string name;
  json::Object type;
  /// Keys of the columns, for an output in place of maps.
  std::optional<json::Array> keys = {};
  /// The input that an output updates, whose memory it may be bound to; else empty.
  std::string updated = {};
};

/// Memory of a program of the model, as far as it was planned and its sizes are constants.
struct Memory {
  std::optional<ArenaNeed> arena;
  /// The largest of the model's values, with its bytes; none where a size depends on dims.
  std::optional<std::pair<std::string, int64_t>> largest;
  /// Bytes that kernels read and write: once each, in branches and loops too.
  std::optional<int64_t> moved;
  /// Bytes of the blob, and of the weights in it that steps have made larger: as they are in it,
  /// and as they are in the model.
  int64_t weights = 0, enlarged = 0, beforeEnlarged = 0;
};

struct Facts {
  std::vector<Port> inputs, outputs;
  std::map<std::string, int64_t> operators;
  int64_t parameters = 0, parameterBytes = 0, nodes = 0;
  std::vector<UnsupportedNode> unsupported;
  /// A file for --external that declares them.
  std::string declarations;
  Memory memory;
  bool isPlanned = false;
};

std::string getName(mlir::Attribute attribute, const char *fallback, size_t number) {
  if (auto name = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute))
    return escapeText(name);
  return fallback + std::to_string(number);
}

void collectSignature(mlir::func::FuncOp main, Facts &facts) {
  SymbolAnalysis symbols(main);
  auto show = [&](ExtentAttr extent) { return replaceFixed(extent, symbols.getFacts()); };
  facts.inputs.clear();
  facts.outputs.clear();
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes()))
    facts.inputs.push_back(
        {getName(main.getArgAttr(number, "onnx.name"), "input", number), reportType(type, show)});
  for (auto [number, type] : llvm::enumerate(main.getResultTypes()))
    facts.outputs.push_back({getName(main.getResultAttr(number, "onnx.name"), "output", number),
                             reportType(type, show),
                             reportKeys(main.getResultAttr(number, "onnx.keys"))});
}

void collectOperators(mlir::ModuleOp module, Facts &facts) {
  module.walk([&](mlir::Operation *op) {
    if (auto constant = llvm::dyn_cast<onnx::ConstantOp>(op)) {
      mlir::ShapedType type = constant.getValue().getShapedType();
      facts.parameters += type.getNumElements();
      if (type.getElementType().isIntOrFloat())
        facts.parameterBytes += llvm::divideCeil(
            static_cast<uint64_t>(type.getNumElements()) * type.getElementTypeBitWidth(), 8);
      return;
    }
    if (!llvm::isa_and_nonnull<onnx::ONNXDialect>(op->getDialect()) || llvm::isa<onnx::YieldOp>(op))
      return;
    ++facts.operators[op->getName().stripDialect().str()];
    ++facts.nodes;
  });
}

/// Bytes of a tensor whose size is constant.
std::optional<int64_t> getBytes(SymTensorType tensor, const ExtentFacts &known) {
  if (!tensor.hasRank())
    return std::nullopt;
  llvm::SmallVector<ExtentAttr> extents;
  for (ExtentAttr extent : tensor.getExtents())
    extents.push_back(replaceFixed(extent, known));
  return reportBytes(tensor.withExtents(extents)).getAsInteger();
}

/// The largest value, behind Shape. Constants are weights, and are told of as such.
void findLargest(mlir::func::FuncOp main, Memory &memory) {
  SymbolAnalysis symbols(main);
  const ExtentFacts &known = symbols.getFacts();
  memory.largest.reset();
  bool isKnown = true;
  auto visit = [&](mlir::Value value, std::string name) {
    auto tensor = llvm::dyn_cast<SymTensorType>(value.getType());
    if (!tensor)
      return;
    std::optional<int64_t> bytes = getBytes(tensor, known);
    isKnown &= bytes.has_value();
    if (bytes && (!memory.largest || *bytes > memory.largest->second))
      memory.largest = {std::move(name), *bytes};
  };
  for (mlir::BlockArgument input : main.getArguments())
    visit(input, getName(main.getArgAttr(input.getArgNumber(), "onnx.name"), "input",
                         input.getArgNumber()));
  main.walk([&](mlir::Operation *op) {
    if (!llvm::isa<onnx::ConstantOp>(op))
      for (mlir::OpResult result : op->getResults())
        visit(result, escapeText(getOutputName(op->getLoc(), result.getResultNumber())));
  });
  if (!isKnown)
    memory.largest.reset();
}

/// The symbols in sizes of buffers that have one value.
std::map<std::string, int64_t> getFixedSymbols(mlir::func::FuncOp main, const ExtentFacts &known) {
  llvm::SetVector<llvm::StringRef> symbols;
  if (auto table = main->getAttrOfType<mlir::ArrayAttr>("prog.buffers"))
    for (auto row : table.getAsRange<prog::BufferAttr>())
      row.getBytes().collectSymbols(symbols);
  std::map<std::string, int64_t> fixed;
  for (llvm::StringRef symbol : symbols)
    if (auto value =
            replaceFixed(ExtentAttr::symbol(main.getContext(), symbol), known).getConstant())
      fixed[symbol.str()] = *value;
  return fixed;
}

/// Which inputs outputs may be bound to the memory of, of the planned program.
void collectUpdates(mlir::ModuleOp planned, Facts &facts) {
  auto main = planned.lookupSymbol<mlir::func::FuncOp>("main");
  for (auto [number, output] : llvm::enumerate(facts.outputs))
    if (auto input = llvm::cast_if_present<mlir::BlockArgument>(
            getUpdatedInput(main, static_cast<int64_t>(number))))
      output.updated = facts.inputs[input.getArgNumber()].name;
}

/// Collects the memory of the planned program.
void collectMemory(mlir::ModuleOp planned, Memory &memory) {
  auto main = planned.lookupSymbol<mlir::func::FuncOp>("main");
  if (auto bytes = planned->getAttrOfType<mlir::IntegerAttr>("prog.weights_bytes"))
    memory.weights = bytes.getInt();
  SymbolAnalysis symbols(main);
  const ExtentFacts &known = symbols.getFacts();
  memory.arena = getArenaNeed(main, getFixedSymbols(main, known));
  memory.moved = 0;
  memory.enlarged = memory.beforeEnlarged = 0;
  llvm::DenseSet<int64_t> seen;
  prog::walkOutsideKernels(planned, [&](mlir::Operation *op) {
    if (auto weight = llvm::dyn_cast<prog::WeightOp>(op)) {
      auto offset = weight->getAttrOfType<mlir::IntegerAttr>("offset");
      if (!offset || !seen.insert(offset.getInt()).second)
        return;
      mlir::ShapedType value = weight.getValue().getShapedType();
      int64_t bytes = *reportBytes(weight.getType()).getAsInteger();
      int64_t before = value.getNumElements() * getElementBytes(value.getElementType());
      if (bytes <= before)
        return;
      memory.enlarged += bytes;
      memory.beforeEnlarged += before;
      return;
    }
    // Only steps that write a buffer move bytes.
    auto rows = op->getAttrOfType<mlir::DenseI64ArrayAttr>("buffers");
    if (!rows || llvm::all_of(rows.asArrayRef(), [](int64_t row) { return row < 0; }))
      return;
    for (mlir::TypeRange types :
         {mlir::TypeRange(op->getOperandTypes()), mlir::TypeRange(op->getResultTypes())})
      for (mlir::Type type : types)
        if (auto tensor = llvm::dyn_cast<SymTensorType>(type); tensor && memory.moved) {
          std::optional<int64_t> bytes = getBytes(tensor, known);
          memory.moved = bytes ? std::optional(*memory.moved + *bytes) : std::nullopt;
        }
  });
}

/// The name of a remedy; empty where nobody has looked.
llvm::StringRef getName(RemedyKind kind) {
  switch (kind) {
  case RemedyKind::Unknown:
    return "";
  case RemedyKind::External:
    return "external";
  case RemedyKind::Export:
    return "export";
  case RemedyKind::None:
    return "none";
  }
  return "";
}

json::Array toJson(const std::vector<Port> &ports) {
  json::Array rows;
  for (const Port &port : ports) {
    json::Object row = port.type;
    row["name"] = port.name;
    if (port.keys)
      row["keys"] = json::Array(*port.keys);
    if (!port.updated.empty())
      row["updates"] = port.updated;
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value toJson(const Facts &facts) {
  json::Object operators;
  for (const auto &[name, count] : facts.operators)
    operators[name] = count;
  json::Array unsupported;
  for (const UnsupportedNode &node : facts.unsupported) {
    json::Object row{{"domain", escapeText(node.domain)},
                     {"node", node.where},
                     {"problem", escapeText(node.opType)}};
    if (llvm::StringRef kind = getName(node.remedy); !kind.empty()) {
      row["remedy"] = kind;
      row["advice"] = node.advice;
    }
    unsupported.push_back(std::move(row));
  }
  json::Object report{{"schema", 3},
                      {"inputs", toJson(facts.inputs)},
                      {"outputs", toJson(facts.outputs)},
                      {"nodes", facts.nodes},
                      {"operators", std::move(operators)},
                      {"parameters", facts.parameters},
                      {"parameter_bytes", facts.parameterBytes},
                      {"unsupported", std::move(unsupported)}};
  if (!facts.declarations.empty())
    report["external"] = llvm::cantFail(json::parse(facts.declarations));
  if (!facts.isPlanned)
    return report;
  const Memory &memory = facts.memory;
  auto orNull = [](const std::optional<int64_t> &number) {
    return number ? json::Value(*number) : json::Value(nullptr);
  };
  json::Object row{{"arena_bytes", nullptr},
                   {"arena_lower_bound", nullptr},
                   {"largest_value", nullptr},
                   {"moved_bytes", orNull(memory.moved)},
                   {"weights_bytes", memory.weights},
                   {"enlarged_bytes", memory.enlarged},
                   {"enlarged_before_bytes", memory.beforeEnlarged}};
  if (memory.arena) {
    row["arena_bytes"] = memory.arena->bytes;
    row["arena_lower_bound"] = memory.arena->lowerBound;
  }
  if (memory.largest)
    row["largest_value"] =
        json::Object{{"name", memory.largest->first}, {"bytes", memory.largest->second}};
  report["memory"] = std::move(row);
  return report;
}

std::string toText(const Memory &memory) {
  std::string text =
      fmt::format("memory\n  weights: {} bytes as kernels read them\n", memory.weights);
  if (memory.enlarged > 0)
    text += fmt::format("  of these {} are of weights that kernels read in a larger form, which "
                        "are {} in the model (--weights-budget bounds them, --precision strict or "
                        "exact takes less)\n",
                        memory.enlarged, memory.beforeEnlarged);
  if (memory.arena)
    text += fmt::format("  arena: {} bytes, of which {} are alive at once\n", memory.arena->bytes,
                        memory.arena->lowerBound);
  if (memory.largest)
    text += fmt::format("  largest value: {}, {} bytes\n", memory.largest->first,
                        memory.largest->second);
  if (memory.moved)
    text += fmt::format("  kernels read and write {} bytes\n", *memory.moved);
  if (!memory.arena || !memory.largest || !memory.moved)
    text += "  all else depends on dims, which --dim NAME=4 gives, or on data\n";
  return text;
}

/// The operators that are not supported, the remedy of each, and a declaration to begin with.
std::string describeUnsupported(const Facts &facts) {
  if (facts.unsupported.empty())
    return "";
  std::string text = "not supported\n";
  std::map<std::string, int64_t> counts;
  std::map<std::string, const UnsupportedNode *> first;
  for (const UnsupportedNode &node : facts.unsupported) {
    text += fmt::format("  {}: {}\n", node.where, escapeText(node.opType));
    if (node.remedy == RemedyKind::Unknown)
      continue;
    std::string op =
        (node.domain.empty() ? "" : escapeText(node.domain) + ".") + escapeText(node.opType);
    ++counts[op];
    first.try_emplace(op, &node);
  }
  if (!first.empty())
    text += "what removes that\n";
  for (const auto &[op, node] : first)
    text += fmt::format("  {}, {} {}: {}{}\n", op, counts[op], counts[op] == 1 ? "node" : "nodes",
                        node->remedy == RemedyKind::None ? "nothing yet; it " : "", node->advice);
  if (!facts.declarations.empty())
    text += "for --external, once you have filled in each ? and the extents that are known\n" +
            facts.declarations;
  return text;
}

std::string toText(const Facts &facts) {
  std::string text;
  for (const auto &[title, ports] :
       {std::pair("inputs", &facts.inputs), std::pair("outputs", &facts.outputs)}) {
    text += fmt::format("{}\n", title);
    for (const Port &port : *ports)
      text += fmt::format("  {}: {}{}{}\n", port.name, describeType(port.type),
                          port.keys ? ", columns " + describeKeys(*port.keys) : "",
                          port.updated.empty() ? "" : ", may lie where " + port.updated + " does");
  }
  text += fmt::format("parameters\n  {} ({} bytes)\noperators ({} nodes)\n", facts.parameters,
                      facts.parameterBytes, facts.nodes);
  for (const auto &[name, count] : facts.operators)
    text += fmt::format("  {} {}\n", count, name);
  if (facts.isPlanned)
    text += toText(facts.memory);
  return text + describeUnsupported(facts);
}

struct InspectVerb {
  ModelFlags flags;
  std::string jsonFile;
  bool mustBeSupported = false, isInterfaceOnly = false;
  ManyModels many;

  int run() const {
    if (flags.getModels().size() > 1)
      return many.run(flags.getModels(), {jsonFile});
    Options options;
    if (auto problem = flags.read(options))
      return report(*problem);
    options.emit.name = makeLibraryName(flags.getModel());
    Facts facts;
    bool isKnown = false;
    auto progress = std::make_unique<Progress>("reading the model");
    PipelineResult result =
        compileModel(flags.getModel(), options, [&](Stage stage, mlir::ModuleOp module) {
          auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
          if (stage == Stage::Import)
            collectOperators(module, facts);
          if (stage == Stage::Import || stage == Stage::Shape)
            collectSignature(main, facts);
          if (stage == Stage::Shape)
            findLargest(main, facts.memory);
          facts.isPlanned = stage == Stage::Plan || stage == Stage::Prepare;
          if (stage == Stage::Plan) {
            collectMemory(module, facts.memory);
            collectUpdates(module, facts);
          }
          isKnown = true;
          progress->update(fmt::format("compiling, {} is done", getStageName(stage)));
          // To the end, where what later stages and the target lack is told as well.
          return mustBeSupported || stage != (isInterfaceOnly ? Stage::Shape : Stage::Plan);
        });
    progress.reset();
    // A refusal is an answer here, as long as there is something to show.
    bool isGap = result.diagnostic && result.diagnostic->exitClass == ExitClass::Unsupported;
    if (result.diagnostic && !(isGap && (isKnown || !result.unsupported.empty())))
      return report(*result.diagnostic);
    facts.unsupported = std::move(result.unsupported);
    facts.declarations = std::move(result.declarations);
    if (isGap && facts.unsupported.empty())
      facts.unsupported.push_back(
          {result.diagnostic->where, "", result.diagnostic->problem, 0, RemedyKind::Unknown, ""});
    // Nothing else is known of a model that was not imported.
    int failed = jsonFile.empty() ? print(isKnown ? toText(facts) : describeUnsupported(facts))
                                  : printTo(jsonFile, formatJson(toJson(facts)));
    return failed || !isGap || (isKnown && !mustBeSupported) ? failed : report(*result.diagnostic);
  }
};

} // namespace

Verb cameo::cli::addInspect(CLI::App &app) {
  CLI::App &verb =
      addVerb(app, "inspect", "show inputs, outputs, operators, and what is not supported",
              "cameo inspect model.onnx --dim batch=1");
  auto state = std::make_shared<InspectVerb>();
  verb.add_option("--json", state->jsonFile,
                  "write it as JSON to this file, - for standard output");
  verb.add_flag("--interface", state->isInterfaceOnly,
                "only what is known without a plan: inputs, outputs, operators, parameters");
  verb.add_flag("--supported", state->mustBeSupported,
                "fail (exit 5) when something of the model is not supported");
  state->many.addTo(verb, {"--emit-plan"});
  state->flags.addTo(verb, /*withEmulator=*/false, ModelFlags::Models::Many);
  return [state] { return state->run(); };
}
