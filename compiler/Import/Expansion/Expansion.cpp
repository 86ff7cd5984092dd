// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables, and what expansions have in common.

#include "Import/Expansion/Expansion.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static const ExpansionRow *findExpansion(StringRef operation) {
  static const llvm::StringMap<ExpansionRow> rows = [] {
    llvm::StringMap<ExpansionRow> rows;
    for (ArrayRef<ExpansionRow> table :
         {getActivationExpansions(), getAttentionExpansions(), getCachedAttentionExpansions(),
          getExpertExpansions(), getFlexAttentionExpansions(), getNormalizationExpansions(),
          getProductExpansions(), getQuantisedExpansions(), getTrainingExpansions()})
      for (const ExpansionRow &row : table)
        rows.try_emplace(row.operation, row);
    return rows;
  }();
  auto found = rows.find(operation);
  return found == rows.end() ? nullptr : &found->second;
}

bool cameo::isExpandedOnImport(StringRef operation) { return findExpansion(operation) != nullptr; }

LogicalResult cameo::importer::expandNode(OperationBuilder &operations, Node &node) {
  if (!findExpansion("onnx." + node.opType) || !node.graphs.empty())
    return success();
  FailureOr<Operation *> op = operations.create(node);
  return failed(op) ? failure() : expandOperation(operations, node, *op);
}

LogicalResult cameo::importer::expandOperation(OperationBuilder &operations, Node &node,
                                               Operation *op) {
  Upgrader upgrader(operations, node);
  Expansion builder(upgrader, node);
  node.results = findExpansion(op->getName().getStringRef())->expand(builder, op);
  op->erase();
  if (builder.hasFailed())
    return failure();
  // The node's name stands for the operator of the first result.
  if (Operation *last = node.results.front().getDefiningOp())
    last->setLoc(node.location);
  return success();
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

int64_t Expansion::getRank(Value value, StringRef name) {
  std::optional<int64_t> rank = upgrader.getRank(value);
  if (!rank && !failure)
    (void)unsupported("needs the rank of " + name + ", which is not known");
  return rank.value_or(0);
}

std::optional<int64_t> Expansion::getExtent(Value value, int64_t axis) const {
  SymTensorType type = getType(value);
  if (!type || !type.hasRank())
    return std::nullopt;
  int64_t index = axis < 0 ? axis + type.getRank() : axis;
  bool isThere = index >= 0 && index < type.getRank();
  return isThere ? type.getExtents()[index].getConstant() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// New operators
//===----------------------------------------------------------------------===//

Value Expansion::make(StringRef opType, ArrayRef<Value> operands,
                      ArrayRef<NamedAttribute> attributes) {
  Values results = makeAll(opType, 1, operands, attributes);
  return results.front();
}

Values Expansion::makeAll(StringRef opType, size_t count, ArrayRef<Value> operands,
                          ArrayRef<NamedAttribute> attributes) {
  Values none(count);
  if (failure)
    return none;
  FailureOr<ValueRange> results = upgrader.createAll(opType, operands, attributes);
  failure = failed(results);
  return failure ? none : Values(results->take_front(count));
}

NamedAttribute Expansion::attribute(StringRef name, int64_t value) {
  return getBuilder().getNamedAttr(name, getBuilder().getI64IntegerAttr(value));
}

NamedAttribute Expansion::attribute(StringRef name, llvm::APFloat value) {
  return getBuilder().getNamedAttr(name, getBuilder().getF32FloatAttr(value.convertToFloat()));
}

NamedAttribute Expansion::attribute(StringRef name, StringRef value) {
  return getBuilder().getNamedAttr(name, getBuilder().getStringAttr(value));
}

NamedAttribute Expansion::attribute(StringRef name, ArrayRef<int64_t> values) {
  return getBuilder().getNamedAttr(name, getBuilder().getDenseI64ArrayAttr(values));
}

SmallVector<NamedAttribute> Expansion::attributesWithout(ArrayRef<StringRef> names) const {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : node.attributes)
    if (!llvm::is_contained(names, attribute.getName().getValue()))
      kept.push_back(attribute);
  return kept;
}

Value Expansion::number(double value, Value like) {
  if (failure)
    return {};
  Value made = upgrader.floatScalar(getBuilder().getF64FloatAttr(value), like);
  failure = !made;
  return made;
}

Value Expansion::integers(ArrayRef<int64_t> values) {
  return failure ? Value() : upgrader.integers(values);
}

Value Expansion::integer(int64_t value) {
  auto type = RankedTensorType::get({}, getBuilder().getI64Type());
  return constant(DenseElementsAttr::get(type, value));
}

Value Expansion::cast(Value x, Type element) {
  if (failure || getElementType(x) == element)
    return x;
  return make("Cast", {x},
              {attribute("to", static_cast<int64_t>(getElementInfo(element)->number))});
}

Value Expansion::inlineGraph(Region &graph, Value argument) {
  if (failure || graph.empty())
    return argument;
  Block &block = graph.front();
  block.getArgument(0).replaceAllUsesWith(argument);
  Operation *yield = block.getTerminator();
  Value result = yield->getOperand(0);
  yield->erase();
  Block *around = getBuilder().getInsertionBlock();
  around->getOperations().splice(getBuilder().getInsertionPoint(), block.getOperations());
  return result;
}

Value Expansion::transpose(Value x, ArrayRef<int64_t> permutation) {
  return make("Transpose", {x}, {attribute("perm", permutation)});
}

Value Expansion::reshape(Value x, ArrayRef<int64_t> extents) {
  return make("Reshape", {x, integers(extents)});
}

Value Expansion::slice(Value x, int64_t axis, int64_t begin, int64_t end) {
  return make("Slice", {x, integers({begin}), integers({end}), integers({axis})});
}

Value Expansion::extentOf(Value x, int64_t axis) {
  SmallVector<NamedAttribute> range = {attribute("start", axis)};
  if (axis != -1)
    range.push_back(attribute("end", axis + 1));
  return make("Shape", {x}, range);
}

Value Expansion::concat(ArrayRef<Value> values, int64_t axis) {
  return make("Concat", values, {attribute("axis", axis)});
}

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

Value Expansion::dequantize(Value x, Value scale, Value zeroPoint) {
  return make("DequantizeLinear", {x, scale, zeroPoint});
}

Value Expansion::quantize(Value x, Value scale, Value zeroPoint) {
  return make("QuantizeLinear", {x, scale, zeroPoint});
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

Values Expansion::malformed(const Twine &problem) {
  if (!failure)
    (void)upgrader.malformed(problem);
  failure = true;
  return {};
}

Values Expansion::unsupported(const Twine &problem) {
  if (!failure)
    (void)upgrader.unsupported(problem);
  failure = true;
  return {};
}
