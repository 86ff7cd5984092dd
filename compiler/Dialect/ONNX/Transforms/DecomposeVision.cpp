// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids of coordinates, and maxima put back where they came from.

#include "Dialect/ONNX/IR/Window.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The coordinates of the elements of an axis, from -1 to 1: centres of elements, or with
/// `alignsCorners` the first and the last one at the ends.
Value buildCoordinates(OnnxBuilder &b, ExtentAttr count, Type real, bool alignsCorners) {
  Value number = b.cast(
      b.make<RangeOp>(b.number(b.extent(0)), b.number(count), b.number(b.extent(1)), 1), real);
  Value one = b.constant(real, 1), two = b.constant(real, 2);
  if (alignsCorners) {
    // One element alone stands at -1.
    Value steps = b.cast(b.number((count - 1).max(1)), real);
    return b.sub(b.div(b.mul(number, two), steps), one);
  }
  Value doubled = b.add(b.mul(number, two), one);
  return b.sub(b.div(doubled, b.cast(b.number(count), real)), one);
}

/// theta * (x, y, 1), or (x, y, z, 1), of each element: x is the coordinate along the last axis.
SmallVector<Value> decomposeAffineGrid(OnnxBuilder &b, AffineGridOp op) {
  std::optional<ArrayRef<ExtentAttr>> grid = getExtents(op.getGrid());
  std::optional<ArrayRef<ExtentAttr>> theta = getExtents(op.getTheta());
  if (!grid || !theta)
    return {};
  Type element = elementTypeOf(op.getTheta());
  Type real = element.isF64() ? element : Float32Type::get(op.getContext());
  auto axes = static_cast<int64_t>(grid->size()) - 2;
  Value transform = b.cast(op.getTheta(), real);
  /// A column of the transform, as an axis of the grid's elements.
  auto getColumn = [&](int64_t column) {
    SmallVector<ExtentAttr> extents(grid->size(), b.extent(1));
    extents.front() = (*theta)[0];
    extents.back() = b.extent(axes);
    return b.reshape(b.slice(transform, 2, b.extent(column), b.extent(column + 1)), extents);
  };
  Value sum = getColumn(axes);
  for (int64_t column = 0; column < axes; ++column) {
    int64_t axis = axes - column;
    SmallVector<ExtentAttr> along(grid->size(), b.extent(1));
    along[axis] = (*grid)[axis];
    Value place = buildCoordinates(b, (*grid)[axis], real, op.getAlignCorners() != 0);
    sum = b.add(sum, b.mul(b.reshape(place, along), getColumn(column)));
  }
  return {b.cast(sum, element)};
}

/// Indices count the elements of the whole output as the window makes it; where a larger one is
/// asked for, zeros follow.
SmallVector<Value> decomposeMaxUnpool(OnnxBuilder &b, MaxUnpoolOp op) {
  std::optional<ArrayRef<ExtentAttr>> input = getExtents(op.getX());
  std::optional<ArrayRef<ExtentAttr>> output = getExtents(op.getOutput());
  if (!input || !output)
    return {};
  size_t axes = input->size() - 2;
  auto getAttribute = [](std::optional<ArrayRef<int64_t>> values, size_t axis, int64_t usual) {
    return values ? (*values)[axis] : usual;
  };
  SmallVector<ExtentAttr> pooled(input->take_front(2)), missing;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t pads = getAttribute(op.getPads(), axis, 0) + getAttribute(op.getPads(), axes + axis, 0);
    ExtentAttr extent = ((*input)[axis + 2] - 1) * getAttribute(op.getStrides(), axis, 1) +
                        (op.getKernelShape()[axis] - pads);
    pooled.push_back(extent);
    missing.push_back((*output)[axis + 2] - extent);
  }
  auto multiply = [&](ArrayRef<ExtentAttr> extents) {
    ExtentAttr product = b.extent(1);
    for (ExtentAttr extent : extents)
      product = product * extent; // checked: `unknown` when it does not fit
    return product;
  };
  ExtentAttr from = multiply(*input), to = multiply(pooled);
  if (from.isUnknown() || to.isUnknown())
    return {};
  Value zero = b.constant(elementTypeOf(op.getX()), 0);
  Value empty = b.make<ExpandOp>(zero, b.extents(to));
  Value scattered = b.make<ScatterElementsOp>(empty, b.reshape(op.getI(), from),
                                              b.reshape(op.getX(), from), 0, "none");
  Value result = b.reshape(scattered, pooled);
  if (ArrayRef(pooled) == *output)
    return {result};
  SmallVector<ExtentAttr> pads(missing.size(), b.extent(0));
  llvm::append_range(pads, missing);
  SmallVector<int64_t> spatial =
      llvm::to_vector(llvm::seq<int64_t>(2, static_cast<int64_t>(input->size())));
  return {b.make<PadOp>(result, b.extents(pads), zero, b.integers(spatial), "constant")};
}

} // namespace

void cameo::populateVisionDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<AffineGridOp>>(context, decomposeAffineGrid);
  patterns.add<Decomposition<MaxUnpoolOp>>(context, decomposeMaxUnpool);
}
