// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations of extents as users write them: what they say, what they name, and where they are
// wrong.

#include "extent_fixture.h"

#include "Dialect/Core/IR/ExtentRelation.h"

namespace cameo::core {

namespace {

using Kind = ExtentReference::Kind;

std::string str(ExtentAttr extent) { return extent ? extent.str() : "-"; }

} // namespace

TEST_CASE_METHOD(ExtentFixture, "relations are limits of their left side", "[extent]") {
  struct {
    llvm::StringRef text, left, least, most;
  } cases[] = {
      {"k == 4", "\"#0\"", "4", "4"},
      {"k <= n + 1", "\"#0\"", "-", "\"#1\" + 1"},
      {"k < 4", "\"#0\"", "-", "3"},
      {"k >= 4", "\"#0\"", "4", "-"},
      {"k > 4", "\"#0\"", "5", "-"},
      {"k in 1..64", "\"#0\"", "1", "64"},
      {"2*k in -1 .. n", "2 * \"#0\"", "-1", "\"#1\""},
      {"k mod 8 == 0", "\"#0\" mod 8", "0", "0"},
  };
  for (const auto &[text, left, least, most] : cases) {
    std::string error;
    llvm::FailureOr<ExtentRelation> relation = parseExtentRelation(text, &context, error);
    INFO(text.str() << ": " << error);
    REQUIRE(succeeded(relation));
    CHECK(str(relation->left) == left);
    CHECK(str(relation->least) == least);
    CHECK(str(relation->most) == most);
    CHECK(relation->text == text);
  }
}

TEST_CASE_METHOD(ExtentFixture, "names are references", "[extent]") {
  std::string error;
  llvm::FailureOr<ExtentRelation> relation = parseExtentRelation(
      "x.shape[2] + k + /model/k.1[3] + k == \"a b\".shape[0] * \"[0]\" - a:0", &context, error);
  INFO(error);
  REQUIRE(succeeded(relation));
  ExtentReference expected[] = {{"x", Kind::Extent, 2},           {"k", Kind::Plain, 0},
                                {"/model/k.1", Kind::Element, 3}, {"a b", Kind::Extent, 0},
                                {"[0]", Kind::Plain, 0},          {"a:0", Kind::Plain, 0}};
  REQUIRE(relation->references.size() == std::size(expected));
  for (size_t number = 0; number < std::size(expected); ++number)
    CHECK(relation->references[number] == expected[number]);
}

TEST_CASE_METHOD(ExtentFixture, "what is likely is no relation", "[extent]") {
  std::string error;
  llvm::FailureOr<ExtentRelation> relation = parseExtentRelation("2 * n likely 8", &context, error);
  INFO(error);
  REQUIRE(succeeded(relation));
  CHECK(relation->left);
  CHECK(!relation->least);
  CHECK(!relation->most);
  CHECK(relation->likely == 8);
}

TEST_CASE_METHOD(ExtentFixture, "assignments list elements", "[extent]") {
  std::string error;
  llvm::FailureOr<ExtentAssignment> list =
      parseExtentAssignment("pads=[0, -1, 32 - h mod 32]", &context, error);
  REQUIRE(succeeded(list));
  CHECK(list->name == "pads");
  CHECK(list->isList);
  REQUIRE(list->elements.size() == 3);
  CHECK(list->elements[1] == constant(-1));
  CHECK(list->references.size() == 1);

  llvm::FailureOr<ExtentAssignment> scalar = parseExtentAssignment("\"a b\" = 5", &context, error);
  REQUIRE(succeeded(scalar));
  CHECK(scalar->name == "a b");
  CHECK(!scalar->isList);
  CHECK(scalar->elements.front() == constant(5));
}

TEST_CASE_METHOD(ExtentFixture, "errors of relations show the place", "[extent]") {
  std::pair<llvm::StringRef, llvm::StringRef> relations[] = {
      {"", "expected an extent at '^'"},
      {"k", "expected '==', '<=', '<', '>=', '>', 'in' or 'likely' at 'k^'"},
      {"k = 3", "expected '==', '<=', '<', '>=', '>', 'in' or 'likely' at 'k = ^3'"},
      {"k == (3", "expected ')' at 'k == (3^'"},
      {"k in 3", "expected '..' at 'k in 3^'"},
      {"k[x] == 3", "expected an index from 0 on at 'k[^x] == 3'"},
      {"k[1 == 3", "expected ']' at 'k[1 ^== 3'"},
      {"\"k\".shape == 3", "expected '[' after '.shape' at '\"k\".shape ^== 3'"},
      {"k == 3 and n == 4", "expected an operator or the end at 'k == 3 ^and n == 4'"},
  };
  for (auto [text, message] : relations) {
    std::string error;
    CHECK(failed(parseExtentRelation(text, &context, error)));
    CHECK(error == message);
  }
  std::string ofMany;
  CHECK(failed(parseExtentRelation("n likely m", &context, ofMany)));
  CHECK(ofMany == "expected an integer in front at 'n likely m^'");
  std::pair<llvm::StringRef, llvm::StringRef> assignments[] = {
      {"3", "expected the name of a value at '^3'"},
      {"k", "expected '=' at 'k^'"},
      {"k=[1", "expected ',' or ']' at 'k=[1^'"},
      {"k=[1] 2", "expected an operator or the end at 'k=[1] ^2'"},
  };
  for (auto [text, message] : assignments) {
    std::string error;
    CHECK(failed(parseExtentAssignment(text, &context, error)));
    CHECK(error == message);
  }
}

} // namespace cameo::core
