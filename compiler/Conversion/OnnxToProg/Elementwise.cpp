// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lowering for every operator with a scalar body: a kernel over the result's elements, or host
// arithmetic when the result is a few host scalars.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Dialect/ONNX/IR/ScalarBody.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// Host tensors of at most so many elements are scalars.
constexpr int64_t kMaxScalars = 16;
/// An operator of more operands would repeat its steps for each element: a kernel has them once.
constexpr unsigned kMaxScalarOperands = 4;

/// The number in row-major order of the element of `type` that element `linear` of `result` reads.
int64_t getBroadcastElement(SymTensorType type, SymTensorType result, int64_t linear) {
  int64_t element = 0, stride = 1;
  int64_t lead = result.getRank() - type.getRank();
  for (int64_t axis = result.getRank() - 1; axis >= 0; --axis) {
    int64_t size = *result.getExtents()[axis].getConstant();
    int64_t coordinate = linear % size;
    linear /= size;
    if (axis < lead)
      continue;
    int64_t own = *type.getExtents()[axis - lead].getConstant();
    element += own == 1 ? 0 : coordinate * stride;
    stride *= own;
  }
  return element;
}

struct ElementwiseLowering : OpInterfaceRewritePattern<OnnxOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!op.hasScalarBody())
      return failure();
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op->getResult(0));
    if (result.isHost() && !result.getLayout() && op->getNumOperands() <= kMaxScalarOperands)
      if (std::optional<int64_t> count = result.getNumElements().getConstant();
          count && *count <= kMaxScalars && readable(op))
        return rewriteAsScalars(op, lower, *count);

    SmallVector<Read> reads;
    unsigned rank = result.getRank();
    for (Value operand : op->getOperands()) {
      SymTensorType type = tensorOf(operand);
      Index index = lower.broadcast(type.getExtents(), result.getExtents());
      reads.push_back({operand, lower.place(type, index, rank)});
    }
    Value replacement = lower.kernel(
        lower.points(result), reads, result, lower.place(result, lower.dims(rank), rank),
        [&](ScalarBuilder &b, ValueRange x) {
          return SmallVector<Value>{buildScalarBody(op, b, spreadOperands(op, x))};
        });
    rewriter.replaceOp(op, lower.clearHalo(replacement));
    return success();
  }

private:
  /// The scalars of all the record's operands, null for absent ones; variadic ones in a row.
  static SmallVector<Value> spreadOperands(OnnxOp op, ValueRange present) {
    auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    if (!segments) {
      SmallVector<Value> all(present);
      while (all.size() < op.getOperandInfos().size())
        all.push_back({});
      return all;
    }
    SmallVector<Value> all;
    size_t next = 0;
    for (int32_t size : segments.asArrayRef()) {
      if (size == 0)
        all.push_back({});
      for (int32_t number = 0; number < size; ++number)
        all.push_back(present[next++]);
    }
    return all;
  }

  /// Whether the host can read every operand.
  static bool readable(OnnxOp op) {
    return llvm::all_of(op->getOperands(), [](Value operand) {
      return tensorOf(operand).isHost() || operand.getDefiningOp<ConstantOp>() ||
             operand.getDefiningOp<FromExtentsOp>();
    });
  }

  static LogicalResult rewriteAsScalars(OnnxOp op, Lowering &lower, int64_t count) {
    ScalarBuilder b(lower.getRewriter(), op->getLoc());
    SymTensorType result = tensorOf(op->getResult(0));
    SmallVector<Value> elements;
    for (int64_t linear = 0; linear < count; ++linear) {
      SmallVector<Value> x;
      for (Value operand : op->getOperands())
        x.push_back(lower.scalar(operand, getBroadcastElement(tensorOf(operand), result, linear)));
      elements.push_back(buildScalarBody(op, b, spreadOperands(op, x)));
    }
    lower.getRewriter().replaceOp(op, lower.fromScalars(elements, result));
    return success();
  }
};

} // namespace

void cameo::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering>(patterns.getContext());
}
