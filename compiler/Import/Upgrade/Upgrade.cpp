// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over the tables, and what upgrades have in common.

#include "Import/Upgrade/Upgrade.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::vector<UpgradeRow> cameo::importer::getAllUpgrades() {
  std::vector<UpgradeRow> rows;
  for (ArrayRef<UpgradeRow> table :
       {getElementwiseUpgrades(), getMlUpgrades(), getMovementUpgrades(), getNeuralUpgrades(),
        getReductionUpgrades(), getResizeUpgrades(), getOtherUpgrades(), getTreeUpgrades()})
    llvm::append_range(rows, table);
  return rows;
}

namespace {

using RowsByOperator = llvm::StringMap<SmallVector<UpgradeRow, 1>>;

const RowsByOperator &getRowsByOperator() {
  static const RowsByOperator rowsByOperator = [] {
    RowsByOperator rows;
    for (const UpgradeRow &row : getAllUpgrades())
      rows[row.opType].push_back(row);
    for (auto &entry : rows)
      llvm::stable_sort(entry.second,
                        [](const UpgradeRow &a, const UpgradeRow &b) { return a.since < b.since; });
    return rows;
  }();
  return rowsByOperator;
}

const UpgradeRow *findNext(const Node &node) {
  const RowsByOperator &rows = getRowsByOperator();
  auto found = rows.find(node.opType);
  if (found == rows.end())
    return nullptr;
  for (const UpgradeRow &row : found->second)
    if (node.version < row.since)
      return &row;
  return nullptr;
}

} // namespace

LogicalResult cameo::importer::upgradeNode(OperationBuilder &operations, Node &node) {
  Upgrader upgrader(operations, node);
  // The version grows with each row, so that this ends.
  while (const UpgradeRow *row = findNext(node)) {
    if (failed(row->upgrade(upgrader, node)))
      return failure();
    if (!node.results.empty())
      return success();
    node.version = row->since;
  }
  return success();
}

bool cameo::importer::isUpgradedAway(StringRef opType) {
  return llvm::is_contained({"Upsample", "Scatter", "ml.CategoryMapper",
                             "ml.TreeEnsembleClassifier", "ml.TreeEnsembleRegressor"},
                            opType);
}

//===----------------------------------------------------------------------===//
// Upgrader
//===----------------------------------------------------------------------===//

SymTensorType Upgrader::getType(Value value) const {
  return value ? dyn_cast<SymTensorType>(value.getType()) : SymTensorType();
}

std::optional<int64_t> Upgrader::getRank(Value value) const {
  SymTensorType type = getType(value);
  return type && type.hasRank() ? std::optional(type.getRank()) : std::nullopt;
}

int64_t Upgrader::getInt(StringRef name, int64_t otherwise) const {
  auto attribute = dyn_cast_or_null<IntegerAttr>(node.attributes.get(name));
  return attribute ? attribute.getInt() : otherwise;
}

std::optional<SmallVector<int64_t>> Upgrader::getInts(StringRef name) const {
  auto attribute = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get(name));
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute.asArrayRef());
}

Value Upgrader::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), getBuilder().getI64Type());
  return operations.createConstant(node.location, DenseElementsAttr::get(type, values));
}

Value Upgrader::floats(ArrayRef<float> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), getBuilder().getF32Type());
  return operations.createConstant(node.location, DenseElementsAttr::get(type, values));
}

Value Upgrader::floatScalar(FloatAttr value, Value like) {
  SymTensorType likeType = getType(like);
  auto element = likeType ? dyn_cast<FloatType>(likeType.getElementType()) : FloatType();
  if (!element) {
    (void)malformed("has a float attribute for elements that are no floats");
    return {};
  }
  APFloat number = value.getValue();
  bool losesInfo;
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  auto type = RankedTensorType::get({}, element);
  return operations.createConstant(node.location, DenseElementsAttr::get(type, number));
}

FailureOr<ValueRange> Upgrader::createAll(StringRef opType, ArrayRef<Value> operands,
                                          ArrayRef<NamedAttribute> attributes) {
  // The names of the node's outputs belong to its last operation.
  Location location = node.location;
  if (auto named = dyn_cast<NameLoc>(location))
    location =
        NameLoc::get(named.getName(), FusedLoc::get(getContext(), getBuilder().getUnknownLoc(),
                                                    getBuilder().getArrayAttr({})));
  Node made(location, *node.where);
  made.opType = opType.str();
  made.version = kAlways;
  made.operands.assign(operands.begin(), operands.end());
  made.attributes.assign(attributes.begin(), attributes.end());
  FailureOr<Operation *> op = operations.build(made);
  if (failed(op))
    return failure();
  return ValueRange((*op)->getResults());
}

Value Upgrader::create(StringRef opType, ArrayRef<Value> operands,
                       ArrayRef<NamedAttribute> attributes) {
  FailureOr<ValueRange> results = createAll(opType, operands, attributes);
  return failed(results) ? Value() : (*results)[0];
}

NamedAttribute Upgrader::intAttribute(StringRef name, int64_t value) {
  return getBuilder().getNamedAttr(name, getBuilder().getI64IntegerAttr(value));
}

void Upgrader::attributeToInput(StringRef name, size_t input) {
  if (std::optional<SmallVector<int64_t>> values = getInts(name)) {
    node.attributes.erase(name);
    // An empty list and none are the same in a file.
    if (!values->empty())
      node.setOperand(input, integers(*values));
  }
}

LogicalResult Upgrader::floatAttributeToInput(StringRef name, size_t input) {
  auto attribute = dyn_cast_or_null<FloatAttr>(node.attributes.get(name));
  if (!attribute)
    return success();
  node.attributes.erase(name);
  Value scalar = floatScalar(attribute, node.getOperand(0));
  if (!scalar)
    return failure();
  node.setOperand(input, scalar);
  return success();
}

void Upgrader::pinDefault(StringRef name, Attribute value) {
  if (!node.attributes.get(name))
    node.attributes.set(name, value);
}

LogicalResult Upgrader::replaceBy(ArrayRef<Value> results) {
  if (!results.back())
    return failure();
  // The last operation made is what the node's outputs come from.
  if (Operation *op = results.back().getDefiningOp())
    op->setLoc(node.location);
  node.results.assign(results.begin(), results.end());
  return success();
}

LogicalResult Upgrader::malformed(const Twine &problem) {
  return operations.getReporter().malformed(node.where, problem);
}

LogicalResult Upgrader::unsupported(const Twine &problem) {
  return operations.getReporter().unsupported(node.where, problem);
}
