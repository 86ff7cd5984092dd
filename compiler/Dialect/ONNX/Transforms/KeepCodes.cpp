// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Transpose that stands between a constant's DequantizeLinear and products goes in front of it,
// where it is folded: what is left are products by codes.

#include "Dialect/ONNX/Transforms/KeepCodes.h"

#include "Dialect/ONNX/IR/CodedMatrix.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Whether products read `value`, which is what `op` makes, or that transposed.
bool isReadByProducts(Value value, DequantizeLinearOp op, bool isTransposed) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto transpose = dyn_cast<TransposeOp>(user))
      return isReadByProducts(transpose.getTransposed(), op, !isTransposed);
    std::optional<int64_t> axis = getColumnAxis(user, value);
    return axis && matchCodedMatrix(op, isTransposed ? 1 - *axis : *axis);
  });
}

struct TransposeFirst : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto of = op.getData().getDefiningOp<DequantizeLinearOp>();
    if (!of || !keepsCodes(of))
      return failure();
    OnnxBuilder b(rewriter, op, {of});
    auto turn = [&](Value value) {
      bool isMatrix = value && getExtents(value)->size() == 2;
      return isMatrix ? b.transpose(value, {1, 0}) : value;
    };
    int64_t axis = of.getAxis() < 0 ? of.getAxis() + 2 : of.getAxis();
    Value turned =
        b.make<DequantizeLinearOp>(turn(of.getX()), turn(of.getXScale()), turn(of.getXZeroPoint()),
                                   1 - axis, of.getBlockSize(), of.getOutputDtype());
    if (auto op = turned.getDefiningOp<DequantizeLinearOp>(); op && allowsBytes(of))
      allowBytes(op);
    b.replaceRoot(turned);
    return success();
  }
};

} // namespace

bool cameo::keepsCodes(DequantizeLinearOp op) {
  return isReadByProducts(op.getY(), op, /*isTransposed=*/false);
}

void cameo::populateCodePatterns(RewritePatternSet &patterns) {
  patterns.add<TransposeFirst>(patterns.getContext());
}
