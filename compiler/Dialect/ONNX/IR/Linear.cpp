// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of products.

#include "Dialect/ONNX/IR/Einsum.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult cameo::onnx::inferMatMul(ExtentInference &infer, Value a, Value b, Type elementType) {
  if (failed(infer.requireRank(a, "the left operand (C1)", 1)) ||
      failed(infer.requireRank(b, "the right operand (C1)", 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> left = infer.extents(a), right = infer.extents(b);
  if (!left || !right) {
    infer.setUnranked(0, elementType);
    return success();
  }
  bool isRow = left->size() == 1, isColumn = right->size() == 1;
  ExtentAttr depth = left->back();
  ExtentAttr otherDepth = isColumn ? right->back() : (*right)[right->size() - 2];
  if (failed(infer.requireEqual(otherDepth, depth, "the rows of the left operand (C2)")))
    return failure();
  FailureOr<SmallVector<ExtentAttr>> result =
      infer.broadcastExtents(left->drop_back(isRow ? 1 : 2), right->drop_back(isColumn ? 1 : 2));
  if (failed(result))
    return failure();
  if (!isRow)
    result->push_back((*left)[left->size() - 2]);
  if (!isColumn)
    result->push_back(right->back());
  infer.setResult(0, elementType, *result);
  return success();
}

LogicalResult GemmOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getA(), "A (C1)", 2, 2)) ||
      failed(infer.requireRank(getB(), "B (C1)", 2, 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> a = infer.extents(getA()), b = infer.extents(getB());
  SmallVector<ExtentAttr> result(2, infer.unknown());
  if (a)
    result[0] = (*a)[getTransA() != 0];
  if (b)
    result[1] = (*b)[getTransB() == 0];
  if (a && b &&
      failed(infer.requireEqual((*b)[getTransB() != 0], (*a)[getTransA() == 0], "A (C2)")))
    return failure();
  if (std::optional<ArrayRef<ExtentAttr>> c = getC() ? infer.extents(getC()) : std::nullopt) {
    if (failed(infer.requireRank(getC(), "C (C3)", 0, 2)))
      return failure();
    for (auto [need, got] : llvm::zip_equal(ArrayRef(result).take_back(c->size()), *c))
      if (failed(infer.requireBroadcast(got, need, "the product (C3)")))
        return failure();
  }
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

LogicalResult EinsumOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  SmallVector<int64_t> ranks;
  for (Value input : getInputs()) {
    if (std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input)) {
      ranks.push_back(extents->size());
      continue;
    }
    infer.setUnranked(0, element);
    return success();
  }
  std::string error;
  std::optional<EinsumLabels> labels = readEinsum(getEquation(), ranks, error);
  if (!labels)
    return infer.emitError() << "has an equation that cannot be read: " << error;
  SmallVector<ExtentAttr> sizes(labels->count);
  for (auto [input, axes] : llvm::zip_equal(getInputs(), labels->operands)) {
    for (auto [extent, label] : llvm::zip_equal(*infer.extents(input), axes)) {
      ExtentAttr &size = sizes[label];
      if (!size) {
        size = extent;
      } else if (label < labels->broadcast) {
        FailureOr<ExtentAttr> merged = infer.broadcastExtent(size, extent);
        if (failed(merged))
          return failure();
        size = *merged;
      } else {
        if (failed(infer.requireEqual(extent, size, "the axes of its letter (C4)")))
          return failure();
        if (!size.isConstant())
          size = extent;
      }
    }
  }
  SmallVector<ExtentAttr> result;
  for (int64_t label : labels->result)
    result.push_back(sizes[label]);
  infer.setResult(0, element, result);
  return success();
}

LogicalResult DetOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX());
  if (!input) {
    infer.setUnranked(0, infer.elementType(0));
    return success();
  }
  if (failed(infer.requireEqual(input->back(), (*input)[input->size() - 2], "the rows of X (C2)")))
    return failure();
  infer.setResult(0, infer.elementType(0), input->drop_back(2));
  return success();
}
