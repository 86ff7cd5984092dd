// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo ops: the operators there are, and what the record of one says. The text is what mlir-tblgen
// makes of the records, so that there is no second list.

#include "Common.h"
#include "EmbeddedFile.h"
#include "Import/Domains.h"
#include "Import/Upgrade/Upgrade.h"
#include "Support/NearNames.h"
#include "embeddedOperators.h"

#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

#include <iterator>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

struct Operator {
  StringRef name, summary;
  /// Markdown behind the summary.
  StringRef text;
};

/// Whether a node of a model can be it: not what ends a graph in the dialect, nor what stands for a
/// function that --external declares.
bool isOfModels(const Operator &op) {
  return !op.text.contains("`Terminator`") && !op.name.starts_with("own.");
}

/// By name.
std::vector<Operator> readOperators() {
  const EmbeddedFile &file = *std::begin(embeddedOperators);
  std::vector<Operator> all;
  for (StringRef rest = StringRef(file.data, file.size).split("\n### `onnx.").second;
       !rest.empty();) {
    auto [record, next] = rest.split("\n### `onnx.");
    rest = next;
    auto [head, behind] = record.split("\n\n_");
    auto [summary, text] = behind.split("_\n");
    Operator op{head.split('`').first, summary, text.split("\n## ").first};
    if (isOfModels(op))
      all.push_back(op);
  }
  llvm::sort(all, [](const Operator &a, const Operator &b) { return a.name < b.name; });
  return all;
}

/// A row of a table, in HTML or of Markdown: its cells.
std::vector<std::string> getCells(StringRef line) {
  std::vector<std::string> cells;
  bool isHtml = line.consume_front("<tr><td>");
  if (!isHtml && !line.starts_with("| `"))
    return cells;
  llvm::SmallVector<StringRef> parts;
  line.trim("| ").split(parts, isHtml ? "</td><td>" : " | ");
  for (StringRef part : parts) {
    part.consume_back("</td></tr>");
    part.consume_front("<code>");
    part.consume_back("</code>");
    cells.push_back(part.trim("` ").str());
  }
  return cells;
}

/// As a terminal shows it: what tables of Markdown say as lines, without what only MLIR asks for.
std::string describe(const Operator &op) {
  std::string text = fmt::format("{}: {}\nsince version {} of its operator set\n", op.name.str(),
                                 op.summary.str(), importer::getFirstVersion(op.name));
  bool isInTable = false;
  for (StringRef line : llvm::split(op.text, '\n')) {
    if (line.starts_with("Traits:") || line.starts_with("Interfaces:") ||
        line.starts_with("Effects:"))
      continue;
    if (StringRef title = line; title.consume_front("#### ")) {
      text += (StringRef(text).ends_with("\n\n") ? "" : "\n") + title.rtrim(':').lower() + '\n';
      isInTable = true;
    } else if (std::vector<std::string> cells = getCells(line); !cells.empty()) {
      text += fmt::format("  {}: {}\n", cells.front(), cells.back());
    } else if (!isInTable && !(line.empty() && StringRef(text).ends_with("\n\n"))) {
      text += line.str() + '\n';
    }
  }
  return text;
}

/// The dialect's name of an operator that is given with the domain of a model: `ms.Gelu` of
/// `com.microsoft.Gelu`.
std::string nameInDialect(StringRef name) {
  auto [domain, op] = name.rsplit('.');
  const importer::Domain *known = op.empty() ? nullptr : importer::findDomain(domain);
  return known ? (known->prefix + op).str() : name.str();
}

struct OpsVerb {
  std::string name;

  int run() const {
    std::vector<Operator> operators = readOperators();
    std::string text, wanted = nameInDialect(name);
    std::vector<StringRef> names;
    for (const Operator &op : operators) {
      if (op.name.equals_insensitive(wanted))
        return print(describe(op));
      names.push_back(op.name);
      text += fmt::format("{:28} {:>3}  {}\n", op.name.str(), importer::getFirstVersion(op.name),
                          op.summary.str());
    }
    if (name.empty())
      return print(text);
    if (importer::isUpgradedAway(wanted))
      return print(wanted + ": the importer makes other operators of it\n");
    return report({ExitClass::Usage, "cameo", "", "there is no operator " + quoteText(name),
                   suggestNear(name, names, "cameo ops lists what there is")});
  }
};

} // namespace

Verb cameo::cli::addOps(CLI::App &app) {
  CLI::App &verb =
      addVerb(app, "ops", "list the operators there are, or say what one takes", "cameo ops Conv");
  auto state = std::make_shared<OpsVerb>();
  verb.add_option("operator", state->name,
                  "of these, as ONNX calls it: Conv or com.microsoft.Gelu");
  return [state] { return state->run(); };
}
