// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Predictions.h"

#include "Record.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

bool readKernels(const json::Object &steps, std::map<std::string, PredictedKernel> &kernels) {
  for (const auto &[name, value] : steps) {
    const json::Object *step = value.getAsObject();
    std::optional<double> microseconds = step ? step->getNumber("us") : std::nullopt;
    std::optional<int64_t> launches = step ? step->getInteger("launches") : std::nullopt;
    std::optional<StringRef> binds = step ? step->getString("binds") : std::nullopt;
    if (!microseconds || !launches || *launches < 1 || !binds)
      return false;
    kernels[name.str()] = {*microseconds, *launches, binds->str()};
  }
  return true;
}

std::optional<Prediction> readMachine(const json::Value &value) {
  const json::Object *machine = value.getAsObject();
  if (!machine)
    return std::nullopt;
  std::optional<StringRef> name = machine->getString("name"), arch = machine->getString("arch");
  std::optional<double> all = machine->getNumber("us"), limit = machine->getNumber("limit_us");
  const json::Object *steps = machine->getObject("steps");
  if (!name || !arch || !all || !limit || !steps)
    return std::nullopt;
  Prediction prediction{name->str(), arch->str(), *all, *limit, {}};
  if (!readKernels(*steps, prediction.kernels))
    return std::nullopt;
  return prediction;
}

} // namespace

const PredictedKernel *Prediction::find(const std::string &kernel) const {
  auto found = kernels.find(kernel);
  return found == kernels.end() ? nullptr : &found->second;
}

std::optional<Diagnostic> Predictions::read(const std::string &path) {
  json::Object root;
  if (auto problem = readJsonObject(path, root))
    return problem;
  auto refuse = [&](std::string why) {
    return Diagnostic{ExitClass::Malformed, path, "", std::move(why),
                      "bench/gpu/static --predicted writes such a file"};
  };
  const json::Array *machines = root.getArray("machines");
  if (!machines)
    return refuse("has no list of machines, and so no predicted times");
  for (const json::Value &each : *machines) {
    std::optional<Prediction> prediction = readMachine(each);
    if (!prediction)
      return refuse("has a machine that lacks one of name, arch, us, limit_us and steps, or a step "
                    "one of us, launches and binds");
    all.push_back(std::move(*prediction));
  }
  return std::nullopt;
}

const Prediction *Predictions::find(const DeviceFacts &device) const {
  std::string arch = fmt::format("{}{}", device.major, device.minor);
  auto found = llvm::find_if(all, [&](const Prediction &each) { return each.arch == arch; });
  return found == all.end() ? nullptr : &*found;
}

std::string Predictions::listMachines() const {
  std::string text;
  for (const Prediction &each : all)
    text += fmt::format("{}{} (sm_{})", text.empty() ? "" : ", ", escapeText(each.machine),
                        escapeText(each.arch));
  return text.empty() ? "none" : text;
}
