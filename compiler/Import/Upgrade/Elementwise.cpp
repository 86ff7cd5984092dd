// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators: broadcasting that was asked for by attributes, bounds that were
// attributes, and the softmax family, which used to see a matrix.

#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

/// An optimisation hint of the first operator set.
LogicalResult dropConsumedInputs(Upgrader &, Node &node) {
  node.attributes.erase("consumed_inputs");
  return success();
}

/// `broadcast` and `axis`: the axes of B stand for those of A from `axis` on.
LogicalResult upgradeBroadcast(Upgrader &upgrader, Node &node) {
  bool broadcast = upgrader.getInt("broadcast", 0) != 0;
  bool hasAxis = node.attributes.get("axis") != nullptr;
  int64_t axis = upgrader.getInt("axis", 0);
  node.attributes.erase("broadcast");
  node.attributes.erase("axis");
  if (!broadcast || !hasAxis)
    return success();
  std::optional<int64_t> rankA = upgrader.getRank(node.getOperand(0));
  std::optional<int64_t> rankB = upgrader.getRank(node.getOperand(1));
  if (!rankA || !rankB)
    return upgrader.unsupported("broadcasts along an axis of a tensor whose rank is not known");
  if (axis < 0)
    axis += *rankA;
  if (axis < 0 || axis > *rankA - *rankB)
    return upgrader.malformed("broadcasts along an axis that is out of range (got " + Twine(axis) +
                              " for ranks " + Twine(*rankA) + " and " + Twine(*rankB) + ")");
  SmallVector<int64_t> trailing;
  for (int64_t position = *rankB; position < *rankA - axis; ++position)
    trailing.push_back(position);
  if (trailing.empty())
    return success();
  Value wide = upgrader.create("Unsqueeze", {node.operands[1], upgrader.integers(trailing)});
  if (!wide)
    return failure();
  node.operands[1] = wide;
  return success();
}

LogicalResult upgradeClip(Upgrader &upgrader, Node &) {
  return success(succeeded(upgrader.floatAttributeToInput("min", 1)) &&
                 succeeded(upgrader.floatAttributeToInput("max", 2)));
}

/// The slope had one element for each channel; now it broadcasts as everything does.
LogicalResult upgradePRelu(Upgrader &upgrader, Node &node) {
  SymTensorType slope = upgrader.getType(node.getOperand(1));
  if (!slope || !slope.hasRank() || slope.getRank() != 1 || slope.getExtents()[0].isConstant(1))
    return success();
  std::optional<int64_t> rank = upgrader.getRank(node.getOperand(0));
  if (!rank)
    return upgrader.unsupported("has a slope for each channel of a tensor whose rank is not known");
  SmallVector<int64_t> trailing;
  for (int64_t position = 1; position < *rank - 1; ++position)
    trailing.push_back(position);
  if (trailing.empty())
    return success();
  Value wide = upgrader.create("Unsqueeze", {node.operands[1], upgrader.integers(trailing)});
  if (!wide)
    return failure();
  node.operands[1] = wide;
  return success();
}

LogicalResult pinSeluDefaults(Upgrader &upgrader, Node &) {
  upgrader.pinDefault("alpha", upgrader.getBuilder().getF32FloatAttr(1.6732f));
  upgrader.pinDefault("gamma", upgrader.getBuilder().getF32FloatAttr(1.0507f));
  return success();
}

/// All axes from `axis` on were one row.
LogicalResult upgradeSoftmax(Upgrader &upgrader, Node &node) {
  int64_t axis = upgrader.getInt("axis", 1);
  std::optional<int64_t> rank = upgrader.getRank(node.getOperand(0));
  bool isLast = axis == -1 || (rank && axis == *rank - 1);
  if (isLast) {
    node.attributes.set("axis", upgrader.getBuilder().getI64IntegerAttr(-1));
    return success();
  }
  if (!node.getOperand(0))
    return success();
  Value shape = upgrader.create("Shape", {node.operands[0]});
  Value rows =
      shape ? upgrader.create("Flatten", {node.operands[0]}, {upgrader.intAttribute("axis", axis)})
            : Value();
  Value result =
      rows ? upgrader.create(node.opType, {rows}, {upgrader.intAttribute("axis", -1)}) : Value();
  return upgrader.replaceBy({result ? upgrader.create("Reshape", {result, shape}) : Value()});
}

constexpr UpgradeRow kRows[] = {
    {"Abs", 6, dropConsumedInputs},
    {"Add", 6, dropConsumedInputs},
    {"Ceil", 6, dropConsumedInputs},
    {"Clip", 6, dropConsumedInputs},
    {"Div", 6, dropConsumedInputs},
    {"Elu", 6, dropConsumedInputs},
    {"Exp", 6, dropConsumedInputs},
    {"Floor", 6, dropConsumedInputs},
    {"HardSigmoid", 6, dropConsumedInputs},
    {"LeakyRelu", 6, dropConsumedInputs},
    {"Log", 6, dropConsumedInputs},
    {"Max", 6, dropConsumedInputs},
    {"Mean", 6, dropConsumedInputs},
    {"Min", 6, dropConsumedInputs},
    {"Mul", 6, dropConsumedInputs},
    {"Neg", 6, dropConsumedInputs},
    {"PRelu", 6, dropConsumedInputs},
    {"Reciprocal", 6, dropConsumedInputs},
    {"Relu", 6, dropConsumedInputs},
    {"Selu", 6, dropConsumedInputs},
    {"Sigmoid", 6, dropConsumedInputs},
    {"Sqrt", 6, dropConsumedInputs},
    {"Sub", 6, dropConsumedInputs},
    {"Sum", 6, dropConsumedInputs},
    {"Tanh", 6, dropConsumedInputs},

    {"Add", 7, upgradeBroadcast},
    {"And", 7, upgradeBroadcast},
    {"Div", 7, upgradeBroadcast},
    {"Equal", 7, upgradeBroadcast},
    {"Greater", 7, upgradeBroadcast},
    {"Less", 7, upgradeBroadcast},
    {"Mul", 7, upgradeBroadcast},
    {"Or", 7, upgradeBroadcast},
    {"Pow", 7, upgradeBroadcast},
    {"Sub", 7, upgradeBroadcast},
    {"Xor", 7, upgradeBroadcast},

    {"Clip", 11, upgradeClip},
    {"PRelu", 7, upgradePRelu},
    {"Selu", 6, pinSeluDefaults},
    {"Hardmax", 13, upgradeSoftmax},
    {"LogSoftmax", 13, upgradeSoftmax},
    {"Softmax", 13, upgradeSoftmax},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getElementwiseUpgrades() { return kRows; }
