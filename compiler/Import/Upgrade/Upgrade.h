// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the form that an operator had in an older operator set to its newest, one change at a time:
// each row of a table turns the form before `since` into the form of `since`. An operator without a
// row changed only in what it allows (tests/Import/upgrade_history.py holds the tables against
// ONNX's history).

#ifndef CAMEO_IMPORT_UPGRADE_UPGRADE_H
#define CAMEO_IMPORT_UPGRADE_UPGRADE_H

#include "Import/OperationBuilder.h"

namespace cameo::importer {

/// The surroundings that an upgrade reads and changes besides the node itself.
class Upgrader {
public:
  Upgrader(OperationBuilder &operations, Node &node) : operations(operations), node(node) {}

  mlir::OpBuilder &getBuilder() { return operations.getBuilder(); }
  mlir::MLIRContext *getContext() const { return operations.getContext(); }

  //===--- What is known ---===//

  core::SymTensorType getType(mlir::Value value) const;
  /// The rank of a tensor; nullopt while it is not known.
  std::optional<int64_t> getRank(mlir::Value value) const;
  std::optional<llvm::SmallVector<int64_t>> getConstants(mlir::Value value) const {
    return operations.getConstants(value);
  }
  /// An integer attribute, or `otherwise`; one of another kind is as good as missing.
  int64_t getInt(llvm::StringRef name, int64_t otherwise) const;
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name) const;

  //===--- New operations, before the node ---===//

  mlir::Value constant(mlir::ElementsAttr value) {
    return operations.createConstant(node.location, value);
  }
  /// A vector of int64.
  mlir::Value integers(llvm::ArrayRef<int64_t> values);
  mlir::Value floats(llvm::ArrayRef<float> values);
  /// One element of the type of `like`'s elements; null, with a diagnostic, where that is no float.
  mlir::Value floatScalar(mlir::FloatAttr value, mlir::Value like);
  /// The first result of a new operation in newest form; null, with a diagnostic, on failure. A
  /// null operand is left out.
  mlir::Value create(llvm::StringRef opType, llvm::ArrayRef<mlir::Value> operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// All results of one.
  llvm::FailureOr<mlir::ValueRange> createAll(llvm::StringRef opType,
                                              llvm::ArrayRef<mlir::Value> operands,
                                              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute intAttribute(llvm::StringRef name, int64_t value);

  //===--- Changes of the node ---===//

  /// Makes the integers of an attribute a constant input, if the attribute is there.
  void attributeToInput(llvm::StringRef name, size_t input);
  /// The same for a float, as a scalar of the type of operand 0's elements.
  llvm::LogicalResult floatAttributeToInput(llvm::StringRef name, size_t input);
  /// Sets an attribute that is not there to what its default was.
  void pinDefault(llvm::StringRef name, mlir::Attribute value);
  /// Ends the node: its outputs are these values. Fails if the last one is null.
  llvm::LogicalResult replaceBy(llvm::ArrayRef<mlir::Value> results);

  llvm::LogicalResult malformed(const llvm::Twine &problem);
  llvm::LogicalResult unsupported(const llvm::Twine &problem);

private:
  OperationBuilder &operations;
  Node &node;
};

using UpgradeFunction = llvm::LogicalResult (*)(Upgrader &, Node &);

struct UpgradeRow {
  llvm::StringLiteral opType;
  /// Applies to nodes of an operator set before this one.
  int64_t since;
  UpgradeFunction upgrade;
};

/// Forms that are valid today too, of which the dialect has only one.
inline constexpr int64_t kAlways = INT64_MAX;

// One table per family; rows of an operator in ascending order.
llvm::ArrayRef<UpgradeRow> getElementwiseUpgrades();
llvm::ArrayRef<UpgradeRow> getMlUpgrades();
llvm::ArrayRef<UpgradeRow> getMovementUpgrades();
llvm::ArrayRef<UpgradeRow> getNeuralUpgrades();
llvm::ArrayRef<UpgradeRow> getReductionUpgrades();
llvm::ArrayRef<UpgradeRow> getResizeUpgrades();
llvm::ArrayRef<UpgradeRow> getOtherUpgrades();
llvm::ArrayRef<UpgradeRow> getTreeUpgrades();

/// Brings `node` to the newest form of its operator, which may be another operator.
llvm::LogicalResult upgradeNode(OperationBuilder &operations, Node &node);
/// Whether an operator exists only as another name of others.
bool isUpgradedAway(llvm::StringRef opType);
/// All rows, for the test.
std::vector<UpgradeRow> getAllUpgrades();

struct FirstVersion {
  llvm::StringLiteral opType;
  int64_t version;
};

/// The operator set that brought an operator, named as in the dialect.
int64_t getFirstVersion(llvm::StringRef opType);
/// All that are not 1, by name.
llvm::ArrayRef<FirstVersion> getFirstVersions();

} // namespace cameo::importer

#endif // CAMEO_IMPORT_UPGRADE_UPGRADE_H
