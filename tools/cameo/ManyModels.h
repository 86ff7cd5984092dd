// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A verb on several models: a process of this program for each, which one that crashes or takes all
// memory does not take down with it, and one report of all.

#ifndef CAMEO_TOOLS_MANYMODELS_H
#define CAMEO_TOOLS_MANYMODELS_H

#include "Common.h"

namespace cameo::cli {

class ManyModels {
public:
  /// Adds --jobs, of which a verb that times takes one only. `ofOneModel` are the names of the
  /// verb's flags that stand for a file or a name of one model.
  void addTo(CLI::App &verb, std::vector<std::string> ofOneModel, bool isTimed = false);

  /// Where what comes of the models goes; what a verb does not have stays empty.
  struct Destinations {
    /// Reports of all, as one.
    std::string json = {}, junit = {};
    /// The folder in which a verb makes a folder for each model, if it writes any.
    std::optional<std::string> folder = {};
  };
  /// Runs the verb on each model, with the other flags as they were given, and prints their outputs
  /// in the order of the models. The exit code is that of the first model that failed.
  int run(const std::vector<std::string> &models, const Destinations &destinations) const;

private:
  std::optional<Diagnostic> check(const std::vector<std::string> &models) const;

  CLI::App *app = nullptr;
  std::vector<std::string> refused;
  size_t jobs = 1;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_MANYMODELS_H
