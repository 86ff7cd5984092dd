// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of attributes of ai.onnx.ml, as inference and decompositions read them. An empty list
// and none are the same in a file.

#ifndef CAMEO_DIALECT_ONNX_IR_ML_H
#define CAMEO_DIALECT_ONNX_IR_ML_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo::onnx {

/// The labels of classes, or keys of scores: integers or strings, of which one list is empty.
struct ClassLabels {
  llvm::ArrayRef<int64_t> integers;
  mlir::ArrayAttr strings;

  template <class Op> static ClassLabels of(Op op) {
    return {op.getClasslabelsInts().value_or(llvm::ArrayRef<int64_t>()),
            op.getClasslabelsStringsAttr()};
  }
  static ClassLabels of(ZipMapOp op) {
    return {op.getClasslabelsInt64s().value_or(llvm::ArrayRef<int64_t>()),
            op.getClasslabelsStringsAttr()};
  }

  bool areStrings() const { return strings && !strings.empty(); }
  int64_t size() const {
    return static_cast<int64_t>(areStrings() ? strings.size() : integers.size());
  }
  /// The type of a label.
  mlir::Type getType(mlir::MLIRContext *context) const;
  /// As a tensor of rank 1.
  mlir::ElementsAttr getElements(mlir::MLIRContext *context) const;
};

/// A list that may be left out.
inline llvm::ArrayRef<float> getList(std::optional<llvm::ArrayRef<float>> list) {
  return list.value_or(llvm::ArrayRef<float>());
}
inline llvm::ArrayRef<int64_t> getList(std::optional<llvm::ArrayRef<int64_t>> list) {
  return list.value_or(llvm::ArrayRef<int64_t>());
}

/// How many weighted sums a LinearClassifier has: one for each class, or one for two.
int64_t countSums(LinearClassifierOp op);

/// How many support vectors an SVMClassifier has; without any it is a linear model.
int64_t countVectors(SVMClassifierOp op);

/// The pairs of `classes` classes.
inline int64_t countPairs(int64_t classes) { return classes * (classes - 1) / 2; }

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_ML_H
