// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Record.h"

#include "Compare.h"
#include "DataSets.h"
#include "Support/InputFile.h"
#include "Support/JsonLimits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr int64_t kSchema = 1;
constexpr MeasureInfo kMeasures[] = {
    {"steps", "steps: launches, copies, waits, branches and loops", Source::Plan},
    {"readbacks", "values that a run reads back from the device", Source::Plan},
    {"waits", "places where a run waits for the device", Source::Plan},
    {"arena_bytes", "arena, bytes", Source::Inspect},
    {"weights_bytes", "weights as kernels read them, bytes", Source::Inspect},
    {"moved_bytes", "bytes that kernels read and write", Source::Inspect},
    {"launches", "kernels that a run launches", Source::Run},
    {"copies", "copies in a run", Source::Run},
    {"copied_bytes", "bytes that these copy", Source::Run},
    {"text_bytes", "code, bytes", Source::Bench},
    {"min_ms", "least time of a run, ms", Source::Bench},
    {"differing_outputs", "outputs beyond their tolerance", Source::Outputs}};

/// `MatMul:first, Relu:act`.
std::string describeNodes(const json::Object &step) {
  std::string text;
  if (const json::Array *nodes = step.getArray("nodes"))
    for (const json::Value &value : *nodes)
      if (const json::Object *node = value.getAsObject())
        text += fmt::format("{}{}:{}", text.empty() ? "" : ", ",
                            node->getString("op").value_or("").str(),
                            node->getString("name").value_or("").str());
  return text;
}

void collectSteps(const json::Array &steps, std::vector<std::string> &found) {
  for (const json::Value &value : steps) {
    const json::Object *step = value.getAsObject();
    if (!step)
      continue;
    const json::Array *bodies = step->getArray("bodies");
    StringRef kind = step->getString("kind").value_or("");
    if (bodies || step->get("function") || kind == "fetch" || kind == "upload" || kind == "await")
      found.push_back(fmt::format("{} ({})", describeNodes(*step), kind.str()));
    if (bodies)
      for (const json::Value &body : *bodies)
        if (const json::Array *inner = body.getAsArray())
          collectSteps(*inner, found);
  }
}

std::vector<std::string> readNames(const json::Array &values) {
  std::vector<std::string> names;
  for (const json::Value &value : values)
    if (const json::Object *object = value.getAsObject())
      names.push_back(object->getString("name").value_or("").str());
  return names;
}

std::vector<std::string> readStrings(const json::Array &values) {
  std::vector<std::string> texts;
  for (const json::Value &value : values)
    texts.push_back(value.getAsString().value_or("").str());
  return texts;
}

json::Array toArray(const std::vector<std::string> &texts) {
  json::Array values;
  for (const std::string &text : texts)
    values.push_back(json::fixUTF8(text));
  return values;
}

std::string digest(const TensorData &tensor) {
  llvm::BLAKE3 hasher;
  hasher.update(StringRef(tensor.bytes.data(), tensor.bytes.size()));
  for (const std::string &text : tensor.strings)
    hasher.update(fmt::format("{}:{}", text.size(), text));
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

/// The least of each fifth of the runs against the least of all.
std::optional<double> measureNoise(const json::Array &samples) {
  constexpr size_t kParts = 5;
  double least = HUGE_VAL, worst = 0;
  for (size_t part = 0; part < kParts; ++part) {
    double lowest = HUGE_VAL;
    for (size_t at = samples.size() * part / kParts; at < samples.size() * (part + 1) / kParts;
         ++at)
      lowest = std::min(lowest, samples[at].getAsNumber().value_or(HUGE_VAL));
    least = std::min(least, lowest);
    worst = std::max(worst, lowest);
  }
  if (!std::isfinite(worst) || least <= 0)
    return std::nullopt;
  return worst / least - 1;
}

/// Members of a report that are measures of the same name.
void take(const json::Object &report, llvm::ArrayRef<StringRef> names,
          std::map<std::string, double> &measures) {
  for (StringRef name : names)
    if (std::optional<double> value = report.getNumber(name))
      measures[name.str()] = *value;
}

void takeText(const json::Object &report, StringRef name, std::string &text) {
  if (std::optional<StringRef> found = report.getString(name))
    text = found->str();
}

} // namespace

