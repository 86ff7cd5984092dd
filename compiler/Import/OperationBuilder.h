// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a node in its operator's newest form to a verified operation, guided by the operator's
// record alone: there is no table of operators.

#ifndef CAMEO_IMPORT_OPERATIONBUILDER_H
#define CAMEO_IMPORT_OPERATIONBUILDER_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Import/Node.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

namespace cameo::importer {

class OperationBuilder {
public:
  /// Refuses values of more than `maxTensorBytes` bytes.
  OperationBuilder(mlir::MLIRContext *context, int64_t maxTensorBytes, Reporter &reporter);

  ~OperationBuilder();

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  Reporter &getReporter() { return reporter; }

  /// Makes the operation, with its regions empty and its results not typed. It is verified as far
  /// as inferExtents relies on.
  llvm::FailureOr<mlir::Operation *> create(Node &node);
  /// Types the results from operands and regions, and verifies the rest.
  llvm::LogicalResult finish(mlir::Operation *op, const Where &where);
  /// The types of the arguments of the operation's body; see OnnxOp.
  llvm::SmallVector<mlir::Type> getBodyArgumentTypes(mlir::Operation *op);

  /// create() and finish(): an operation without regions.
  llvm::FailureOr<mlir::Operation *> build(Node &node);
  mlir::Value createConstant(mlir::Location location, mlir::ElementsAttr value);

  /// The elements of a small integer constant; nullopt for any other value.
  std::optional<llvm::SmallVector<int64_t>> getConstants(mlir::Value value) const;

  /// Reports what MLIR said last.
  llvm::LogicalResult reportDiagnostic(const Where *where,
                                       ExitClass exitClass = ExitClass::Malformed);
  /// The operator that the last failure was of, where that was inference: what it reads is not what
  /// it takes.
  std::optional<mlir::Location> getContradicted() const { return contradicted; }
  /// The node that it was said of, where its location tells.
  const std::string &getDiagnosedNode() const { return diagnosedNode; }

private:
  llvm::LogicalResult addOperands(Node &node, onnx::OnnxOp::Concept &record, bool hasSegments,
                                  mlir::OperationState &state);
  llvm::LogicalResult addAttributes(Node &node, mlir::RegisteredOperationName name,
                                    onnx::OnnxOp::Concept &record, mlir::OperationState &state);
  llvm::LogicalResult addResults(Node &node, onnx::OnnxOp::Concept &record,
                                 mlir::OperationState &state);
  llvm::LogicalResult checkSizes(mlir::Operation *op, const Where &where);

  mlir::OpBuilder builder;
  int64_t maxTensorBytes;
  Reporter &reporter;
  std::string diagnosed, diagnosedNode;
  std::optional<mlir::Location> contradicted;
  bool printedOps;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_OPERATIONBUILDER_H
