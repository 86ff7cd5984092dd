// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node whose operator the user declares: held against the declaration, as other nodes are against
// their records, then an `onnx.own.External`.

#include "Import/ExternalNode.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Support/Diagnostic.h"
#include "Support/ElementTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

const ExternalOperator *cameo::findExternal(ArrayRef<ExternalOperator> declared, StringRef domain,
                                            StringRef name, int64_t version) {
  const ExternalOperator *newest = nullptr;
  for (const ExternalOperator &op : declared)
    if (op.domain == domain && op.name == name && op.version <= version &&
        (!newest || op.version > newest->version))
      newest = &op;
  return newest;
}

namespace {

class ExternalNode {
public:
  ExternalNode(OperationBuilder &operations, const ExternalOperator &declared, Node &node)
      : operations(operations), builder(operations.getBuilder()),
        reporter(operations.getReporter()), declared(declared), node(node) {}

  FailureOr<Operation *> build();

private:
  LogicalResult takeOperands();
  LogicalResult checkElement(const ExternalOperator::Tensor &tensor, Value operand);
  LogicalResult takeResults();
  LogicalResult takeAttributes();
  Attribute makeAttribute(const ExternalOperator::Value &value);
  static bool hasType(Attribute attribute, const ExternalOperator::Value &value);
  ArrayAttr getNames(ArrayRef<ExternalOperator::Tensor> tensors) {
    return builder.getStrArrayAttr(
        llvm::map_to_vector(tensors, [](const auto &tensor) { return StringRef(tensor.name); }));
  }