llvm::ArrayRef<MeasureInfo> cameo::cli::getMeasures() { return kMeasures; }

const MeasureInfo *cameo::cli::findMeasure(StringRef name) {
  auto found = llvm::find_if(kMeasures, [&](const MeasureInfo &one) { return one.name == name; });
  return found == std::end(kMeasures) ? nullptr : found;
}

llvm::SmallVector<StringRef> cameo::cli::getMeasureNames() {
  return llvm::to_vector(
      llvm::map_range(kMeasures, [](const MeasureInfo &one) -> StringRef { return one.name; }));
}

std::string cameo::cli::formatMeasure(double value) {
  return std::floor(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

void Record::addPlan(const json::Object &plan) {
  takeText(plan, "name", name);
  takeText(plan, "target", target);
  takeText(plan, "compiler", compiler);
  steps.clear();
  if (const json::Array *rows = plan.getArray("steps"))
    collectSteps(*rows, steps);
  measures["steps"] = static_cast<double>(steps.size());
  if (const json::Array *rows = plan.getArray("inputs"))
    inputs = readNames(*rows);
}

void Record::addPlacement(const json::Object &report) {
  take(report, {"readbacks"}, measures);
  if (std::optional<double> waits = report.getNumber("blocking_syncs"))
    measures["waits"] = *waits;
}

void Record::addInspect(const json::Object &report) {
  if (const json::Object *memory = report.getObject("memory"))
    take(*memory, {"arena_bytes", "weights_bytes", "moved_bytes"}, measures);
}

void Record::addRun(const json::Object &report) {
  const json::Object *counters = report.getObject("counters");
  if (!counters)
    return;
  auto sum = [&](llvm::ArrayRef<StringRef> names) {
    int64_t total = 0;
    for (StringRef counter : names)
      total += counters->getInteger(counter).value_or(0);
    return static_cast<double>(total);
  };
  measures["launches"] = sum({"launches"});
  measures["copies"] = sum({"h2d", "d2h", "d2h_outputs", "d2d", "repacks", "host_copies"});
  measures["copied_bytes"] = sum({"h2d_bytes", "d2h_bytes", "repack_bytes", "host_copy_bytes"});
}

void Record::addBench(const json::Object &report) {
  take(report, {"text_bytes", "min_ms", "weights_bytes"}, measures);
  // Taken at the extents of the inputs, where inspect knows none.
  if (measures.count("arena_bytes") == 0)
    take(report, {"arena_bytes"}, measures);
  takeText(report, "cpu", cpu);
  takeText(report, "cxxflags", cxxFlags);
  takeText(report, "model", model);
  takeText(report, "target", target);
  if (const json::Array *samples = report.getArray("samples_ms"))
    noise = measureNoise(*samples);
}

std::optional<Diagnostic> cameo::cli::readRecordedData(const std::string &folder, StringRef stem,
                                                       std::map<int64_t, TensorData> &tensors) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error))
    if (std::optional<int64_t> number = getDataNumber(llvm::sys::path::stem(entry->path()), stem))
      if (auto problem = readTensor(entry->path(), {ValueData::Kind::Tensor}, tensors[*number]))
        return problem;
  if (error)
    return Diagnostic{ExitClass::Io, folder, "", "cannot be read: " + error.message(), ""};
  return std::nullopt;
}

std::optional<Diagnostic> Record::addOutputs() {
  std::map<int64_t, TensorData> tensors;
  if (auto problem = readRecordedData(data, "output_", tensors))
    return problem;
  outputs.clear();
  for (const auto &[number, tensor] : tensors)
    outputs.push_back(
        {tensor.name, getDataTypeName(tensor.elementType), tensor.dims, digest(tensor)});
  return std::nullopt;
}

