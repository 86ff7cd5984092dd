// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ManyModels.h"

#include "NativeBuild.h"
#include "Progress.h"
#include "VerifyReport.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <set>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct ModelRun {
  std::vector<std::string> words;
  ProgramEnd end;
  double seconds = 0;
  /// The process's standard output, its error output, and its report.
  std::string printed, said;
  std::optional<json::Value> report;
  bool isDone = false;

  /// The exit code. A crash has that of a bug, as this program would have ended itself.
  int getExit() const {
    if (!end.problem.empty())
      return static_cast<int>(ExitClass::Io);
    return end.code < 0 ? static_cast<int>(ExitClass::Internal) : end.code;
  }
};

std::string readText(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().str() : "";
}

void start(ModelRun &run, const std::string &stem, bool hasReport) {
  std::string reportFile = stem + ".json";
  if (hasReport)
    run.words.push_back("--json=" + reportFile);
  ProgramLimits none;
  none.seconds = 0;
  none.bytes = 0;
  auto begin = std::chrono::steady_clock::now();
  run.end = runCameo(run.words, stem + ".err", none, stem + ".out");
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.printed = readText(stem + ".out");
  run.said = readText(stem + ".err");
  if (!run.end.problem.empty() || run.end.code < 0)
    run.said += fmt::format("{}: cameo {} {}\n", escapeText(run.words[1], 1024), run.words[0],
                            run.end.str());
  if (llvm::Expected<json::Value> report = json::parse(readText(reportFile)))
    run.report = std::move(*report);
  else
    llvm::consumeError(report.takeError());
}

json::Value makeReport(StringRef verb, llvm::ArrayRef<ModelRun> runs) {
  json::Array models;
  for (const ModelRun &run : runs) {
    json::Array lines;
    llvm::SmallVector<StringRef> said;
    StringRef(run.said).split(said, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : said)
      lines.push_back(json::fixUTF8(line));
    models.push_back(json::Object{{"model", json::fixUTF8(run.words[1])},
                                  {"exit", run.getExit()},
                                  {"seconds", run.seconds},
                                  {"said", std::move(lines)},
                                  {"report", run.report.value_or(nullptr)}});
  }
  return json::Object{{"schema", 1}, {"verb", verb}, {"models", std::move(models)}};
}

/// That of the model's report; where a run left none, one that says how it ended.
TestSuite makeModelSuite(const ModelRun &run) {
  if (const json::Object *report = run.report ? run.report->getAsObject() : nullptr)
    return makeSuite(*report);
  TestSuite suite{escapeText(run.words[1], 1024), run.seconds};
  StringRef said = StringRef(run.said).rtrim();
  suite.cases.push_back({run.words[0], run.seconds, "",
                         escapeText(said.substr(said.rfind('\n') + 1), kMaxDiagnosticBytes)});
  return suite;
}

std::string summarize(llvm::ArrayRef<ModelRun> runs) {
  std::string failed;
  size_t numFailed = 0;
  for (const ModelRun &run : runs)
    if (int code = run.getExit()) {
      ++numFailed;
      failed += fmt::format("{}{} (exit {})", failed.empty() ? "; failed: " : ", ",
                            escapeText(run.words[1]), code);
    }
  return fmt::format("{} of {} models are done{}\n", runs.size() - numFailed, runs.size(), failed);
}

/// Prints, in the order of the models, as far as all in front are done.
class OrderedOutput {
public:
  explicit OrderedOutput(llvm::ArrayRef<ModelRun> runs, bool isShown)
      : runs(runs), isShown(isShown), progress(std::make_unique<Progress>("starting")) {}

