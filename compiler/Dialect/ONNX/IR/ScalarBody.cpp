// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/ScalarBody.h"

using namespace mlir;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

bool isSmallFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

/// Whether the function of operands of these types is one op, or none: a conversion to the type
/// that they have.
bool isSingleStep(OnnxOp op, ValueRange x) {
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  SmallVector<Value> arguments;
  for (Value value : x)
    arguments.push_back(value ? scratch.addArgument(value.getType(), op->getLoc()) : Value());
  ScalarBuilder b(builder, op->getLoc());
  op.buildScalar(b, arguments);
  return scratch.empty() || llvm::hasSingleElement(scratch);
}

} // namespace

Value cameo::onnx::buildScalarBody(OnnxOp op, ScalarBuilder &b, ValueRange x) {
  SmallVector<Value> operands(x);
  bool hasSmall =
      llvm::any_of(x, [](Value value) { return value && isSmallFloat(value.getType()); });
  if (hasSmall && !isSingleStep(op, x))
    for (Value &operand : operands)
      if (operand && isSmallFloat(operand.getType()))
        operand = b.cast(operand, Float32Type::get(op->getContext()));
  return b.cast(op.buildScalar(b, operands), elementTypeOf(op->getResult(0)));
}

DetachedBody cameo::onnx::buildDetachedBody(OnnxOp op) {
  auto block = std::make_unique<Block>();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(block.get());
  SmallVector<Value> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(block->addArgument(elementTypeOf(operand), op->getLoc()));
  ScalarBuilder b(builder, op->getLoc());
  Value result = buildScalarBody(op, b, alignWithRecord(op, arguments));
  return {std::move(block), result};
}
