// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inferExtents outside the Shape stage's walk, and the helpers that operators share between it and
// their lowering: constants and extents that stand in the IR are known, no symbol is named.

#ifndef CAMEO_DIALECT_ONNX_IR_LOCALINFERENCE_H
#define CAMEO_DIALECT_ONNX_IR_LOCALINFERENCE_H

#include "Dialect/ONNX/IR/KnownValues.h"

namespace cameo {

/// Types the results of one operation, if it is asked to.
class LocalInference : public onnx::ExtentInference {
public:
  explicit LocalInference(mlir::Operation *op,
                          const core::ExtentFacts &facts = core::ExtentFacts::none())
      : ExtentInference(op), known(facts) {}
  /// The facts stay the caller's.
  LocalInference(mlir::Operation *op, core::ExtentFacts &&facts) = delete;

  std::optional<onnx::ExtentValues> values(mlir::Value value) override {
    return KnownValues().lookup(value);
  }
  void setType(unsigned result, mlir::Type type) override { op->getResult(result).setType(type); }
  void setValues(unsigned, llvm::ArrayRef<core::ExtentAttr>) override {}
  core::ExtentAttr counted(llvm::StringRef, core::ExtentAttr, mlir::Value) override {
    return unknown();
  }
  const core::ExtentFacts &facts() const override { return known; }

private:
  const core::ExtentFacts &known;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_IR_LOCALINFERENCE_H
