// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of layout: a constant is packed by the compiler, what lies in the same order is a view,
// and elements below a byte go through kernels at the program's border.

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

/// The layout of the two that has an axis in blocks; null when none has.
BlockedLayoutAttr getBlocks(SymTensorType from, SymTensorType to) {
  for (SymTensorType type : {from, to})
    if (BlockedLayoutAttr layout = type.getBlockedLayout(); layout && !layout.getAxes().empty())
      return layout;
  return {};
}

/// Whether the elements lie in one order: whole blocks of single elements, and no halo.
bool areInOneOrder(SymTensorType type, BlockedLayoutAttr layout) {
  if (!layout || layout.getAxes().size() != 1 || !layout.getHalo().empty())
    return false;
  int64_t axis = layout.getAxes().front();
  return type.getExtents()[axis].mod(layout.getBlocks().front()).isConstant(0) &&
         llvm::all_of(type.getExtents().drop_front(axis + 1),
                      [](ExtentAttr extent) { return extent.isConstant(1); });
}

struct RepackLowering : OpRewritePattern<prog::RepackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(prog::RepackOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType from = op.getSource().getType(), to = op.getType();
    BlockedLayoutAttr blocks = getBlocks(from, to);
    if (from.isPacked())
      rewriter.replaceOp(op, unpack(op, lower));
    else if (to.isPacked())
      rewriter.replaceOp(op, pack(op, lower));
    else if (auto constant = op.getSource().getDefiningOp<ConstantOp>())
      rewriter.replaceOpWithNewOp<prog::WeightOp>(op, to, constant.getValue());
    else if (areInOneOrder(to, blocks))
      rewriter.replaceOp(op, lower.view(op.getSource(), to));
    else if (blocks)
      rewriter.replaceOp(op, lower.clearHalo(repack(op, lower, blocks)));
    else
      rewriter.replaceOp(op, lower.clearHalo(addHalo(op, lower)));
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

  /// Between a dense tensor and blocks of one axis, behind which at most two others stand.
  static Value repack(prog::RepackOp op, Lowering &lower, BlockedLayoutAttr blocks) {
    SymTensorType to = op.getType();
    ArrayRef<ExtentAttr> extents = to.getExtents();
    int64_t axis = blocks.getAxes().front(), rank = to.getRank();
    ExtentAttr one = lower.inference().constant(1), batch = one;
    for (ExtentAttr extent : extents.take_front(axis))
      batch = batch * extent;
    auto build = [&](auto call) -> Value {
      return call.batch(batch)
          .channels(extents[axis])
          .rows(axis + 2 < rank ? extents[rank - 2] : one)
          .cols(axis + 1 < rank ? extents[rank - 1] : one)
          .halo({blocks.getHaloOf(rank - 2, rank), blocks.getHaloOf(rank - 1, rank)})
          .lanes(blocks.getBlocks().front())
          .x(op.getSource())
          .y(to)
          .build()
          .getResult(0);
    };
    return to.getBlockedLayout() == blocks ? build(PackChannelsCall(lower))
                                           : build(UnpackChannelsCall(lower));
  }

  /// A copy of a dense tensor into one with a halo, or out of it.
  static Value addHalo(prog::RepackOp op, Lowering &lower) {
    SymTensorType from = op.getSource().getType(), to = op.getType();
    unsigned rank = to.getRank();
    return lower.kernel(to.getExtents(),
                        {{op.getSource(), lower.locate(from, lower.dims(rank), rank)}}, to,
                        lower.locate(to, lower.dims(rank), rank),
                        [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
  }
};

} // namespace

void cameo::populateLayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<RepackLowering>(patterns.getContext());
}
