// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/ScalarBuilder.h"

using namespace mlir;
using namespace cameo::prog;

Value ScalarBuilder::cast(Value x, Type type, bool saturate) {
  if (x.getType() == type)
    return x;
  return SCastOp::create(builder, location, type, x, saturate);
}

Value ScalarBuilder::reinterpret(Value x, Type type) {
  return x.getType() == type ? x : SReinterpretOp::create(builder, location, type, x).getResult();
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

Value ScalarBuilder::integer(int64_t value) {
  return SConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
}

Value ScalarBuilder::choose(Value position, ArrayRef<Value> values) {
  Value chosen = values.front();
  for (auto [number, value] : llvm::drop_begin(llvm::enumerate(values)))
    if (value != values.front()) {
      Value isHere = equal(position, constant(position, static_cast<double>(number)));
      chosen = select(isHere, value, chosen);
    }
  return chosen;
}
