// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Remedies.h"

#include "Support/ElementTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

struct Advice {
  StringLiteral domain, opType, text;
};

constexpr StringLiteral kMaps = "maps are no values here: make the tensor in the caller";
constexpr StringLiteral kText = "text is not computed with: make words and their numbers in the "
                                "caller, and export what is behind them";

constexpr StringLiteral kMachine =
    "save the model with ORT_ENABLE_EXTENDED or less, which writes no "
    "operators for one machine";
constexpr StringLiteral kSearch = "export the decoder alone, and search in the caller";

/// An empty operator stands for all of a domain.
constexpr Advice kAdvice[] = {
    {"ai.onnx.ml", "CastMap", kMaps},
    {"ai.onnx.ml", "DictVectorizer", kMaps},
    {"com.microsoft", "BeamSearch", kSearch},
    {"com.microsoft", "GreedySearch", kSearch},
    {"com.microsoft", "NhwcFusedConv", kMachine},
    {"com.microsoft", "Sampling", kSearch},
    {"com.microsoft", "Tokenizer", kText},
    {"com.microsoft", "WhisperBeamSearch", kSearch},
    {"com.microsoft.nchwc", "", kMachine},
    {"com.ms.internal.nhwc", "", kMachine},
    {"trt.plugins", "", "export the model without plugins of TensorRT"},
};

constexpr StringLiteral kDeclare = "--external has a function of yours compute it; cameo inspect "
                                   "prints what to declare";

/// The part of a node that a function cannot be given; empty where it can be given all of it.
StringRef findObstacle(const pb::NodeProto &node, const DeclaredTypes &types) {
  using A = pb::AttributeProto;
  for (const pb::AttributeProto &attribute : node.attribute()) {
    switch (getAttributeType(attribute)) {
    case A::INT:
    case A::FLOAT:
    case A::STRING:
    case A::INTS:
    case A::FLOATS:
    case A::STRINGS:
      break;
    case A::GRAPH:
    case A::GRAPHS:
      return "has graphs";
    default:
      return "has an attribute that is neither numbers nor text";
    }
  }
  for (const auto *names : {&node.input(), &node.output()})
    for (const std::string &name : *names) {
      const DeclaredType *type = types.lookup(name);
      const ElementInfo *element = type ? findElementInfo(type->element) : nullptr;
      if (type && !element && type->element == 0)
        return "has sequences, optionals or maps";
      if (element && (element->isString() || element->isPacked()))
        return "has text, or elements of less than a byte";
    }
  if (node.input().empty())
    return "has no inputs";
  return "";
}

} // namespace

Remedy cameo::importer::findRemedy(const pb::NodeProto &node, StringRef domain,
                                   const DeclaredTypes &types) {
  for (const Advice &advice : kAdvice)
    if (advice.domain == domain && (advice.opType.empty() || advice.opType == node.op_type()))
      return {RemedyKind::Export, advice.text};
  if (StringRef obstacle = findObstacle(node, types); !obstacle.empty())
    return {RemedyKind::None, obstacle};
  return {RemedyKind::External, kDeclare};
}

std::string cameo::importer::describeOperator(StringRef domain, StringRef opType) {
  return (domain.empty() ? "" : escapeText(domain) + ".") + escapeText(opType);
}

std::string cameo::importer::joinRemedies(ArrayRef<UnsupportedNode> nodes) {
  MapVector<std::pair<RemedyKind, StringRef>, SetVector<StringRef>> ways;
  SmallVector<std::string> operators;
  for (const UnsupportedNode &node : nodes)
    operators.push_back(describeOperator(node.domain, node.opType));
  for (auto [node, op] : zip_equal(nodes, operators))
    ways[{node.remedy, node.advice}].insert(op);
  // Whose there is but one way needs no list of what it is for.
  std::vector<std::string> parts;
  for (const auto &[way, ops] : ways) {
    std::string of = ways.size() == 1 ? "" : " (" + join(ops, ", ") + ")";
    parts.push_back(way.first == RemedyKind::None
                        ? "nothing computes it yet: it " + way.second.str() + of
                        : way.second.str() + of);
  }
  return join(parts, "; ");
}
