// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extent inference behind the Shape stage, for helpers of operators that are shared with it:
// everything is known, and nothing is to be set.

#ifndef CAMEO_SHAPE_FINISHEDINFERENCE_H
#define CAMEO_SHAPE_FINISHEDINFERENCE_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

class FinishedInference final : public onnx::ExtentInference {
public:
  FinishedInference(mlir::Operation *op, const core::ExtentFacts &known)
      : ExtentInference(op), known(known) {}

  std::optional<onnx::ExtentValues> values(mlir::Value value) override;
  void setType(unsigned, mlir::Type) override {}
  void setValues(unsigned, llvm::ArrayRef<core::ExtentAttr>) override {}
  core::ExtentAttr counted(llvm::StringRef, core::ExtentAttr) override { return unknown(); }
  const core::ExtentFacts &facts() const override { return known; }

private:
  const core::ExtentFacts &known;
};

} // namespace cameo

#endif // CAMEO_SHAPE_FINISHEDINFERENCE_H
