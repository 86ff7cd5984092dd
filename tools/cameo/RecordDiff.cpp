// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordDiff.h"

#include "Compare.h"

#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// Entries of `from` that `others` lacks, each as often as `from` has more of it.
std::vector<std::string> subtract(const std::vector<std::string> &from,
                                  const std::vector<std::string> &others) {
  std::map<std::string, size_t> counts;
  for (const std::string &text : others)
    ++counts[text];
  std::vector<std::string> rest;
  for (const std::string &text : from) {
    auto found = counts.find(text);
    if (found == counts.end() || found->second == 0)
      rest.push_back(text);
    else
      --found->second;
  }
  return rest;
}

bool isSame(const TensorData &a, const TensorData &b) {
  return a.elementType == b.elementType && a.dims == b.dims && a.bytes == b.bytes &&
         a.strings == b.strings;
}

bool areSame(const std::map<int64_t, TensorData> &a, const std::map<int64_t, TensorData> &b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto &one, const auto &other) {
           return one.first == other.first && isSame(one.second, other.second);
         });
}

StringRef getName(OutputChange::State state) {
  switch (state) {
  case OutputChange::State::Same:
    return "same";
  case OutputChange::State::Close:
    return "close";
  case OutputChange::State::Differs:
    return "differs";
  case OutputChange::State::Unknown:
    return "unknown";
  }
  return "";
}

OutputChange compareOutput(const TensorData &after, const TensorData &before) {
  using State = OutputChange::State;
  if (isSame(after, before))
    return {after.name, State::Same, "the same bits"};
  Comparison comparison = compareTensors(after, before, {});
  std::string text = comparison.problem.empty()
                         ? fmt::format("max abs {:.3g}, max rel {:.3g}", comparison.maxAbsolute,
                                       comparison.maxRelative)
                         : comparison.problem;
  return {after.name, comparison.passed ? State::Close : State::Differs, text};
}

/// `name` and, of a time, the noise.
std::string formatWithNoise(const Record &record, const std::string &name) {
  auto found = record.measures.find(name);
  if (found == record.measures.end())
    return "-";
  std::string text = formatMeasure(found->second);
  if (name == "min_ms" && record.noise)
    text += fmt::format(" +-{:.1f}%", *record.noise * 100);
  return text;
}

std::string formatGrowth(const Record &before, const Record &after, const std::string &name) {
  auto from = before.measures.find(name), to = after.measures.find(name);
  if (from == before.measures.end() || to == after.measures.end())
    return "";
  if (from->second == 0)
    return fmt::format("+{}", formatMeasure(to->second));
  double growth = to->second / from->second - 1;
  std::string text = fmt::format("{:+.1f}%", growth * 100);
  if (name == "min_ms" && std::abs(growth) <= before.noise.value_or(0) + after.noise.value_or(0))
    text += ", within noise";
  return text;
}

/// Records of what is compiled by others, or for another processor, are told apart.
std::string describeOrigin(const Record &before, const Record &after) {
  std::string text;
  if (before.compiler != after.compiler && !before.compiler.empty() && !after.compiler.empty())
    text += fmt::format("compiled by {}, and by {}", escapeText(before.compiler),
                        escapeText(after.compiler));
  if (before.cpu != after.cpu && !before.cpu.empty() && !after.cpu.empty())
    text += fmt::format("{}timed on {}, and on {}", text.empty() ? "" : "; ",
                        escapeText(before.cpu), escapeText(after.cpu));
  return text;
}

/// A cell of a table, where a bar would begin the next.
std::string escapeCell(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '|' || c == '`' || c == '<' || c == '*' || c == '_' ? std::string("\\") + c
                                                                        : std::string(1, c);
  return escaped;
}

std::string foldList(StringRef title, const std::vector<std::string> &rows) {
  if (rows.empty())
    return "";
  std::string text =
      fmt::format("\n<details><summary>{}: {}</summary>\n\n````text\n", title.str(), rows.size());
  for (const std::string &row : rows)
    text += escapeText(row, 1024) + "\n";
  return text + "````\n\n</details>\n";
}

} // namespace

std::optional<Diagnostic> RecordDiff::compareOutputs() {
  using State = OutputChange::State;
  std::map<int64_t, TensorData> inputs[2], results[2];
  bool haveData = !before.data.empty() && !after.data.empty();
  if (haveData)
    for (auto [number, record] : {std::pair(0, &before), std::pair(1, &after)}) {
      if (auto problem = readRecordedData(record->data, "input_", inputs[number]))
        return problem;
      if (auto problem = readRecordedData(record->data, "output_", results[number]))
        return problem;
    }
  bool isOnOtherInputs = haveData && !areSame(inputs[0], inputs[1]);
  size_t numDiffering = 0, numUnknown = 0;
  for (const RecordedOutput &output : after.outputs) {
    OutputChange &change = outputs.emplace_back(OutputChange{output.name});
    auto earlier = llvm::find_if(
        before.outputs, [&](const RecordedOutput &one) { return one.name == output.name; });
    if (earlier == before.outputs.end())
      change.text = "it is new";
    else if (isOnOtherInputs)
      change.text = "it is of other inputs";
    else if (haveData)
      change = compareOutput(results[1][&output - after.outputs.data()],
                             results[0][earlier - before.outputs.begin()]);
    else if (earlier->digest == output.digest && earlier->shape == output.shape)
      change = {output.name, State::Same, "the same bits"};
    else
      change.text = "it has other bits, of which only digests are kept";
    change.name = output.name;
    numDiffering += change.state == State::Differs;
    numUnknown += change.state == State::Unknown;
  }
  if (numUnknown == 0 && !outputs.empty())
    after.measures["differing_outputs"] = static_cast<double>(numDiffering);
  return std::nullopt;
}

