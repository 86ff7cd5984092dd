// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/ScalarBuilder.h"

using namespace mlir;
using namespace cameo::prog;

Value ScalarBuilder::cast(Value x, Type type, bool saturate) {
  if (x.getType() == type)
    return x;
  return SCastOp::create(builder, location, type, x, saturate);
}

Value ScalarBuilder::constant(Type type, double value) {
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    attr = FloatAttr::get(floatType, value);
  } else {
    auto integer = llvm::cast<IntegerType>(type);
    APInt bits(64, static_cast<uint64_t>(static_cast<int64_t>(value)), true);
    attr = IntegerAttr::get(type, bits.trunc(integer.getWidth()));
  }
  return SConstantOp::create(builder, location, attr);
}
