// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Rows.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

Rows Rows::along(Value tensor, ArrayRef<int64_t> reducedAxes) {
  Rows rows;
  ArrayRef<ExtentAttr> extents = tensorOf(tensor).getExtents();
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

std::optional<Rows> Rows::ofReduction(Lowering &lower, Value tensor, Value axes,
                                      bool noopWithEmptyAxes) {
  int64_t rank = tensorOf(tensor).getRank();
  SmallVector<int64_t> reduced;
  std::optional<ExtentValues> given = lower.values(axes);
  if (axes && !given && !tensorOf(axes).getNumElements().isConstant(0))
    return std::nullopt;
  for (ExtentAttr extent : given.value_or(ExtentValues())) {
    std::optional<int64_t> axis = extent.getConstant();
    if (!axis)
      return std::nullopt;
    reduced.push_back(*axis < 0 ? *axis + rank : *axis);
  }
  if (reduced.empty() && !noopWithEmptyAxes)
    llvm::append_range(reduced, llvm::seq<int64_t>(0, rank));
  llvm::sort(reduced);
  return along(tensor, reduced);
}

ExtentAttr Rows::getRowExtent(Lowering &lower) const {
  ExtentAttr product = lower.inference().constant(1);
  for (ExtentAttr extent : reduced)
    product = product * extent;
  return product;
}

Index Rows::getSource(Lowering &lower) const {
  Index index(axes.size());
  for (auto [number, axis] : llvm::enumerate(axes))
    index[axis] = lower.dim(number);
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
