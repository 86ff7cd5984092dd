// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Reporter.h"

#include "Import/Remedies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

/// A model may have a wrong declaration for each of 100,000 values.
static constexpr size_t kMaxWarnings = 16;

std::string Where::str() const {
  SmallVector<std::string> parts;
  for (const Where *place = this; place; place = place->outer) {
    if (!place->label.empty())
      parts.push_back(escapeText(place->label));
    else if (place->index >= 0)
      parts.push_back(escapeText(place->kind) + "#" + std::to_string(place->index));
    else if (!place->kind.empty())
      parts.push_back(escapeText(place->kind));
  }
  // The innermost part matters most; a deep chain keeps it and its outermost.
  constexpr size_t kMaxParts = 8;
  if (parts.size() > kMaxParts)
    parts.erase(parts.begin() + kMaxParts / 2, parts.end() - kMaxParts / 2);
  return join(reverse(parts), "/");
}

LogicalResult Reporter::fail(ExitClass exitClass, const Where *where, const Twine &problem,
                             const Twine &hint) {
  if (!diagnostic)
    diagnostic = Diagnostic{exitClass, file, where ? where->str() : "", problem.str(), hint.str()};
  return failure();
}

LogicalResult Reporter::limit(const Where *where, const Twine &problem, StringRef flag) {
  return fail(ExitClass::Limit, where, problem,
              flag.empty() ? Twine() : "raise it with " + Twine(flag));
}

void Reporter::warn(const Where *where, const Twine &problem) {
  if (++numWarnings <= kMaxWarnings)
    warnings.push_back({ExitClass::Malformed, file, where ? where->str() : "", problem.str(), ""});
}

std::vector<std::string> Reporter::getWarnings() const {
  std::vector<std::string> lines;
  for (const Diagnostic &warning : warnings)
    lines.push_back(warning.str());
  if (numWarnings > kMaxWarnings)
    lines.push_back(escapeText(file, 1024) + ": " + std::to_string(numWarnings - kMaxWarnings) +
                    " more warnings");
  return lines;
}

LogicalResult Reporter::rejectWarnings() {
  if (warnings.empty())
    return success();
  if (!diagnostic) {
    diagnostic = warnings.front();
    diagnostic->hint = "without --reject-warnings this is a warning";
  }
  return failure();
}

LogicalResult Reporter::reportUnsupported() {
  if (unsupportedNodes.empty())
    return success();
  // Operators first, each with its first nodes, so that a cut line still names as many as fit.
  std::vector<std::pair<std::string, std::vector<StringRef>>> groups;
  StringMap<size_t> positions;
  for (const UnsupportedNode &node : unsupportedNodes) {
    std::string op =
        describeOperator(node.domain, node.opType) + "-" + std::to_string(node.version);
    auto [position, isNew] = positions.try_emplace(op, groups.size());
    if (isNew)
      groups.push_back({op, {}});
    groups[position->second].second.push_back(node.where);
  }
  std::string text;
  for (auto &[op, nodes] : groups) {
    text += (text.empty() ? "" : ", ") + op + " (";
    if (nodes.size() > 1)
      text += std::to_string(nodes.size()) + " nodes, the first is ";
    text += nodes.front().str() + ")";
  }
  size_t count = unsupportedNodes.size();
  return unsupported(nullptr,
                     Twine(count) +
                         (count == 1 ? " node has an operator" : " nodes have operators") +
                         " that Cameo does not have: " + text,
                     joinRemedies(unsupportedNodes));
}
