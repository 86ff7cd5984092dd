// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/MatrixOperand.h"

#include "Fusion/Functors.h"
#include "Fusion/Uses.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// The distances of neighbours in a dense tensor.
static SmallVector<ExtentAttr> getDenseStrides(ArrayRef<ExtentAttr> extents, MLIRContext *context) {
  SmallVector<ExtentAttr> strides(extents.size());
  ExtentAttr stride = ExtentAttr::constant(context, 1);
  for (size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = stride * extents[axis];
  }
  return strides;
}

bool cameo::isDense(ArrayRef<ExtentAttr> strides, ArrayRef<ExtentAttr> extents) {
  return llvm::all_of(
      llvm::zip_equal(strides, extents, getDenseStrides(extents, extents.front().getContext())),
      [](auto axis) {
        auto [stride, extent, wanted] = axis;
        return extent.isConstant(1) || stride == wanted;
      });
}

/// Whether a kernel gives the elements of its only operand other places, and nothing else.
static bool isTranspose(KernelOp kernel) {
  if (kernel.getIns().size() != 1 || !isInlinable(kernel) || !getTensor(kernel.getIns().front()) ||
      getTensor(kernel.getIns().front()).getLayout())
    return false;
  Block *body = kernel.getBodyBlock();
  return body->getTerminator()->getOperand(0) == body->getArgument(0);
}

SmallVector<KernelOp, 2> cameo::collectTransposes(Value operand, Block *block) {
  SmallVector<KernelOp, 2> transposes;
  auto kernel = getViewed(operand).getDefiningOp<KernelOp>();
  while (kernel && kernel->getBlock() == block && isTranspose(kernel)) {
    transposes.push_back(kernel);
    kernel = getViewed(kernel.getIns().front()).getDefiningOp<KernelOp>();
  }
  return transposes;
}

void cameo::eraseTransposes(ArrayRef<MatrixOperand> operands,
                            SmallVectorImpl<Location> &locations) {
  // Operands may share them.
  llvm::SmallSetVector<KernelOp, 4> left;
  for (const MatrixOperand &operand : operands)
    left.insert_range(operand.transposes);
  auto isUnread = [](KernelOp kernel) {
    bool isRead = false;
    forEachUse(kernel.getResult(0), *kernel->getBlock(), [&](OpOperand &) { isRead = true; });
    return !isRead;
  };
  while (true) {
    auto *unread = llvm::find_if(left, isUnread);
    if (unread == left.end())
      return;
    KernelOp kernel = *unread;
    left.remove(kernel);
    eraseWithViews(kernel, locations);
  }
}

namespace {
/// The place in a tensor of an element that is linear in the index of a point.
struct LinearIndex {
  ExtentAttr offset;
  SmallVector<ExtentAttr> strides;

  LinearIndex(MLIRContext *context, size_t rank)
      : offset(ExtentAttr::constant(context, 0)), strides(rank, offset) {}

  /// Adds `times` an expression; whether that is linear.
  bool add(AffineExpr expr, ExtentAttr times) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      offset = offset + times * constant.getValue();
      return true;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      strides[dim.getPosition()] = strides[dim.getPosition()] + times;
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (expr.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), times) && add(binary.getRHS(), times);
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && factor &&
           add(binary.getLHS(), times * factor.getValue());
  }
};
} // namespace