std::optional<Diagnostic> RecordDiff::compare(Record earlier, Record later) {
  before = std::move(earlier);
  after = std::move(later);
  gone = subtract(before.steps, after.steps);
  added = subtract(after.steps, before.steps);
  return compareOutputs();
}

void RecordDiff::judgeAll(llvm::ArrayRef<Budget> budgets) {
  for (const Budget &budget : budgets)
    verdicts.push_back({budget, judge(budget, after, &before)});
}

bool RecordDiff::hasPassed() const {
  return llvm::all_of(verdicts, [](const auto &one) { return one.second.passed; });
}

std::vector<RecordDiff::Change> RecordDiff::listChanges() const {
  std::vector<Change> changes;
  for (const MeasureInfo &measure : getMeasures()) {
    std::string name = measure.name.str();
    auto from = before.measures.find(name), to = after.measures.find(name);
    bool isKnown = from != before.measures.end(), isKnownLater = to != after.measures.end();
    if (measure.source == Source::Outputs || (!isKnown && !isKnownLater) ||
        (isKnown && isKnownLater && from->second == to->second))
      continue;
    changes.push_back({&measure, formatWithNoise(before, name), formatWithNoise(after, name),
                       formatGrowth(before, after, name)});
  }
  return changes;
}

std::vector<std::string> RecordDiff::listSame() const {
  std::vector<std::string> same;
  for (const auto &[name, value] : after.measures)
    if (auto found = before.measures.find(name);
        found != before.measures.end() && found->second == value)
      same.push_back(name);
  return same;
}

std::string RecordDiff::toText() const {
  std::string text = after.getTitle() + "\n";
  if (std::string origin = describeOrigin(before, after); !origin.empty())
    text += "  " + origin + "\n";
  for (const Change &change : listChanges())
    text += fmt::format("  {:<14} {} -> {}{}\n", std::string(change.measure->name), change.before,
                        change.after, change.growth.empty() ? "" : "  " + change.growth);
  for (auto [title, rows] : {std::pair("gone", &gone), std::pair("added", &added)}) {
    if (!rows->empty())
      text += fmt::format("  steps {}\n", title);
    for (const std::string &row : *rows)
      text += "    " + escapeText(row, 1024) + "\n";
  }
  for (const OutputChange &output : outputs)
    text +=
        fmt::format("  output {}: {}{}\n", escapeText(output.name),
                    output.state == OutputChange::State::Differs ? "DIFFERS, " : "", output.text);
  if (std::vector<std::string> same = listSame(); !same.empty())
    text += fmt::format("  the same: {}\n", fmt::join(same, ", "));
  for (const auto &[budget, verdict] : verdicts)
    text += fmt::format("  {} {}\n", verdict.passed ? "passed" : "FAILED", verdict.str(budget));
  return text;
}

std::string RecordDiff::toMarkdown() const {
  std::string text = fmt::format("### {}\n\n", escapeCell(after.getTitle()));
  if (std::string origin = describeOrigin(before, after); !origin.empty())
    text += escapeCell(origin) + "\n\n";
  for (const auto &[budget, verdict] : verdicts)
    if (!verdict.passed)
      text += fmt::format("**Over budget:** {}\n\n", escapeCell(verdict.str(budget)));
  std::vector<Change> changes = listChanges();
  if (!changes.empty())
    text += "| | before | after | change |\n|--|--:|--:|--:|\n";
  for (const Change &change : changes)
    text += fmt::format("| {} | {} | {} | {} |\n", std::string(change.measure->title),
                        change.before, change.after, change.growth);
  if (std::vector<std::string> same = listSame(); !same.empty())
    text += fmt::format("{}The same: `{}`\n", changes.empty() ? "" : "\n", fmt::join(same, "`, `"));
  if (!outputs.empty())
    text += "\n";
  for (const OutputChange &output : outputs)
    text += fmt::format("- output {}: {}{}\n", escapeCell(escapeText(output.name)),
                        output.state == OutputChange::State::Differs ? "**differs**, " : "",
                        escapeCell(output.text));
  return text + foldList("steps gone", gone) + foldList("steps added", added);
}

json::Object RecordDiff::toJson() const {
  auto toArray = [](const std::vector<std::string> &texts) {
    json::Array values;
    for (const std::string &text : texts)
      values.push_back(json::fixUTF8(text));
    return values;
  };
  json::Array rows, judged;
  for (const OutputChange &output : outputs)
    rows.push_back(json::Object{{"name", json::fixUTF8(output.name)},
                                {"state", getName(output.state)},
                                {"text", json::fixUTF8(output.text)}});
  for (const auto &[budget, verdict] : verdicts)
    judged.push_back(verdict.toJson(budget));
  return json::Object{{"before", before.toJson()},   {"after", after.toJson()},
                      {"steps_gone", toArray(gone)}, {"steps_added", toArray(added)},
                      {"outputs", std::move(rows)},  {"budgets", std::move(judged)}};
}
