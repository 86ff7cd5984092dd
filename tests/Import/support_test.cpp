// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked sizes and escaped lines.

#include "Support/CheckedSize.h"
#include "Support/Diagnostic.h"

#include <catch2/catch.hpp>

using namespace cameo;

TEST_CASE("sizes stay in range or become invalid for good", "[support]") {
  int64_t most = INT64_MAX;
  CHECK((CheckedSize(3) * 4 + 5).get() == 17);
  CHECK((CheckedSize(most) + 0).get() == most);
  CHECK_FALSE((CheckedSize(most) + 1).isValid());
  CHECK_FALSE((CheckedSize(most) * 2).isValid());
  CHECK_FALSE(((CheckedSize(most) + 1) * 0).isValid());
  CHECK_FALSE(CheckedSize(-1).isValid());
  CHECK_FALSE(CheckedSize(-1).isAtMost(0));
  CHECK(CheckedSize(7).divideCeil(8).get() == 1);
  CHECK(CheckedSize(most).divideCeil(2).get() == most / 2 + 1);
  CHECK(CheckedSize(65).alignTo(64).get() == 128);
  CHECK_FALSE(CheckedSize(most).alignTo(64).isValid());
  CHECK(CheckedSize::product({}).get() == 1);
  CHECK(CheckedSize::product({most, most, 0}).get() == 0);
  CHECK_FALSE(CheckedSize::product({int64_t(1) << 62, 8}).isValid());
  CHECK_FALSE(CheckedSize::product({0, -1}).isValid());
}

TEST_CASE("text of a model cannot act on a terminal", "[support]") {
  CHECK(escapeText("plain text") == "plain text");
  CHECK(escapeText("a\nb\x7f\xc3\xa9") == "a\\x0Ab\\x7F\\xC3\\xA9");
  CHECK(escapeText(std::string(200, 'a')) == std::string(120, 'a') + "...");
  CHECK(quoteText("x") == "'x'");
}

TEST_CASE("a diagnostic is one line with its parts in order", "[support]") {
  Diagnostic diagnostic{ExitClass::Malformed, "m\n.onnx", "graph/relu", "is wrong", "mend it"};
  CHECK(diagnostic.str() == "m\\x0A.onnx: graph/relu: is wrong; mend it");
  diagnostic.where.clear();
  diagnostic.hint.clear();
  CHECK(diagnostic.str() == "m\\x0A.onnx: is wrong");
  diagnostic.problem = std::string(10000, 'p');
  CHECK(diagnostic.str().size() <= kMaxDiagnosticBytes);
}
