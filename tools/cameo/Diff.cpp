// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo diff: two records of a model, or of many, side by side. A side that is a model is measured.

#include "CheckFile.h"
#include "Progress.h"
#include "RecordDiff.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// One of the two: records by `NAME.TARGET`, or a model of which there is none yet.
struct Side {
  std::string path, program;
  std::map<std::string, Record> records = {};
  bool isModel = false;
};

/// The entries of a folder, sorted.
std::vector<std::string> listFolder(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error))
    paths.push_back(entry->path());
  llvm::sort(paths);
  return paths;
}

std::optional<Diagnostic> readReport(const std::string &path, Side &side) {
  json::Object report;
  if (auto problem = readJsonObject(path, report))
    return problem;
  Record record;
  if (!record.add(report))
    return Diagnostic{
        ExitClass::Malformed, path, "", "is no report that can be compared",
        "a record, NAME.plan.json, or what bench, inspect, run or --emit-plan writes"};
  std::string data = llvm::sys::path::parent_path(path).str() + "/data";
  if (llvm::sys::path::filename(path) == "record.json" && llvm::sys::fs::is_directory(data))
    record.data = data;
  if (record.name.empty())
    record.name = llvm::sys::path::stem(record.model.empty() ? path : record.model).str();
  side.records.emplace(record.name + "." + record.target, std::move(record));
  return std::nullopt;
}

/// A record, several, or the generated folder of a model.
std::optional<Diagnostic> readFolder(Side &side) {
  if (llvm::sys::fs::exists(side.path + "/record.json"))
    return readReport(side.path + "/record.json", side);
  for (const std::string &path : listFolder(side.path)) {
    bool isRecord = llvm::sys::fs::exists(path + "/record.json");
    if (isRecord || StringRef(path).ends_with(".plan.json"))
      if (auto problem = readReport(isRecord ? path + "/record.json" : path, side))
        return problem;
  }
  if (side.records.empty())
    return Diagnostic{ExitClass::Usage, side.path, "", "holds no record and no NAME.plan.json",
                      "cameo baseline writes records"};
  return std::nullopt;
}

std::optional<Diagnostic> readSide(Side &side) {
  if (llvm::sys::fs::is_directory(side.path))
    return readFolder(side);
  if (llvm::sys::path::extension(side.path) == ".json")
    return readReport(side.path, side);
  if (!llvm::sys::fs::exists(side.path))
    return Diagnostic{ExitClass::Io, side.path, "", "No such file or directory", ""};
  side.isModel = true;
  return std::nullopt;
}

class DiffVerb {
public:
  CLI::App *app = nullptr;
  ModelFlags flags;
  MeasureFlags how;
  std::string before, after, program, jsonFile, markdownFile;
  std::vector<std::string> limits;

  int run();

private:
  std::optional<Diagnostic> execute();
  std::optional<Diagnostic> readBudgets();
  std::optional<Diagnostic> measureModels();
  std::optional<Diagnostic> measureSide(Side &side, const Side &other);
  std::optional<Diagnostic> pair();
  std::optional<Diagnostic> comparePair(const Record &earlier, const Record &later);
  int write() const;

  std::vector<std::string> steering;
  Side sides[2];
  std::vector<Budget> budgets;
  ScratchFolder scratch;
  std::vector<RecordDiff> diffs;
  std::vector<std::string> alone[2];
};

std::optional<Diagnostic> DiffVerb::readBudgets() {
  for (const std::string &text : limits) {
    auto [name, limit] = StringRef(text).split('=');
    if (auto problem =
            readBudget("--budget " + quoteText(text), name, limit, budgets.emplace_back()))
      return problem;
  }
  return std::nullopt;
}

/// As the other one's record of this model was measured, where there is one: by its flags and for
/// its target unless others are given, on its data.
std::optional<Diagnostic> DiffVerb::measureSide(Side &side, const Side &other) {
  Record record;
  record.name = llvm::sys::path::stem(side.path).str();
  record.model = side.path;
  const Platform *platform = &flags.getPlatform();
  auto match = other.records.size() == 1
                   ? other.records.begin()
                   : other.records.find(record.name + "." + platform->name.str());
  const Record *earlier = match == other.records.end() ? nullptr : &match->second;
  MeasureTask task{side.path, platform, steering, how, side.program, earlier};
  if (earlier && app->get_option("--target")->count() == 0)
    if (const Platform *known = findPlatform(earlier->target))
      task.platform = platform = known;
  if (earlier && task.flags.empty())
    task.flags = earlier->flags;
  task.data = fmt::format("{}/data{}", scratch.getPath(), &side - sides);
  Progress progress("measuring " + escapeText(side.path));
  if (auto problem = measure(task, record))
    return problem;
  side.records.emplace(record.name + "." + platform->name.str(), std::move(record));
  return std::nullopt;
}

