// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo baseline: writes records of models, which later ones are held against.

#include "CheckFile.h"
#include "Progress.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>
#include <set>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

struct BaselineVerb {
  CLI::App *app = nullptr;
  ModelFlags flags;
  MeasureFlags how;
  std::string output, file = "cameo.toml", program;

  int run();

private:
  /// A record that is to be written.
  struct Entry {
    std::string name;
    MeasureTask task;
  };
  std::optional<Diagnostic> list(std::vector<Entry> &entries);
  std::optional<Diagnostic> listOfFile(std::vector<Entry> &entries);
  std::optional<Diagnostic> write(const Entry &entry, std::string &folder) const;
};

std::optional<Diagnostic> BaselineVerb::listOfFile(std::vector<Entry> &entries) {
  for (const CLI::Option *option : app->get_options())
    if (std::string name = option->get_name(); option->count() > 0 && name != "--output" &&
                                               name != "--file" && name != "--with" &&
                                               name != "--no-run")
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        name + " is of models that are given, and there are none",
                        "what is of a model of cameo.toml stands there"};
  makeAbsolute(output);
  makeAbsolute(program);
  CheckFile read;
  if (auto problem = enterCheckFile(file, read))
    return problem;
  if (output.empty())
    output = read.baseline;
  for (const CheckedModel &model : read.models)
    for (const Platform *platform : model.platforms) {
      Entry &entry = entries.emplace_back(Entry{model.name, model.makeTask(*platform)});
      entry.task.how.isPlanOnly = how.isPlanOnly;
    }
  return std::nullopt;
}

std::optional<Diagnostic> BaselineVerb::list(std::vector<Entry> &entries) {
  if (flags.getModels().empty())
    return listOfFile(entries);
  if (output.empty())
    output = CheckFile().baseline;
  std::vector<std::string> steering;
  if (auto problem = readSteering(*app, steering))
    return problem;
  std::set<std::string> names;
  for (const std::string &model : flags.getModels()) {
    std::string name = llvm::sys::path::stem(model).str();
    if (model == "-" || !names.insert(name).second)
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        model == "-" ? "a record takes a model in a file"
                                     : "two models are called " + quoteText(name),
                        ""};
    entries.push_back({name, {model, &flags.getPlatform(), steering, how}});
  }
  return std::nullopt;
}

/// Beside the old record first, so that this stays if anything fails.
std::optional<Diagnostic> BaselineVerb::write(const Entry &entry, std::string &folder) const {
  MeasureTask task = entry.task;
  folder = getRecordFolder(output, entry.name, task.platform->name.str());
  auto fail = [&](const std::string &what, std::error_code error) {
    return Diagnostic{ExitClass::Io, folder, "", what + ": " + error.message(), ""};
  };
  if (llvm::sys::fs::exists(folder) && !llvm::sys::fs::exists(folder + "/record.json"))
    return Diagnostic{ExitClass::Io, folder, "", "is there, and is no record",
                      "-o names another folder"};
  std::string made = folder + ".new";
  if (std::error_code error = llvm::sys::fs::remove_directories(made, /*IgnoreErrors=*/false))
    return fail("cannot be written", error);
  Record record;
  record.name = entry.name;
  record.model = llvm::sys::path::filename(task.model).str();
  task.program = program;
  task.data = made + "/data";
  std::optional<Diagnostic> problem = measure(task, record);
  if (!problem)
    problem = writeData(made, {{"record.json", formatJson(record.toJson())}});
  if (problem) {
    (void)llvm::sys::fs::remove_directories(made);
    return problem;
  }
  std::error_code error = llvm::sys::fs::remove_directories(folder, /*IgnoreErrors=*/false);
  if (!error)
    error = llvm::sys::fs::rename(made, folder);
  if (error)
    return fail("cannot be written", error);
  return std::nullopt;
}

int BaselineVerb::run() {
  std::vector<Entry> entries;
  if (auto problem = list(entries))
    return report(*problem);
  for (const Entry &entry : entries) {
    std::string folder;
    std::optional<Diagnostic> problem;
    {
      Progress progress(fmt::format("measuring {}", escapeText(entry.name)));
      problem = write(entry, folder);
    }
    if (problem)
      return report(*problem);
    if (int failed = print(escapeText(folder, 1024) + "\n"))
      return failed;
  }
  return 0;
}

} // namespace

Verb cameo::cli::addBaseline(CLI::App &app) {
  CLI::App &verb = addVerb(app, "baseline", "write records of models, to hold later ones against",
                           "cameo baseline model.onnx -o baseline --dim batch=1");
  auto state = std::make_shared<BaselineVerb>();
  state->app = &verb;
  verb.add_option("-o,--output", state->output,
                  "the folder of the records (default baseline, or what cameo.toml says)");
  verb.add_option("--file", state->file,
                  "where no model is given, those of this file (default "
                  "cameo.toml)");
  verb.add_option("--with", state->program, "another cameo, which compiles the models");
  state->how.addTo(verb);
  state->flags.addTo(verb, /*withEmulator=*/true, ModelFlags::Models::Many);
  verb.get_option("model")->required(false);
  return [state] { return state->run(); };
}