  /// `run` is an element of the runs.
  void finish(ModelRun &run) {
    std::lock_guard lock(mutex);
    run.isDone = true;
    ++numDone;
    if (next < runs.size() && runs[next].isDone)
      progress.reset();
    for (; next < runs.size() && runs[next].isDone; ++next) {
      const ModelRun &one = runs[next];
      fmt::print(stderr, "{}", one.said);
      if (isShown && !one.printed.empty())
        failed |= print(fmt::format("{}:\n{}", escapeText(one.words[1], 1024), one.printed));
    }
    std::string text = fmt::format("{} of {} models are done", numDone, runs.size());
    if (!progress)
      progress = std::make_unique<Progress>(text);
    else
      progress->update(text);
  }
  /// The exit code of printing.
  int end() {
    progress.reset();
    return failed ? static_cast<int>(ExitClass::Io) : 0;
  }

private:
  llvm::ArrayRef<ModelRun> runs;
  bool isShown;
  std::mutex mutex;
  size_t next = 0, numDone = 0;
  int failed = 0;
  std::unique_ptr<Progress> progress;
};

} // namespace

void ManyModels::addTo(CLI::App &verb, std::vector<std::string> ofOneModel, bool isTimed) {
  app = &verb;
  refused = std::move(ofOneModel);
  verb.add_option("--jobs", jobs,
                  isTimed ? "1: models are timed one at a time"
                          : "how many models are worked on at a time (default 1)")
      ->check(CLI::Validator(
          [isTimed](std::string &text) -> std::string {
            size_t number = 0;
            if (StringRef(text).getAsInteger(10, number) || number < 1 || number > 4096)
              return "is no number of 1 to 4096";
            return isTimed && number > 1 ? "would spoil times: models are timed one at a time" : "";
          },
          ""));
}

std::optional<Diagnostic> ManyModels::check(const std::vector<std::string> &models) const {
  auto refuse = [&](const std::string &problem, std::string hint = "") {
    return Diagnostic{ExitClass::Usage, "cameo", "", problem, std::move(hint)};
  };
  if (llvm::is_contained(models, "-"))
    return refuse("standard input is one model, and there are several");
  for (const std::string &name : refused)
    if (const CLI::Option *option = app->get_option_no_throw(name); option && option->count() > 0)
      return refuse(fmt::format("{} is of one model, and there are {}", name, models.size()));
  return std::nullopt;
}

int ManyModels::run(const std::vector<std::string> &models,
                    const Destinations &destinations) const {
  if (auto problem = check(models))
    return report(*problem);
  std::vector<std::string> flags;
  for (const std::string &flag : listGiven(app->get_options()))
    if (StringRef name = StringRef(flag).split('=').first;
        name != "--jobs" && name != "--json" && name != "--junit" && name != "--output")
      flags.push_back(flag);
  std::vector<ModelRun> runs(models.size());
  std::set<std::string> names;
  for (auto [run, model] : llvm::zip_equal(runs, models)) {
    run.words = {app->get_name(), model};
    llvm::append_range(run.words, flags);
    if (!destinations.folder)
      continue;
    std::string name = makeLibraryName(model);
    if (!names.insert(name).second)
      return report({ExitClass::Usage, "cameo", "",
                     "two of the models would be the library " + quoteText(name),
                     "--name gives one model's library a name"});
    const std::string &parent = *destinations.folder;
    run.words.push_back("--output=" + (parent.empty() ? name : parent + "/" + name));
  }
  ScratchFolder scratch;
  if (auto problem = scratch.make())
    return report(*problem);
  bool isShown = destinations.json != "-" && destinations.junit != "-";
  OrderedOutput output(runs, isShown);
  runInParallel(runs.size(), jobs, [&](size_t number) {
    start(runs[number], fmt::format("{}/{}", scratch.getPath(), number),
          !destinations.json.empty() || !destinations.junit.empty());
    output.finish(runs[number]);
  });
  int unwritten = output.end();
  if (!destinations.json.empty() && !unwritten)
    unwritten = printTo(destinations.json, formatJson(makeReport(app->get_name(), runs)));
  if (!destinations.junit.empty() && !unwritten) {
    std::vector<TestSuite> suites;
    for (const ModelRun &run : runs)
      suites.push_back(makeModelSuite(run));
    unwritten = printTo(destinations.junit, formatJunit(suites));
  }
  if (isShown && !unwritten)
    unwritten = print(summarize(runs));
  auto failed = llvm::find_if(runs, [](const ModelRun &run) { return run.getExit() != 0; });
  return failed != runs.end() ? failed->getExit() : unwritten;
}
