// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VerifyReport.h"

#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// JSON has neither infinities nor NaN.
json::Value toJson(double number) {
  return std::isfinite(number) ? json::Value(number) : json::Value(nullptr);
}

std::string describe(const Tolerance &tolerance) {
  if (tolerance.absolute == 0 && tolerance.relative == 0)
    return "no tolerance";
  return fmt::format("tolerance {:.3g} + {:.3g} * |expected|", tolerance.absolute,
                     tolerance.relative);
}

/// The measure by which an output passed.
std::string describeMeasure(const Comparison &c) {
  switch (c.measure) {
  case Measure::Tolerance:
    return describe(c.tolerance);
  case Measure::Largest:
    return fmt::format("{:.3g}, for the largest element {:.3g}", c.largestAllowed, c.largest);
  case Measure::Steps:
    return c.step == 1 ? "what steps allow (--steps)"
                       : fmt::format("what steps of {:.3g} allow (--steps)", c.step);
  case Measure::Norm:
    return "what the relative L2 norm may be (--norm)";
  }
  return "";
}

std::string describe(const VerifiedOutput &output) {
  const Comparison &c = output.comparison;
  std::string name = escapeText(output.name);
  if (!output.against.empty())
    name += " against " + escapeText(output.against);
  if (!c.problem.empty())
    return fmt::format("output {}: {}", name, c.problem);
  std::string text = fmt::format(
      "output {}: max abs {:.3g}, max rel {:.3g}; at [{}] got {:.9g}, expected {:.9g}; {}", name,
      c.maxAbsolute, c.maxRelative, fmt::join(c.worstIndex, ", "), c.worstGot, c.worstExpected,
      describe(c.tolerance));
  if (c.largestAllowed > 0)
    text += fmt::format(" or {:.3g}", c.largestAllowed);
  if (c.step > 0)
    text += fmt::format(", a step is {:.3g}", c.step);
  if (c.norm > 0)
    text += fmt::format(", relative L2 norm {:.3g}", c.norm);
  return text;
}

/// How near to failing a data set that passed was: its output nearest to what it is allowed, of
/// those that needed the loosest measure.
std::string describeWorst(const VerifiedCase &one) {
  if (!one.refusal.empty())
    return ": not compared, nobody takes these inputs: " + one.refusal;
  auto getRank = [](const VerifiedOutput &output) {
    return std::pair(output.comparison.measure, output.comparison.share);
  };
  auto worst =
      llvm::max_element(one.outputs, [&](const VerifiedOutput &a, const VerifiedOutput &b) {
        return getRank(a) < getRank(b);
      });
  if (worst == one.outputs.end())
    return "";
  const Comparison &c = worst->comparison;
  if (c.share == 0)
    return ": no element differs";
  return fmt::format(": max abs {:.3g}, max rel {:.3g} in {}, {:.2g} of {}", c.maxAbsolute,
                     c.maxRelative, escapeText(worst->name), c.share, describeMeasure(c));
}

std::string describe(const ComparedValue &value) {
  const Comparison &c = value.comparison;
  std::string name = fmt::format("{} ({}), value {}", escapeText(value.node),
                                 escapeText(value.opType), escapeText(value.value));
  if (!c.problem.empty())
    return name + ": " + c.problem;
  return fmt::format("{}: max abs {:.3g}, max rel {:.3g}, {:.2g} of {}", name, c.maxAbsolute,
                     c.maxRelative, c.share, describeMeasure(c));
}

std::string describe(const NodeAnswer &answer) {
  constexpr size_t kRows = 10;
  std::string text = answer.first ? fmt::format("  first node that differs: {}\n    {}\n",
                                                describe(*answer.first), answer.verdict)
                                  : fmt::format("  no node differs: {}\n", answer.verdict);
  text += fmt::format("  worst of the {} nodes that were compared:\n", answer.worst.size());
  for (const ComparedValue &value : llvm::ArrayRef(answer.worst).take_front(kRows))
    text += "    " + describe(value) + "\n";
  return text;
}

/// The members that every comparison has.
json::Object toJson(const Comparison &c) {
  json::Object row{
      {"passed", c.passed}, {"max_abs", toJson(c.maxAbsolute)}, {"max_rel", toJson(c.maxRelative)}};
  if (!c.problem.empty())
    row["problem"] = c.problem;
  return row;
}

json::Value toJson(const ComparedValue &value) {
  json::Object row = toJson(value.comparison);
  row["node"] = json::fixUTF8(value.node);
  row["op"] = json::fixUTF8(value.opType);
  row["value"] = json::fixUTF8(value.value);
  row["share"] = toJson(value.comparison.share);
  return row;
}

json::Value toJson(const NodeAnswer &answer) {
  json::Array worst;
  for (const ComparedValue &value : answer.worst)
    worst.push_back(toJson(value));
  json::Object object{{"verdict", json::fixUTF8(answer.verdict)}, {"worst", std::move(worst)}};
  if (answer.first)
    object["first"] = toJson(*answer.first);
  if (answer.isNew)
    object["new"] = *answer.isNew;
  return object;
}

/// In one line: what failed, or why it passed by another measure than the tolerance.
std::string describeInShort(const VerifiedCase &one) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : "; ") + part; };
  if (!one.problem.empty())
    add(one.problem);
  if (!one.refusal.empty())
    add("nobody takes these inputs: " + one.refusal);
  if (one.nodes && one.nodes->first)
    add(fmt::format("first node that differs: {}, {}", describe(*one.nodes->first),
                    one.nodes->verdict));
  if (!one.alone.empty())
    add(escapeText(one.alone) + " is alone, all others agree");
  for (const VerifiedOutput &output : one.outputs)
    if (!output.comparison.passed)
      add(describe(output));
    else if (one.passed && output.comparison.measure != Measure::Tolerance)
      add(escapeText(output.name) + " passed by " + describeMeasure(output.comparison));
  return text;
}

