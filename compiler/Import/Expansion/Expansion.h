// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that only models have, those of ONNX Runtime (Contrib.td), of training (Training.td)
// and with graphs in the middle of their definition, as the operators that they stand for. The
// importer checks such a node by its record and builds these in its place; the rank of what decides
// their form has to be known by then.

#ifndef CAMEO_IMPORT_EXPANSION_EXPANSION_H
#define CAMEO_IMPORT_EXPANSION_EXPANSION_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Import/Upgrade/Upgrade.h"

namespace cameo {

/// Whether the importer builds other operators in place of this one (`onnx.ms.Gelu`).
bool isExpandedOnImport(llvm::StringRef operation);

} // namespace cameo

namespace cameo::importer {

using Values = llvm::SmallVector<mlir::Value>;

/// The words in which an expansion builds operators in front of its node. Once something failed,
/// which is told, nothing more is built and every value is null.
class Expansion {
public:
  using Value = mlir::Value;
  using NamedAttribute = mlir::NamedAttribute;

  Expansion(Upgrader &upgrader, const Node &node) : upgrader(upgrader), node(node) {}

  const Node &getNode() const { return node; }
  bool hasFailed() const { return failure; }
  mlir::OpBuilder &getBuilder() { return upgrader.getBuilder(); }

  //===--- What is known ---===//

  core::SymTensorType getType(Value value) const { return upgrader.getType(value); }
  mlir::Type getElementType(Value value) const { return getType(value).getElementType(); }
  /// Fails where it is not known.
  int64_t getRank(Value value, llvm::StringRef name);
  /// The extent, where that is a constant; `axis` may count from behind.
  std::optional<int64_t> getExtent(Value value, int64_t axis) const;

  //===--- New operators ---===//

  /// The first result of a new operator. A null operand is left out.
  Value make(llvm::StringRef opType, llvm::ArrayRef<Value> operands,
             llvm::ArrayRef<NamedAttribute> attributes = {});
  /// All results.
  Values makeAll(llvm::StringRef opType, size_t count, llvm::ArrayRef<Value> operands,
                 llvm::ArrayRef<NamedAttribute> attributes = {});

  NamedAttribute attribute(llvm::StringRef name, int64_t value);
  NamedAttribute attribute(llvm::StringRef name, llvm::APFloat value);
  NamedAttribute attribute(llvm::StringRef name, llvm::StringRef value);
  NamedAttribute attribute(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  /// The attributes of the node but for these, for an operator that has the others too.
  llvm::SmallVector<NamedAttribute> attributesWithout(llvm::ArrayRef<llvm::StringRef> names) const;

  Value add(Value a, Value b) { return make("Add", {a, b}); }
  /// `a` where there is no `b`.
  Value addIfThere(Value a, Value b) { return b ? add(a, b) : a; }
  Value mul(Value a, Value b) { return make("Mul", {a, b}); }
  /// A number of the type of the elements of `like`, which are floats.
  Value number(double value, Value like);
  Value integers(llvm::ArrayRef<int64_t> values);
  Value integer(int64_t value);
  Value cast(Value x, mlir::Type element);
  /// The result of a graph of one argument, built here; `argument` where there is no graph.
  Value inlineGraph(mlir::Region &graph, Value argument);
  Value transpose(Value x, llvm::ArrayRef<int64_t> permutation);
  /// By extents as Reshape has them: 0 for the same, -1 for the rest.
  Value reshape(Value x, llvm::ArrayRef<int64_t> extents);
  /// The elements from `begin` to in front of `end` along one axis.
  Value slice(Value x, int64_t axis, int64_t begin, int64_t end);
  /// An extent as a tensor of one element and rank 1.
  Value extentOf(Value x, int64_t axis);
  Value concat(llvm::ArrayRef<Value> values, int64_t axis);
  Value constant(mlir::ElementsAttr value) { return failure ? Value() : upgrader.constant(value); }

  //===--- Quantisation ---===//

  Value dequantize(Value x, Value scale, Value zeroPoint);
  Value quantize(Value x, Value scale, Value zeroPoint);

  //===--- Refusals: no values, and the reason ---===//

  Values malformed(const llvm::Twine &problem);
  Values unsupported(const llvm::Twine &problem);

private:
  Upgrader &upgrader;
  const Node &node;
  bool failure = false;
};

/// An activation that is fused into another operator, by its name and parameters; no name means
/// none.
mlir::Value activate(Expansion &b, mlir::Value x, std::optional<llvm::StringRef> name,
                     llvm::ArrayRef<float> parameters);

struct ExpansionRow {
  /// With `onnx.`
  llvm::StringLiteral operation;
  Values (*expand)(Expansion &, mlir::Operation *);
};

/// The row of a function over one record. It gives a value per result; null for those that no one
/// reads.
template <class Op, Values (*expand)(Expansion &, Op)> constexpr ExpansionRow expansion() {
  return {Op::getOperationName(),
          [](Expansion &b, mlir::Operation *op) { return expand(b, llvm::cast<Op>(op)); }};
}

// One table per family.
llvm::ArrayRef<ExpansionRow> getActivationExpansions();
llvm::ArrayRef<ExpansionRow> getAttentionExpansions();
llvm::ArrayRef<ExpansionRow> getCachedAttentionExpansions();
llvm::ArrayRef<ExpansionRow> getExpertExpansions();
llvm::ArrayRef<ExpansionRow> getFlexAttentionExpansions();
llvm::ArrayRef<ExpansionRow> getNormalizationExpansions();
llvm::ArrayRef<ExpansionRow> getProductExpansions();
llvm::ArrayRef<ExpansionRow> getQuantisedExpansions();
llvm::ArrayRef<ExpansionRow> getTrainingExpansions();

/// Builds what `node` stands for, if only models have its operator: its results are there then. A
/// node with graphs waits until they are built.
llvm::LogicalResult expandNode(OperationBuilder &operations, Node &node);
/// Builds what `node` stands for in the place of its operation, whose graphs are done.
llvm::LogicalResult expandOperation(OperationBuilder &operations, Node &node, mlir::Operation *op);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_EXPANSION_EXPANSION_H
