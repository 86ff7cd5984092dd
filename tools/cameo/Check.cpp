// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo check: what cameo.toml says of a project's models, each a test case. Models are checked by
// the verbs that a user would call, in processes of their own.

#include "CheckFile.h"
#include "Junit.h"
#include "Progress.h"
#include "RecordDiff.h"
#include "VerifyReport.h"

#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <chrono>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// One test case.
struct Check {
  /// `numbers test_data_set_0`, `arena_bytes`.
  std::string name;
  double seconds = 0;
  /// The failures, or remarks about checks that passed.
  bool passed = true;
  std::string text = {};
  /// Why it could not be tried.
  std::optional<Diagnostic> error = {};
  std::optional<std::pair<Budget, Verdict>> verdict = {};

  bool isGood() const { return passed && !error; }
  std::string describe() const {
    if (verdict && !error)
      return text;
    std::string said = error ? error->str() : text;
    return said.empty() ? name : name + ": " + said;
  }
  int getExit() const {
    return error ? static_cast<int>(error->exitClass)
                 : static_cast<int>(passed ? ExitClass::Success : ExitClass::CheckFailed);
  }
};

class Stopwatch {
public:
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// A model on a target.
class TargetCheck {
public:
  TargetCheck(const CheckedModel &model, const Platform &platform, const std::string &baseline)
      : model(model), platform(platform), budgets(model.listBudgets(platform)),
        baseline(getRecordFolder(baseline, model.name, platform.name.str())) {}

  /// All but times, which others must not spoil.
  void run();
  void time();
  /// Holds what was measured against the budgets.
  void finish();

  std::string getTitle() const { return escapeText(model.name) + " (" + platform.name.str() + ")"; }
  llvm::ArrayRef<Check> getChecks() const { return checks; }
  TestSuite makeTestSuite() const;
  json::Array toJson() const;

private:
  void verify();
  void measureFor(Source source);
  bool isWanted(Source source) const {
    return llvm::any_of(budgets, [&](const Budget &one) { return one.measure->source == source; });
  }
  bool needsBaseline() const {
    return isWanted(Source::Outputs) ||
           llvm::any_of(budgets, [](const Budget &one) { return one.isGrowth; });
  }

  const CheckedModel &model;
  const Platform &platform;
  std::vector<Budget> budgets;
  std::string baseline, warnings;
  ScratchFolder scratch;
  std::vector<Check> checks;
  Record record, before;
  /// Why sources have nothing, and what they took.
  std::map<Source, Diagnostic> failures;
  std::map<Source, double> seconds;
  double verifySeconds = 0;
};

void TargetCheck::verify() {
  Stopwatch watch;
  std::string report = scratch.getPath() + "/verify.json", log = scratch.getPath() + "/log";
  std::vector<std::string> words{"verify", model.path, "--target=" + platform.name.str(),
                                 "--json=" + report};
  llvm::append_range(words, model.flags);
  llvm::append_range(words, model.verifyFlags);
  ProgramLimits none;
  none.seconds = 0;
  none.bytes = 0;
  ProgramEnd end = runCameo(words, log, none);
  verifySeconds = watch.getSeconds();
  json::Object object;
  std::optional<Diagnostic> unread = readJsonObject(report, object);
  TestSuite suite;
  if (!unread) {
    suite = makeSuite(object);
    warnings = suite.output;
  }
  for (const TestCase &test : suite.cases)
    if (test.error.empty())
      checks.push_back({"numbers " + test.name, test.seconds, test.failure.empty(),
                        test.failure.empty() ? test.output : test.failure});
  bool hasFailed = llvm::any_of(checks, [](const Check &one) { return !one.passed; });
  if (end.isOk() || hasFailed)
    return;
  Check &check = checks.emplace_back(Check{"numbers", verifySeconds});
  check.error = readEnd(end, log);
}

void TargetCheck::measureFor(Source source) {
  Stopwatch watch;
  MeasureTask task = model.makeTask(platform);
  task.data = scratch.getPath() + "/data";
  task.earlier = &before;
  if (auto problem = measure(task, source, record))
    failures.emplace(source, std::move(*problem));
  seconds[source] = watch.getSeconds();
}

void TargetCheck::run() {
  if (auto problem = scratch.make()) {
    checks.push_back(Check{"cache"});
    checks.back().error = problem;
    budgets.clear();
    return;
  }
  if (model.hasNumbers)
    verify();
  if (budgets.empty())
    return;
  if (needsBaseline())
    if (auto problem = readRecord(baseline, before)) {
      problem->hint = "cameo baseline writes it";
      for (const Budget &budget : budgets)
        if (budget.isGrowth || budget.measure->source == Source::Outputs) {
          Check &check = checks.emplace_back(Check{budget.measure->name.str()});
          check.error = problem;
        }
      llvm::erase_if(budgets, [](const Budget &budget) {
        return budget.isGrowth || budget.measure->source == Source::Outputs;
      });
    }
  record.name = model.name;
  measureFor(Source::Plan);
  if (isWanted(Source::Inspect))
    measureFor(Source::Inspect);
  if (isWanted(Source::Run) || isWanted(Source::Outputs))
    measureFor(Source::Run);
}

void TargetCheck::time() {
  if (isWanted(Source::Bench))
    measureFor(Source::Bench);
}

void TargetCheck::finish() {
  RecordDiff diff;
  std::optional<Diagnostic> unread = diff.compare(before, record);
  // Nothing can be said of a model that has no plan, and of outputs without a run.
  auto findFailure = [&](Source source) -> const Diagnostic * {
    if (source == Source::Outputs && unread)
      return &*unread;
    for (Source needed : {Source::Plan, source == Source::Outputs ? Source::Run : source})
      if (auto failure = failures.find(needed); failure != failures.end())
        return &failure->second;
    return nullptr;
  };
  for (const Budget &budget : budgets) {
    Source source = budget.measure->source;
    Check &check = checks.emplace_back(Check{budget.measure->name.str()});
    check.seconds = seconds[source == Source::Outputs ? Source::Run : source];
    if (const Diagnostic *failure = findFailure(source)) {
      check.error = *failure;
      continue;
    }
    Verdict verdict = judge(budget, diff.getAfter(), needsBaseline() ? &before : nullptr);
    check.verdict = {budget, verdict};
    check.passed = verdict.passed;
    check.text = verdict.str(budget);
    if (!verdict.problem.empty())
      check.error = Diagnostic{ExitClass::Usage, getTitle(), "", check.text, ""};
  }
}

TestSuite TargetCheck::makeTestSuite() const {
  TestSuite suite{getTitle()};
  suite.output = warnings;
  suite.seconds = verifySeconds;
  for (const auto &[source, taken] : seconds)
    suite.seconds += taken;
  for (const Check &check : checks) {
    TestCase &test = suite.cases.emplace_back();
    test.name = check.name;
    test.seconds = check.seconds;
    if (check.error)
      test.error = check.error->str();
    else
      (check.passed ? test.output : test.failure) = check.text;
  }
  return suite;
}

json::Array TargetCheck::toJson() const {
  json::Array rows;
  for (const Check &check : checks) {
    json::Object row{{"model", json::fixUTF8(model.name)},
                     {"target", platform.name},
                     {"check", json::fixUTF8(check.name)},
                     {"passed", check.isGood()},
                     {"seconds", check.seconds}};
    if (!check.text.empty())
      row["text"] = json::fixUTF8(check.text);
    if (check.verdict)
      row["budget"] = check.verdict->second.toJson(check.verdict->first);
    if (check.error)
      row["error"] = cli::toJson(*check.error);
    rows.push_back(std::move(row));
  }
  return rows;
}

struct CheckVerb {
  std::string path = "cameo.toml", jsonFile, junitFile;
  size_t jobs = 1;

