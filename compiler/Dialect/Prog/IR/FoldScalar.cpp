// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of scalar ops at compile time: as constants, and as extents.

#include "Dialect/Prog/IR/ProgDialect.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::prog;

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

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// Enough for one element of any type that scalar ops have.
struct Element {
  char bytes[8];
};

/// The scalar that lies in `element`.
TypedAttr readElement(Type type, const Element &element) {
  uint64_t bits;
  std::memcpy(&bits, element.bytes, sizeof bits);
  APInt code(type.getIntOrFloatBitWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), code));
  return IntegerAttr::get(type, code);
}

} // namespace

bool cameo::prog::writeElement(Attribute scalar, char *element) {
  APInt code;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(scalar);
      integer && isa<IntegerType>(integer.getType()))
    code = integer.getValue();
  else if (auto real = dyn_cast_or_null<FloatAttr>(scalar))
    code = real.getValue().bitcastToAPInt();
  else
    return false;
  if (code.getBitWidth() > 64)
    return false;
  uint64_t bits = code.getZExtValue();
  std::memcpy(element, &bits, llvm::divideCeil(code.getBitWidth(), 8));
  return true;
}

OpFoldResult cameo::prog::foldScalar(Operation *op, ArrayRef<Attribute> operands) {
  ArrayFunction function = cast<ScalarOpInterface>(op).getArrayFunction();
  SmallVector<Element, 3> elements(operands.size());
  SmallVector<const char *, 3> arrays;
  for (auto [operand, element] : llvm::zip_equal(operands, elements)) {
    if (!function || !writeElement(operand, element.bytes))
      return {};
    arrays.push_back(element.bytes);
  }
  Element result = {};
  function(arrays.data(), result.bytes, 1);
  return readElement(op->getResult(0).getType(), result);
}
