// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/ExternalSkeleton.h"

#include "Support/ElementTypes.h"
#include "Support/JsonText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

void ExternalSkeleton::addTensors(const google::protobuf::RepeatedPtrField<std::string> &names,
                                  const DeclaredTypes &types, bool isFirst,
                                  std::vector<Tensor> &tensors) {
  size_t before = tensors.size(), count = static_cast<size_t>(names.size());
  tensors.resize(std::max(before, count));
  for (auto [number, tensor] : enumerate(tensors)) {
    const std::string *name = number < count ? &names[static_cast<int>(number)] : nullptr;
    // One node has it and another one has not.
    tensor.isOptional |= !name || name->empty() || (!isFirst && number >= before);
    const DeclaredType *type = name ? types.lookup(*name) : nullptr;
    if (!type)
      continue;
    if (type->element != 0)
      tensor.elements.insert(type->element);
    if (type->rank >= 0)
      tensor.ranks.insert(type->rank);
  }
}

void ExternalSkeleton::add(const pb::NodeProto &node, StringRef domain, int64_t version,
                           const DeclaredTypes &types) {
  Operator &op = operators[{domain.str(), node.op_type()}];
  bool isFirst = op.nodes++ == 0;
  op.version = isFirst ? version : std::min(op.version, version);
  addTensors(node.input(), types, isFirst, op.operands);
  addTensors(node.output(), types, isFirst, op.results);
  for (const pb::AttributeProto &attribute : node.attribute()) {
    auto &[type, count] = op.attributes[attribute.name()];
    type = getAttributeType(attribute);
    ++count;
  }
}

/// Words of C out of a domain and a name: `com_example_peaks`.
static std::string makeFunctionName(StringRef domain, StringRef name) {
  std::string function;
  for (char c : (domain + "_" + name).str()) {
    bool isWord = isAlnum(c);
    if (isWord || (!function.empty() && function.back() != '_'))
      function += isWord ? toLower(c) : '_';
  }
  function = StringRef(function).take_front(40).rtrim('_').str();
  return function.empty() || isDigit(function.front()) ? "own_" + function : function;
}

std::string ExternalSkeleton::print() const {
  if (operators.empty())
    return "";
  auto printTensors = [](const std::vector<Tensor> &tensors, StringRef letter, bool isOperand) {
    json::Array list;
    for (auto [number, tensor] : enumerate(tensors)) {
      json::Object row{{"name", letter.str() + std::to_string(number)}, {"type", "?"}};
      const ElementInfo *element =
          tensor.elements.size() == 1 ? findElementInfo(*tensor.elements.begin()) : nullptr;
      if (element)
        row["type"] = element->name;
      if (tensor.ranks.size() == 1)
        row["rank"] = *tensor.ranks.begin();
      if (isOperand && tensor.isOptional)
        row["optional"] = true;
      list.push_back(std::move(row));
    }
    return list;
  };
  json::Array list;
  for (const auto &[key, op] : operators) {
    json::Array attributes;
    for (const auto &[name, known] : op.attributes) {
      json::Object row{
          {"name", json::fixUTF8(name)},
          {"type", StringRef(pb::AttributeProto::AttributeType_Name(known.first)).lower()}};
      if (known.second < op.nodes)
        row["default"] = "?";
      attributes.push_back(std::move(row));
    }
    list.push_back(json::Object{{"domain", json::fixUTF8(key.first)},
                                {"name", json::fixUTF8(key.second)},
                                {"version", op.version},
                                {"function", makeFunctionName(key.first, key.second)},
                                {"side", "host"},
                                {"pure", true},
                                {"operands", printTensors(op.operands, "x", true)},
                                {"results", printTensors(op.results, "y", false)},
                                {"attributes", std::move(attributes)},
                                {"extents", json::Array()}});
  }
  return formatJson(json::Object{{"schema", 1}, {"operators", std::move(list)}});
}
