// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random expressions against their plain evaluation: the normal form and everything derived under
// facts must agree with it on every assignment. Seeds are fixed, so a failure repeats.

#include "extent_fixture.h"

#include <algorithm>
#include <array>
#include <random>

using namespace cameo::core;

namespace {

constexpr std::array<const char *, 3> kNames = {"a", "b", "c"};
using Assignment = std::array<int64_t, kNames.size()>;

/// An expression as written.
struct Expr {
  char op; // 'k' constant, 's' symbol, + - * / c(eil) % m(in) M(ax)
  int64_t value = 0;
  std::vector<Expr> parts;
};

using Constants = llvm::ArrayRef<int64_t>;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmall[] = {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr int64_t kHuge[] = {kMin, kMin + 1, kMin / 2,         -3,       -1,       0,   1,
                             2,    3,        int64_t(1) << 40, kMax / 2, kMax - 1, kMax};

Expr makeRandom(std::mt19937 &random, int depth, Constants constants = kSmall) {
  auto pick = [&](size_t count) { return static_cast<size_t>(random()) % count; };
  if (depth == 0 || pick(6) == 0) {
    if (pick(3) == 0)
      return {'k', constants[pick(constants.size())], {}};
    return {'s', static_cast<int64_t>(pick(kNames.size())), {}};
  }
  Expr expr{"+-*+-*/c%mM/%" [pick(13)], 0, {}};
  expr.parts.push_back(makeRandom(random, depth - 1, constants));
  // Division by a constant has rules of its own: have it often.
  bool divides = expr.op == '/' || expr.op == 'c' || expr.op == '%';
  expr.parts.push_back(makeRandom(random, divides && pick(2) == 0 ? 0 : depth - 1, constants));
  return expr;
}

/// Wide enough for one operation on values within kMin..kMax.
__extension__ using Wide = __int128;

/// None where the value is not defined, or a step leaves -limit..limit.
std::optional<Wide> evaluate(const Expr &expr, const Assignment &values, Wide limit) {
  if (expr.op == 'k')
    return expr.value;
  if (expr.op == 's')
    return values[static_cast<size_t>(expr.value)];
  std::optional<Wide> x = evaluate(expr.parts[0], values, limit);
  std::optional<Wide> y = evaluate(expr.parts[1], values, limit);
  if (!x || !y || *x > limit || *x < -limit || *y > limit || *y < -limit)
    return std::nullopt;
  auto floorDiv = [](Wide a, Wide b) {
    Wide quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  };
  switch (expr.op) {
  case '+':
    return *x + *y;
  case '-':
    return *x - *y;
  case '*':
    return *x * *y;
  case 'm':
    return std::min(*x, *y);
  case 'M':
    return std::max(*x, *y);
  default:
    if (*y == 0)
      return std::nullopt;
    if (expr.op == '/')
      return floorDiv(*x, *y);
    return expr.op == 'c' ? -floorDiv(-*x, *y) : *x - *y * floorDiv(*x, *y);
  }
}

/// Small enough to be sure that no step of the normal form overflows.
std::optional<int64_t> evaluateSmall(const Expr &expr, const Assignment &values) {
  std::optional<Wide> value = evaluate(expr, values, 100000);
  return value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
}

std::optional<int64_t> evaluate(ExtentAttr extent, const Assignment &values) {
  return extent.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
    return values[static_cast<size_t>(name.front() - 'a')];
  });
}

struct PropertyFixture : ExtentFixture {
  ExtentAttr build(const Expr &expr) {
    if (expr.op == 'k')
      return constant(expr.value);
    if (expr.op == 's')
      return symbol(kNames[static_cast<size_t>(expr.value)]);
    ExtentAttr x = build(expr.parts[0]), y = build(expr.parts[1]);
    switch (expr.op) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      return x.floorDiv(y);
    case 'c':
      return x.ceilDiv(y);
    case '%':
      return x.mod(y);
    case 'm':
      return x.min(y);
    default:
      return x.max(y);
    }
  }
};

} // namespace

TEST_CASE_METHOD(PropertyFixture, "the normal form keeps the value", "[extent][property]") {
  std::mt19937 random(20240611);
  int checked = 0;
  for (int round = 0; round < 20000; ++round) {
    Expr expr = makeRandom(random, 2 + round % 4);
    ExtentAttr extent = build(expr);
    INFO("round " << round << ": " << extent.str());
    for (int sample = 0; sample < 12; ++sample) {
      Assignment values;
      for (int64_t &value : values)
        value = static_cast<int64_t>(random() % 25) - 12;
      std::optional<int64_t> expected = evaluateSmall(expr, values);
      if (!expected)
        continue;
      // Only an expression that has no value anywhere may become unknown here.
      std::optional<int64_t> actual = evaluate(extent, values);
      if (actual != expected)
        FAIL("at " << values[0] << ", " << values[1] << ", " << values[2]);
      ++checked;
    }
  }
  CHECK(checked > 100000);
}

