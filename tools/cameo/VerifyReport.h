// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of `cameo verify`: for people, as JSON, and by that as JUnit's test cases.

#ifndef CAMEO_TOOLS_VERIFYREPORT_H
#define CAMEO_TOOLS_VERIFYREPORT_H

#include "Driver.h"
#include "Junit.h"
#include "Nodes.h"

#include <set>

namespace cameo::cli {

struct VerifiedOutput {
  std::string name;
  /// Who has what is expected; empty for the data set itself where nobody else is asked.
  std::string against;
  Comparison comparison;
};

/// One data set.
struct VerifiedCase {
  std::string data;
  bool passed = true;
  /// Why not, where it is not an output.
  std::string problem;
  /// Why it passed without being compared: nobody takes these inputs.
  std::string refusal;
  /// Who differs from all others: `cameo`, a peer, or `data`.
  std::string alone;
  /// At which node it begins, for the first that failed against a peer that has nodes (--nodes).
  std::optional<NodeAnswer> nodes;
  RunResult run;
  std::vector<VerifiedOutput> outputs;
};

struct VerifyReport {
  std::string model;
  llvm::StringRef target;
  ToleranceFlags tolerances;
  std::vector<VerifiedCase> cases;
  /// Types of the outputs that were compared.
  std::set<int32_t> elementTypes;
  std::vector<std::string> warnings;
  double compileSeconds = 0, buildSeconds = 0;
  /// Why there are no cases, and what was being done: `compile`, `read`, `peer`, `build`, `run` or
  /// `nodes`.
  std::optional<Diagnostic> failure;
  const char *phase = "read";

  bool hasPassed() const;
  std::string toText() const;
  llvm::json::Object toJson() const;
};

/// The test cases of a report as toJson() gives it.
TestSuite makeSuite(const llvm::json::Object &report);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_VERIFYREPORT_H
