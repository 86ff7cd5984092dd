// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids of coordinates, convolutions that read at such, and maxima put back where they came from.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
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

/// Their product; unknown when it does not fit.
ExtentAttr multiply(OnnxBuilder &b, ArrayRef<ExtentAttr> extents) {
  ExtentAttr product = b.extent(1);
  for (ExtentAttr extent : extents)
    product = product * extent; // checked: `unknown` when it does not fit
  return product;
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

/// One DeformConv: its input is sampled at all taps of all places, which a product with the weights
/// adds up.
class DeformedSamples {
public:
  DeformedSamples(OnnxBuilder &b, DeformConvOp op, ArrayRef<WindowAxis> windows)
      : b(b), op(op), windows(windows), x(*getExtents(op.getX())), y(*getExtents(op.getY())),
        batch(x[0]), groups(b.extent(op.getOffsetGroup())) {
    for (const WindowAxis &window : windows)
      kernel.push_back(window.kernel);
    taps = multiply(b, kernel), places = multiply(b, y.drop_front(2));
  }

  bool isKnown() const { return !taps.isUnknown() && !places.isUnknown(); }
  Value build();

private:
  Value findPlaces(Value offset, size_t axis, Type real);
  Value buildGrid();
  Value sample();

  OnnxBuilder &b;
  DeformConvOp op;
  ArrayRef<WindowAxis> windows;
  ArrayRef<ExtentAttr> x, y;
  ExtentAttr batch, groups;
  SmallVector<ExtentAttr> kernel;
  /// How many taps a window has, and how many places the output.
  ExtentAttr taps, places;
};

/// Where every tap reads along an axis, from -1 to 1 as GridSample has it: [batch, groups,
/// kernel..., 1, places...].
Value DeformedSamples::findPlaces(Value offset, size_t axis, Type real) {
  size_t axes = windows.size(), rank = 2 * axes + 3;
  const WindowAxis &window = windows[axis];
  ExtentAttr first = b.extent(static_cast<int64_t>(axis));
  Value own = b.slice(offset, static_cast<int64_t>(axes) + 2, first, first + 1);
  auto number = [&](double value) { return b.constant(b.getInteger(), value); };
  Value tap = b.mul(b.countAlong(window.kernel, rank, 2 + axis),
                    number(static_cast<double>(window.dilation)));
  Value begin = b.mul(b.countAlong(y[2 + axis], rank, axes + 3 + axis),
                      number(static_cast<double>(window.stride)));
  Value regular = b.sub(b.add(begin, tap), b.number(window.padBegin));
  Value place = b.add(own, b.cast(regular, real));
  Value one = b.constant(real, 1), two = b.constant(real, 2);
  Value extent = b.cast(b.number(x[2 + axis]), real);
  return b.sub(b.div(b.add(b.mul(place, two), one), extent), one);
}

/// For GridSample each tap and place is one of the output: [batch * groups, taps, places, 1...,
/// axes] or, along a single axis, [batch * groups, taps * places, 1].
Value DeformedSamples::buildGrid() {
  Type element = elementTypeOf(op.getX());
  Type real = element.isF64() ? element : Float32Type::get(op.getContext());
  size_t axes = windows.size();
  SmallVector<ExtentAttr> apart = {batch, groups};
  llvm::append_range(apart, kernel);
  apart.push_back(b.extent(static_cast<int64_t>(axes)));
  llvm::append_range(apart, y.drop_front(2));
  Value offset = b.cast(b.reshape(op.getOffset(), apart), real);
  SmallVector<Value> coordinates;
  for (size_t axis = axes; axis-- > 0;)
    coordinates.push_back(
        b.reshape(findPlaces(offset, axis, real), {batch * groups, taps * places, b.extent(1)}));
  Value grid = axes == 1 ? coordinates.front() : b.make<ConcatOp>(coordinates, 2);
  SmallVector<ExtentAttr> extents = {batch * groups, taps, places};
  extents.resize(axes + 1, b.extent(1));
  if (axes == 1)
    extents.back() = taps * places;
  extents.push_back(b.extent(static_cast<int64_t>(axes)));
  return b.reshape(grid, extents);
}

/// [batch, groups, channels of a group, taps, places]
Value DeformedSamples::sample() {
  ExtentAttr channels = simplify(x[1].floorDiv(op.getOffsetGroup()), getSymbolFacts(op));
  SmallVector<ExtentAttr> images = {batch * groups, channels};
  llvm::append_range(images, x.drop_front(2));
  Value sampled = b.make<GridSampleOp>(b.reshape(op.getX(), images), buildGrid(),
                                       /*align_corners=*/0, "linear", "zeros");
  sampled = b.reshape(sampled, {batch, groups, channels, taps, places});
  if (!op.getMask())
    return sampled;
  return b.mul(sampled, b.reshape(op.getMask(), {batch, groups, b.extent(1), taps, places}));
}

Value DeformedSamples::build() {
  ArrayRef<ExtentAttr> weights = *getExtents(op.getW());
  ExtentAttr count = b.extent(op.getGroup()), depth = weights[1] * taps;
  ExtentAttr outputs = simplify(weights[0].floorDiv(op.getGroup()), getSymbolFacts(op));
  Value columns = b.reshape(sample(), {batch, count, depth, places});
  Value sums = b.make<MatMulOp>(b.reshape(op.getW(), {count, outputs, depth}), columns);
  Value result = b.reshape(sums, {batch, weights[0], places});
  if (op.getB())
    result = b.add(result, b.reshape(op.getB(), {weights[0], b.extent(1)}));
  return b.reshape(result, y);
}

SmallVector<Value> decomposeDeformConv(OnnxBuilder &b, DeformConvOp op) {
  for (Value value : {op.getX(), op.getW(), op.getOffset(), op.getY()})
    if (!getExtents(value))
      return {};
  if (op.getMask() && !getExtents(op.getMask()))
    return {};
  ExtentFacts facts = getSymbolFacts(op);
  LocalInference inference(op, facts);
  FailureOr<SmallVector<WindowAxis>> windows =
      resolveWindow(inference, op.getWindowAttributes(), getExtents(op.getX())->drop_front(2),
                    getExtents(op.getW())->drop_front(2));
  if (failed(windows))
    return {};
  DeformedSamples samples(b, op, *windows);
  return samples.isKnown() ? SmallVector<Value>{samples.build()} : SmallVector<Value>();
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

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
  ExtentAttr from = multiply(b, *input), to = multiply(b, pooled);
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
  patterns.add<Decomposition<DeformConvOp>>(context, decomposeDeformConv);
  patterns.add<Decomposition<MaxUnpoolOp>>(context, decomposeMaxUnpool);
}
