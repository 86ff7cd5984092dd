// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lowering for every operator with a scalar body: a kernel over the result's elements, or host
// arithmetic when the result is a few host scalars.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Dialect/Core/IR/Limits.h"
#include "Dialect/ONNX/IR/ScalarBody.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// An operator of more operands would repeat its steps for each element: a kernel has them once.
constexpr unsigned kMaxScalarOperands = 4;

/// The extents of a tensor; nullopt unless all are constants.
std::optional<SmallVector<int64_t>> getShape(SymTensorType type) {
  SmallVector<int64_t> shape;
  for (ExtentAttr extent : type.getExtents()) {
    std::optional<int64_t> size = extent.getConstant();
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

/// The number in row-major order of the element of `shape` that element `linear` of `result` reads.
int64_t getBroadcastElement(ArrayRef<int64_t> shape, ArrayRef<int64_t> result, int64_t linear) {
  int64_t element = 0, stride = 1;
  size_t lead = result.size() - shape.size();
  for (size_t axis = result.size(); axis-- > lead;) {
    int64_t own = shape[axis - lead];
    element += own == 1 ? 0 : linear % result[axis] * stride;
    linear /= result[axis];
    stride *= own; // checked: no more elements than the result has
  }
  return element;
}

struct ElementwiseLowering : OpInterfaceRewritePattern<OnnxOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!op.hasScalarBody())
      return failure();
    auto isString = [](Value value) { return isa<StringType>(elementTypeOf(value)); };
    if (llvm::any_of(op->getOperands(), isString) || isString(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "it computes with strings");
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op->getResult(0));
    if (std::optional<FewElements> few = getFewElements(op)) {
      rewriteAsScalars(op, lower, *few);
      return success();
    }

    SmallVector<Read> reads;
    SmallVector<unsigned> numbers;
    unsigned rank = result.getRank();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!readsElements(op, operand.getOperandNumber()))
        continue;
      SymTensorType type = tensorOf(operand.get());
      reads.push_back({operand.get(), lower.broadcast(type.getExtents(), result.getExtents())});
      numbers.push_back(operand.getOperandNumber());
    }
    Value replacement =
        lower.kernel(result.getExtents(), reads, result, lower.dims(rank),
                     [&](ScalarBuilder &b, ValueRange read) {
                       SmallVector<Value> x(op->getNumOperands());
                       for (auto [number, scalar] : llvm::zip_equal(numbers, read))
                         x[number] = scalar;
                       return SmallVector<Value>{buildScalarBody(op, b, alignWithRecord(op, x))};
                     });
    rewriter.replaceOp(op, replacement);
    return success();
  }

private:
  /// Shapes of a result of few elements and of the operands that they are computed from, which the
  /// host can read; of other operands none.
  struct FewElements {
    SmallVector<int64_t> result;
    SmallVector<SmallVector<int64_t>> operands;
  };

  /// Nullopt where an extent is open too: which elements are read only the run knows then.
  static std::optional<FewElements> getFewElements(OnnxOp op) {
    SymTensorType type = tensorOf(op->getResult(0));
    std::optional<int64_t> count = type.getNumElements().getConstant();
    std::optional<SmallVector<int64_t>> shape = getShape(type);
    if (!type.isHost() || type.getLayout() || op->getNumOperands() > kMaxScalarOperands || !shape ||
        !count || *count > core::kMaxHostElements)
      return std::nullopt;
    FewElements few{std::move(*shape), {}};
    for (OpOperand &operand : op->getOpOperands()) {
      few.operands.emplace_back();
      if (!readsElements(op, operand.getOperandNumber()))
        continue;
      std::optional<SmallVector<int64_t>> own = getShape(tensorOf(operand.get()));
      if (!own || !isReadable(operand.get()))
        return std::nullopt;
      few.operands.back() = std::move(*own);
    }
    return few;
  }

  static bool isReadable(Value operand) {
    return tensorOf(operand).isHost() ||
           isa_and_nonnull<ConstantOp, FromExtentsOp>(operand.getDefiningOp());
  }

  static void rewriteAsScalars(OnnxOp op, Lowering &lower, const FewElements &few) {
    ScalarBuilder b(lower.getRewriter(), op->getLoc());
    SymTensorType result = tensorOf(op->getResult(0));
    SmallVector<Value> elements;
    for (int64_t linear = 0; linear < *result.getNumElements().getConstant(); ++linear) {
      SmallVector<Value> x;
      for (auto [operand, shape] : llvm::zip_equal(op->getOpOperands(), few.operands))
        x.push_back(
            readsElements(op, operand.getOperandNumber())
                ? lower.scalar(operand.get(), getBroadcastElement(shape, few.result, linear))
                : Value());
      elements.push_back(buildScalarBody(op, b, alignWithRecord(op, x)));
    }
    lower.getRewriter().replaceOp(op, lower.fromScalars(elements, result));
  }
};

} // namespace

void cameo::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering>(patterns.getContext());
}
