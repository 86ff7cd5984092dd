// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, conversions, transforms and control flow.

#include "Import/TensorLoader.h"
#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

ElementsAttr makeConstant(OpBuilder &builder, Attribute value) {
  auto vector = [](size_t size, Type element) {
    return RankedTensorType::get(static_cast<int64_t>(size), element);
  };
  Type string = StringType::get(builder.getContext());
  if (auto elements = dyn_cast<ElementsAttr>(value); elements && !isa<DenseArrayAttr>(value))
    return elements;
  if (auto number = dyn_cast<IntegerAttr>(value))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), number.getInt());
  if (auto number = dyn_cast<FloatAttr>(value))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getF32Type()),
                                  number.getValue());
  if (auto text = dyn_cast<StringAttr>(value))
    return DenseStringElementsAttr::get(RankedTensorType::get({}, string), text.getValue());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value))
    return DenseElementsAttr::get(vector(numbers.asArrayRef().size(), builder.getI64Type()),
                                  numbers.asArrayRef());
  if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value))
    return DenseElementsAttr::get(vector(numbers.asArrayRef().size(), builder.getF32Type()),
                                  numbers.asArrayRef());
  if (auto texts = dyn_cast<ArrayAttr>(value)) {
    SmallVector<StringRef> strings(texts.getAsValueRange<StringAttr>());
    return DenseStringElementsAttr::get(vector(strings.size(), string), strings);
  }
  return {};
}

/// ONNX has seven ways to write a constant, the dialect one.
LogicalResult unifyConstant(Upgrader &upgrader, Node &node) {
  static constexpr StringLiteral kForms[] = {"value",        "sparse_value", "value_float",
                                             "value_floats", "value_int",    "value_ints",
                                             "value_string", "value_strings"};
  ElementsAttr elements;
  unsigned count = 0;
  for (StringRef form : kForms)
    if (Attribute value = node.attributes.erase(form)) {
      ++count;
      elements = makeConstant(upgrader.getBuilder(), value);
    }
  if (count != 1 || !elements)
    return upgrader.malformed("is a constant that needs one value (got " + Twine(count) + ")");
  node.attributes.set("value", elements);
  return success();
}

/// The type was given by its name.
LogicalResult upgradeCastType(Upgrader &upgrader, Node &node) {
  auto name = dyn_cast_or_null<StringAttr>(node.attributes.get("to"));
  if (!name)
    return success();
  for (const ElementInfo &type : getElementInfos())
    if (type.onnxName == name.getValue()) {
      node.attributes.set("to", upgrader.getBuilder().getI64IntegerAttr(type.number));
      return success();
    }
  return upgrader.malformed("casts to a type that ONNX does not have (got " +
                            quoteText(name.getValue()) + ")");
}

LogicalResult dftAxisToInput(Upgrader &upgrader, Node &node) {
  int64_t axis = upgrader.getInt("axis", 1);
  node.attributes.erase("axis");
  auto type = RankedTensorType::get({}, upgrader.getBuilder().getI64Type());
  node.setOperand(2, upgrader.constant(DenseElementsAttr::get(type, axis)));
  return success();
}

/// It had a batch, whose entries could be of different lengths.
LogicalResult markBatchedScan(Upgrader &upgrader, Node &node) {
  if (node.getOperand(0))
    return upgrader.unsupported("is a Scan of operator set 8 with sequence_lens; scan all of a "
                                "sequence and choose what counts by Where");
  if (!node.operands.empty())
    node.operands.erase(node.operands.begin());
  if (Attribute directions = node.attributes.erase("directions"))
    node.attributes.set("scan_input_directions", directions);
  node.attributes.set("batched", upgrader.getBuilder().getUnitAttr());
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"Cast", 6, upgradeCastType},
    {"Constant", kAlways, unifyConstant},
    {"DFT", 20, dftAxisToInput},
    {"Scan", 9, markBatchedScan},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getOtherUpgrades() { return kRows; }
