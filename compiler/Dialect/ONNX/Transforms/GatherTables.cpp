// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table that is computed from constants are gathered from these: a quantised embedding of
// 30,522 rows would be 47 MB of floats in every run, of which a few rows are read.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// How many operators a table is followed through; exporters write two or three.
constexpr unsigned kMostOperators = 8;

bool isElementwise(Operation *op) {
  auto record = dyn_cast_or_null<OnnxOp>(op);
  return record && op->getNumResults() == 1 && (record.hasScalarBody() || isa<CastOp>(op));
}

/// Whether a value follows from constants alone, by operators that a Gather can go in front of.
bool isTable(Value value, unsigned operators = kMostOperators) {
  Operation *op = value.getDefiningOp();
  if (!op || operators == 0)
    return false;
  if (isa<ConstantOp>(op))
    return true;
  return (isElementwise(op) || isa<DequantizeLinearOp>(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isTable(operand, operators - 1); });
}

/// Whether Gather has the type: none below a byte, and no floats below two.
bool canGather(Value value) {
  Type type = elementTypeOf(value);
  return !type.isIntOrFloat() || type.isInteger(1) ||
         type.getIntOrFloatBitWidth() >= (isa<FloatType>(type) ? 16 : 8);
}

bool hasOneElement(Value value) {
  auto extents = getExtents(value);
  return extents && llvm::all_of(*extents, [](ExtentAttr extent) { return extent.isConstant(1); });
}

/// A Gather of rows along an axis, on its way in front of what makes its table.
class RowGather {
public:
  RowGather(OnnxBuilder &b, GatherOp op, int64_t axis, int64_t rank)
      : b(b), indices(op.getIndices()), indexRank(getExtents(indices)->size()), axis(axis),
        rank(rank) {}

  /// Rows of an operand that broadcasts to the table.
  Value gather(Value operand) {
    ArrayRef<ExtentAttr> extents = *getExtents(operand);
    int64_t own = axis - (rank - static_cast<int64_t>(extents.size()));
    if (own < 0)
      return operand;
    if (!extents[own].isConstant(1))
      return b.make<GatherOp>(operand, indices, own);
    // Every row is the same: as many extents of 1 as indices have.
    SmallVector<ExtentAttr> spread(extents.take_front(own));
    spread.append(indexRank, b.extent(1));
    llvm::append_range(spread, extents.drop_front(own + 1));
    return b.reshape(operand, spread);
  }

  /// Where an axis of the table, other than that of the rows, is in the result.
  int64_t moved(int64_t other) const { return other < axis ? other : other + indexRank - 1; }
  int64_t getIndexRank() const { return indexRank; }

private:
  OnnxBuilder &b;
  Value indices;
  int64_t indexRank, axis, rank;
};

/// Gather(f(table)) as f(Gather(table)).
struct GatherFirst : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    Operation *made = op.getData().getDefiningOp();
    auto extents = getExtents(op.getData());
    if (!made || isa<ConstantOp>(made) || !isTable(op.getData()) || !extents ||
        !getExtents(op.getIndices()) || !llvm::all_of(made->getOperands(), canGather) ||
        !llvm::all_of(made->getUsers(), [](Operation *user) { return isa<GatherOp>(user); }))
      return failure();
    auto rank = static_cast<int64_t>(extents->size());
    int64_t axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
    auto dequantise = dyn_cast<DequantizeLinearOp>(made);
    if (dequantise && !canMove(dequantise, axis, rank))
      return failure();
    OnnxBuilder b(rewriter, op, {made});
    RowGather rows(b, op, axis, rank);
    Value moved = dequantise ? moveDequantise(b, dequantise, rows, axis, rank)
                             : moveElementwise(b, made, rows);
    b.replaceRoot(moved);
    return success();
  }

private:
  static int64_t getAxis(DequantizeLinearOp op, int64_t rank) {
    return op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  }

  /// Rows of a scale for each of them would be a scale of several axes, and a block of rows has no
  /// scale of its own.
  static bool canMove(DequantizeLinearOp op, int64_t axis, int64_t rank) {
    return hasOneElement(op.getXScale()) || getAxis(op, rank) != axis;
  }

  static Value moveElementwise(OnnxBuilder &b, Operation *made, RowGather &rows) {
    SmallVector<Value> operands;
    for (Value operand : made->getOperands())
      operands.push_back(rows.gather(operand));
    return b.rebuild(made, operands)->getResult(0);
  }

  static Value moveDequantise(OnnxBuilder &b, DequantizeLinearOp op, RowGather &rows, int64_t axis,
                              int64_t rank) {
    bool isBlocked = op.getBlockSize() != 0, isWhole = hasOneElement(op.getXScale());
    auto move = [&](Value parameter) {
      return parameter && isBlocked ? rows.gather(parameter) : parameter;
    };
    int64_t along = isWhole && !isBlocked ? op.getAxis() : rows.moved(getAxis(op, rank));
    return b.make<DequantizeLinearOp>(rows.gather(op.getX()), move(op.getXScale()),
                                      move(op.getXZeroPoint()), along, op.getBlockSize(),
                                      op.getOutputDtype());
  }
};

} // namespace

void cameo::populateTablePatterns(RewritePatternSet &patterns) {
  patterns.add<GatherFirst>(patterns.getContext());
}
