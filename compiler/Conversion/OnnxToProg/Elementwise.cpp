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
    auto isString = [](Value value) { return isa<StringType>(elementTypeOf(value)); };
    if (llvm::any_of(op->getOperands(), isString))
      return rewriter.notifyMatchFailure(op, "it computes with strings");
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op->getResult(0));
    if (result.isHost() && !result.getLayout() && op->getNumOperands() <= kMaxScalarOperands)
      if (std::optional<int64_t> count = result.getNumElements().getConstant();
          count && *count <= kMaxScalars && readable(op))
        return rewriteAsScalars(op, lower, *count);

    SmallVector<Read> reads;
    SmallVector<unsigned> numbers;
    unsigned rank = result.getRank();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!readsElements(op, operand.getOperandNumber()))
        continue;
      SymTensorType type = tensorOf(operand.get());
      Index index = lower.broadcast(type.getExtents(), result.getExtents());
      reads.push_back({operand.get(), lower.place(type, index, rank)});
      numbers.push_back(operand.getOperandNumber());
    }
    Value replacement = lower.kernel(
        lower.points(result), reads, result, lower.place(result, lower.dims(rank), rank),
        [&](ScalarBuilder &b, ValueRange read) {
          SmallVector<Value> x(op->getNumOperands());
          for (auto [number, scalar] : llvm::zip_equal(numbers, read))
            x[number] = scalar;
          return SmallVector<Value>{buildScalarBody(op, b, alignWithRecord(op, x))};
        });
    rewriter.replaceOp(op, lower.clearHalo(replacement));
    return success();
  }

private:
  /// Whether the host can read every operand whose elements are needed.
  static bool readable(OnnxOp op) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return tensorOf(operand.get()).isHost() || operand.get().getDefiningOp<ConstantOp>() ||
             operand.get().getDefiningOp<FromExtentsOp>() ||
             !readsElements(op, operand.getOperandNumber());
    });
  }

  static LogicalResult rewriteAsScalars(OnnxOp op, Lowering &lower, int64_t count) {
    ScalarBuilder b(lower.getRewriter(), op->getLoc());
    SymTensorType result = tensorOf(op->getResult(0));
    SmallVector<Value> elements;
    for (int64_t linear = 0; linear < count; ++linear) {
      SmallVector<Value> x;
      for (OpOperand &operand : op->getOpOperands())
        x.push_back(readsElements(op, operand.getOperandNumber())
                        ? lower.scalar(operand.get(),
                                       getBroadcastElement(tensorOf(operand.get()), result, linear))
                        : Value());
      elements.push_back(buildScalarBody(op, b, alignWithRecord(op, x)));
    }
    lower.getRewriter().replaceOp(op, lower.fromScalars(elements, result));
    return success();
  }
};

} // namespace

void cameo::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering>(patterns.getContext());
}
