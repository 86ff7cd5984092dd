// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from facts about symbols: ranges, divisibility, equalities, simplification.

#include "extent_fixture.h"

using namespace cameo::core;
using Bounds = std::pair<std::optional<int64_t>, std::optional<int64_t>>;

static Bounds boundsOf(ExtentAttr extent, const ExtentFacts &facts) {
  ExtentRange result = range(extent, facts);
  return {result.lo(), result.hi()};
}

TEST_CASE_METHOD(ExtentFixture, "ranges follow from the symbols", "[extent]") {
  ExtentFacts facts;
  facts.setRange("a", 2, 5);
  facts.setRange("i", -3, 4);
  CHECK(boundsOf(symbol("N"), facts) == Bounds(0, kMaxSymbolExtent));
  CHECK(boundsOf((*this)("2 * a - i"), facts) == Bounds(0, 13));
  CHECK(boundsOf((*this)("a * i"), facts) == Bounds(-15, 20));
  CHECK(boundsOf((*this)("i * i"), facts) == Bounds(0, 16));
  CHECK(boundsOf((*this)("i * i * i"), facts) == Bounds(-27, 64));
  CHECK(boundsOf((*this)("20 floordiv a"), facts) == Bounds(4, 10));
  CHECK(boundsOf((*this)("20 floordiv i"), facts) == Bounds(-20, 20));
  CHECK(boundsOf((*this)("N mod a"), facts) == Bounds(0, 4));
  CHECK(boundsOf((*this)("min(i, a) + max(i, a)"), facts) == Bounds(-1, 9));
  CHECK(boundsOf((*this)("N * M"), facts) == Bounds(0, std::nullopt));
  CHECK(boundsOf((*this)("-N * M"), facts) == Bounds(std::nullopt, 0));
  CHECK(boundsOf(ExtentAttr::unknown(&context), facts) == Bounds());
  facts.addDivisor("a", 4);
  CHECK(boundsOf(symbol("a"), facts) == Bounds(4, 4));
}

TEST_CASE_METHOD(ExtentFixture, "ranges see what terms share", "[extent]") {
  ExtentFacts facts;
  facts.setRange("B", 1, 64);
  CHECK(boundsOf((*this)("N - 2 * (N floordiv 2)"), facts) == Bounds(0, 1));
  CHECK(boundsOf((*this)("32 * ((N + 31) floordiv 32) - N"), facts) == Bounds(0, 31));
  CHECK(provablyLessEqual((*this)("N mod 32"), symbol("N"), facts));
  CHECK(provablyLessEqual((*this)("min(N, M)"), symbol("N"), facts));
  CHECK(provablyLessEqual((*this)("min(N + M + K, 5)"), (*this)("N + M + K"), facts));
  CHECK(provablyLessEqual((*this)("N + M"), (*this)("max(N + M, K)"), facts));
  CHECK_FALSE(provablyLessEqual((*this)("min(N + M, 5)"), (*this)("N + K"), facts));
  // Bounds of the terms lead elsewhere.
  for (const char *count : {"c1", "c2", "c3"})
    facts.set(SymbolAttr::get(&context, count, SymbolFact(), (*this)("min(N, 20)")));
  CHECK(provablyLessEqual((*this)("min(c1 + c2 + c3, 5)"), (*this)("c1 + c2 + c3"), facts));
  CHECK(provablyLess((*this)("min(N, M)"), (*this)("max(N, K) + 1"), facts));
  CHECK(provablyLessEqual(symbol("S"), (*this)("B * S"), facts));
  CHECK_FALSE(provablyLess(symbol("S"), (*this)("B * S"), facts));
  CHECK_FALSE(provablyLessEqual(symbol("N"), (*this)("M * N"), facts));
  // A strided slice: ceil((min(e, D) - s) / 2) elements fit in D.
  CHECK(provablyLessEqual((*this)("(min(e, D) - s + 1) floordiv 2"), symbol("D"), facts));
}

TEST_CASE_METHOD(ExtentFixture, "divisors multiply and add", "[extent]") {
  ExtentFacts facts;
  facts.addDivisor("a", 4);
  facts.addDivisor("a", 6);
  facts.addDivisor("b", 8);
  CHECK(facts.lookup("a").divisor == 12);
  CHECK(divisibility((*this)("a + b"), facts) == 4);
  CHECK(divisibility((*this)("a * b + 48"), facts) == 48);
  CHECK(divisibility((*this)("N + 1"), facts) == 1);
  CHECK(divisibility(constant(0), facts) == 0);
  CHECK(divisibility((*this)("min(a, 18)"), facts) == 6);
  CHECK(divisibility((*this)("a floordiv 3"), facts) == 4);
  CHECK(divisibility((*this)("b mod 12"), facts) == 4);
}

TEST_CASE_METHOD(ExtentFixture, "simplify uses what is known", "[extent]") {
  ExtentFacts facts;
  facts.setRange("x", 0, 31);
  facts.setRange("H", 1, 1024);
  facts.setRange("one", 1, 1);
  facts.addDivisor("C", 32);
  auto simple = [&](llvm::StringRef text) { return simplify((*this)(text), facts).str(); };
  CHECK(simple("x floordiv 32") == "0");
  CHECK(simple("x mod 32") == "x");
  CHECK(simple("(x - 32) floordiv 32") == "-1");
  CHECK(simple("x mod (H + 31)") == "x");
  CHECK(simple("(x - H) floordiv (H + 31)") != "0");
  CHECK(simple("max(N, 0)") == "N");
  CHECK(simple("min(x, 40) + max(x, H + 31)") == "H + x + 31");
  CHECK(simple("(B * S * H) floordiv H") == "B * S");
  CHECK(simple("(B * S * H) floordiv S") == "(B * H * S) floordiv S");
  CHECK(simple("H floordiv H") == "1");
  CHECK(simple("(H * N + N) floordiv (H + 1)") == "N");
  CHECK(simple("32 * (C floordiv 32)") == "C");
  CHECK(simple("C mod 32") == "0");
  CHECK(simple("(C + 31) floordiv 32") == "C floordiv 32");
  CHECK(simple("(C + N) floordiv 32") == "C floordiv 32 + N floordiv 32");
  CHECK(simple("one * N") == "N");
  CHECK(simple("?") == "?");
}

