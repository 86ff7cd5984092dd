// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of neural networks: normalisation, dropout, pooling, matrix products, recurrences.

#include "Dialect/Core/IR/ElementTypes.h"
#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

LogicalResult dropConsumedInputs(Upgrader &, Node &node) {
  node.attributes.erase("consumed_inputs");
  return success();
}

/// Said that a model does not train, which no model that Cameo compiles does.
LogicalResult dropIsTest(Upgrader &, Node &node) {
  node.attributes.erase("is_test");
  return success();
}

LogicalResult upgradeSpatial(Upgrader &upgrader, Node &node) {
  if (upgrader.getInt("spatial", 1) == 0)
    return upgrader.unsupported("normalizes each position by itself (spatial = 0)");
  node.attributes.erase("spatial");
  return success();
}

/// Further outputs were what told that the model trains.
LogicalResult refuseTraining(Upgrader &upgrader, Node &node) {
  for (size_t output = 1; output < node.outputs.size(); ++output)
    if (node.hasOutput(output))
      return upgrader.unsupported("trains: it has outputs besides the first");
  node.outputs.resize(std::min<size_t>(node.outputs.size(), 1));
  return success();
}

LogicalResult ratioToInput(Upgrader &upgrader, Node &node) {
  upgrader.pinDefault("ratio", upgrader.getBuilder().getF32FloatAttr(0.5f));
  return upgrader.floatAttributeToInput("ratio", 1);
}

/// The mask had the type of the data.
LogicalResult upgradeMask(Upgrader &upgrader, Node &node) {
  if (!node.hasOutput(1))
    return success();
  SymTensorType data = upgrader.getType(node.getOperand(0));
  if (!data || failed(ratioToInput(upgrader, node)))
    return success();
  FailureOr<ValueRange> results =
      upgrader.createAll("Dropout", node.operands, node.attributes.getAttrs());
  if (failed(results))
    return failure();
  int64_t type = core::getElementInfo(data.getElementType())->number;
  Value mask = upgrader.create("Cast", {(*results)[1]}, {upgrader.intAttribute("to", type)});
  return upgrader.replaceBy({(*results)[0], mask});
}

/// Scale and bias had one element for each group.
LogicalResult upgradeGroupNormalization(Upgrader &upgrader, Node &node) {
  int64_t groups = upgrader.getInt("num_groups", 0);
  SymTensorType data = upgrader.getType(node.getOperand(0));
  std::optional<int64_t> channels;
  if (data && data.hasRank() && data.getRank() >= 2)
    channels = data.getExtents()[1].getConstant();
  if (!channels)
    return upgrader.unsupported("normalizes groups of channels whose number is not a constant");
  if (groups <= 0 || *channels % groups != 0)
    return upgrader.malformed("has a number of groups that does not divide its channels (got " +
                              Twine(groups) + " for " + Twine(*channels) + ")");
  for (size_t input : {1, 2}) {
    if (!node.getOperand(input))
      continue;
    Value column = upgrader.create("Unsqueeze", {node.operands[input], upgrader.integers(1)});
    Value wide = column ? upgrader.create("Expand",
                                          {column, upgrader.integers({groups, *channels / groups})})
                        : Value();
    Value flat = wide ? upgrader.create("Reshape", {wide, upgrader.integers(*channels)}) : Value();
    if (!flat)
      return failure();
    node.operands[input] = flat;
  }
  return success();
}

/// The exponent of a norm was a float.
LogicalResult upgradeNormExponent(Upgrader &upgrader, Node &node) {
  auto p = dyn_cast_or_null<FloatAttr>(node.attributes.get("p"));
  if (!p)
    return success();
  double exponent = p.getValueAsDouble();
  if (!(exponent >= 1 && exponent <= 1e9) ||
      exponent != static_cast<double>(static_cast<int64_t>(exponent)))
    return upgrader.unsupported("has a norm's exponent that is no positive integer");
  node.attributes.set("p", upgrader.getBuilder().getI64IntegerAttr(static_cast<int64_t>(exponent)));
  return success();
}

/// A hint; numpy's broadcasting allows the same.
LogicalResult dropGemmBroadcast(Upgrader &, Node &node) {
  node.attributes.erase("broadcast");
  return success();
}

/// Whether the sequence is wanted is told by whether the output is there.
LogicalResult dropOutputSequence(Upgrader &, Node &node) {
  node.attributes.erase("output_sequence");
  return success();
}

/// The first operator set misspelt the default of its own attribute.
LogicalResult fixDirection(Upgrader &upgrader, Node &node) {
  auto direction = dyn_cast_or_null<StringAttr>(node.attributes.get("direction"));
  if (direction && direction.getValue() == "foward")
    node.attributes.set("direction", upgrader.getBuilder().getStringAttr("forward"));
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"BatchNormalization", 6, dropConsumedInputs},
    {"BatchNormalization", 7, dropIsTest},
    {"BatchNormalization", 9, upgradeSpatial},
    {"BatchNormalization", 14, refuseTraining},
    {"Dropout", 6, dropConsumedInputs},
    {"Dropout", 7, dropIsTest},
    {"Dropout", 10, upgradeMask},
    {"Dropout", 12, ratioToInput},
    {"Gemm", 7, dropGemmBroadcast},
    {"GlobalLpPool", 2, upgradeNormExponent},
    {"GroupNormalization", 21, upgradeGroupNormalization},
    {"GRU", 3, fixDirection},
    {"GRU", 7, dropOutputSequence},
    {"InstanceNormalization", 6, dropConsumedInputs},
    {"LpPool", 2, upgradeNormExponent},
    {"LSTM", 7, dropOutputSequence},
    {"RNN", 7, dropOutputSequence},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getNeuralUpgrades() { return kRows; }
