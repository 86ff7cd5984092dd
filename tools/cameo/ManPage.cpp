// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ManPage.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <set>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

/// A text as troff takes it: a backslash, a hyphen, and a mark at the start of a line mean
/// something else there.
std::string toTroff(StringRef text) {
  std::string page;
  for (char c : text.trim()) {
    if (c == '\\')
      page += "\\e";
    else if (c == '-')
      page += "\\-";
    else if ((c == '.' || c == '\'') && (page.empty() || page.back() == '\n'))
      page += std::string("\\&") + c;
    else
      page += c;
  }
  return page;
}

std::vector<const CLI::App *> listVerbs(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *) { return true; });
}

std::vector<const CLI::Option *> listOptions(const CLI::App &app) {
  return app.get_options([](const CLI::Option *) { return true; });
}

/// An option's paragraph, with everything that --help says of it.
std::string formatOption(const CLI::Option &option) {
  CLI::Formatter formatter;
  bool isPositional = option.get_positional();
  std::string takes = toTroff(formatter.make_option_opts(&option));
  return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n",
                     toTroff(formatter.make_option_name(&option, isPositional)),
                     takes.empty() ? "" : " ", takes, toTroff(formatter.make_option_desc(&option)));
}

bool takesModel(const CLI::App &verb) { return verb.get_option_no_throw("model") != nullptr; }

/// The rows that every verb has which takes a model.
std::set<std::string> findCommonOptions(const std::vector<const CLI::App *> &verbs) {
  std::map<std::string, size_t> counts;
  for (const CLI::App *verb : verbs)
    for (const CLI::Option *option : listOptions(*verb))
      ++counts[formatOption(*option)];
  auto expected = llvm::count_if(verbs, [](const CLI::App *verb) { return takesModel(*verb); });
  std::set<std::string> common;
  for (const auto &[row, count] : counts)
    if (count >= static_cast<size_t>(expected))
      common.insert(row);
  return common;
}

} // namespace

std::string cameo::cli::formatManPage(const CLI::App &app, StringRef version) {
  std::vector<const CLI::App *> verbs = listVerbs(app);
  std::set<std::string> common = findCommonOptions(verbs);
  std::string page = fmt::format(".TH CAMEO 1 \"\" \"{}\" \"User Commands\"\n"
                                 ".SH NAME\ncameo \\- compile ONNX models to C++ and CUDA\n"
                                 ".SH SYNOPSIS\n.B cameo\n.I VERB MODEL\n.RI [ FLAG ...]\n"
                                 ".SH DESCRIPTION\n{}\n.SH VERBS\n",
                                 toTroff(version), toTroff(app.get_description()));
  for (const CLI::App *verb : verbs) {
    page += fmt::format(".SS {}\n{}\n", verb->get_name(), toTroff(verb->get_description()));
    for (const CLI::Option *option : listOptions(*verb))
      if (std::string row = formatOption(*option); common.count(row) == 0)
        page += row;
  }
  page += ".SH FLAGS OF EVERY VERB THAT TAKES A MODEL\n";
  for (const CLI::Option *option : listOptions(*verbs.front()))
    if (std::string row = formatOption(*option); common.count(row) != 0)
      page += row;
  page += ".SH OTHER FLAGS\n";
  for (const CLI::Option *option : listOptions(app))
    page += formatOption(*option);
  return page;
}