/// Where kernels that are read one through the other read at last, along axes of these extents and
/// strides: of the most of them through which that is linear, and lies together along the last axis
/// or, `takesColumns`, the one before. Axes with a stride of 0 are none of the results'.
static std::optional<MatrixOperand> readThrough(ArrayRef<KernelOp> transposes,
                                                const ExtentFacts &facts,
                                                ArrayRef<ExtentAttr> extents,
                                                ArrayRef<ExtentAttr> strides, bool takesColumns) {
  MLIRContext *context = extents.front().getContext();
  IndexSpace space(context, extents.size(), facts);
  Point at{{}, {}};
  for (auto [extent, stride, dim] : llvm::zip_equal(extents, strides, space.getDims()))
    if (!stride.isConstant(0)) {
      at.extents.push_back(extent);
      at.index.push_back(dim);
    }
  std::optional<MatrixOperand> found;
  for (size_t number = 0; number < transposes.size(); ++number) {
    KernelOp transpose = transposes[number];
    std::optional<Evaluation> evaluation = space.evaluate(transpose, at);
    std::optional<IndexExprs> index;
    if (evaluation)
      index = space.apply(transpose.getInputMaps().front(), transpose.getMapSymbolExtents(),
                          evaluation->own);
    if (!index)
      break;
    Value source = transpose.getIns().front();
    at = {llvm::to_vector<6>(getTensor(source).getExtents()), *index};
    LinearIndex linear(context, extents.size());
    bool isLinear =
        llvm::all_of(llvm::zip_equal(*index, getDenseStrides(at.extents, context)), [&](auto axis) {
          auto [expr, stride] = axis;
          return linear.add(expr, stride);
        });
    if (isLinear && (linear.strides.back().isConstant(1) ||
                     (takesColumns && linear.strides.end()[-2].isConstant(1))))
      found = MatrixOperand{source, linear.strides, linear.offset,
                            SmallVector<KernelOp, 2>(transposes.take_front(number + 1))};
  }
  return found;
}

Value cameo::createView(OpBuilder &builder, Location location, const MatrixOperand &matrix) {
  if (matrix.offset.isConstant(0))
    return matrix.tensor;
  SymTensorType type = getTensor(matrix.tensor);
  return ViewOp::create(builder, location,
                        type.withExtents({type.getNumElements() - matrix.offset}), matrix.tensor,
                        matrix.offset);
}

/// Makes one axis of extents and strides two, or adds one that is repeated.
static void apply(const AxisSplit &split, bool isLeft, SmallVectorImpl<ExtentAttr> &extents,
                  SmallVectorImpl<ExtentAttr> &strides) {
  if (!split.outer)
    return;
  size_t axis = extents.size() - (split.ofRows ? 2 : 3);
  bool isRepeated = split.ofRows && !isLeft;
  ExtentAttr inner = strides[axis];
  strides.insert(strides.begin() + axis,
                 isRepeated ? ExtentAttr::constant(inner.getContext(), 0) : inner * split.inner);
  extents.insert(extents.begin() + axis, split.outer);
  if (!isRepeated)
    extents[axis + 1] = split.inner;
}

MatrixOperand cameo::readMatrix(CallOp product, unsigned number, bool takesColumns,
                                const ExtentFacts &facts, const AxisSplit &split) {
  bool isTransposed = getFlag(product, number == 0 ? "trans_a" : "trans_b");
  ExtentAttr row = getExtent(product, number == 0 ? "m" : "k");
  ExtentAttr column = getExtent(product, number == 0 ? "k" : "n");
  if (isTransposed)
    std::swap(row, column);
  SmallVector<ExtentAttr> extents = getExtents(product, "batch");
  extents.append({row, column});
  MatrixOperand matrix{product.getIns()[number],
                       getExtents(product, number == 0 ? "a_batch_stride" : "b_batch_stride"),
                       ExtentAttr::constant(product.getContext(), 0),
                       {}};
  matrix.strides.append({column, ExtentAttr::constant(product.getContext(), 1)});
  bool dense = isDense(matrix.strides, extents);
  apply(split, number == 0, extents, matrix.strides);
  if (dense)
    if (auto found = readThrough(collectTransposes(matrix.tensor, product->getBlock()), facts,
                                 extents, matrix.strides, takesColumns))
      matrix = *found;
  if (isTransposed)
    std::swap(matrix.strides.end()[-1], matrix.strides.end()[-2]);
  return matrix;
}
