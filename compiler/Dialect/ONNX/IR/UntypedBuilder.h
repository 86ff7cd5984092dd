// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which operators are built whose results the Shape stage types. The operators that
// are built stand for one, whose node their locations name.

#ifndef CAMEO_DIALECT_ONNX_IR_UNTYPEDBUILDER_H
#define CAMEO_DIALECT_ONNX_IR_UNTYPEDBUILDER_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/IR/Builders.h"

namespace cameo {

class UntypedBuilder : public mlir::OpBuilder {
public:
  using Value = mlir::Value;
  using Branch = llvm::function_ref<Value(UntypedBuilder &)>;

  /// Builds in front of `root`, and in its place.
  explicit UntypedBuilder(mlir::Operation *root) : UntypedBuilder(root, root->getLoc()) {}
  UntypedBuilder(mlir::Operation *before, mlir::Location location)
      : mlir::OpBuilder(before), location(location) {}

  mlir::Location getLocation() const { return location; }

  /// A constant of rank 1; one of rank 0.
  Value integers(llvm::ArrayRef<int64_t> values);
  Value number(int64_t value);

  Value shape(Value tensor);
  /// As a tensor of rank 0.
  Value extent(Value tensor, int64_t axis);
  Value gather(Value data, Value indices, int64_t axis);
  /// The elements from `start` to in front of `end` along one axis, which are of rank 1 and one
  /// each.
  Value slice(Value data, Value start, Value end, int64_t axis);
  Value concat(llvm::ArrayRef<Value> tensors, int64_t axis);
  Value unsqueeze(Value tensor, int64_t axis);
  Value squeeze(Value tensor, llvm::ArrayRef<int64_t> axes);
  Value reshape(Value tensor, Value shape);
  Value expand(Value tensor, Value shape);
  /// An integer of one element as a tensor of rank 0; of rank 1.
  Value scalar(Value integer) { return reshape(integer, integers({})); }
  Value list(Value integer) { return reshape(integer, integers({1})); }
  Value toI64(Value integer);

  Value add(Value a, Value b) { return binary<onnx::AddOp>(a, b, a.getType()); }
  Value sub(Value a, Value b) { return binary<onnx::SubOp>(a, b, a.getType()); }
  Value less(Value a, Value b) { return binary<onnx::LessOp>(a, b, ofType(getI1Type())); }
  Value equal(Value a, Value b) { return binary<onnx::EqualOp>(a, b, ofType(getI1Type())); }
  Value where(Value condition, Value a, Value b);
  /// An If of one result.
  Value choose(Value condition, Branch then, Branch otherwise);

private:
  static mlir::Type ofType(mlir::Type element) { return core::SymTensorType::get(element); }
  static mlir::Type likeThat(Value tensor);
  template <class Op> Value binary(Value a, Value b, mlir::Type type) {
    auto element = llvm::cast<core::SymTensorType>(type).getElementType();
    return Op::create(*this, location, ofType(element), a, b);
  }

  mlir::Location location;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_IR_UNTYPEDBUILDER_H