std::optional<Diagnostic> DiffVerb::measureModels() {
  if (auto problem = scratch.make())
    return problem;
  // A record goes before a model: it is on its data that both run.
  for (int number : {0, 1})
    if (sides[number].isModel)
      if (auto problem = measureSide(sides[number], sides[1 - number]))
        return problem;
  return std::nullopt;
}

std::optional<Diagnostic> DiffVerb::comparePair(const Record &earlier, const Record &later) {
  RecordDiff &diff = diffs.emplace_back();
  if (auto problem = diff.compare(earlier, later))
    return problem;
  diff.judgeAll(budgets);
  return std::nullopt;
}

std::optional<Diagnostic> DiffVerb::pair() {
  const auto &earlier = sides[0].records, &later = sides[1].records;
  if (earlier.size() == 1 && later.size() == 1)
    return comparePair(earlier.begin()->second, later.begin()->second);
  for (const auto &[key, record] : later)
    if (auto found = earlier.find(key); found == earlier.end())
      alone[1].push_back(key);
    else if (auto problem = comparePair(found->second, record))
      return problem;
  // One model beside a folder of records is no sign that all others are gone.
  for (const auto &[key, record] : earlier)
    if (later.count(key) == 0 && !sides[1].isModel)
      alone[0].push_back(key);
  if (diffs.empty())
    return Diagnostic{ExitClass::Usage, "cameo", "", "no model is on both sides",
                      "records are matched by NAME.TARGET"};
  return std::nullopt;
}

std::optional<Diagnostic> DiffVerb::execute() {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  if (auto problem = readSteering(*app, steering))
    return problem;
  if (auto problem = readBudgets())
    return problem;
  if (after.empty() && program.empty())
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "there is nothing to compare " + quoteText(before) + " with",
                      "a second one, or --with an earlier cameo"};
  sides[0] = {before, program};
  sides[1] = {after.empty() ? before : after, ""};
  for (Side &side : sides)
    if (auto problem = readSide(side))
      return problem;
  if (!program.empty() && !sides[0].isModel)
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "--with compiles a model, and " + quoteText(before) + " is a record", ""};
  if (auto problem = measureModels())
    return problem;
  return pair();
}

int DiffVerb::write() const {
  std::string text, markdown;
  json::Array pairs, lonely[2];
  bool passed = true;
  for (const RecordDiff &diff : diffs) {
    text += diff.toText();
    markdown += (markdown.empty() ? "" : "\n") + diff.toMarkdown();
    pairs.push_back(diff.toJson());
    passed &= diff.hasPassed();
  }
  for (auto [number, title] : {std::pair(0, "gone"), std::pair(1, "new")})
    for (const std::string &key : alone[number]) {
      text += fmt::format("{}: {}\n", title, escapeText(key));
      markdown += fmt::format("\n{}: `{}`\n", title, escapeText(key));
      lonely[number].push_back(json::fixUTF8(key));
    }
  int unwritten = 0;
  if (!jsonFile.empty())
    unwritten = printTo(jsonFile, formatJson(json::Object{{"schema", 1},
                                                          {"passed", passed},
                                                          {"pairs", std::move(pairs)},
                                                          {"only_before", std::move(lonely[0])},
                                                          {"only_after", std::move(lonely[1])}}));
  if (!markdownFile.empty() && !unwritten)
    unwritten = printTo(markdownFile, markdown);
  return jsonFile == "-" || markdownFile == "-" || unwritten ? unwritten : print(text);
}

int DiffVerb::run() {
  if (auto problem = execute())
    return report(*problem);
  int unwritten = write();
  for (const RecordDiff &diff : diffs)
    for (const auto &[budget, verdict] : diff.getVerdicts())
      if (!verdict.passed)
        return report({ExitClass::CheckFailed, diff.getAfter().getTitle(), "",
                       "over budget: " + verdict.str(budget), ""});
  return unwritten;
}

} // namespace

Verb cameo::cli::addDiff(CLI::App &app) {
  CLI::App &verb =
      addVerb(app, "diff", "show what is other in a later model, compiler or record",
              "cameo diff baseline/net.cpu net.onnx --budget arena_bytes=+0% --markdown diff.md");
  auto state = std::make_shared<DiffVerb>();
  state->app = &verb;
  verb.add_option("before", state->before, "a model, a record, a report, or a folder of records")
      ->required();
  verb.add_option("after", state->after, "another one; with --with by default the same model");
  verb.add_option("--with", state->program, "another cameo, which compiles the first model");
  verb.add_option("--budget", state->limits,
                  "MEASURE=LIMIT, 4096 or how much more than before, +5% or +16: fail (exit 8) "
                  "beyond it; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--markdown", state->markdownFile,
                  "write it for a pull request to this file, - for standard output");
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  state->how.addTo(verb);
  state->flags.addTo(verb, /*withEmulator=*/true);
  verb.remove_option(verb.get_option("model"));
  return [state] { return state->run(); };
}
