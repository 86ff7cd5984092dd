// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Movement that is made of other movement.

#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The middle of what is too long, then zeros around what is too short.
SmallVector<Value> decomposeCenterCropPad(OnnxBuilder &b, CenterCropPadOp op) {
  ArrayRef<ExtentAttr> from = *getExtents(op.getInputData()), to = *getExtents(op.getOutputData());
  SmallVector<ExtentAttr> starts, ends, before, after;
  SmallVector<int64_t> axes;
  for (auto [axis, source, target] : llvm::enumerate(from, to)) {
    if (source == target)
      continue;
    axes.push_back(static_cast<int64_t>(axis));
    starts.push_back((source - target).max(0).floorDiv(2));
    ends.push_back(starts.back() + source.min(target));
    before.push_back((target - source).max(0).floorDiv(2));
    after.push_back((target - source).max(0) - before.back());
  }
  if (axes.empty())
    return {op.getInputData()};
  Value axisList = b.integers(axes);
  Value cropped =
      b.make<SliceOp>(op.getInputData(), b.extents(starts), b.extents(ends), axisList, Value());
  llvm::append_range(before, after);
  return {b.make<PadOp>(cropped, b.extents(before), Value(), axisList, "constant")};
}

} // namespace

void cameo::populateMovementDecompositions(RewritePatternSet &patterns) {
  patterns.add<Decomposition<CenterCropPadOp>>(patterns.getContext(), decomposeCenterCropPad);
}