  OperationBuilder &operations;
  OpBuilder &builder;
  Reporter &reporter;
  const ExternalOperator &declared;
  Node &node;
  SmallVector<Value> operands;
  SmallVector<int64_t> positions;
  /// The element types that type variables stand for.
  llvm::StringMap<Type> variables;
  SmallVector<Attribute> elementTypes, attributeNames, attributeValues;
};

LogicalResult ExternalNode::takeOperands() {
  if (node.operands.size() > declared.operands.size())
    return reporter.malformed(node.where, "has too many inputs (got " +
                                              Twine(node.operands.size()) + ", need at most " +
                                              Twine(declared.operands.size()) + ")");
  for (auto [position, tensor] : llvm::enumerate(declared.operands)) {
    Value operand = node.getOperand(position);
    if (!operand && !tensor.isOptional)
      return reporter.malformed(node.where, "has no input " + quoteText(tensor.name));
    if (!operand)
      continue;
    if (failed(checkElement(tensor, operand)))
      return failure();
    operands.push_back(operand);
    positions.push_back(static_cast<int64_t>(position));
  }
  return success();
}

LogicalResult ExternalNode::checkElement(const ExternalOperator::Tensor &tensor, Value operand) {
  auto type = dyn_cast<SymTensorType>(operand.getType());
  if (!type)
    return reporter.malformed(node.where, "needs a tensor for " + quoteText(tensor.name));
  Type element = type.getElementType();
  bool isAllowed = llvm::any_of(tensor.elements, [&](int32_t number) {
    return getElementType(builder.getContext(), number) == element;
  });
  std::string got;
  llvm::raw_string_ostream(got) << element;
  if (!isAllowed)
    return reporter.malformed(node.where, "has an element type for " + quoteText(tensor.name) +
                                              " that its declaration does not have (got " + got +
                                              ")");
  Type &bound = variables.try_emplace(tensor.variable, element).first->second;
  if (!tensor.variable.empty() && bound != element)
    return reporter.malformed(node.where, "needs one element type for " +
                                              quoteText(tensor.variable) + " (got " + got +
                                              " for " + quoteText(tensor.name) + ")");
  return success();
}

LogicalResult ExternalNode::takeResults() {
  if (node.outputs.size() > declared.results.size())
    return reporter.malformed(node.where, "has too many outputs (got " +
                                              Twine(node.outputs.size()) + ", need at most " +
                                              Twine(declared.results.size()) + ")");
  for (const ExternalOperator::Tensor &result : declared.results) {
    Type element = result.variable.empty()
                       ? getElementType(builder.getContext(), result.elements.front())
                       : variables.lookup(result.variable);
    if (!element)
      return reporter.malformed(node.where, "leaves out the inputs that " + quoteText(result.name) +
                                                " has its type from");
    elementTypes.push_back(TypeAttr::get(element));
  }
  return success();
}

Attribute ExternalNode::makeAttribute(const ExternalOperator::Value &value) {
  struct Visitor {
    OpBuilder &builder;
    Attribute operator()(int64_t x) const { return builder.getI64IntegerAttr(x); }
    Attribute operator()(float x) const { return builder.getF32FloatAttr(x); }
    Attribute operator()(const std::string &x) const { return builder.getStringAttr(x); }
    Attribute operator()(const std::vector<int64_t> &x) const {
      return builder.getDenseI64ArrayAttr(x);
    }
    Attribute operator()(const std::vector<float> &x) const {
      return builder.getDenseF32ArrayAttr(x);
    }
    Attribute operator()(const std::vector<std::string> &x) const {
      return builder.getStrArrayAttr(SmallVector<StringRef>(x.begin(), x.end()));
    }
  };
  return std::visit(Visitor{builder}, value);
}

bool ExternalNode::hasType(Attribute attribute, const ExternalOperator::Value &value) {
  struct Visitor {
    Attribute attribute;
    bool operator()(int64_t) const { return isa<IntegerAttr>(attribute); }
    bool operator()(float) const { return isa<FloatAttr>(attribute); }
    bool operator()(const std::string &) const { return isa<StringAttr>(attribute); }
    bool operator()(const std::vector<int64_t> &) const {
      return isa<DenseI64ArrayAttr>(attribute);
    }
    bool operator()(const std::vector<float> &) const { return isa<DenseF32ArrayAttr>(attribute); }
    bool operator()(const std::vector<std::string> &) const { return isa<ArrayAttr>(attribute); }
  };
  return std::visit(Visitor{attribute}, value);
}

LogicalResult ExternalNode::takeAttributes() {
  auto refuse = [&](StringRef name) {
    return reporter.malformed(node.where, "has an attribute " + quoteText(name) +
                                              ", which its declaration does not have");
  };
  for (NamedAttribute given : node.attributes)
    if (llvm::none_of(declared.attributes,
                      [&](const auto &known) { return given.getName() == known.name; }))
      return refuse(given.getName());
  if (!node.graphs.empty())
    return refuse(node.graphs.front().first);
  for (const ExternalOperator::Attribute &known : declared.attributes) {
    Attribute value = node.attributes.get(known.name);
    if (!value && !known.hasDefault)
      return reporter.malformed(node.where, "has no attribute " + quoteText(known.name));
    if (value && !hasType(value, known.value))
      return reporter.malformed(node.where, "has an attribute " + quoteText(known.name) +
                                                " of another type than its declaration");
    attributeNames.push_back(builder.getStringAttr(known.name));
    attributeValues.push_back(value ? value : makeAttribute(known.value));
  }
  return success();
}

FailureOr<Operation *> ExternalNode::build() {
  while (!node.operands.empty() && !node.operands.back())
    node.operands.pop_back();
  if (failed(takeOperands()) || failed(takeResults()) || failed(takeAttributes()))
    return failure();
  SmallVector<int64_t> operandRanks, resultRanks, shapesOf;
  for (const ExternalOperator::Tensor &operand : declared.operands)
    operandRanks.push_back(operand.rank);
  for (const ExternalOperator::Tensor &result : declared.results) {
    resultRanks.push_back(result.rank);
    shapesOf.push_back(result.shapeOf);
  }
  SmallVector<StringRef> relations(declared.relations.begin(), declared.relations.end());
  SmallVector<Type> types(declared.results.size(), builder.getNoneType());
  auto op = cameo::onnx::ExternalOp::create(
      builder, node.location, types, operands, declared.function,
      declared.isOnDevice ? Side::Device : Side::Host, declared.isPure, getNames(declared.operands),
      operandRanks, positions, getNames(declared.results), builder.getArrayAttr(elementTypes),
      resultRanks, shapesOf, builder.getStrArrayAttr(relations),
      builder.getArrayAttr(attributeNames), builder.getArrayAttr(attributeValues));
  if (failed(operations.finish(op, *node.where)))
    return failure();
  return op.getOperation();
}

} // namespace

FailureOr<Operation *> cameo::importer::buildExternal(OperationBuilder &operations,
                                                      const ExternalOperator &declared,
                                                      Node &node) {
  return ExternalNode(operations, declared, node).build();
}