TEST_CASE_METHOD(PropertyFixture, "text reads back to the same pointer", "[extent][property]") {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    ExtentAttr extent = build(makeRandom(random, 2 + round % 4));
    // An extent that cannot be zero has rules of its own.
    ExtentAttr positive = extent.substitute({{"c", symbol("c").max(1)}});
    for (ExtentAttr form : {extent, positive})
      if (ExtentAttr parsed = (*this)(form.str()); parsed != form)
        FAIL("round " << round << ": " << form.str() << " became " << parsed.str());
  }
}

TEST_CASE_METHOD(PropertyFixture, "huge values are right or none", "[extent][property]") {
  std::mt19937 random(314);
  auto pick = [&] { return kHuge[random() % std::size(kHuge)]; };
  int checked = 0;
  for (int round = 0; round < 20000; ++round) {
    Expr expr = makeRandom(random, 1 + round % 4, kHuge);
    ExtentAttr extent = build(expr);
    ExtentFacts facts;
    Assignment values;
    for (size_t i = 0; i < kNames.size(); ++i) {
      values[i] = pick();
      int64_t other = pick();
      facts.setRange(kNames[i], std::min(values[i], other), std::max(values[i], other));
    }
    ExtentAttr simple = simplify(extent, facts);
    ExtentRange bounds = range(extent, facts);
    std::optional<Wide> expected = evaluate(expr, values, kMax);
    if (!expected)
      continue;
    INFO("round " << round << ": " << extent.str() << " is " << simple.str());
    for (ExtentAttr form : {extent, simple})
      if (std::optional<int64_t> value = evaluate(form, values)) {
        if (*value != *expected)
          FAIL("at " << values[0] << ", " << values[1] << ", " << values[2] << ": " << *value);
        ++checked;
      }
    if (bounds.lo().value_or(kMin) > *expected || bounds.hi().value_or(kMax) < *expected)
      if (*expected >= kMin && *expected <= kMax)
        FAIL("at " << values[0] << ", " << values[1] << ", " << values[2] << " out of range");
  }
  CHECK(checked > 10000);
}

TEST_CASE_METHOD(PropertyFixture, "facts lead to nothing false", "[extent][property]") {
  std::mt19937 random(99);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int decided = 0, simplified = 0;
  for (int round = 0; round < 6000; ++round) {
    ExtentFacts facts;
    std::array<std::vector<int64_t>, kNames.size()> domains;
    for (size_t i = 0; i < kNames.size(); ++i) {
      int64_t low = pick(-6, 8), high = low + pick(0, 10), divisor = pick(1, 4);
      for (int64_t value = low; value <= high; ++value)
        if (value % divisor == 0)
          domains[i].push_back(value);
      facts.setRange(kNames[i], low, high);
      if (domains[i].empty()) {
        for (int64_t value = low; value <= high; ++value)
          domains[i].push_back(value);
      } else {
        facts.addDivisor(kNames[i], divisor);
      }
    }
    bool related = random() % 3 == 0;
    int64_t scale = pick(1, 2), offset = pick(-2, 2);
    if (related && failed(facts.setEqual("c", symbol("a") * scale + offset)))
      continue;

    Expr left = makeRandom(random, 1 + round % 4), right = makeRandom(random, 1 + round % 3);
    ExtentAttr x = build(left), y = build(right);
    ExtentAttr simple = simplify(x, facts);
    ExtentRange bounds = range(x, facts);
    int64_t divisor = divisibility(x, facts);
    bool lessEqual = provablyLessEqual(x, y, facts), equal = provablyEqual(x, y, facts);
    decided += lessEqual;
    simplified += simple != x;
    INFO("round " << round << ": " << x.str() << " is " << simple.str() << ", beside " << y.str());
    if ((*this)(simple.str()) != simple)
      FAIL("reads back as " << (*this)(simple.str()).str());
    for (int64_t a : domains[0])
      for (int64_t b : domains[1])
        for (int64_t c : domains[2]) {
          std::optional<int64_t> value = evaluateSmall(left, {a, b, c});
          if (!value || (related && c != scale * a + offset))
            continue;
          std::optional<int64_t> other = evaluateSmall(right, {a, b, c});
          bool good =
              evaluate(simple, {a, b, c}) == value && bounds.lo().value_or(*value) <= *value &&
              bounds.hi().value_or(*value) >= *value &&
              (divisor == 0 ? *value == 0 : *value % divisor == 0) &&
              (!other || !lessEqual || *value <= *other) && (!other || !equal || *value == *other);
          if (!good)
            FAIL("at " << a << ", " << b << ", " << c << ": " << *value << " in ["
                       << bounds.lo().value_or(0) << ", " << bounds.hi().value_or(0)
                       << "], divisor " << divisor);
        }
  }
  CHECK(decided > 300);
  CHECK(simplified > 1000);
}
