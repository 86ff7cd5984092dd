// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of tests, as CI systems read it: JUnit's XML.

#ifndef CAMEO_TOOLS_JUNIT_H
#define CAMEO_TOOLS_JUNIT_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace cameo::cli {

/// A test of the report. Texts are printable ASCII, as escapeText() and diagnostics have it.
struct TestCase {
  std::string name;
  double seconds = 0;
  /// The failure, or the reason why the case could not be tried; both are empty where it passed.
  std::string failure = {}, error = {};
  /// Remarks of a case that passed or failed.
  std::string output = {};
};

struct TestSuite {
  std::string name;
  double seconds = 0;
  std::vector<TestCase> cases = {};
  /// Warnings and other diagnostics, a line each.
  std::string output = {};
};

/// A document of this suite alone, or of several.
std::string formatJunit(const TestSuite &suite);
std::string formatJunit(llvm::ArrayRef<TestSuite> suites);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_JUNIT_H