TEST_CASE_METHOD(ExtentFixture, "simplify drops what broadcasting multiplies by in vain",
                 "[extent]") {
  ExtentFacts facts;
  facts.setRange("z", -4, 4);
  auto simple = [&](llvm::StringRef text) { return simplify((*this)(text), facts).str(); };
  auto broadcast = [](const std::string &a, const std::string &b) {
    return "max(" + a + ", " + b + ") * min(" + a + ", 1) * min(" + b + ", 1)";
  };
  CHECK(simple("N * min(N, 1)") == "N");
  CHECK(simple("min(N, 1) * min(N, 1)") == "min(N, 1)");
  CHECK(simple(broadcast("N", "min(N, 64)")) == "N");
  CHECK(simple(broadcast(broadcast("N", "min(N, 64)"), "N")) == "N");
  CHECK(simple(broadcast("B * N", "B * min(N, 8)")) == "max(B * N, B * min(N, 8))");
  CHECK(simple("min(B * N, 1) * B * N") == "B * N");
  // Either may be 0 without the other.
  CHECK(simple("N * min(M, 1)") == "N * min(M, 1)");
  CHECK(simple("max(N, M) * min(N, 1)") == "min(N, 1) * max(M, N)");
  CHECK(simple("B * min(B * N, 1)") == "B * min(B * N, 1)");
  CHECK(simple("(N + 1) * min(N, 1)") == simple("N + min(N, 1)"));
  // A negative number is not 0 with it.
  CHECK(simple("z * min(z, 1)") == "z * min(z, 1)");
}

TEST_CASE_METHOD(ExtentFixture, "equalities are followed to the end", "[extent]") {
  ExtentFacts facts;
  REQUIRE(succeeded(facts.setEqual("A", (*this)("B"))));
  REQUIRE(succeeded(facts.setEqual("B", (*this)("2 * C + 1"))));
  REQUIRE(succeeded(facts.setEqual("A", (*this)("1 + C * 2"))));
  CHECK(simplify((*this)("A * N"), facts) == (*this)("2 * C * N + N"));
  CHECK(provablyEqual((*this)("A - B"), constant(0), facts));
  // One more about A lands on the symbol that is still free.
  REQUIRE(succeeded(facts.setEqual("D", (*this)("E"))));
  REQUIRE(succeeded(facts.setEqual("D", (*this)("F + 1"))));
  CHECK(provablyEqual(symbol("E"), (*this)("F + 1"), facts));

  CHECK(failed(facts.setEqual("C", (*this)("A + 1"))));
  CHECK(failed(facts.setEqual("C", (*this)("-5"))));
  CHECK(failed(facts.setEqual("A", (*this)("3 * G"))));
  CHECK(failed(facts.setEqual("C", ExtentAttr::unknown(&context))));
  CHECK(facts.resolve(symbol("C")) == symbol("C"));
}

TEST_CASE_METHOD(ExtentFixture, "costs weigh symbols by what is likely, within their ranges",
                 "[extent]") {
  ExtentFacts facts;
  facts.setRange("small", 1, 8);
  facts.setRange("large", 1000, 2000);
  facts.setLikely("usual", 12);
  REQUIRE(succeeded(facts.setEqual("same", (*this)("2 * usual"))));
  CHECK(estimate((*this)("N + small"), facts) == 64 + 8);
  CHECK(estimate(symbol("large"), facts) == 1000);
  CHECK(estimate(symbol("same"), facts) == 24);
  CHECK(estimate(constant(0), facts) == 0);
  CHECK(estimate(ExtentAttr::unknown(&context), facts) == 64);
}

TEST_CASE_METHOD(ExtentFixture, "an equal symbol inherits the facts", "[extent]") {
  ExtentFacts facts;
  facts.setRange("A", 2, 100);
  facts.addDivisor("A", 4);
  REQUIRE(succeeded(facts.setEqual("A", symbol("B"))));
  CHECK(boundsOf(symbol("B"), facts) == Bounds(4, 100));
  CHECK(divisibility(symbol("B"), facts) == 4);
  CHECK(failed(facts.setEqual("B", constant(6))));
  CHECK(failed(facts.setEqual("B", constant(104))));
  CHECK(failed(facts.restrictRange("B", 101, 200)));
  CHECK(succeeded(facts.restrictRange("B", 8, 200)));
  CHECK(boundsOf(symbol("A"), facts) == Bounds(8, 100));
}

TEST_CASE_METHOD(ExtentFixture, "unknown is equal to nothing", "[extent]") {
  ExtentFacts facts;
  ExtentAttr unknown = ExtentAttr::unknown(&context);
  CHECK_FALSE(provablyEqual(unknown, unknown, facts));
  CHECK_FALSE(provablyLessEqual(unknown, unknown, facts));
  CHECK_FALSE(provablyEqual(symbol("N"), symbol("M"), facts));
}
