// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Budgets.h"

#include "Support/NearNames.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

std::optional<Diagnostic> cameo::cli::readBudget(const std::string &what, StringRef name,
                                                 StringRef limit, Budget &budget) {
  auto refuse = [&](const std::string &problem, std::string hint) {
    return Diagnostic{ExitClass::Usage, "cameo", "", what + " " + problem, std::move(hint)};
  };
  llvm::SmallVector<StringRef> names = getMeasureNames();
  budget.measure = findMeasure(name);
  if (!budget.measure)
    return refuse("names no measure: " + quoteText(name),
                  suggestNear(name, names, "there are " + llvm::join(names, ", ")));
  budget.limit = limit.str();
  StringRef number = limit;
  budget.isGrowth = number.consume_front("+");
  budget.isShare = budget.isGrowth && number.consume_back("%");
  if (number.getAsDouble(budget.number) || !std::isfinite(budget.number) || budget.number < 0)
    return refuse("cannot be read: " + quoteText(limit),
                  "4096, or how much more than the baseline: '+5%' or '+16'");
  if (budget.isGrowth && budget.measure->source == Source::Outputs)
    return refuse("is of outputs, which the baseline's own count of is 0", "0");
  if (budget.isShare)
    budget.number /= 100;
  return std::nullopt;
}

std::string Verdict::str(const Budget &budget) const {
  if (!problem.empty())
    return fmt::format("{}: {}", std::string(budget.measure->name), problem);
  return fmt::format("{} is {}, at most {}{}", std::string(budget.measure->name),
                     formatMeasure(value), formatMeasure(limit),
                     budget.isGrowth ? " (" + budget.limit + ")" : "");
}

llvm::json::Object Verdict::toJson(const Budget &budget) const {
  llvm::json::Object row{
      {"measure", budget.measure->name}, {"budget", budget.limit}, {"passed", passed}};
  if (!problem.empty()) {
    row["problem"] = problem;
    return row;
  }
  row["value"] = value;
  row["limit"] = limit;
  return row;
}

Verdict cameo::cli::judge(const Budget &budget, const Record &record, const Record *before) {
  Verdict verdict;
  std::string name = budget.measure->name.str();
  auto value = record.measures.find(name);
  if (value == record.measures.end()) {
    verdict.problem = budget.measure->source == Source::Inspect
                          ? "is not known: it depends on dims or on data"
                          : "is not known";
    return verdict;
  }
  verdict.value = value->second;
  verdict.limit = budget.number;
  if (budget.isGrowth) {
    const double *earlier = nullptr;
    if (before)
      if (auto found = before->measures.find(name); found != before->measures.end())
        earlier = &found->second;
    if (!earlier) {
      verdict.problem =
          before ? "the earlier record does not have it" : "there is no earlier record";
      return verdict;
    }
    verdict.limit = budget.isShare ? *earlier * (1 + budget.number) : *earlier + budget.number;
  }
  verdict.passed = verdict.value <= verdict.limit;
  return verdict;
}
