// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FailureCheck.h"

#include "Support/InputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// Words of two letters and more.
std::set<std::string> listWords(StringRef text) {
  std::set<std::string> words;
  while (!text.empty()) {
    StringRef word = text.take_while(llvm::isAlpha);
    if (word.size() > 1)
      words.insert(word.str());
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
  return words;
}

/// Adds the kinds of failure that a report of verify names for one data set.
void addKinds(const json::Object &row, std::set<std::string> &kinds) {
  if (row.getBoolean("passed").value_or(true))
    return;
  const json::Object *status = row.getObject("status");
  StringRef code = status ? status->getString("code").value_or("OK") : "OK";
  bool differs = false;
  if (const json::Array *outputs = row.getArray("outputs"))
    for (const json::Value &output : *outputs)
      if (const json::Object *one = output.getAsObject(); !*one->getBoolean("passed")) {
        kinds.insert(one->get("problem") ? "another type or shape" : "differs");
        differs = true;
      }
  if (code != "OK")
    kinds.insert(("the run ended with " + code).str());
  else if (!differs)
    kinds.insert("refused by the peer");
}

/// Kinds of failure in a report of verify; a model that a peer refuses has not failed.
std::set<std::string> readKinds(const std::string &path) {
  std::set<std::string> kinds;
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return kinds;
  llvm::Expected<json::Value> value = json::parse((*text)->getBuffer());
  const json::Object *report = value ? value->getAsObject() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (!report)
    return kinds;
  if (const json::Object *error = report->getObject("error");
      error && error->getInteger("exit") == static_cast<int>(ExitClass::Internal))
    kinds.insert(("a bug in " + error->getString("during").value_or("")).str());
  if (const json::Array *cases = report->getArray("cases"))
    for (const json::Value &row : *cases)
      addKinds(*row.getAsObject(), kinds);
  return kinds;
}

} // namespace

bool Failure::isLike(const Failure &whole) const {
  auto isIn = [](const std::set<std::string> &all) {
    return [&](const std::string &one) { return all.count(one) != 0; };
  };
  return llvm::any_of(kinds, isIn(whole.kinds)) && llvm::all_of(words, isIn(whole.words));
}

std::optional<Diagnostic> FailureCheck::read(const std::string &text, const ForwardedFlags &given,
                                             const ProgramLimits &givenLimits) {
  auto refuse = [&](const std::string &problem, const char *hint) {
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      fmt::format("--check {} {}", quoteText(text), problem), hint};
  };
  flags = given.common;
  limits = givenLimits;
  command = text;
  if (StringRef number = text; number.consume_front("exit ")) {
    int code = 0;
    if (number.getAsInteger(10, code) || code < 1 || code > 255)
      return refuse("names no exit code that a failure has", "as in --check 'exit 1'");
    expected = code;
    kind = Kind::Compile;
  } else if (text == "crash") {
    kind = Kind::Compile;
  } else if (text == "verify") {
    kind = Kind::Verify;
    flags.insert(flags.end(), given.verify.begin(), given.verify.end());
    if (llvm::none_of(flags, [](StringRef flag) { return flag.starts_with("--against="); }))
      flags.push_back("--against=onnxruntime");
  } else if (text.empty()) {
    return refuse("is empty", "crash, 'exit N', verify, or a command");
  }
  const char *hint = "a command has its flags in itself";
  if (kind == Kind::Command && !flags.empty())
    return refuse("takes no " + quoteText(flags.front()), hint);
  if (kind == Kind::Compile && !given.verify.empty())
    return refuse("takes no " + quoteText(given.verify.front()), "that is of --check verify");
  return scratch.make();
}

Failure FailureCheck::run(const std::string &model) const {
  switch (kind) {
  case Kind::Compile:
    return compileModel(model);
  case Kind::Verify:
    return verifyModel(model);
  case Kind::Command:
    return runUsersCommand(model);
  }
  return {};
}

/// Without the file that it is of.
std::string FailureCheck::readDiagnostic(const std::string &model) const {
  std::string line = readLastLine(getPath("log"));
  StringRef said = line;
  said.consume_front(model + ": ");
  return said.str();
}

Failure FailureCheck::compileModel(const std::string &model) const {
  std::vector<std::string> words{"compile", model, "-o", getPath("net"), "--name", "net"};
  words.insert(words.end(), flags.begin(), flags.end());
  ProgramEnd end = runCameo(words, getPath("log"), limits);
  std::string said = readDiagnostic(model);
  Failure failure{{}, {}, fmt::format("cameo compile {}: {}", end.str(), said)};
  if (end.isOk())
    failure.text = "cameo compile takes the model";
  if (!end.exceeded.empty() || !end.problem.empty())
    return failure;
  bool hasCrashed = end.code < 0 || end.code == static_cast<int>(ExitClass::Internal);
  if (expected ? end.code == *expected : hasCrashed) {
    failure.kinds.insert(end.str());
    failure.words = listWords(said);
  }
  return failure;
}

Failure FailureCheck::verifyModel(const std::string &model) const {
  std::string report = getPath("report.json");
  (void)llvm::sys::fs::remove(report);
  std::vector<std::string> words{"verify", model, "--json", report};
  words.insert(words.end(), flags.begin(), flags.end());
  ProgramEnd end = runCameo(words, getPath("log"), limits);
  if (!end.exceeded.empty() || !end.problem.empty())
    return {{}, {}, "cameo verify " + end.str()};
  Failure failure{readKinds(report), {}, ""};
  // A bug may be one that leaves no report.
  if (end.code < 0)
    failure.kinds.insert(end.str());
  if (end.isOk())
    failure.text = "cameo verify passes";
  else if (std::string said = readDiagnostic(model); !said.empty())
    failure.text = fmt::format("cameo verify {}: {}", end.str(), said);
  else
    failure.text = fmt::format("cameo verify {}: {}", end.str(), fmt::join(failure.kinds, ", "));
  return failure;
}

/// As other reducers have it: exit 0 for what is still of interest.
Failure FailureCheck::runUsersCommand(const std::string &model) const {
  ProgramEnd end = runShell(command, model, "", getPath("printed"), getPath("log"), limits);
  Failure failure;
  failure.text = "the command " + end.str();
  if (end.isOk())
    failure.kinds.insert("exit 0");
  if (std::string said = readLastLine(getPath("log")); !said.empty())
    failure.text += ": " + said;
  return failure;
}
