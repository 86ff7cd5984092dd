// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements below a byte, which go through kernels at the program's border.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/Limits.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

struct RepackLowering : OpRewritePattern<prog::RepackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(prog::RepackOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType from = op.getSource().getType();
    rewriter.replaceOp(op, from.isPacked() ? unpack(op, lower) : pack(op, lower));
    return success();
  }

private:
  /// A kernel reads packed elements like others; few that the host has are scalars.
  static Value unpack(prog::RepackOp op, Lowering &lower) {
    SymTensorType to = op.getType();
    std::optional<int64_t> count = to.getNumElements().getConstant();
    if (!to.isHost() || !count || *count > core::kMaxHostElements)
      return lower.copy(op.getSource(), lower.dims(to.getRank()), to);
    SmallVector<Value> scalars;
    for (int64_t number = 0; number < *count; ++number)
      scalars.push_back(lower.scalar(op.getSource(), number));
    return lower.fromScalars(scalars, to);
  }

  static Value pack(prog::RepackOp op, Lowering &lower) {
    SymTensorType from = op.getSource().getType();
    ExtentAttr count = from.getNumElements();
    Value row = lower.view(op.getSource(), from.withExtents({count}));
    return PackElementsCall(lower)
        .count(count)
        .load(row, lower.dims(1))
        .y(op.getType())
        .build()
        .getResult(0);
  }
};

} // namespace

void cameo::populatePackedElementPatterns(RewritePatternSet &patterns) {
  patterns.add<RepackLowering>(patterns.getContext());
}
