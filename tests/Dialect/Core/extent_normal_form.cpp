// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identities that the normal form of extents must know, and what it must leave alone.

#include "extent_fixture.h"

using namespace cameo::core;

TEST_CASE_METHOD(ExtentFixture, "polynomials are equal as pointers", "[extent]") {
  ExtentAttr b = symbol("B"), s = symbol("S"), n = symbol("N");
  CHECK(b * s == s * b);
  CHECK((n + 1) - 1 == n);
  CHECK(n - n == constant(0));
  CHECK((n + 1) * (n - 1) == n * n - 1);
  CHECK((b + s) * (b + s) == b * b + b * s * 2 + s * s);
  CHECK(n * 0 == constant(0));
  CHECK(n * 1 == n);
  CHECK(-(-n) == n);
  CHECK(n != b);
}

TEST_CASE_METHOD(ExtentFixture, "kinds and constants are told apart", "[extent]") {
  CHECK(constant(7).getConstant() == 7);
  CHECK(constant(0).isConstant(0));
  CHECK_FALSE(symbol("N").isConstant());
  CHECK(symbol("N").isSymbol());
  CHECK(symbol("N").getSymbolName() == "N");
  CHECK_FALSE((symbol("N") * 2).isSymbol());
  ExtentAttr unknown = ExtentAttr::unknown(&context);
  CHECK(unknown.isUnknown());
  CHECK_FALSE(unknown.isConstant());
}

TEST_CASE_METHOD(ExtentFixture, "unknown is what any operation makes of it", "[extent]") {
  ExtentAttr unknown = ExtentAttr::unknown(&context), n = symbol("N");
  for (ExtentAttr result : {unknown + n, n - unknown, unknown * 0, n.floorDiv(unknown),
                            unknown.floorDiv(2), n.mod(unknown), unknown.ceilDiv(2), n.min(unknown),
                            unknown.max(0), n.substitute([&](llvm::StringRef) { return unknown; })})
    CHECK(result == unknown);
  CHECK(n.floorDiv(0).isUnknown());
  CHECK(n.mod(n - n).isUnknown());
}

TEST_CASE_METHOD(ExtentFixture, "division by constants distributes", "[extent]") {
  ExtentAttr a = symbol("a"), b = symbol("b");
  CHECK((a * 32 + b).mod(32) == b.mod(32));
  CHECK((a * 32 + b).floorDiv(32) == a + b.floorDiv(32));
  CHECK((a + 64).floorDiv(32) == a.floorDiv(32) + 2);
  CHECK((a - 1).mod(32) == (a + 31).mod(32));
  CHECK((a * 33).mod(32) == a.mod(32));
  CHECK((a * 31).mod(32) == (-a).mod(32));
  CHECK((-a).mod(32).str() == "(-a) mod 32");
  CHECK(a.mod(32).mod(32) == a.mod(32));
  CHECK(a.mod(64).mod(32) == a.mod(32));
  CHECK(a.mod(16).mod(32) == a.mod(16));
  CHECK((a.mod(32) + b).mod(32) == (a + b).mod(32));
  CHECK(a.mod(32).floorDiv(32) == constant(0));
  CHECK((a.mod(16) + 48).floorDiv(32) == constant(1));
  CHECK(a.floorDiv(4).floorDiv(8) == a.floorDiv(32));
  CHECK(((a + 1).floorDiv(2) + 1).floorDiv(2) == (a + 3).floorDiv(4));
  CHECK((a * 4).floorDiv(8) == a.floorDiv(2));
  CHECK((a * 4 + 7).floorDiv(8) == (a + 1).floorDiv(2));
  CHECK((a * 4 + 5).mod(8) == (a + 1).mod(2) * 4 + 1);
  CHECK((a * 2 + 1).floorDiv(2) == a);
  CHECK(a.floorDiv(1) == a);
  CHECK(a.mod(1) == constant(0));
  CHECK(a.ceilDiv(32) == (a + 31).floorDiv(32));
  CHECK(a.floorDiv(-4) == (-a).floorDiv(4));
  CHECK(a.mod(-4) == -((-a).mod(4)));
  CHECK((a.min(2) * 4).min(8).mod(4) == constant(0));
  // H + 32 - H mod 32 is not H rounded up.
  CHECK(a + 32 - a.mod(32) != a.ceilDiv(32) * 32);
}

