// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/ScalarFunctions.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

Value onnx::widen(ScalarBuilder &b, Value x) {
  auto type = dyn_cast<FloatType>(x.getType());
  if (!type || type.getWidth() >= 32)
    return x;
  return b.cast(x, Float32Type::get(type.getContext()));
}

Value onnx::inFloat(ScalarBuilder &b, Value x, function_ref<Value(Value)> function) {
  return b.cast(function(widen(b, x)), x.getType());
}

Value onnx::foldLeft(ArrayRef<Value> x, function_ref<Value(Value, Value)> combine) {
  Value result = x.front();
  for (Value next : x.drop_front())
    result = combine(result, next);
  return result;
}

Value onnx::clip(ScalarBuilder &b, Value x, Value low, Value high) {
  if (low)
    x = b.max(x, low);
  return high ? b.min(x, high) : x;
}

Value onnx::softplus(ScalarBuilder &b, Value x) {
  // exp(-|x|) is at most 1, and what it leaves out is x itself where that is positive.
  Value tail = b.log(b.add(b.constant(x, 1), b.exp(b.neg(b.abs(x)))));
  return b.add(b.max(x, b.constant(x, 0)), tail);
}

Value onnx::hardSigmoid(ScalarBuilder &b, Value x, double alpha, double beta) {
  Value line = b.add(b.mul(b.constant(x, alpha), x), b.constant(x, beta));
  return b.max(b.min(line, b.constant(x, 1)), b.constant(x, 0));
}

Value onnx::swish(ScalarBuilder &b, Value x, double alpha) {
  return b.mul(x, b.sigmoid(alpha == 1 ? x : b.mul(b.constant(x, alpha), x)));
}

Value onnx::gelu(ScalarBuilder &b, Value x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  Value error = b.erf(b.mul(x, b.constant(x, kSqrtHalf)));
  return b.mul(b.mul(b.constant(x, 0.5), x), b.add(b.constant(x, 1), error));
}

Value onnx::tanhGelu(ScalarBuilder &b, Value x) {
  constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
  Value cube = b.mul(x, b.mul(x, x));
  Value inner = b.add(x, b.mul(b.constant(x, 0.044715), cube));
  Value bend = b.tanh(b.mul(b.constant(x, kSqrtTwoOverPi), inner));
  return b.mul(b.mul(b.constant(x, 0.5), x), b.add(b.constant(x, 1), bend));
}

Value onnx::shrink(ScalarBuilder &b, Value x, double lambd, double bias) {
  bool isFloat = isa<FloatType>(x.getType());
  Value wide = isFloat ? x : b.cast(x, Float64Type::get(x.getContext()));
  Value isLow = b.less(wide, b.constant(wide, -lambd)),
        isHigh = b.less(b.constant(wide, lambd), wide);
  Value shift = b.constant(x, bias), zero = b.constant(x, 0);
  return b.select(isLow, b.add(x, shift), b.select(isHigh, b.sub(x, shift), zero));
}

Value onnx::isInfinity(ScalarBuilder &b, Value x, bool negative, bool positive) {
  x = widen(b, x);
  Value infinite = b.isInf(x), zero = b.constant(x, 0);
  if (negative && positive)
    return infinite;
  if (!negative && !positive)
    return b.constant(infinite, 0);
  return b.logicalAnd(infinite, negative ? b.less(x, zero) : b.less(zero, x));
}
