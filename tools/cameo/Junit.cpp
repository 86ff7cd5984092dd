// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Junit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

using namespace cameo::cli;
using llvm::StringRef;

namespace {

constexpr const char *kHeader = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string escapeXml(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '<'   ? std::string("&lt;")
               : c == '>' ? "&gt;"
               : c == '&' ? "&amp;"
               : c == '"' ? "&quot;"
                          : std::string(1, c);
  return escaped;
}

std::string formatCase(const TestCase &one, const std::string &suite) {
  std::string head = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                                 escapeXml(suite), escapeXml(one.name), one.seconds);
  std::string inner;
  for (auto [tag, text] : {std::pair("failure", &one.failure), std::pair("error", &one.error)})
    if (!text->empty())
      inner += fmt::format("    <{} message=\"{}\"/>\n", tag, escapeXml(*text));
  if (!one.output.empty())
    inner += fmt::format("    <system-out>{}</system-out>\n", escapeXml(one.output));
  return head + (inner.empty() ? "/>\n" : ">\n" + inner + "  </testcase>\n");
}

std::string formatSuite(const TestSuite &suite) {
  auto count = [&](std::string TestCase::*text) {
    return llvm::count_if(suite.cases, [&](const TestCase &one) { return !(one.*text).empty(); });
  };
  std::string rows;
  for (const TestCase &one : suite.cases)
    rows += formatCase(one, suite.name);
  if (!suite.output.empty())
    rows += fmt::format("  <system-out>{}</system-out>\n", escapeXml(suite.output));
  return fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
                     "time=\"{:.6f}\">\n{}</testsuite>\n",
                     escapeXml(suite.name), suite.cases.size(), count(&TestCase::failure),
                     count(&TestCase::error), suite.seconds, rows);
}

} // namespace

std::string cameo::cli::formatJunit(const TestSuite &suite) { return kHeader + formatSuite(suite); }

std::string cameo::cli::formatJunit(llvm::ArrayRef<TestSuite> suites) {
  std::string text = std::string(kHeader) + "<testsuites>\n";
  for (const TestSuite &suite : suites)
    text += formatSuite(suite);
  return text + "</testsuites>\n";
}
