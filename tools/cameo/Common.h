// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs share: the flags that steer a compilation, and how they say what went wrong.

#ifndef CAMEO_TOOLS_COMMON_H
#define CAMEO_TOOLS_COMMON_H

#include "Pipeline/Pipeline.h"
#include "Report/PlacementReport.h"
#include "Support/JsonText.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cameo::cli {

/// The flags that mean the same in every verb.
class ModelFlags {
public:
  enum class Models { One, Many };
  /// Adds the model and the steering flags to a verb; `withEmulator` where programs are run. A
  /// verb's own flags come first: --help shows groups in the order of their first flags.
  void addTo(CLI::App &verb, bool withEmulator, Models count = Models::One);

  /// The options they stand for; a diagnostic where a flag's text cannot be read.
  std::optional<Diagnostic> read(Options &options) const;
  /// The only one, or the first.
  const std::string &getModel() const { return models.front(); }
  const std::vector<std::string> &getModels() const { return models; }
  /// Where generated code runs.
  const Platform &getPlatform() const;
  /// Holds the gates (--assert-readbacks, --assert-no-sync) against the plan: exit 8.
  std::optional<Diagnostic> checkGates(const PlacementReport &report) const;
  const std::string &getPlanFile() const { return planFile; }
  /// The same for another model: without the flags that name what is in this one, and its gates.
  ModelFlags forModel(const std::string &path) const;
  /// Whether a flag asks about the placement.
  bool asksForPlacement() const { return assertNoSync || maxReadbacks || !planFile.empty(); }

private:
  std::optional<Diagnostic> readPlan(PlacementPlan &plan) const;

  std::vector<std::string> models;
  std::string platform = getPlatforms().front()->name.str(), planFile, givenPlan;
  std::string algebra = "on", fallback = "refuse", precision = "fast", zipmap = "tensor";
  std::vector<std::string> dims, countedDims, ranks, asserts, values, pins, externals;
  bool rejectWarnings = false, assertNoSync = false;
  bool stridesOutputs = false;
  std::optional<bool> freezeInitializers;
  ImportOptions limits;
  int64_t maxBranchGrowth = Options().maxBranchGrowth;
  double weightsBudget = Options().weightsBudget;
  std::optional<int64_t> maxReadbacks;
};

/// Compiles, shows warnings, holds the gates; `after` sees the module of every stage. None on
/// failure, for the reason that is `problem` then.
std::optional<PipelineResult> compile(
    const ModelFlags &flags, const Options &options, Diagnostic &problem,
    StageObserver after = [](Stage, mlir::ModuleOp) { return true; });

/// Prints the line and returns the exit code.
int report(const Diagnostic &diagnostic);
/// Writes to standard output; the exit code.
int print(llvm::StringRef text);
/// Writes a report to a file, "-" for standard output; the exit code.
int printTo(const std::string &path, llvm::StringRef text);
/// Writes files into a folder, which is made if need be; what else is there stays.
std::optional<Diagnostic> writeData(const std::string &folder,
                                    const std::map<std::string, std::string> &files);
/// Stands in a report in place of results: the exit code, the line of the diagnostic and, where it
/// concerns a place in the model, that place.
llvm::json::Object toJson(const Diagnostic &problem);

/// The options among these that were given, as words of a command line, without positional
/// arguments.
std::vector<std::string> listGiven(const std::vector<CLI::Option *> &options);

/// Runs a verb after the command line has been read, and returns its exit code.
using Verb = std::function<int()>;

/// A subcommand, with a command line that shows what it is for. Whoever makes an App compiles most
/// of CLI11, which is headers only: main.cpp does.
CLI::App &addVerb(CLI::App &app, const std::string &name, const std::string &description,
                  const std::string &example);

Verb addInspect(CLI::App &app);
Verb addCompile(CLI::App &app);
Verb addExplain(CLI::App &app);
Verb addVerify(CLI::App &app);
Verb addRun(CLI::App &app);
Verb addBench(CLI::App &app);
Verb addBuild(CLI::App &app);
Verb addReduce(CLI::App &app);
Verb addCheck(CLI::App &app);
Verb addBaseline(CLI::App &app);
Verb addDiff(CLI::App &app);
Verb addOps(CLI::App &app);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_COMMON_H
