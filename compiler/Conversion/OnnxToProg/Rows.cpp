// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Rows.h"

#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

Rows Rows::along(Value tensor, ArrayRef<int64_t> reducedAxes) {
  ArrayRef<ExtentAttr> extents = tensorOf(tensor).getExtents();
  Rows rows;
  rows.sourceRank = extents.size();
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    if (llvm::is_contained(reducedAxes, static_cast<int64_t>(axis)))
      continue;
    rows.outer.push_back(extent);
    rows.axes.push_back(axis);
  }
  for (int64_t axis : reducedAxes) {
    rows.reduced.push_back(extents[axis]);
    rows.axes.push_back(axis);
  }
  return rows;
}

Rows Rows::alongAxis(Value tensor, int64_t axis) {
  return along(tensor, {axis < 0 ? axis + tensorOf(tensor).getRank() : axis});
}

Rows Rows::fromAxis(Value tensor, int64_t first) {
  int64_t rank = tensorOf(tensor).getRank();
  return along(tensor, llvm::to_vector(llvm::seq(first < 0 ? first + rank : first, rank)));
}

Rows Rows::along(Value tensor, const AxisList &reducedAxes) {
  SmallVector<int64_t> constants;
  for (int64_t axis = 0; axis < reducedAxes.getRank(); ++axis)
    if (reducedAxes.contains(axis).isConstant(1))
      constants.push_back(axis);
  if (reducedAxes.isConstant())
    return along(tensor, constants);
  ArrayRef<ExtentAttr> extents = tensorOf(tensor).getExtents();
  Rows rows{reducedAxes.reduce(extents), reducedAxes.keep(extents), {}, reducedAxes.getRank()};
  for (int twice = 0; twice < 2; ++twice)
    llvm::append_range(rows.axes, llvm::seq(rows.sourceRank));
  return rows;
}

std::optional<Rows> Rows::ofReduction(Lowering &lower, Value tensor, Value axes,
                                      bool noopWithEmptyAxes) {
  FailureOr<AxisList> reduced =
      getReducedAxes(lower.inference(), axes, tensorOf(tensor).getRank(), noopWithEmptyAxes);
  if (failed(reduced) || !reduced->isKnown())
    return std::nullopt;
  lower.checkAxes(*reduced);
  return along(tensor, *reduced);
}

ExtentAttr Rows::getRowExtent(Lowering &lower) const {
  ExtentAttr product = lower.inference().constant(1);
  for (ExtentAttr extent : reduced)
    product = product * extent;
  return product;
}

SymTensorType Rows::getReducedType(SymTensorType result) const {
  bool isTwice = static_cast<int64_t>(axes.size()) > sourceRank;
  return isTwice ? result.withExtents(outer) : result;
}

Index Rows::getSource(Lowering &lower) const {
  Index index(sourceRank, lower.constant(0));
  for (auto [number, axis] : llvm::enumerate(axes))
    index[axis] = index[axis] + lower.dim(number);
  return index;
}

Index Rows::getReducedIndex(Lowering &lower, unsigned rank) const {
  if (rank == outer.size())
    return lower.dims(rank);
  Index index(rank, lower.constant(0));
  for (unsigned number = 0; number < outer.size(); ++number)
    index[axes[number]] = lower.dim(number);
  return index;
}
