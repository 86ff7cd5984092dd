// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo explain: where every value lives and why, and every copy between host and device.

#include "Common.h"

using namespace cameo;
using namespace cameo::cli;

namespace {

struct ExplainVerb {
  ModelFlags flags;
  std::string jsonFile;

  int run() const {
    Options options;
    if (auto problem = flags.read(options))
      return report(*problem);
    options.explainPlacement = true;
    int exitCode = 0;
    PlacementReport placement;
    auto observer = [&](Stage stage, mlir::ModuleOp module) {
      if (stage == Stage::Place)
        placement = makePlacementReport(module, options.emit.target->device.has_value());
      if (stage != Stage::Plan)
        return true;
      addPlanned(placement, module);
      return false;
    };
    // What no program comes of is explained as far as it goes.
    bool isPlaced =
        compile(flags, options, exitCode, observer).has_value() || placement.hasValues();
    if (!isPlaced)
      return exitCode;
    int written = jsonFile.empty() ? print(placement.toText())
                                   : printTo(jsonFile, formatJson(placement.toJson()));
    return written != 0 ? written : exitCode;
  }
};

} // namespace

Verb cameo::cli::addExplain(CLI::App &app) {
  CLI::App &verb = *app.add_subcommand("explain", "say where every value lives, and why");
  auto state = std::make_shared<ExplainVerb>();
  state->flags.addTo(verb, /*withEmulator=*/false);
  verb.add_option("--json", state->jsonFile,
                  "write the report as JSON to this file, - for standard output");
  return [state] { return state->run(); };
}
