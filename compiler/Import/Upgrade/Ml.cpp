// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels and categories of ai.onnx.ml: all are tables of keys and values.

#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

namespace {

/// A list of classes became two lists, keys and values.
LogicalResult upgradeLabelEncoder(Upgrader &upgrader, Node &node) {
  auto classes = dyn_cast_or_null<ArrayAttr>(node.attributes.erase("classes_strings"));
  SymTensorType input = upgrader.getType(node.getOperand(0));
  if (!classes || !input)
    return upgrader.malformed("has no attribute classes_strings");
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(classes.size())));
  Attribute indices = upgrader.getBuilder().getDenseI64ArrayAttr(numbers);
  bool fromStrings = isa<StringType>(input.getElementType());
  node.attributes.set(fromStrings ? "keys_strings" : "keys_int64s",
                      fromStrings ? Attribute(classes) : indices);
  node.attributes.set(fromStrings ? "values_int64s" : "values_strings",
                      fromStrings ? indices : Attribute(classes));
  return success();
}

/// A table that is read from either side, as the input's type says.
LogicalResult upgradeCategoryMapper(Upgrader &upgrader, Node &node) {
  auto strings = dyn_cast_or_null<ArrayAttr>(node.attributes.erase("cats_strings"));
  auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.erase("cats_int64s"));
  SymTensorType input = upgrader.getType(node.getOperand(0));
  if (!strings || !integers || !input)
    return upgrader.malformed("has not both attributes cats_strings and cats_int64s");
  bool fromStrings = isa<StringType>(input.getElementType());
  node.attributes.set(fromStrings ? "keys_strings" : "values_strings", strings);
  node.attributes.set(fromStrings ? "values_int64s" : "keys_int64s", integers);
  node.opType = "ml.LabelEncoder";
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"ml.CategoryMapper", kAlways, upgradeCategoryMapper},
    {"ml.LabelEncoder", 2, upgradeLabelEncoder},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getMlUpgrades() { return kRows; }
