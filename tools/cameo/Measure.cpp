// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.h"

#include "DataSets.h"

#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class Measurer {
public:
  Measurer(const MeasureTask &task, Record &record) : task(task), record(record) {}

  std::optional<Diagnostic> run(Source source);

private:
  std::optional<Diagnostic> call(const char *verb, StringRef target,
                                 const std::vector<std::string> &more) const;
  std::optional<Diagnostic> plan();
  std::optional<Diagnostic> inspect();
  std::optional<Diagnostic> runOnce();
  std::optional<Diagnostic> time();
  std::vector<std::string> listData() const;
  std::string readVersion() const;
  std::string getPath(StringRef name) const { return (scratch.getPath() + "/" + name).str(); }

  const MeasureTask &task;
  Record &record;
  ScratchFolder scratch;
};

std::optional<Diagnostic> Measurer::call(const char *verb, StringRef target,
                                         const std::vector<std::string> &more) const {
  std::vector<std::string> words{verb, task.model, "--target=" + target.str()};
  llvm::append_range(words, task.flags);
  llvm::append_range(words, more);
  ProgramLimits none;
  none.seconds = 0;
  none.bytes = 0;
  return readEnd(runCameo(words, getPath("log"), none, "", task.program), getPath("log"));
}

/// Data sets of the earlier record that the model still has, and others that the seed makes up.
std::vector<std::string> Measurer::listData() const {
  std::vector<std::string> words{fmt::format("--seed={}", task.how.seed)};
  if (!task.earlier || task.earlier->data.empty())
    return words;
  for (auto [number, name] : llvm::enumerate(task.earlier->inputs)) {
    std::string file = fmt::format("{}/input_{}.pb", task.earlier->data, number);
    if (llvm::is_contained(record.inputs, name) && llvm::sys::fs::exists(file))
      words.push_back(fmt::format("--in={}={}", name, file));
  }
  return words;
}

/// `cameo 0.1.0 (COMMIT)`.
std::string Measurer::readVersion() const {
  ProgramLimits none;
  none.seconds = 0;
  none.bytes = 0;
  ProgramEnd end = runCameo({"--version"}, getPath("log"), none, getPath("version"), task.program);
  return end.isOk() ? readLastLine(getPath("version")) : "";
}

std::optional<Diagnostic> Measurer::plan() {
  std::string placement = getPath("placement.json");
  if (auto problem = call("compile", task.platform->target->name,
                          {"--output=" + getPath("net"), "--name=net", "--emit-plan=" + placement}))
    return problem;
  json::Object report;
  if (auto problem = readJsonObject(placement, report))
    return problem;
  record.addPlacement(report);
  if (auto problem = readJsonObject(getPath("net/net.plan.json"), report))
    return problem;
  std::string name = record.name;
  record.addPlan(report);
  record.name = name;
  record.compiler = readVersion();
  record.flags = task.flags;
  record.target = task.platform->name.str();
  return std::nullopt;
}

std::optional<Diagnostic> Measurer::inspect() {
  std::string file = getPath("inspect.json");
  json::Object report;
  if (auto problem = call("inspect", task.platform->target->name, {"--json=" + file}))
    return problem;
  if (auto problem = readJsonObject(file, report))
    return problem;
  record.addInspect(report);
  return std::nullopt;
}

std::optional<Diagnostic> Measurer::runOnce() {
  std::string file = getPath("run.json");
  std::vector<std::string> words = listData();
  words.push_back("--json=" + file);
  words.push_back("--record=" + task.data);
  words.push_back(fmt::format("--threads={}", task.how.threads));
  json::Object report;
  if (auto problem = call("run", task.platform->name, words)) {
    if (task.earlier && !task.earlier->data.empty())
      problem->hint = "its inputs are those of the earlier record, which cameo baseline writes "
                      "anew; cameo diff --no-run compares plans alone";
    return problem;
  }
  if (auto problem = readJsonObject(file, report))
    return problem;
  record.addRun(report);
  record.data = task.data;
  return record.addOutputs();
}

