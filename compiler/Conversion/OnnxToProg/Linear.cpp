// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: all are the gemm template with strides for broadcast batches and the rest of the
// operator in its epilogue.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/CodedMatrix.h"
#include "Dialect/Prog/IR/ColumnBlocks.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// A right operand that products read as codes.
std::optional<CodedMatrix> findCodes(Operation *product, Value matrix) {
  auto op = matrix.getDefiningOp<DequantizeLinearOp>();
  std::optional<int64_t> columnAxis = getColumnAxis(product, matrix);
  return op && columnAxis && isReadAsCodes(op) ? matchCodedMatrix(op, *columnAxis) : std::nullopt;
}

/// The number that all zero points of a matrix are; none where they differ.
std::optional<int64_t> getCommonZeroPoint(const CodedMatrix &matrix) {
  ConstantOp zeroPoints = matrix.zeroPoints;
  if (!zeroPoints)
    return 0;
  auto values = dyn_cast<DenseElementsAttr>(zeroPoints.getValueAttr());
  if (!values || !values.isSplat())
    return std::nullopt;
  APInt value = values.getSplatValue<APInt>();
  return matrix.isSigned ? value.getSExtValue() : static_cast<int64_t>(value.getZExtValue());
}

/// A product by codes that is computed on `side`, all of it but what it multiplies and where it
/// stores. The template of the matrix has the same members and operands.
auto callCodes(Lowering &lower, const CodedMatrix &matrix, Side side) {
  int64_t bits = matrix.bits, origin = matrix.isSigned ? int64_t(1) << (bits - 1) : 0;
  MLIRContext *context = lower.getRewriter().getContext();
  auto weight = [&](ConstantOp constant, Attribute step) -> Value {
    SymTensorType type = tensorOf(constant.getOutput()).withSide(side);
    ElementsAttr value = constant.getValue();
    if (type.getRank() == 1) { // a scale for each column
      SmallVector<int64_t> shape = {1, 1};
      shape[matrix.columnAxis] = matrix.columns;
      value = reshapeElements(value, shape);
      type = getTypeOf(value, {}).withSide(side);
    }
    LogicalResult applied =
        cast<ConstantStepInterface>(step).apply(type, [&] { return emitError(lower.getLoc()); });
    assert(succeeded(applied) && "the matrix was matched");
    (void)applied;
    return prog::WeightOp::create(lower.getRewriter(), constant.getLoc(), type, value, step);
  };
  auto asCodes = prog::ColumnsAttr::get(context, matrix.columnAxis, column_lanes, bits, origin);
  std::optional<int64_t> common = getCommonZeroPoint(matrix);
  auto constant = [&](int64_t value) { return lower.inference().constant(value); };
  return GemmCodesCall(lower)
      .n(constant(matrix.columns))
      .k(constant(matrix.rows))
      .group(constant(matrix.group))
      .bits(bits)
      .zeroPoint(constant(common.value_or(0) + origin))
      .codes(weight(matrix.codes, asCodes))
      .scales(weight(matrix.scales,
                     prog::ColumnsAttr::get(context, matrix.columnAxis, column_lanes, 0, 0)))
      .zeroPoints(common ? Value() : weight(matrix.zeroPoints, asCodes));
}

/// The result of such a product, by the template of its matrix.
Value callKernel(const CodedMatrix &matrix, Value product) {
  product.getDefiningOp<prog::CallOp>().setCallee(matrix.kernel->name);
  return product;
}

struct GemmLowering : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getY());
    ArrayRef<ExtentAttr> a = tensorOf(op.getA()).getExtents();
    bool transA = op.getTransA() != 0, transB = op.getTransB() != 0;
    Type element = result.getElementType(), sum = getAccumulatorType(element);
    double alpha = op.getAlpha().convertToFloat(), beta = op.getBeta().convertToFloat();
    SmallVector<Read> reads;
    if (op.getC())
      reads.push_back(
          {op.getC(), lower.broadcast(tensorOf(op.getC()).getExtents(), result.getExtents())});
    auto build = [&](auto call) {
      return call.m(result.getExtents()[0])
          .a(op.getA())
          .store(reads, result, lower.dims(2),
                 [=](ScalarBuilder &b, ValueRange x) {
                   Value value = x[0];
                   if (alpha != 1)
                     value = b.mul(value, b.constant(sum, alpha));
                   if (x.size() > 1) {
                     Value c = b.cast(x[1], sum);
                     value = b.add(value, beta == 1 ? c : b.mul(c, b.constant(sum, beta)));
                   }
                   return SmallVector<Value>{b.cast(value, element)};
                 })
          .build()
          .getResult(0);
    };
    if (std::optional<CodedMatrix> codes = findCodes(op, op.getB()))
      rewriter.replaceOp(op, callKernel(*codes, build(callCodes(lower, *codes, result.getSide()))));
    else
      rewriter.replaceOp(op, build(GemmCall(lower)
                                       .batch({})
                                       .transA(transA)
                                       .transB(transB)
                                       .n(result.getExtents()[1])
                                       .k(a[transA ? 0 : 1])
                                       .b(op.getB())));
    return success();
  }
};

