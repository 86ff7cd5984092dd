// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node whose inputs are values and whose attributes are MLIR's, on its way to an operation: opset
// upgrades rewrite it to the newest form of its operator, then the builder makes the operation.

#ifndef CAMEO_IMPORT_NODE_H
#define CAMEO_IMPORT_NODE_H

#include "Import/Proto.h"
#include "Import/Reporter.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Value.h"

namespace cameo::importer {

struct Node {
  Node(mlir::Location location, const Where &where) : location(location), where(&where) {}

  /// The operator's name in the dialect, without `onnx.`: `Relu`, `ml.Scaler`.
  std::string opType;
  /// The operator set that its form is of.
  int64_t version = 0;
  mlir::Location location;
  const Where *where;
  /// In the operator's order; null for one that is left out.
  llvm::SmallVector<mlir::Value> operands;
  mlir::NamedAttrList attributes;
  llvm::SmallVector<std::pair<llvm::StringRef, pb::GraphProto *>> graphs;
  /// One per output of the node; "" for one that nothing can use.
  llvm::SmallVector<llvm::StringRef> outputs;
  /// The values of the outputs, once they are made. An upgrade that makes them ends the node.
  llvm::SmallVector<mlir::Value> results;

  mlir::Value getOperand(size_t number) const {
    return number < operands.size() ? operands[number] : mlir::Value();
  }
  void setOperand(size_t number, mlir::Value value) {
    if (operands.size() <= number)
      operands.resize(number + 1);
    operands[number] = value;
  }
  bool hasOutput(size_t number) const {
    return number < outputs.size() && !outputs[number].empty();
  }
};

/// The name in the dialect of an operator of ONNX; empty for a domain that Cameo does not have.
std::string getMnemonic(llvm::StringRef domain, llvm::StringRef opType);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_NODE_H
