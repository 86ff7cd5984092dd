// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inferExtents outside the Shape stage's walk: constants and extents that stand in the IR are
// known, nothing else is, and no symbol is named.

#ifndef CAMEO_SHAPE_CONSTANTINFERENCE_H
#define CAMEO_SHAPE_CONSTANTINFERENCE_H

#include "Shape/KnownValues.h"

namespace cameo {

/// Types the results of one operation.
class ConstantInference final : public onnx::ExtentInference {
public:
  explicit ConstantInference(mlir::Operation *op, core::ExtentFacts facts = {})
      : ExtentInference(op), known(std::move(facts)) {}

  std::optional<onnx::ExtentValues> values(mlir::Value value) override {
    return KnownValues().lookup(value);
  }
  void setType(unsigned result, mlir::Type type) override { op->getResult(result).setType(type); }
  void setValues(unsigned, llvm::ArrayRef<core::ExtentAttr>) override {}
  core::ExtentAttr counted(llvm::StringRef, core::ExtentAttr) override { return unknown(); }
  const core::ExtentFacts &facts() const override { return known; }

private:
  core::ExtentFacts known;
};

} // namespace cameo

#endif // CAMEO_SHAPE_CONSTANTINFERENCE_H