/// A matrix product of two tensors with broadcast leading axes.
template <class Op> class MatMulBuilder {
public:
  MatMulBuilder(Op op, PatternRewriter &rewriter)
      : op(op), lower(rewriter, op), one(lower.inference().constant(1)),
        a(tensorOf(op.getA()).getExtents()), b(tensorOf(op.getB()).getExtents()) {
    // A vector is a row on the left and a column on the right.
    if (a.size() == 1)
      a.insert(a.begin(), one);
    if (b.size() == 1)
      b.push_back(one);
  }

  Value build() {
    // A single right-hand matrix takes the rows of all batches at once.
    if (b.size() == 2 && a.size() > 2)
      mergeBatches();
    size_t rank = std::max(a.size(), b.size()) - 2;
    SmallVector<ExtentAttr> batch = getBatch(rank);
    SymTensorType result = tensorOf(op.getY());
    SmallVector<ExtentAttr> extents(batch);
    extents.append({a[a.size() - 2], b.back()});
    SymTensorType product = result.withExtents(extents);
    auto finish = [&](auto call) {
      return call.m(a[a.size() - 2])
          .a(op.getA())
          .store(product, lower.dims(rank + 2))
          .build()
          .getResult(0);
    };
    // A matrix of codes has no batches, and those of the other operand are rows by now.
    Value matrix;
    if (std::optional<CodedMatrix> codes = findCodes(op, op.getB()))
      matrix = callKernel(*codes, finish(callCodes(lower, *codes, product.getSide())));
    else
      matrix = finish(GemmCall(lower)
                          .batch(batch)
                          .n(b.back())
                          .k(a.back())
                          .b(op.getB())
                          .transA(false)
                          .transB(false)
                          .aBatchStride(getStrides(a, batch))
                          .bBatchStride(getStrides(b, batch)));
    return product == result ? matrix : lower.view(matrix, result);
  }

private:
  void mergeBatches() {
    ExtentAttr rows = one;
    for (ExtentAttr extent : ArrayRef(a).drop_back())
      rows = rows * extent;
    a = {rows, a.back()};
  }

  SmallVector<ExtentAttr> getBatch(size_t rank) {
    SmallVector<ExtentAttr> batch(rank, one);
    for (ArrayRef<ExtentAttr> operand : {ArrayRef(a), ArrayRef(b)}) {
      ArrayRef<ExtentAttr> own = operand.drop_back(2);
      size_t lead = rank - own.size();
      for (auto [axis, extent] : llvm::enumerate(own)) {
        FailureOr<ExtentAttr> merged =
            lower.inference().broadcastExtent(batch[lead + axis], extent);
        batch[lead + axis] = succeeded(merged) ? *merged : extent;
      }
    }
    return batch;
  }

  /// The distance of neighbours along each batch axis; 0 where the operand is broadcast.
  SmallVector<ExtentAttr> getStrides(ArrayRef<ExtentAttr> operand, ArrayRef<ExtentAttr> batch) {
    ArrayRef<ExtentAttr> own = operand.drop_back(2);
    SmallVector<ExtentAttr> strides(batch.size(), lower.inference().constant(0));
    ExtentAttr stride = operand[operand.size() - 2] * operand.back();
    size_t lead = batch.size() - own.size();
    for (size_t axis = own.size(); axis-- > 0;) {
      ExtentAttr extent = own[axis];
      if (provablyEqual(extent, batch[lead + axis], lower.getFacts())) {
        strides[lead + axis] = stride;
      } else if (!extent.isConstant(1)) {
        lower.check("broadcast", extent, batch[lead + axis], "invalid_argument",
                    "operands do not broadcast");
        strides[lead + axis] = stride * (extent - 1).min(1);
      }
      stride = stride * extent;
    }
    return strides;
  }

  Op op;
  Lowering lower;
  ExtentAttr one;
  SmallVector<ExtentAttr> a, b;
};

struct MatMulLowering : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, MatMulBuilder(op, rewriter).build());
    return success();
  }
};

/// A product of bytes.
struct MatMulIntegerLowering : OpRewritePattern<MatMulIntegerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulIntegerOp op, PatternRewriter &rewriter) const override {
    if (op.getAZeroPoint() || op.getBZeroPoint())
      return rewriter.notifyMatchFailure(op, "zero points are taken off sums");
    rewriter.replaceOp(op, MatMulBuilder(op, rewriter).build());
    return success();
  }
};

struct DetLowering : OpRewritePattern<DetOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DetOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> x = tensorOf(op.getX()).getExtents();
    SymTensorType result = tensorOf(op.getY());
    auto call = DetCall(lower)
                    .batch(x.drop_back(2))
                    .size(x.back())
                    .x(op.getX())
                    .store(result, lower.dims(result.getRank()))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

} // namespace

void cameo::populateLinearPatterns(RewritePatternSet &patterns) {
  patterns.add<DetLowering, GemmLowering, MatMulIntegerLowering, MatMulLowering>(
      patterns.getContext());
}
