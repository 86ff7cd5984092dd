// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move elements: what they are told became inputs, so that it can be computed.

#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

LogicalResult pinConcatAxis(Upgrader &upgrader, Node &) {
  upgrader.pinDefault("axis", upgrader.getBuilder().getI64IntegerAttr(1));
  return success();
}

LogicalResult axesToInput(Upgrader &upgrader, Node &) {
  upgrader.attributeToInput("axes", 1);
  return success();
}

LogicalResult upgradeReshape(Upgrader &upgrader, Node &node) {
  node.attributes.erase("consumed_inputs");
  // A shape of no dims is a scalar's, and cannot be told from one that is missing.
  upgrader.attributeToInput("shape", 1);
  if (!node.getOperand(1))
    node.setOperand(1, upgrader.integers({}));
  return success();
}

LogicalResult upgradeSlice(Upgrader &upgrader, Node &node) {
  std::optional<SmallVector<int64_t>> starts = upgrader.getInts("starts"),
                                      ends = upgrader.getInts("ends");
  std::optional<SmallVector<int64_t>> axes = upgrader.getInts("axes");
  if (!starts || !ends || starts->size() != ends->size() ||
      (axes && axes->size() != starts->size()))
    return upgrader.malformed("has starts, ends and axes that do not fit");
  node.attributes.erase("starts");
  node.attributes.erase("ends");
  node.setOperand(1, upgrader.integers(*starts));
  node.setOperand(2, upgrader.integers(*ends));
  upgrader.attributeToInput("axes", 3);
  return success();
}

LogicalResult upgradeSplitInput(Upgrader &upgrader, Node &node) {
  if (node.getOperand(1))
    return upgrader.unsupported("has its lengths as an input of operator set 1");
  return success();
}

LogicalResult splitToInput(Upgrader &upgrader, Node &) {
  upgrader.attributeToInput("split", 1);
  return success();
}

/// Without lengths, the number of outputs was how many parts to make.
LogicalResult pinNumOutputs(Upgrader &upgrader, Node &node) {
  if (!node.getOperand(1))
    upgrader.pinDefault("num_outputs", upgrader.getBuilder().getI64IntegerAttr(
                                           static_cast<int64_t>(node.outputs.size())));
  return success();
}

LogicalResult renamePaddings(Upgrader &, Node &node) {
  if (Attribute paddings = node.attributes.erase("paddings"))
    node.attributes.set("pads", paddings);
  return success();
}

LogicalResult upgradePad(Upgrader &upgrader, Node &node) {
  upgrader.attributeToInput("pads", 1);
  if (!node.getOperand(1))
    node.setOperand(1, upgrader.integers({}));
  return upgrader.floatAttributeToInput("value", 2);
}

/// One axis and how often; now how often for each axis.
LogicalResult upgradeTile(Upgrader &upgrader, Node &node) {
  std::optional<int64_t> rank = upgrader.getRank(node.getOperand(0));
  std::optional<SmallVector<int64_t>> tiles = upgrader.getConstants(node.getOperand(1));
  std::optional<SmallVector<int64_t>> axis = upgrader.getConstants(node.getOperand(2));
  if (!rank || !tiles || !axis || tiles->size() != 1 || axis->size() != 1)
    return upgrader.unsupported("tiles along an axis that is not a constant, in operator set 1");
  if ((*axis)[0] < 0 || (*axis)[0] >= *rank)
    return upgrader.malformed("tiles along an axis that is out of range (got " + Twine((*axis)[0]) +
                              ", need [0, " + Twine(*rank) + "))");
  SmallVector<int64_t> repeats(static_cast<size_t>(*rank), 1);
  repeats[static_cast<size_t>((*axis)[0])] = (*tiles)[0];
  node.operands.resize(2);
  node.operands[1] = upgrader.integers(repeats);
  return success();
}

LogicalResult upgradeTopK(Upgrader &upgrader, Node &node) {
  auto k = dyn_cast_or_null<IntegerAttr>(node.attributes.get("k"));
  if (!k)
    return upgrader.malformed("has no attribute k");
  node.attributes.erase("k");
  node.setOperand(1, upgrader.integers(k.getInt()));
  return success();
}

LogicalResult renameScatter(Upgrader &, Node &node) {
  node.opType = "ScatterElements";
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"Concat", 4, pinConcatAxis},    {"Pad", 2, renamePaddings},     {"Pad", 11, upgradePad},
    {"Reshape", 5, upgradeReshape},  {"Scatter", 11, renameScatter}, {"Slice", 10, upgradeSlice},
    {"Split", 2, upgradeSplitInput}, {"Split", 13, splitToInput},    {"Split", 18, pinNumOutputs},
    {"Squeeze", 13, axesToInput},    {"Tile", 6, upgradeTile},       {"TopK", 10, upgradeTopK},
    {"Unsqueeze", 13, axesToInput},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getMovementUpgrades() { return kRows; }
