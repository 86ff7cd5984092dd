// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of one operand with constant weights, whose results are taken apart into heads, become
// one product: for queries, keys and values a device launches one kernel, of more tiles, and
// attention reads the parts where they lie. Every sum stays what it was.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// A product, and the sum with a constant vector if one follows.
struct Projection {
  MatMulOp product;
  AddOp sum;
  Value bias;

  Operation *last() { return sum ? sum.getOperation() : product.getOperation(); }
};

bool isConstantOfRank(Value value, size_t rank) {
  auto shape = getStaticShape(value);
  return isNumericConstant(value) && value.hasOneUse() && shape && shape->size() == rank;
}

int64_t getColumns(MatMulOp product) { return getStaticShape(product.getB())->back(); }

/// Whether a value is taken apart into heads that do not go into a Concat as they are: a product
/// writes its part of a cache itself.
bool isForHeads(Operation *user) {
  auto reshape = dyn_cast<ReshapeOp>(user);
  return reshape && llvm::none_of(reshape->getUsers(), [](Operation *reader) {
           return isa<ConcatOp>(reader) ||
                  (isa<TransposeOp>(reader) &&
                   llvm::any_of(reader->getUsers(), llvm::IsaPred<ConcatOp>));
         });
}

/// Products of `x` with matrices that nothing else reads, whose results are heads.
std::optional<Projection> matchProjection(MatMulOp product, Value x) {
  if (product.getA() != x || !isConstantOfRank(product.getB(), 2))
    return std::nullopt;
  Projection projection{product, {}, {}};
  if (product->hasOneUse())
    if (auto sum = dyn_cast<AddOp>(*product->user_begin())) {
      Value bias = sum.getA() == product.getResult() ? sum.getB() : sum.getA();
      if (!isConstantOfRank(bias, 1) || getStaticShape(bias)->front() != getColumns(product))
        return std::nullopt;
      projection.sum = sum;
      projection.bias = bias;
    }
  if (projection.last()->use_empty() || !llvm::all_of(projection.last()->getUsers(), isForHeads))
    return std::nullopt;
  return projection;
}

struct JoinProjections : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    auto extents = getExtents(op.getA());
    // Looked at first: others may read the operand, too.
    if (!extents || extents->size() < 2 || !matchProjection(op, op.getA()))
      return failure();
    SmallVector<Projection> projections = collect(op);
    if (projections.size() < 2 || projections.front().product != op)
      return failure();
    join(projections, static_cast<int64_t>(extents->size()) - 1, rewriter);
    return success();
  }

private:
  /// Projections of the operand of `op` in its block, in program order.
  static SmallVector<Projection> collect(MatMulOp op) {
    SmallVector<Projection> projections;
    for (Operation *user : op.getA().getUsers())
      if (auto product = dyn_cast<MatMulOp>(user); product && product->getBlock() == op->getBlock())
        if (auto projection = matchProjection(product, op.getA()))
          projections.push_back(*projection);
    llvm::sort(projections,
               [](Projection a, Projection b) { return a.product->isBeforeInBlock(b.product); });
    return projections;
  }

  static void join(MutableArrayRef<Projection> projections, int64_t axis,
                   PatternRewriter &rewriter) {
    Projection &first = projections.front();
    SmallVector<Operation *> merged;
    SmallVector<Value> weights, biases;
    for (Projection &projection : projections) {
      merged.push_back(projection.last());
      weights.push_back(projection.product.getB());
      if (projection.bias)
        biases.push_back(projection.bias);
    }
    for (Value constant : llvm::concat<Value>(weights, biases))
      rewriter.moveOpBefore(constant.getDefiningOp(), first.product);
    OnnxBuilder b(rewriter, first.product, ArrayRef(merged).drop_front());
    Value joint = b.make<MatMulOp>(first.product.getA(), b.make<ConcatOp>(weights, 1));
    if (!biases.empty())
      joint = b.add(joint, b.make<ConcatOp>(getBiases(b, projections), 0));
    int64_t begin = 0;
    for (Projection &projection : projections) {
      int64_t end = begin + getColumns(projection.product);
      rewriter.replaceOp(projection.last(), b.slice(joint, axis, b.extent(begin), b.extent(end)));
      begin = end;
    }
  }

  /// A vector for each; of -0, which changes nothing, where there is none.
  static SmallVector<Value> getBiases(OnnxBuilder &b, MutableArrayRef<Projection> projections) {
    return llvm::map_to_vector(projections, [&](Projection &projection) -> Value {
      if (projection.bias)
        return projection.bias;
      auto type = cast<SymTensorType>(projection.product.getB().getType());
      ExtentAttr columns = b.extent(getColumns(projection.product));
      return b.make<ExpandOp>(b.constant(type.getElementType(), -0.0), b.extents(columns));
    });
  }
};

} // namespace

void cameo::populateProjectionPatterns(RewritePatternSet &patterns) {
  patterns.add<JoinProjections>(patterns.getContext());
}