TEST_CASE_METHOD(ExtentFixture, "division by symbols waits for what is not zero", "[extent]") {
  ExtentAttr n = symbol("N"), m = symbol("M"), positive = n.max(1);
  CHECK(n.floorDiv(n) != constant(1));
  CHECK((n * m).floorDiv(n) != m);
  CHECK(positive.floorDiv(positive) == constant(1));
  CHECK((positive * m).floorDiv(positive) == m);
  CHECK((positive * m + 3).mod(positive) == constant(3).mod(positive));
  CHECK((positive * m).floorDiv(positive * 2) == m.floorDiv(2));
  CHECK(((positive + 3) * (m + 2)).floorDiv(positive + 3) == m + 2);
  CHECK((n * 2).floorDiv(m * 2) == n.floorDiv(m));
  CHECK((n * 2).mod(m * 2) == n.mod(m) * 2);
  CHECK(n.mod(m).floorDiv(m) == constant(0));
  CHECK((n.mod(m) + 1).mod(m) == (n + 1).mod(m));
  CHECK((-n).floorDiv(-m) == n.floorDiv(m));
}

TEST_CASE_METHOD(ExtentFixture, "min and max drop what never counts", "[extent]") {
  ExtentAttr x = symbol("x"), y = symbol("y"), z = symbol("z");
  CHECK(x.min(x + 1) == x);
  CHECK(x.max(x + 1) == x + 1);
  CHECK(x.min(x) == x);
  CHECK(x.min(y) == y.min(x));
  CHECK(x.min(y).min(z) == x.min(z.min(y)));
  CHECK(x.min(y.min(x)) == x.min(y));
  CHECK(x.min(5).min(3) == x.min(3));
  CHECK(x.min(3).max(5) == constant(5));
  CHECK(x.mod(4).min(3) == x.mod(4));
  CHECK(x.min(x.max(y)) == x);
  CHECK((x - x.min(y)).max(0) == x - x.min(y));
  CHECK(x.max(0) != x);
  CHECK(constant(-5).floorDiv(x.max(1)).max(-1) == constant(-1));
  ExtentAttr many = x;
  for (int i = 0; i < 100; ++i)
    many = many.min(symbol("s" + std::to_string(i)));
  CHECK(many.getOperands().size() <= kMaxExtentOperands);
  CHECK(many.evaluate([](llvm::StringRef name) { return name == "s50" ? -1 : 1; }) == -1);
}

TEST_CASE_METHOD(ExtentFixture, "overflow is unknown, never undefined", "[extent]") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExtentAttr n = symbol("N");
  CHECK((constant(kMax) + 1).isUnknown());
  CHECK((constant(kMin) - 1).isUnknown());
  CHECK((-constant(kMin)).isUnknown());
  CHECK((n * kMax * 2).isUnknown());
  CHECK((n * kMax + n).isUnknown());
  CHECK((n * kMax + n * kMax).isUnknown());
  CHECK(((n * kMax + 1) * (n * kMax + 1)).isUnknown());
  CHECK(constant(kMin).floorDiv(-1).isUnknown());
  CHECK(constant(kMin).floorDiv(2) == constant(kMin / 2));
  CHECK(constant(kMin).mod(3) == constant(1));
  CHECK((n * kMin).mod(kMax) == (-n).mod(kMax));
  CHECK((n * kMin).floorDiv(4) == n * (kMin / 4));
  CHECK((n + kMax).floorDiv(kMax) == n.floorDiv(kMax) + 1);
  CHECK(n.floorDiv(kMax).floorDiv(2) != n);
  CHECK(constant(kMin).min(constant(kMax)) == constant(kMin));
  auto valueOf = [](int64_t value) {
    return [=](llvm::StringRef) { return std::optional(value); };
  };
  CHECK((n * n).evaluate(valueOf(int64_t(1) << 32)) == std::nullopt);
  CHECK((n + 1).evaluate(valueOf(kMax)) == std::nullopt);
  CHECK(n.floorDiv(symbol("M")).evaluate([](llvm::StringRef name) {
    return name == "N" ? kMin : -1;
  }) == std::nullopt);
  CHECK(n.mod(symbol("M")).evaluate(valueOf(0)) == std::nullopt);
}

