// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo inspect: what a model is, and what of it Cameo cannot compile.

#include "Common.h"
#include "Progress.h"

#include "Dialect/Core/IR/FixedExtents.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
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
};

struct Facts {
  std::vector<Port> inputs, outputs;
  std::map<std::string, int64_t> operators;
  int64_t parameters = 0, parameterBytes = 0, nodes = 0;
  std::vector<UnsupportedNode> unsupported;
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
                             reportType(type, show)});
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

json::Array toJson(const std::vector<Port> &ports) {
  json::Array rows;
  for (const Port &port : ports) {
    json::Object row = port.type;
    row["name"] = port.name;
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value toJson(const Facts &facts) {
  json::Object operators;
  for (const auto &[name, count] : facts.operators)
    operators[name] = count;
  json::Array unsupported;
  for (const UnsupportedNode &node : facts.unsupported)
    unsupported.push_back(json::Object{{"domain", escapeText(node.domain)},
                                       {"node", node.where},
                                       {"problem", escapeText(node.opType)}});
  return json::Object{{"schema", 2},
                      {"inputs", toJson(facts.inputs)},
                      {"outputs", toJson(facts.outputs)},
                      {"nodes", facts.nodes},
                      {"operators", std::move(operators)},
                      {"parameters", facts.parameters},
                      {"parameter_bytes", facts.parameterBytes},
                      {"unsupported", std::move(unsupported)}};
}

std::string toText(const Facts &facts) {
  std::string text;
  for (const auto &[title, ports] :
       {std::pair("inputs", &facts.inputs), std::pair("outputs", &facts.outputs)}) {
    text += fmt::format("{}\n", title);
    for (const Port &port : *ports)
      text += fmt::format("  {}: {}\n", port.name, describeType(port.type));
  }
  text += fmt::format("parameters\n  {} ({} bytes)\noperators ({} nodes)\n", facts.parameters,
                      facts.parameterBytes, facts.nodes);
  for (const auto &[name, count] : facts.operators)
    text += fmt::format("  {} {}\n", count, name);
  if (!facts.unsupported.empty())
    text += "not supported\n";
  for (const UnsupportedNode &node : facts.unsupported)
    text += fmt::format("  {}: {}\n", node.where, escapeText(node.opType));
  return text;
}

struct InspectVerb {
  ModelFlags flags;
  std::string jsonFile;
  bool mustBeSupported = false;

  int run() const {
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
          isKnown = true;
          progress->update(fmt::format("compiling, {} is done", getStageName(stage)));
          // To the end, where what later stages and the target lack counts as well.
          return mustBeSupported || stage != Stage::Structure;
        });
    progress.reset();
    // What cannot be compiled is an answer here, as long as there is something to show.
    bool isGap = result.diagnostic && result.diagnostic->exitClass == ExitClass::Unsupported;
    if (result.diagnostic && !(isGap && isKnown))
      return report(*result.diagnostic);
    facts.unsupported = std::move(result.unsupported);
    if (isGap && facts.unsupported.empty())
      facts.unsupported.push_back({result.diagnostic->where, "", result.diagnostic->problem, 0});
    int failed =
        jsonFile.empty() ? print(toText(facts)) : printTo(jsonFile, formatJson(toJson(facts)));
    return failed || !isGap || !mustBeSupported ? failed : report(*result.diagnostic);
  }
};

} // namespace

Verb cameo::cli::addInspect(CLI::App &app) {
  CLI::App &verb =
      addVerb(app, "inspect", "show inputs, outputs, operators, and what is not supported");
  auto state = std::make_shared<InspectVerb>();
  state->flags.addTo(verb, /*withEmulator=*/false);
  verb.add_option("--json", state->jsonFile,
                  "write it as JSON to this file, - for standard output");
  verb.add_flag("--supported", state->mustBeSupported,
                "fail (exit 5) when something of the model is not supported");
  return [state] { return state->run(); };
}
