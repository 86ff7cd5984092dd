// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of scalar ops at compile time: as constants, and as extents.

#include "Dialect/Prog/IR/ProgDialect.h"

using namespace mlir;
using namespace cameo::core;

ExtentAttr cameo::prog::truncatingDiv(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentRange dividend = range(a, facts), divisor = range(b, facts);
  if (dividend.atLeast(0) && divisor.atLeast(1))
    return a.floorDiv(b);
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  if (x && y && *y != 0 && !(*x == INT64_MIN && *y == -1))
    return ExtentAttr::constant(a.getContext(), *x / *y);
  return {};
}

ExtentAttr cameo::prog::flooringMod(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  return range(b, facts).isNonZero() ? a.mod(b) : ExtentAttr();
}

ExtentAttr cameo::prog::decideEqual(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  if (provablyEqual(a, b, facts))
    return ExtentAttr::constant(a.getContext(), 1);
  if (range(a - b, facts).isNonZero())
    return ExtentAttr::constant(a.getContext(), 0);
  return {};
}

ExtentAttr cameo::prog::decideNotEqual(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentAttr equal = decideEqual(a, b, facts);
  return equal ? equal * -1 + 1 : ExtentAttr();
}

ExtentAttr cameo::prog::decideLess(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentRange difference = range(b - a, facts);
  if (difference.atLeast(1))
    return ExtentAttr::constant(a.getContext(), 1);
  if (difference.atMost(0))
    return ExtentAttr::constant(a.getContext(), 0);
  return {};
}

OpFoldResult cameo::prog::foldScalar(Operation *, ArrayRef<Attribute>) { return {}; }
