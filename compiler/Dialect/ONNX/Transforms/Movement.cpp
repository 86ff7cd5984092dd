// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/Movement.h"

#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

int64_t normalize(int64_t axis, size_t rank) {
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

/// The shapes and strides of an operand and of the result it goes to.
struct Ends {
  SmallVector<int64_t> source, target;
  Strides sourceStrides, targetStrides;

  static std::optional<Ends> of(Value operand, Value result) {
    std::optional<SmallVector<int64_t>> source = getStaticShape(operand),
                                        target = getStaticShape(result);
    if (!source || !target)
      return std::nullopt;
    return Ends{*source, *target, getRowMajorStrides(*source), getRowMajorStrides(*target)};
  }
};

} // namespace

std::optional<StridedCopies> cameo::getCopies(TransposeOp op, unsigned) {
  std::optional<Ends> ends = Ends::of(op.getData(), op.getTransposed());
  if (!ends)
    return std::nullopt;
  StridedCopy copy{0, ends->target, 0, 0, {}, ends->targetStrides};
  size_t rank = ends->target.size();
  for (size_t axis = 0; axis < rank; ++axis)
    copy.fromStrides.push_back(
        ends->sourceStrides[op.getPerm() ? (*op.getPerm())[axis] : rank - 1 - axis]);
  return StridedCopies{copy};
}

std::optional<StridedCopies> cameo::getCopies(SliceOp op, unsigned) {
  std::optional<Ends> ends = Ends::of(op.getData(), op.getOutput());
  if (!ends)
    return std::nullopt;
  LocalInference inference(op);
  FailureOr<SmallVector<AxisSlice>> slices = op.getAxisSlices(inference);
  if (failed(slices))
    return std::nullopt;
  StridedCopy copy{0, ends->target, 0, 0, {}, ends->targetStrides};
  for (auto [slice, stride] : llvm::zip_equal(*slices, ends->sourceStrides)) {
    std::optional<int64_t> first = slice.first.getConstant(), step = slice.step.getConstant();
    if (!first || !step)
      return std::nullopt;
    copy.from += *first * stride;
    copy.fromStrides.push_back(*step * stride);
  }
  return StridedCopies{copy};
}

std::optional<StridedCopies> cameo::getCopies(SplitOp op, unsigned result) {
  std::optional<Ends> ends = Ends::of(op.getInput(), op.getResult(result));
  if (!ends)
    return std::nullopt;
  int64_t axis = normalize(op.getAxis(), ends->source.size()), offset = 0;
  for (unsigned earlier = 0; earlier < result; ++earlier) {
    std::optional<SmallVector<int64_t>> shape = getStaticShape(op.getResult(earlier));
    if (!shape)
      return std::nullopt;
    offset += (*shape)[axis];
  }
  if (offset + ends->target[axis] > ends->source[axis])
    return std::nullopt;
  return StridedCopies{{0, ends->target, offset * ends->sourceStrides[axis], 0, ends->sourceStrides,
                        ends->targetStrides}};
}

std::optional<StridedCopies> cameo::getCopies(ConcatOp op, unsigned) {
  StridedCopies copies;
  int64_t offset = 0;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    std::optional<Ends> ends = Ends::of(input, op.getConcatResult());
    if (!ends)
      return std::nullopt;
    int64_t axis = normalize(op.getAxis(), ends->source.size());
    copies.push_back({static_cast<unsigned>(number), ends->source, 0,
                      offset * ends->targetStrides[axis], ends->sourceStrides,
                      ends->targetStrides});
    offset += ends->source[axis];
  }
  return copies;
}

std::optional<StridedCopies> cameo::getCopies(ExpandOp op, unsigned) {
  std::optional<Ends> ends = Ends::of(op.getInput(), op.getOutput());
  if (!ends)
    return std::nullopt;
  StridedCopy copy{0, ends->target, 0, 0, Strides(ends->target.size(), 0), ends->targetStrides};
  size_t lead = ends->target.size() - ends->source.size();
  for (auto [axis, extent] : llvm::enumerate(ends->source))
    copy.fromStrides[lead + axis] = extent == 1 ? 0 : ends->sourceStrides[axis];
  return StridedCopies{copy};
}

std::optional<StridedCopies> cameo::getCopies(TileOp op, unsigned) {
  std::optional<Ends> ends = Ends::of(op.getInput(), op.getOutput());
  if (!ends)
    return std::nullopt;
  // Two indices per axis: which repetition, and where in it.
  StridedCopy copy;
  for (auto [axis, extent] : llvm::enumerate(ends->source)) {
    int64_t repeats = extent == 0 ? 0 : ends->target[axis] / extent;
    int64_t stride = ends->targetStrides[axis];
    copy.extents.append({repeats, extent});
    copy.fromStrides.append({0, ends->sourceStrides[axis]});
    copy.toStrides.append({extent * stride, stride});
  }
  return StridedCopies{copy};
}

std::optional<StridedCopies> cameo::getCopies(GatherOp op, unsigned) {
  std::optional<Ends> ends = Ends::of(op.getData(), op.getOutput());
  std::optional<ConstantElements> indices = ConstantElements::read(op.getIndices());
  if (!ends || !indices)
    return std::nullopt;
  size_t rank = ends->source.size(), indexRank = indices->getShape().size();
  int64_t axis = normalize(op.getAxis(), rank), size = ends->source[axis];
  // A copy per index: of all axes but `axis`, in whose place the result has those of the indices.
  StridedCopy slice;
  for (size_t other = 0; other < rank; ++other) {
    if (static_cast<int64_t>(other) == axis)
      continue;
    size_t there = static_cast<int64_t>(other) < axis ? other : other + indexRank - 1;
    slice.extents.push_back(ends->source[other]);
    slice.fromStrides.push_back(ends->sourceStrides[other]);
    slice.toStrides.push_back(ends->targetStrides[there]);
  }
  StridedCopies copies;
  for (int64_t number = 0; number < indices->getNumElements(); ++number) {
    int64_t index = indices->getInteger(number);
    if (index < -size || index >= size)
      return std::nullopt;
    slice.from = (index < 0 ? index + size : index) * ends->sourceStrides[axis];
    slice.to = number * ends->sourceStrides[axis];
    copies.push_back(slice);
  }
  return copies;
}
