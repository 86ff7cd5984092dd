// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resampling: Upsample became Resize, which learnt to say how positions map; what the old forms
// meant is `asymmetric`, rounding down.

#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

LogicalResult upsampleScalesToInput(Upgrader &upgrader, Node &node) {
  auto scales = dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.get("scales"));
  if (!scales)
    return upgrader.malformed("has no attribute scales");
  node.attributes.erase("scales");
  node.setOperand(1, upgrader.floats(scales.asArrayRef()));
  return success();
}

LogicalResult upgradeUpsampleFactors(Upgrader &upgrader, Node &node) {
  auto height = dyn_cast_or_null<FloatAttr>(node.attributes.get("height_scale"));
  auto width = dyn_cast_or_null<FloatAttr>(node.attributes.get("width_scale"));
  if (!height || !width)
    return upgrader.malformed("has no attribute height_scale or width_scale");
  node.attributes.erase("height_scale");
  node.attributes.erase("width_scale");
  float factors[] = {1.0f, 1.0f, height.getValue().convertToFloat(),
                     width.getValue().convertToFloat()};
  node.attributes.set("scales", upgrader.getBuilder().getDenseF32ArrayAttr(factors));
  return success();
}

LogicalResult upsampleToResize(Upgrader &upgrader, Node &node) {
  auto mode = dyn_cast_or_null<StringAttr>(node.attributes.get("mode"));
  if (mode && mode.getValue() == "bilinear")
    node.attributes.set("mode", upgrader.getBuilder().getStringAttr("linear"));
  node.opType = "Resize";
  return success();
}

LogicalResult upgradeResize(Upgrader &upgrader, Node &node) {
  Value scales = node.getOperand(1);
  node.setOperand(1, Value());
  node.setOperand(2, scales);
  upgrader.pinDefault("coordinate_transformation_mode",
                      upgrader.getBuilder().getStringAttr("asymmetric"));
  upgrader.pinDefault("nearest_mode", upgrader.getBuilder().getStringAttr("floor"));
  return success();
}

/// An input without elements is how operator sets 11 and 12 leave one out, and later ones may.
void dropEmptyInputs(Upgrader &upgrader, Node &node) {
  for (size_t input = 1; input < node.operands.size(); ++input) {
    SymTensorType type = upgrader.getType(node.operands[input]);
    if (type && type.hasRank() && type.getNumElements().isConstant(0))
      node.operands[input] = Value();
  }
}

/// tf_half_pixel_for_nn, which operator set 13 took away and exporters go on writing: positions are
/// half a pixel further than those of half_pixel, so that other roundings give the same pixels.
LogicalResult upgradeHalfPixels(Upgrader &upgrader, Node &node) {
  auto getWord = [&](StringRef name, StringRef otherwise) {
    auto word = dyn_cast_or_null<StringAttr>(node.attributes.get(name));
    return word ? word.getValue() : otherwise;
  };
  if (getWord("coordinate_transformation_mode", "half_pixel") != "tf_half_pixel_for_nn")
    return success();
  StringRef rounding = getWord("nearest_mode", "round_prefer_floor");
  StringRef shifted = rounding == "floor"                ? "round_prefer_ceil"
                      : rounding == "round_prefer_floor" ? "ceil"
                                                         : "";
  if (getWord("mode", "nearest") != "nearest" || shifted.empty())
    return upgrader.unsupported(
        "has coordinate_transformation_mode tf_half_pixel_for_nn without mode "
        "nearest and nearest_mode floor or round_prefer_floor");
  Builder &builder = upgrader.getBuilder();
  node.attributes.set("coordinate_transformation_mode", builder.getStringAttr("half_pixel"));
  node.attributes.set("nearest_mode", builder.getStringAttr(shifted));
  return success();
}

LogicalResult normaliseResize(Upgrader &upgrader, Node &node) {
  dropEmptyInputs(upgrader, node);
  return upgradeHalfPixels(upgrader, node);
}

LogicalResult pinRoiAlignMode(Upgrader &upgrader, Node &) {
  upgrader.pinDefault("coordinate_transformation_mode",
                      upgrader.getBuilder().getStringAttr("output_half_pixel"));
  return success();
}

LogicalResult renameGridSampleMode(Upgrader &upgrader, Node &node) {
  auto mode = dyn_cast_or_null<StringAttr>(node.attributes.get("mode"));
  if (mode && (mode.getValue() == "bilinear" || mode.getValue() == "bicubic"))
    node.attributes.set("mode", upgrader.getBuilder().getStringAttr(mode.getValue().drop_front(2)));
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"Upsample", 7, upgradeUpsampleFactors},  {"Upsample", 9, upsampleScalesToInput},
    {"Upsample", 10, upsampleToResize},       {"Resize", 11, upgradeResize},
    {"Resize", kAlways, normaliseResize},     {"RoiAlign", 16, pinRoiAlignMode},
    {"GridSample", 20, renameGridSampleMode},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getResizeUpgrades() { return kRows; }
