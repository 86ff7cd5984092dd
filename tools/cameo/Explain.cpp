// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo explain: where every value lives and why, and every copy between host and device; as text,
// as JSON, and as a page (explain/) that holds the same JSON. With --kernels, by which kernels a
// program runs, and why by these.

#include "Common.h"
#include "EmbeddedFile.h"
#include "Predictions.h"
#include "Report/KernelReport.h"
#include "embeddedPage.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

StringRef getPart(StringRef path) {
  for (const EmbeddedFile &file : embeddedPage)
    if (path == file.path)
      return {file.data, file.size};
  llvm_unreachable("not among the embedded files");
}

/// JSON that no markup can start in: what the model calls its values stands in a script element.
std::string escapeForScript(llvm::json::Value value) {
  std::string text;
  for (char c : escapeNonAscii(llvm::formatv("{0}", value).str()))
    text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

/// The page with its parts in place of `{{part}}`.
std::string makePage(llvm::json::Object report, StringRef model, StringRef target) {
  report["model"] = escapeText(llvm::sys::path::filename(model));
  report["target"] = target;
  std::string data = escapeForScript(std::move(report)), page;
  StringRef rest = getPart("explain/page.html");
  while (true) {
    auto [text, behind] = rest.split("{{");
    page += text;
    if (behind.empty())
      return page;
    auto [part, next] = behind.split("}}");
    page += part == "report" ? StringRef(data) : getPart(("explain/" + part).str());
    rest = next;
  }
}

/// Data for Model Explorer: the side of each node's first result.
llvm::json::Object makeNodeData(const PlacementReport &report) {
  llvm::json::Object results;
  for (const PlacementReport::Node &node : report.nodes) {
    if (node.isConstant || node.results.empty())
      continue;
    const std::string &side = report.values[node.results.front()].side;
    auto [op, name] = StringRef(node.name).split(':');
    if (op == "Input")
      continue;
    results[name.str()] = llvm::json::Object{{"bgColor", side == "device" ? "#b2f2bb"
                                                         : side == "host" ? "#ffe8cc"
                                                                          : "#d0ebff"},
                                             {"value", side}};
  }
  return llvm::json::Object{{"results", std::move(results)}};
}

/// Adds what is predicted of each kernel's function.
void addTimes(KernelReport &report, const Predictions &predictions) {
  for (const Prediction &machine : predictions.getAll()) {
    report.runs.push_back({machine.machine, machine.microseconds, machine.limitMicroseconds});
    for (KernelReport::Kernel &kernel : report.kernels)
      if (const PredictedKernel *known = machine.find(kernel.called))
        kernel.times.push_back({machine.machine,
                                known->microseconds / static_cast<double>(known->launches),
                                known->binds});
  }
}

struct ExplainVerb {
  ModelFlags flags;
  std::string jsonFile, htmlFile, nodeDataFile, predictedFile;
  bool listsKernels = false;

  int run() const {
    Options options;
    options.freesMemory = false;
    if (auto problem = flags.read(options))
      return report(*problem);
    std::optional<Predictions> predictions;
    if (auto problem = readPredictions(options, predictions))
      return report(*problem);
    options.explainPlacement = true;
    options.explainKernels |= listsKernels;
    Diagnostic failed;
    PlacementReport placement;
    std::optional<KernelReport> kernels;
    auto observer = [&](Stage stage, mlir::ModuleOp module) {
      if (stage == Stage::Place)
        placement = makePlacementReport(module, options.emit.target->device.has_value());
      if (stage == Stage::Plan) {
        addPlanned(placement, module);
        if (listsKernels)
          kernels = makeKernelReport(module, options.emit.target->device.has_value());
        return predictions.has_value();
      }
      if (stage != Stage::Finish)
        return true;
      addFinished(*kernels, module);
      addTimes(*kernels, *predictions);
      return false;
    };
    // A model that cannot be compiled is explained as far as compilation gets.
    bool isCompiled = compile(flags, options, failed, observer).has_value();
    int exitCode = isCompiled ? 0 : report(failed);
    if (!isCompiled && !placement.hasValues())
      return exitCode;
    int written = write(placement, kernels);
    return written != 0 ? written : exitCode;
  }

  std::optional<Diagnostic> readPredictions(const Options &options,
                                            std::optional<Predictions> &predictions) const {
    if (predictedFile.empty())
      return std::nullopt;
    if (!listsKernels || !options.emit.target->device)
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        "--predicted has times of a device's kernels, and this lists none",
                        "add --kernels and --target cuda"};
    return predictions.emplace().read(predictedFile);
  }

  int write(const PlacementReport &placement, const std::optional<KernelReport> &kernels) const {
    if (jsonFile.empty() && htmlFile.empty() && nodeDataFile.empty())
      return print(kernels ? kernels->toText() : placement.toText());
    llvm::json::Object report = placement.toJson();
    if (kernels)
      report["kernels"] = kernels->toJson();
    int written = 0;
    if (!nodeDataFile.empty())
      written = printTo(nodeDataFile, formatJson(makeNodeData(placement)));
    if (written == 0 && !jsonFile.empty())
      written = printTo(jsonFile, formatJson(llvm::json::Object(report)));
    if (written == 0 && !htmlFile.empty())
      written = printTo(htmlFile,
                        makePage(std::move(report), flags.getModel(), flags.getPlatform().name));
    return written;
  }
};

} // namespace

Verb cameo::cli::addExplain(CLI::App &app) {
  CLI::App &verb = addVerb(app, "explain", "say where every value lives, and why",
                           "cameo explain model.onnx --target cuda --html page.html");
  auto state = std::make_shared<ExplainVerb>();
  verb.add_option("--json", state->jsonFile,
                  "write the report as JSON to this file, - for standard output");
  verb.add_option("--node-data", state->nodeDataFile,
                  "write the side of each node to this file, for Model Explorer");
  verb.add_option("--html", state->htmlFile,
                  "write the report as a page for a browser to this file, - for standard output");
  verb.add_flag("--kernels", state->listsKernels,
                "say by which kernels the program runs, and what else each could have been");
  verb.add_option("--predicted", state->predictedFile,
                  "with --kernels and a device, say what each kernel is predicted to take there, "
                  "of this file");
  state->flags.addTo(verb, /*withEmulator=*/false);
  return [state] { return state->run(); };
}
