// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/UntypedBuilder.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

Type UntypedBuilder::likeThat(Value tensor) {
  return ofType(cast<SymTensorType>(tensor.getType()).getElementType());
}

Value UntypedBuilder::integers(ArrayRef<int64_t> values) {
  auto count = static_cast<int64_t>(values.size());
  auto elements = DenseIntElementsAttr::get(RankedTensorType::get({count}, getI64Type()), values);
  return ConstantOp::create(
      *this, location,
      SymTensorType::get({ExtentAttr::constant(getContext(), count)}, getI64Type()), elements);
}

Value UntypedBuilder::number(int64_t value) {
  auto element = DenseIntElementsAttr::get(RankedTensorType::get({}, getI64Type()), {value});
  return ConstantOp::create(*this, location, SymTensorType::get({}, getI64Type()), element);
}

Value UntypedBuilder::shape(Value tensor) {
  return ShapeOp::create(*this, location, ofType(getI64Type()), tensor, IntegerAttr(),
                         getI64IntegerAttr(0));
}

Value UntypedBuilder::extent(Value tensor, int64_t axis) {
  return gather(shape(tensor), number(axis), 0);
}

Value UntypedBuilder::gather(Value data, Value indices, int64_t axis) {
  return GatherOp::create(*this, location, likeThat(data), data, indices, getI64IntegerAttr(axis));
}

Value UntypedBuilder::slice(Value data, Value start, Value end, int64_t axis) {
  return SliceOp::create(*this, location, likeThat(data), data, start, end, integers({axis}),
                         Value());
}

Value UntypedBuilder::concat(ArrayRef<Value> tensors, int64_t axis) {
  return ConcatOp::create(*this, location, likeThat(tensors.front()), tensors,
                          getI64IntegerAttr(axis));
}

Value UntypedBuilder::unsqueeze(Value tensor, int64_t axis) {
  return UnsqueezeOp::create(*this, location, likeThat(tensor), tensor, integers({axis}));
}

Value UntypedBuilder::squeeze(Value tensor, ArrayRef<int64_t> axes) {
  return SqueezeOp::create(*this, location, likeThat(tensor), tensor, integers(axes));
}

Value UntypedBuilder::reshape(Value tensor, Value shape) {
  return ReshapeOp::create(*this, location, likeThat(tensor), tensor, shape, getI64IntegerAttr(0));
}

Value UntypedBuilder::expand(Value tensor, Value shape) {
  return ExpandOp::create(*this, location, likeThat(tensor), tensor, shape);
}

Value UntypedBuilder::toI64(Value integer) {
  if (cast<SymTensorType>(integer.getType()).getElementType() == getI64Type())
    return integer;
  constexpr int64_t kInt64 = 7; // of TensorProto.DataType
  return CastOp::create(*this, location, ofType(getI64Type()), integer, "up", 1, kInt64);
}

Value UntypedBuilder::where(Value condition, Value a, Value b) {
  return WhereOp::create(*this, location, likeThat(a), condition, a, b);
}

Value UntypedBuilder::choose(Value condition, Branch then, Branch otherwise) {
  auto branch =
      IfOp::create(*this, location, Type(ofType(getI1Type())), condition, ArrayAttr(), UnitAttr());
  for (auto [region, build] :
       {std::pair{&branch.getThenBranch(), then}, std::pair{&branch.getElseBranch(), otherwise}}) {
    UntypedBuilder inside(*this);
    inside.createBlock(region);
    Value result = build(inside);
    YieldOp::create(inside, location, ValueRange{result});
    branch->getResult(0).setType(likeThat(result));
  }
  return branch->getResult(0);
}