std::optional<Diagnostic> Measurer::time() {
  if (task.platform->isEmulator)
    return Diagnostic{
        ExitClass::Usage, "cameo", "",
        fmt::format("times on {} say nothing of a device: it is emulated", task.platform->name),
        "--target cuda on a machine that has one, or --target cpu"};
  std::string file = getPath("bench.json");
  std::vector<std::string> words = listData();
  for (const std::string &word :
       {"--json=" + file, std::string("--samples"), fmt::format("--seconds={}", task.how.seconds),
        fmt::format("--threads={}", task.how.threads)})
    words.push_back(word);
  if (!task.how.cxxFlags.empty())
    words.push_back("--cxxflags=" + task.how.cxxFlags);
  json::Object report;
  if (auto problem = call("bench", task.platform->name, words))
    return problem;
  if (auto problem = readJsonObject(file, report))
    return problem;
  record.addBench(report);
  record.model = task.model;
  return std::nullopt;
}

std::optional<Diagnostic> Measurer::run(Source source) {
  if (auto problem = scratch.make())
    return problem;
  switch (source) {
  case Source::Plan:
    return plan();
  case Source::Inspect:
    return inspect();
  case Source::Run:
    return runOnce();
  case Source::Bench:
    return time();
  case Source::Outputs:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

void MeasureFlags::addTo(CLI::App &verb) {
  verb.add_option("--seconds", seconds, "how long each model is timed (default 1)")
      ->check(CLI::Range(0.001, 86400.0));
  verb.add_option("--threads", threads, "of the programs")->check(CLI::Range(0, 4096));
  verb.add_option("--seed", seed, "of the inputs that are made up");
  verb.add_option("--cxxflags", cxxFlags,
                  "for the host's compiler, where times are taken (default -march=native)");
  verb.add_flag("--no-run", isPlanOnly,
                "only what is known without a program that is built: no times, no outputs");
}

std::vector<Source> MeasureTask::listSources() const {
  std::vector<Source> sources{Source::Plan, Source::Inspect};
  if (!how.isPlanOnly) {
    sources.push_back(Source::Run);
    if (!platform->isEmulator)
      sources.push_back(Source::Bench);
  }
  return sources;
}

std::optional<Diagnostic> cameo::cli::readSteering(CLI::App &verb,
                                                   std::vector<std::string> &words) {
  if (verb.get_option("--emit-plan")->count() > 0)
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "--emit-plan is of one compilation, and here are several", ""};
  std::vector<CLI::Option *> options;
  for (CLI::Option *option : verb.get_options())
    if (option->get_group() != "Options" && option->get_name() != "--target")
      options.push_back(option);
  words = listGiven(options);
  return std::nullopt;
}

std::optional<Diagnostic> cameo::cli::readEnd(const ProgramEnd &end, const std::string &errors) {
  if (end.isOk())
    return std::nullopt;
  std::string said = readLastLine(errors);
  bool isOurs = end.problem.empty() && end.code > 0 &&
                end.code <= static_cast<int>(ExitClass::CheckFailed) && !said.empty();
  if (isOurs) {
    auto [file, problem] = StringRef(said).split(": ");
    return Diagnostic{static_cast<ExitClass>(end.code), file.str(), "", problem.str(), ""};
  }
  return Diagnostic{end.problem.empty() ? ExitClass::Internal : ExitClass::Io, "cameo", "",
                    end.str() + (said.empty() ? "" : ": " + said), ""};
}

std::optional<Diagnostic> cameo::cli::measure(const MeasureTask &task, Source source,
                                              Record &record) {
  return Measurer(task, record).run(source);
}

std::optional<Diagnostic> cameo::cli::measure(const MeasureTask &task, Record &record) {
  for (Source source : task.listSources())
    if (auto problem = measure(task, source, record))
      return problem;
  return std::nullopt;
}
