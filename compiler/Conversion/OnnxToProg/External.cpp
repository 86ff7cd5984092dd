// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the user's own: a call of the function with memory for all that it writes. Extents
// that it tells become symbols behind the call, of which the results are the first elements. Where
// nothing bounds such an extent, the function is asked for the extents first.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

class ExternalCall {
public:
  ExternalCall(PatternRewriter &rewriter, onnx::ExternalOp op)
      : rewriter(rewriter), op(op), lower(rewriter, op), side(op.getSide()) {
    for (int64_t position = 0; position < static_cast<int64_t>(op.getOperandNames().size());
         ++position) {
      Value operand = op.getOperandAt(position);
      ins.push_back(operand ? lower.onSide(operand, side) : lower.null(rewriter.getF32Type()));
    }
  }

  LogicalResult run() {
    if (failed(findCounts()))
      return failure();
    bool asksFirst = llvm::any_of(counts, [&](ExtentAttr count) { return !getMost(count); });
    if (asksFirst)
      bindCounts(call({}, /*asks=*/true).back());
    SmallVector<Type> types;
    for (Value result : op.getOutputs())
      types.push_back(asksFirst ? tensorOf(result) : getCapacity(tensorOf(result)));
    SmallVector<Value> results = call(types, /*asks=*/false, /*tells=*/!asksFirst);
    if (!asksFirst && !counts.empty())
      bindCounts(results.pop_back_val());
    for (auto [value, result] : llvm::zip_equal(results, op.getOutputs()))
      if (value.getType() != result.getType())
        value = lower.view(value, tensorOf(result));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// In the order of results and their axes, all that the function tells, also what is known.
  LogicalResult findCounts() {
    op.visitSymbols([&](const SymbolDefinition &definition) {
      bounds[definition.symbol.getName()] = definition.bound;
    });
    for (unsigned number = 0; number < op.getNumResults(); ++number) {
      auto declared = op.getDeclaredExtents(number, lower.inference());
      if (failed(declared) || !*declared)
        return rewriter.notifyMatchFailure(op, "the rank of a result is not known");
      for (auto [said, extent] :
           llvm::zip_equal(**declared, tensorOf(op.getResult(number)).getExtents()))
        if (said.isCounted)
          counts.push_back(extent);
    }
    return success();
  }

  /// The most that an extent is that the function tells; null where nothing says.
  ExtentAttr getMost(ExtentAttr extent) const {
    return extent.isSymbol() ? bounds.lookup(extent.getSymbolName()) : extent;
  }

  /// With the memory that the result may need.
  SymTensorType getCapacity(SymTensorType type) const {
    return type.withExtents(llvm::map_to_vector(type.getExtents(), [&](ExtentAttr extent) {
      return llvm::is_contained(counts, extent) ? getMost(extent) : extent;
    }));
  }

  SmallVector<Value> call(ArrayRef<Type> written, bool asks, bool tells = true) {
    SmallVector<Type> types(written);
    tells &= !counts.empty();
    if (tells)
      types.push_back(SymTensorType::get(
          {ExtentAttr::constant(op.getContext(), static_cast<int64_t>(counts.size()))},
          rewriter.getI64Type(), side));
    auto made = prog::ExternalOp::create(rewriter, op.getLoc(), types, op.getFunction(), ins,
                                         op.getNumResults(), op.getValueNames(), op.getValues(),
                                         tells, asks, op.getPure());
    return llvm::to_vector_of<Value>(made.getResults());
  }

  void bindCounts(Value told) {
    for (auto [number, extent] : llvm::enumerate(counts)) {
      if (extent.isConstant())
        continue;
      auto one = tensorOf(told).withExtents({ExtentAttr::constant(op.getContext(), 1)});
      auto offset = ExtentAttr::constant(op.getContext(), static_cast<int64_t>(number));
      lower.bindCount(extent, lower.view(told, one, offset), "out_of_range");
    }
  }

  PatternRewriter &rewriter;
  onnx::ExternalOp op;
  Lowering lower;
  Side side;
  SmallVector<Value> ins;
  SmallVector<ExtentAttr> counts;
  llvm::DenseMap<StringRef, ExtentAttr> bounds;
};

struct ExternalLowering : OpRewritePattern<onnx::ExternalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(onnx::ExternalOp op, PatternRewriter &rewriter) const override {
    return ExternalCall(rewriter, op).run();
  }
};

} // namespace

void cameo::populateExternalPatterns(RewritePatternSet &patterns) {
  patterns.add<ExternalLowering>(patterns.getContext());
}