bool Record::add(const json::Object &report) {
  auto has = [&](StringRef member) { return report.get(member) != nullptr; };
  if (has("measures"))
    addRecord(report);
  else if (has("steps") && has("buffers"))
    addPlan(report);
  else if (has("readbacks") && has("crossings"))
    addPlacement(report);
  else if (has("memory"))
    addInspect(report);
  else if (has("min_ms"))
    addBench(report);
  else if (has("counters"))
    addRun(report);
  else
    return false;
  return true;
}

void Record::addRecord(const json::Object &report) {
  for (auto [key, text] :
       {std::pair("name", &name), std::pair("model", &model), std::pair("target", &target),
        std::pair("compiler", &compiler), std::pair("cpu", &cpu), std::pair("cxxflags", &cxxFlags)})
    takeText(report, key, *text);
  if (const json::Object *numbers = report.getObject("measures"))
    for (const auto &[key, value] : *numbers)
      if (std::optional<double> number = value.getAsNumber())
        measures[key.str()] = *number;
  noise = report.getNumber("noise");
  if (const json::Array *rows = report.getArray("flags"))
    flags = readStrings(*rows);
  if (const json::Array *rows = report.getArray("steps"))
    steps = readStrings(*rows);
  if (const json::Array *rows = report.getArray("inputs"))
    inputs = readStrings(*rows);
  if (const json::Array *rows = report.getArray("outputs"))
    for (const json::Value &value : *rows)
      if (const json::Object *row = value.getAsObject()) {
        RecordedOutput &output = outputs.emplace_back();
        takeText(*row, "name", output.name);
        takeText(*row, "dtype", output.dtype);
        takeText(*row, "digest", output.digest);
        if (const json::Array *dims = row->getArray("shape"))
          for (const json::Value &dim : *dims)
            output.shape.push_back(dim.getAsInteger().value_or(0));
      }
}

json::Object Record::toJson() const {
  json::Object numbers;
  for (const auto &[measure, value] : measures)
    numbers[measure] = value;
  json::Array rows;
  for (const RecordedOutput &output : outputs)
    rows.push_back(json::Object{{"name", json::fixUTF8(output.name)},
                                {"dtype", output.dtype},
                                {"shape", output.shape},
                                {"digest", output.digest}});
  json::Object report{{"schema", kSchema},
                      {"name", json::fixUTF8(name)},
                      {"model", json::fixUTF8(model)},
                      {"target", target},
                      {"compiler", json::fixUTF8(compiler)},
                      {"flags", toArray(flags)},
                      {"measures", std::move(numbers)},
                      {"noise", noise ? json::Value(*noise) : json::Value(nullptr)},
                      {"steps", toArray(steps)},
                      {"inputs", toArray(inputs)},
                      {"outputs", std::move(rows)}};
  if (!cpu.empty()) {
    report["cpu"] = cpu;
    report["cxxflags"] = json::fixUTF8(cxxFlags);
  }
  return report;
}

std::optional<Diagnostic> cameo::cli::readJsonObject(const std::string &path,
                                                     json::Object &object) {
  // That of a plan with a million values.
  constexpr int64_t kMaxBytes = 512 << 20;
  std::unique_ptr<llvm::MemoryBuffer> content;
  if (auto problem = readInputFile(path, kMaxBytes, content))
    return problem;
  // Branches within branches of a plan nest.
  constexpr unsigned kMaxDepth = 512;
  if (std::string beyond = checkJsonSize(content->getBuffer(), kMaxDepth); !beyond.empty())
    return Diagnostic{ExitClass::Malformed, path, "", beyond, ""};
  llvm::Expected<json::Value> value = json::parse(content->getBuffer());
  if (!value)
    return Diagnostic{ExitClass::Malformed, path, "",
                      "is no JSON: " + escapeText(llvm::toString(value.takeError()), 400), ""};
  if (!value->getAsObject())
    return Diagnostic{ExitClass::Malformed, path, "", "holds no JSON object", ""};
  object = std::move(*value->getAsObject());
  return std::nullopt;
}