json::Object toJson(const VerifiedOutput &output) {
  const Comparison &c = output.comparison;
  json::Object row = toJson(c);
  row["name"] = json::fixUTF8(output.name);
  row["worst_index"] = c.worstIndex;
  row["measure"] = getMeasureName(c.measure);
  row["norm"] = toJson(c.norm);
  if (!output.against.empty())
    row["against"] = json::fixUTF8(output.against);
  return row;
}

json::Object toJson(const VerifiedCase &one) {
  json::Array outputs;
  for (const VerifiedOutput &output : one.outputs)
    outputs.push_back(toJson(output));
  json::Object row{{"data", json::fixUTF8(one.data)},
                   {"passed", one.passed},
                   {"run_s", static_cast<double>(one.run.nanoseconds) * 1e-9},
                   {"status", json::Object{{"code", one.run.status},
                                           {"message", json::fixUTF8(one.run.message)},
                                           {"node", json::fixUTF8(one.run.node)},
                                           {"tensor", json::fixUTF8(one.run.tensor)}}},
                   {"outputs", std::move(outputs)},
                   {"counters", json::Object(one.run.counters)}};
  std::string text = describeInShort(one);
  for (auto [key, words] : {std::pair("problem", &one.problem), std::pair("alone", &one.alone),
                            std::pair("refusal", &one.refusal),
                            std::pair("text", static_cast<const std::string *>(&text))})
    if (!words->empty())
      row[key] = json::fixUTF8(*words);
  if (one.nodes)
    row["nodes"] = toJson(*one.nodes);
  return row;
}

} // namespace

bool VerifyReport::hasPassed() const {
  return !failure && llvm::all_of(cases, [](const VerifiedCase &one) { return one.passed; });
}

std::string VerifyReport::toText() const {
  std::string text;
  size_t passed = 0;
  for (const VerifiedCase &one : cases) {
    passed += one.passed;
    text += fmt::format("{} {}{}\n", one.passed ? "passed" : "FAILED", escapeText(one.data),
                        one.passed ? describeWorst(one) : "");
    if (!one.alone.empty())
      text += fmt::format("  {} is alone, all others agree\n", escapeText(one.alone));
    if (!one.problem.empty())
      text += "  " + one.problem + "\n";
    for (const VerifiedOutput &output : one.outputs)
      if (!output.comparison.passed)
        text += "  " + describe(output) + "\n";
    if (one.nodes)
      text += describe(*one.nodes);
  }
  return text + fmt::format("{} of {} data sets passed\n", passed, cases.size());
}

json::Object VerifyReport::toJson() const {
  json::Array rows;
  for (const VerifiedCase &one : cases)
    rows.push_back(::toJson(one));
  json::Object relativeUsed, absoluteUsed;
  for (int32_t elementType : elementTypes) {
    Tolerance tolerance = getDefaultTolerance(elementType);
    std::string type = getDataTypeName(elementType);
    relativeUsed[type] = tolerances.relative.value_or(tolerance.relative);
    absoluteUsed[type] = tolerances.absolute.value_or(tolerance.absolute);
  }
  json::Array lines;
  for (const std::string &warning : warnings)
    lines.push_back(json::fixUTF8(warning));
  json::Object report{{"schema", 1},
                      {"model", json::fixUTF8(model)},
                      {"target", target},
                      {"passed", hasPassed()},
                      {"rtol", std::move(relativeUsed)},
                      {"atol", std::move(absoluteUsed)},
                      {"steps", tolerances.steps},
                      {"norm", tolerances.norm},
                      {"compile_s", compileSeconds},
                      {"build_s", buildSeconds},
                      {"warnings", std::move(lines)},
                      {"cases", std::move(rows)}};
  if (failure) {
    json::Object error = cli::toJson(*failure);
    error["during"] = phase;
    report["error"] = std::move(error);
  }
  return report;
}

TestSuite cameo::cli::makeSuite(const json::Object &report) {
  auto getText = [](const json::Object &object, StringRef key) {
    return escapeText(object.getString(key).value_or(""), kMaxDiagnosticBytes);
  };
  TestSuite suite{getText(report, "model")};
  suite.seconds =
      report.getNumber("compile_s").value_or(0) + report.getNumber("build_s").value_or(0);
  if (const json::Array *cases = report.getArray("cases"))
    for (const json::Value &row : *cases) {
      const json::Object *one = row.getAsObject();
      if (!one)
        continue;
      TestCase &test = suite.cases.emplace_back();
      test.name = getText(*one, "data");
      test.seconds = one->getNumber("run_s").value_or(0);
      bool passed = one->getBoolean("passed").value_or(false);
      (passed ? test.output : test.failure) = getText(*one, "text");
      if (!passed && test.failure.empty())
        test.failure = "failed";
      suite.seconds += test.seconds;
    }
  if (const json::Object *error = report.getObject("error"))
    suite.cases.push_back(
        {getText(*error, "during"), suite.seconds, "", getText(*error, "message")});
  if (const json::Array *warnings = report.getArray("warnings"))
    for (const json::Value &warning : *warnings)
      suite.output += "warning: " + escapeText(warning.getAsString().value_or(""), 1024) + "\n";
  return suite;
}
