// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of losses.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult cameo::onnx::inferLoss(ExtentInference &infer, Value scores, Value labels,
                                     Value weights, StringRef reduction) {
  if (!llvm::is_contained({"none", "sum", "mean"}, reduction))
    return infer.emitError() << "has an unknown reduction (C4) (got " << cameo::quoteText(reduction)
                             << ")";
  if (failed(infer.requireRank(scores, "the scores (C1)", 2)))
    return failure();
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(scores);
  SmallVector<ExtentAttr> samples;
  if (extents) {
    samples.push_back(extents->front());
    llvm::append_range(samples, extents->drop_front(2));
    if (failed(infer.requireShape(labels, samples, "the labels (C2)")) ||
        failed(infer.requireShape(weights, {(*extents)[1]}, "the weights (C3)")))
      return failure();
  }
  if (reduction != "none")
    infer.setResult(0, element, {});
  else if (extents)
    infer.setResult(0, element, samples);
  else
    infer.setType(0, infer.type(labels).withElementType(element));
  return success();
}