TEST_CASE_METHOD(ExtentFixture, "products of long sums stay products", "[extent]") {
  auto makeSum = [&](char letter) {
    ExtentAttr sum = constant(1);
    for (int i = 0; i < 12; ++i)
      sum = sum + symbol(std::string(1, letter) + std::to_string(i));
    return sum;
  };
  ExtentAttr a = makeSum('a'), b = makeSum('b'), c = makeSum('c'), x = symbol("x");
  ExtentAttr product = a * b * x * -3;
  CHECK(product.getTerms().size() == 1);
  CHECK(product == (b * -3) * (x * a));
  CHECK(product - product == constant(0));
  CHECK((a * b) * c == a * (b * c));
  CHECK((*this)(product.str()) == product);
  CHECK((*this)((a * b * c + x).str()) == a * b * c + x);
  CHECK(product.evaluate([](llvm::StringRef name) { return name == "x" ? 2 : 1; }) == -6 * 13 * 13);
  CHECK(product.substitute([&](llvm::StringRef name) {
    return name == "x" ? ExtentAttr() : constant(name.front() == 'a' ? 0 : 1);
  }) == x * (-3 * 13));
}

TEST_CASE_METHOD(ExtentFixture, "no size or depth blows up", "[extent]") {
  ExtentAttr shared = symbol("x"), power = symbol("x") + 1, deep = symbol("x"), sum = constant(0);
  for (int i = 0; i < 1600; ++i) {
    ExtentAttr y = symbol("y" + std::to_string(i));
    shared = shared.floorDiv(y) * shared.mod(y + 3) + shared;
    power = power * power;
    deep = (deep.floorDiv(y) + 1).max(y);
    sum = sum + y;
  }
  CHECK(shared.isUnknown());
  CHECK(power.isUnknown());
  CHECK(deep.isUnknown());
  CHECK(sum.getTerms().size() == 1600);
  CHECK((sum * 2).isUnknown());
}

TEST_CASE_METHOD(ExtentFixture, "parts are replaced wherever they are operands or factors",
                 "[extent]") {
  ExtentAttr n = symbol("N"), k = symbol("K");
  ExtentAttr part = n.max(-n).mod(3);
  auto replace = [&](ExtentAttr extent) {
    return extent.replaceParts([&](ExtentAttr other) { return other == part ? k : ExtentAttr(); });
  };
  CHECK(replace(part) == k);
  CHECK(replace(part * n * 2 + 1) == k * n * 2 + 1);
  CHECK(replace((part + n).min(part).floorDiv(part)) == (k + n).min(k).floorDiv(k));
  CHECK(replace(n.max(-n)) == n.max(-n));
}

TEST_CASE_METHOD(ExtentFixture, "symbols are collected and substituted", "[extent]") {
  ExtentAttr extent = (*this)("N * (H floordiv 2) + min(N, W) + 1");
  llvm::SetVector<llvm::StringRef> symbols;
  extent.collectSymbols(symbols);
  CHECK(symbols.getArrayRef() == llvm::ArrayRef<llvm::StringRef>({"N", "H", "W"}));
  // All at once: N becomes W while W becomes 4.
  ExtentAttr replaced =
      extent.substitute({{"N", symbol("W")}, {"W", constant(4)}, {"H", symbol("N") * 2}});
  CHECK(replaced == (*this)("W * N + min(W, 4) + 1"));
}
