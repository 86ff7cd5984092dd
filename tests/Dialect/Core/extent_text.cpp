// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of extents: canonical spelling, round trips in IR and alone, errors, and C++.

#include "extent_fixture.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace cameo::core;

TEST_CASE_METHOD(ExtentFixture, "each text is canonical", "[extent]") {
  // Printed as written, and read back to the same attribute, alone and in IR.
  for (llvm::StringRef text : {"N",
                               "3",
                               "-3",
                               "0",
                               "?",
                               "2 * N + 1",
                               "768 * B * S",
                               "B * S",
                               "(H + 31) floordiv 32",
                               "H mod 32",
                               "min(N, 5)",
                               "max(M, N, 5)",
                               "\"batch size\"",
                               "\"min\"",
                               "\"\"",
                               "\"3d\"",
                               "\"a\\22b\\\\\\0A\"",
                               "i64 + seq.len_1",
                               "5 - N",
                               "-N",
                               "-N - 1",
                               "N * N - 2 * N",
                               "H - H mod 32 + 32",
                               "-(H mod 32)",
                               "2 * (N floordiv 3) * (M mod N)",
                               "(2 * N) floordiv 3",
                               "(N mod M) floordiv (M + 1)",
                               "min(M mod 5, N + 1) + 1",
                               "x * product(a + 1, b + c)",
                               "-2 * product(a + 1, a + 1)",
                               "-9223372036854775808",
                               "9223372036854775807 * N - 9223372036854775807",
                               "N + -9223372036854775808",
                               "-9223372036854775808 * N"}) {
    ExtentAttr extent = (*this)(text);
    CHECK(extent.str() == text.str());
    CHECK((*this)(extent.str()) == extent);
    std::string inIr = "#cameo.extent<" + extent.str() + ">";
    CHECK(mlir::parseAttribute(inIr, &context) == extent);
    std::string printed;
    llvm::raw_string_ostream(printed) << mlir::Attribute(extent);
    CHECK(printed == inIr);
  }
}

TEST_CASE_METHOD(ExtentFixture, "other spellings are read", "[extent]") {
  CHECK((*this)("B*S*768") == (*this)("768 * S * B"));
  CHECK((*this)(" N ceildiv 4 ") == (*this)("(N + 3) floordiv 4"));
  CHECK((*this)("2 * N floordiv 3") == (*this)("(2 * N) floordiv 3"));
  CHECK((*this)("N - -3") == (*this)("N + 3"));
  CHECK((*this)("--N") == (*this)("N"));
  CHECK((*this)("-7 floordiv 2") == constant(-4));
  CHECK((*this)("N floordiv (1 - M)") == (*this)("(-N) floordiv (M - 1)"));
  CHECK((*this)("min(3)") == constant(3));
  CHECK((*this)("\"N\"") == symbol("N"));
  CHECK((*this)("\"a\\tb\"") == symbol("a\tb"));
}

TEST_CASE_METHOD(ExtentFixture, "errors say what and where", "[extent]") {
  std::pair<llvm::StringRef, llvm::StringRef> cases[] = {
      {"", "expected an extent at column 1"},
      {"N +", "expected an extent at column 4"},
      {"(N", "expected ')' at column 3"},
      {"N M", "expected an operator at column 3"},
      {"min N", "expected '(' after 'min' at column 5"},
      {"min(N; 3)", "expected ',' or ')' at column 6"},
      {"floordiv", "'floordiv' is an operator; a symbol of that name needs quotes at column 9"},
      {"9223372036854775808", "integer does not fit in 64 bits at column 20"},
      {"99999999999999999999", "integer does not fit in 64 bits at column 1"},
      {"\"N", "expected an extent at column 1"},
      {"\"\\q\"", "expected an extent at column 1"}};
  for (auto [text, message] : cases) {
    std::string error;
    CHECK(failed(parseExtent(text, &context, error)));
    CHECK(error == message.str());
  }
  std::string error, nested(100000, '(');
  CHECK(failed(parseExtent(nested, &context, error)));
  CHECK(error == "extent is nested too deeply at column 385");

  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  for (llvm::StringRef text : {"#cameo.extent<N +>", "#cameo.extent<(N>", "#cameo.extent<>",
                               "#cameo.extent<99999999999999999999>", "#cameo.extent<N M>"})
    CHECK_FALSE(mlir::parseAttribute(text, &context));
}

TEST_CASE("text does not depend on the order of creation", "[extent]") {
  ExtentFixture one, other;
  for (const char *name : {"z", "y", "x", "w", "a"})
    other.symbol(name);
  llvm::StringRef text = "x * a + min(z, y * y, w) + (z mod y) * w + a floordiv x";
  CHECK(one(text).str() == other(text).str());
}

TEST_CASE_METHOD(ExtentFixture, "C++ has the parentheses it needs", "[extent]") {
  std::pair<llvm::StringRef, llvm::StringRef> cases[] = {
      {"0", "0"},
      {"-3", "-3"},
      {"N", "s.N"},
      {"1 - N", "1 - s.N"},
      {"768 * B * S + 1", "768 * s.B * s.S + 1"},
      {"(H + 31) floordiv 32", "floor_div(s.H + 31, 32)"},
      {"2 * (H mod (W - 1)) * B", "2 * s.B * floor_mod(s.H, s.W - 1)"},
      {"-(H mod 32)", "-floor_mod(s.H, 32)"},
      {"min(M, N, 5)", "min(min(s.M, s.N), 5)"},
      {"max(M, N + 1) - N", "max(s.M, s.N + 1) - s.N"},
      {"x * product(a + 1, b + c)", "s.x * (s.a + 1) * (s.b + s.c)"},
      {"-9223372036854775808 * N", "(-9223372036854775807 - 1) * s.N"}};
  for (auto [text, expected] : cases) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printExtent(os, (*this)(text), [](llvm::StringRef name) { return "s." + name.str(); });
    CHECK(printed == expected.str());
  }
}
