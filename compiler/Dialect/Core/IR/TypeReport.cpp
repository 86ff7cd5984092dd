// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/TypeReport.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/ElementTypes.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
namespace json = llvm::json;

json::Value cameo::core::reportExtent(ExtentAttr extent) {
  if (extent.isUnknown())
    return nullptr;
  if (std::optional<int64_t> constant = extent.getConstant())
    return *constant;
  return json::Object{{"expr", json::fixUTF8(extent.str())}};
}

json::Value cameo::core::reportBytes(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (!tensor || !tensor.hasRank() || !tensor.getElementType().isIntOrFloat())
    return nullptr;
  return reportExtent(getStorageBytes(tensor));
}

json::Object cameo::core::reportType(Type type, llvm::function_ref<ExtentAttr(ExtentAttr)> show) {
  if (auto sequence = dyn_cast<SequenceType>(type))
    return json::Object{{"sequence", reportType(sequence.getElement(), show)}};
  if (auto optional = dyn_cast<OptionalType>(type))
    return json::Object{{"optional", reportType(optional.getElement(), show)}};
  auto tensor = dyn_cast<SymTensorType>(type);
  const ElementInfo *info = tensor ? getElementInfo(tensor.getElementType()) : nullptr;
  if (!info)
    return json::Object{};
  json::Object row{{"dtype", info->name}, {"shape", nullptr}};
  if (tensor.hasRank()) {
    json::Array shape;
    for (ExtentAttr extent : tensor.getExtents())
      shape.push_back(reportExtent(show(extent)));
    row["shape"] = std::move(shape);
  }
  return row;
}

std::string cameo::core::describeExtent(const json::Value &extent) {
  if (auto number = extent.getAsInteger())
    return std::to_string(*number);
  const json::Object *formula = extent.getAsObject();
  return formula ? escapeText(*formula->getString("expr"), 400) : "unknown";
}

std::string cameo::core::describeType(const json::Object &type) {
  if (const json::Object *element = type.getObject("sequence"))
    return "sequence of " + describeType(*element);
  if (const json::Object *element = type.getObject("optional"))
    return "optional " + describeType(*element);
  auto dtype = type.getString("dtype");
  if (!dtype)
    return "no tensor";
  std::string text = dtype->str() + '[';
  if (const json::Array *shape = type.getArray("shape")) {
    for (const json::Value &extent : *shape)
      text += (text.back() == '[' ? "" : ", ") + describeExtent(extent);
  } else {
    text += "...";
  }
  return text + ']';
}

std::optional<json::Array> cameo::core::reportKeys(Attribute keys) {
  json::Array row;
  if (auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(keys))
    for (int64_t key : integers.asArrayRef())
      row.push_back(key);
  else if (auto strings = dyn_cast_or_null<ArrayAttr>(keys))
    for (StringRef key : strings.getAsValueRange<StringAttr>())
      row.push_back(json::fixUTF8(key));
  else
    return std::nullopt;
  return row;
}

std::string cameo::core::describeKeys(const json::Array &keys) {
  std::string text;
  for (const json::Value &key : keys) {
    std::optional<int64_t> number = key.getAsInteger();
    text += (text.empty() ? "" : ", ") +
            (number ? std::to_string(*number) : quoteText(*key.getAsString()));
  }
  return text;
}