  int run();

private:
  int write(llvm::ArrayRef<std::unique_ptr<TargetCheck>> targets);
};

int CheckVerb::write(llvm::ArrayRef<std::unique_ptr<TargetCheck>> targets) {
  size_t numChecks = 0, numGood = 0;
  int code = 0;
  std::string text;
  json::Array rows;
  std::vector<TestSuite> suites;
  for (const std::unique_ptr<TargetCheck> &target : targets) {
    for (const Check &check : target->getChecks()) {
      ++numChecks;
      numGood += check.isGood();
      text += fmt::format("{} {}: {}\n",
                          check.error    ? "ERROR "
                          : check.passed ? "passed"
                                         : "FAILED",
                          target->getTitle(), check.describe());
      if (code == 0 && !check.isGood()) {
        code = check.getExit();
        // The first is what the exit code is of.
        cli::report(check.error ? *check.error
                                : Diagnostic{ExitClass::CheckFailed, target->getTitle(), "",
                                             check.describe(), ""});
      }
    }
    for (json::Value &row : target->toJson())
      rows.push_back(std::move(row));
    suites.push_back(target->makeTestSuite());
  }
  text += fmt::format("{} of {} checks passed\n", numGood, numChecks);
  int unwritten = 0;
  if (!jsonFile.empty())
    unwritten = printTo(jsonFile, formatJson(json::Object{{"schema", 1},
                                                          {"file", json::fixUTF8(path)},
                                                          {"passed", numGood == numChecks},
                                                          {"checks", std::move(rows)}}));
  if (!junitFile.empty() && !unwritten)
    unwritten = printTo(junitFile, formatJunit(suites));
  if (jsonFile != "-" && junitFile != "-" && !unwritten)
    unwritten = print(text);
  return code ? code : unwritten;
}

int CheckVerb::run() {
  makeAbsolute(jsonFile);
  makeAbsolute(junitFile);
  CheckFile file;
  if (auto problem = enterCheckFile(path, file))
    return cli::report(*problem);
  std::vector<std::unique_ptr<TargetCheck>> targets;
  for (const CheckedModel &model : file.models)
    for (const Platform *platform : model.platforms)
      targets.push_back(std::make_unique<TargetCheck>(model, *platform, file.baseline));
  {
    Progress progress("checking");
    std::atomic<size_t> done = 0;
    runInParallel(targets.size(), jobs, [&](size_t number) {
      targets[number]->run();
      progress.update(fmt::format("checking, {} of {} are done", ++done, targets.size()));
    });
    for (const std::unique_ptr<TargetCheck> &target : targets) {
      progress.update("timing " + target->getTitle());
      target->time();
      target->finish();
    }
  }
  return write(targets);
}

} // namespace

Verb cameo::cli::addCheck(CLI::App &app) {
  CLI::App &verb = addVerb(app, "check", "hold a project's models to what cameo.toml says of them",
                           "cameo check cameo.toml --jobs 4 --junit checks.xml");
  auto state = std::make_shared<CheckVerb>();
  verb.add_option("file", state->path, "which models, targets and budgets (default cameo.toml)");
  verb.add_option("--jobs", state->jobs,
                  "how many models are worked on at a time (default 1); times are taken alone")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  verb.add_option("--junit", state->junitFile, "the same for CI systems");
  return [state] { return state->run(); };
}
