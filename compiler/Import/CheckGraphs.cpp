// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, order and attributes of graphs. Graphs nest at most kMaxNesting deep (WireScan.h), so
// looking into one recurses.

#include "Import/CheckModel.h"
#include "Import/SortNodes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallSet.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

pb::AttributeProto::AttributeType
cameo::importer::getAttributeType(const pb::AttributeProto &attribute) {
  if (attribute.has_type() && attribute.type() != pb::AttributeProto::UNDEFINED)
    return attribute.type();
  using A = pb::AttributeProto;
  const std::pair<bool, A::AttributeType> payloads[] = {
      {attribute.has_f(), A::FLOAT},
      {attribute.has_i(), A::INT},
      {attribute.has_s(), A::STRING},
      {attribute.has_t(), A::TENSOR},
      {attribute.has_g(), A::GRAPH},
      {attribute.has_sparse_tensor(), A::SPARSE_TENSOR},
      {attribute.has_tp(), A::TYPE_PROTO},
      {attribute.floats_size() != 0, A::FLOATS},
      {attribute.ints_size() != 0, A::INTS},
      {attribute.strings_size() != 0, A::STRINGS},
      {attribute.tensors_size() != 0, A::TENSORS},
      {attribute.graphs_size() != 0, A::GRAPHS},
      {attribute.sparse_tensors_size() != 0, A::SPARSE_TENSORS},
      {attribute.type_protos_size() != 0, A::TYPE_PROTOS},
  };
  A::AttributeType type = A::UNDEFINED;
  for (auto [isPresent, payloadType] : payloads)
    if (isPresent) {
      if (type != A::UNDEFINED)
        return A::UNDEFINED;
      type = payloadType;
    }
  return type;
}

namespace {

/// The names that can be used at some point of a graph.
struct Scope {
  const Scope *outer = nullptr;
  const NodeList *nodes = nullptr;
  DenseSet<StringRef> names;

  bool isVisible(StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (scope->names.contains(name))
        return true;
    return false;
  }
};

class GraphCheck {
public:
  GraphCheck(const Model &model, TensorLoader &tensors, Reporter &reporter)
      : model(model), tensors(tensors), reporter(reporter) {}

  LogicalResult checkMain(const pb::GraphProto &graph) {
    return checkGraph(graph, nullptr, model.opsets, Where{nullptr, graph.name(), "graph"});
  }
  LogicalResult checkFunction(const Function &function);

private:
  LogicalResult checkGraph(const pb::GraphProto &graph, const Scope *outer,
                           const OpsetImports &opsets, const Where &where);
  LogicalResult checkInterface(const pb::GraphProto &graph, Scope &scope, const Where &where);
  LogicalResult checkNodes(const NodeList &nodes, Scope &scope, const OpsetImports &opsets,
                           const Where &where);
  LogicalResult checkNode(const pb::NodeProto &node, int number, Scope &scope,
                          const OpsetImports &opsets, const Where &where);
  LogicalResult checkAttribute(const pb::AttributeProto &attribute, const Scope &scope,
                               const OpsetImports &opsets, const Where &where);
  LogicalResult checkPayload(const pb::AttributeProto &attribute, const Where &where);
  LogicalResult explainUndefined(StringRef name, const Scope &scope, const Where &where);
  LogicalResult define(StringRef name, Scope &scope, const Where &where);
  LogicalResult checkName(StringRef text, StringRef what, const Where &where) {
    return checkText(text, what, where, reporter);
  }

  const Model &model;
  TensorLoader &tensors;
  Reporter &reporter;
  bool isInFunction = false;
};

LogicalResult GraphCheck::define(StringRef name, Scope &scope, const Where &where) {
  if (failed(checkName(name, "the name of a value", where)))
    return failure();
  if (scope.isVisible(name))
    return reporter.malformed(&where, "defines " + quoteText(name) + ", which is defined already");
  scope.names.insert(name);
  return success();
}

/// Inputs and initializers: what a graph has before its first node.
LogicalResult GraphCheck::checkInterface(const pb::GraphProto &graph, Scope &scope,
                                         const Where &where) {
  bool isMain = !scope.outer;
  int64_t number = 0;
  for (const pb::ValueInfoProto &input : graph.input()) {
    Where place{&where, input.name(), "input", number++};
    if (input.name().empty())
      return reporter.malformed(&place, "is an input without a name");
    if (failed(checkName(input.name(), "the name of an input", place)))
      return failure();
    // An inner graph may name its inputs as it likes; other names must be new everywhere.
    if (!scope.names.insert(input.name()).second)
      return reporter.malformed(&place, "is an input defined twice");
    if (isMain && !input.has_type())
      return reporter.malformed(&place, "is an input without a type");
    // Bodies of loops may leave types to what is passed in.
    bool saysType =
        input.type().value_case() != pb::TypeProto::VALUE_NOT_SET &&
        !(input.type().has_tensor_type() && input.type().tensor_type().elem_type() == 0);
    if ((isMain || saysType) && failed(checkType(input.type(), place, reporter)))
      return failure();
  }

  DenseSet<StringRef> initialized;
  auto checkInitializer = [&](StringRef name, const Where &place) -> LogicalResult {
    if (name.empty())
      return reporter.malformed(&place, "is an initializer without a name");
    if (!initialized.insert(name).second)
      return reporter.malformed(&place, "is an initializer defined twice");
    scope.names.insert(name);
    return checkName(name, "the name of an initializer", place);
  };
  number = 0;
  for (const pb::TensorProto &tensor : graph.initializer()) {
    Where place{&where, tensor.name(), "initializer", number++};
    if (failed(checkInitializer(tensor.name(), place)) || failed(tensors.check(tensor, place)))
      return failure();
  }
  number = 0;
  for (const pb::SparseTensorProto &tensor : graph.sparse_initializer()) {
    Where place{&where, tensor.values().name(), "sparse initializer", number++};
    if (failed(checkInitializer(tensor.values().name(), place)) ||
        failed(tensors.check(tensor, place)))
      return failure();
  }
  number = 0;
  for (const pb::ValueInfoProto &value : graph.value_info()) {
    Where place{&where, value.name(), "value_info", number++};
    if (value.has_type() && value.type().value_case() != pb::TypeProto::VALUE_NOT_SET &&
        failed(checkType(value.type(), place, reporter)))
      return failure();
  }
  return success();
}

LogicalResult GraphCheck::checkGraph(const pb::GraphProto &graph, const Scope *outer,
                                     const OpsetImports &opsets, const Where &where) {
  Scope scope;
  scope.outer = outer;
  scope.nodes = &graph.node();
  if (failed(checkName(graph.name(), "the name of a graph", where)) ||
      failed(checkInterface(graph, scope, where)) ||
      failed(checkNodes(graph.node(), scope, opsets, where)))
    return failure();
  int64_t number = 0;
  for (const pb::ValueInfoProto &output : graph.output()) {
    Where place{&where, output.name(), "output", number++};
    if (output.name().empty())
      return reporter.malformed(&place, "is an output without a name");
    if (!scope.isVisible(output.name()))
      return reporter.malformed(&place, "is an output that nothing defines");
    if (output.has_type() && output.type().value_case() != pb::TypeProto::VALUE_NOT_SET &&
        !(output.type().has_tensor_type() && output.type().tensor_type().elem_type() == 0) &&
        failed(checkType(output.type(), place, reporter)))
      return failure();
  }
  return success();
}

LogicalResult GraphCheck::checkFunction(const Function &function) {
  const pb::FunctionProto &proto = *function.proto;
  Where where{nullptr, proto.name(), "function"};
  isInFunction = true;
  Scope scope;
  scope.nodes = &proto.node();
  for (const std::string &input : proto.input()) {
    if (input.empty())
      return reporter.malformed(&where, "has an input without a name");
    if (failed(define(input, scope, where)))
      return failure();
  }
  SmallSet<StringRef, 8> attributes;
  for (const std::string &attribute : proto.attribute())
    if (attribute.empty() || !attributes.insert(attribute).second)
      return reporter.malformed(&where, "has attribute " + quoteText(attribute) + " twice");
  for (const pb::AttributeProto &attribute : proto.attribute_proto()) {
    if (!attributes.insert(attribute.name()).second)
      return reporter.malformed(&where, "has attribute " + quoteText(attribute.name()) + " twice");
    if (failed(checkAttribute(attribute, scope, function.opsets, where)))
      return failure();
  }
  if (failed(checkNodes(proto.node(), scope, function.opsets, where)))
    return failure();
  for (const std::string &output : proto.output())
    if (output.empty() || !scope.isVisible(output))
      return reporter.malformed(&where,
                                "has output " + quoteText(output) + ", which nothing defines");
  isInFunction = false;
  return success();
}

LogicalResult GraphCheck::checkNodes(const NodeList &nodes, Scope &scope,
                                     const OpsetImports &opsets, const Where &where) {
  for (int number = 0; number < nodes.size(); ++number)
    if (failed(checkNode(nodes[number], number, scope, opsets, where)))
      return failure();
  return success();
}

LogicalResult GraphCheck::checkNode(const pb::NodeProto &node, int number, Scope &scope,
                                    const OpsetImports &opsets, const Where &outer) {
  Where where{&outer, node.name(), node.op_type(), number};
  if (node.op_type().empty())
    return reporter.malformed(&where, "is a node without an operator");
  const std::pair<StringRef, StringRef> texts[] = {{node.name(), "the name of a node"},
                                                   {node.op_type(), "an operator"},
                                                   {node.domain(), "the domain of an operator"},
                                                   {node.overload(), "the overload of a function"}};
  for (auto [text, what] : texts)
    if (failed(checkName(text, what, where)))
      return failure();
  const Function *callee = model.lookupFunction(node);
  if (!callee && !opsets.lookup(node.domain()))
    return reporter.malformed(&where, "is of operator set " + quoteText(node.domain()) +
                                          ", which the model does not import");

  for (const std::string &input : node.input())
    if (!input.empty() && !scope.isVisible(input))
      return explainUndefined(input, scope, where);
  SmallSet<StringRef, 8> attributeNames;
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (!attributeNames.insert(attribute.name()).second)
      return reporter.malformed(&where, "has attribute " + quoteText(attribute.name()) + " twice");
    if (failed(checkAttribute(attribute, scope, opsets, where)))
      return failure();
  }
  if (all_of(node.output(), [](const std::string &output) { return output.empty(); }))
    return reporter.malformed(&where, "is a node without outputs");
  for (const std::string &output : node.output())
    if (!output.empty() && failed(define(output, scope, where)))
      return failure();

  if (!callee)
    return success();
  auto checkArity = [&](int got, int most, StringRef what) -> LogicalResult {
    return got <= most
               ? success()
               : reporter.malformed(&where, "calls a function with too many " + what + " (got " +
                                                Twine(got) + ", need at most " + Twine(most) + ")");
  };
  return success(
      succeeded(checkArity(node.input_size(), callee->proto->input_size(), "inputs")) &&
      succeeded(checkArity(node.output_size(), callee->proto->output_size(), "outputs")));
}

LogicalResult GraphCheck::explainUndefined(StringRef name, const Scope &scope, const Where &where) {
  auto definesIt = [&](const pb::NodeProto &node) { return is_contained(node.output(), name); };
  for (const Scope *place = &scope; place; place = place->outer) {
    if (none_of(*place->nodes, definesIt))
      continue;
    // sortNodes has put all nodes in order for which there is one.
    SmallVector<StringRef> cycle = findCycle(*place->nodes);
    constexpr size_t kMaxShown = 8;
    std::string path;
    for (StringRef value : ArrayRef(cycle).take_front(kMaxShown))
      path += escapeText(value, 60) + " -> ";
    path += cycle.size() > kMaxShown ? "... -> " : "";
    return reporter.malformed(&where, "uses " + quoteText(name) + " before it is defined" +
                                          (cycle.empty() ? ""
                                                         : "; the nodes have a cycle: " + path +
                                                               escapeText(cycle.front(), 60)));
  }
  return reporter.malformed(&where, "uses " + quoteText(name) + ", which nothing defines");
}

LogicalResult GraphCheck::checkPayload(const pb::AttributeProto &attribute, const Where &where) {
  using A = pb::AttributeProto;
  A::AttributeType type = getAttributeType(attribute);
  if (type == A::UNDEFINED)
    return reporter.malformed(&where, "is an attribute without a type");
  // A writer may leave out the default of numbers and strings, but not of other payloads.
  struct Payload {
    A::AttributeType type;
    bool isPresent;
    bool isNeeded;
  };
  const Payload payloads[] = {
      {A::FLOAT, attribute.has_f(), false},
      {A::INT, attribute.has_i(), false},
      {A::STRING, attribute.has_s(), false},
      {A::TENSOR, attribute.has_t(), true},
      {A::GRAPH, attribute.has_g(), true},
      {A::SPARSE_TENSOR, attribute.has_sparse_tensor(), true},
      {A::TYPE_PROTO, attribute.has_tp(), true},
      {A::FLOATS, attribute.floats_size() != 0, false},
      {A::INTS, attribute.ints_size() != 0, false},
      {A::STRINGS, attribute.strings_size() != 0, false},
      {A::TENSORS, attribute.tensors_size() != 0, false},
      {A::GRAPHS, attribute.graphs_size() != 0, false},
      {A::SPARSE_TENSORS, attribute.sparse_tensors_size() != 0, false},
      {A::TYPE_PROTOS, attribute.type_protos_size() != 0, false},
  };
  bool isReference = !attribute.ref_attr_name().empty();
  for (const Payload &payload : payloads) {
    bool isOwn = payload.type == type && !isReference;
    if (payload.isPresent && !isOwn)
      return reporter.malformed(
          &where, isReference ? Twine("is an attribute with both a value and a reference")
                              : "is an attribute whose type is not that of its value (got " +
                                    Twine(A::AttributeType_Name(payload.type)) + ", need " +
                                    Twine(A::AttributeType_Name(type)) + ")");
    if (isOwn && payload.isNeeded && !payload.isPresent)
      return reporter.malformed(&where, "is an attribute without a value");
  }
  return success();
}

LogicalResult GraphCheck::checkAttribute(const pb::AttributeProto &attribute, const Scope &scope,
                                         const OpsetImports &opsets, const Where &outer) {
  Where where{&outer, attribute.name(), "attribute"};
  if (attribute.name().empty())
    return reporter.malformed(&where, "is an attribute without a name");
  if (failed(checkName(attribute.name(), "the name of an attribute", where)) ||
      failed(checkPayload(attribute, where)))
    return failure();
  if (!attribute.ref_attr_name().empty() && !isInFunction)
    return reporter.malformed(&where, "refers to attribute " +
                                          quoteText(attribute.ref_attr_name()) +
                                          " of a function, but is in none");
  if (attribute.has_t() && failed(tensors.check(attribute.t(), where)))
    return failure();
  for (const pb::TensorProto &tensor : attribute.tensors())
    if (failed(tensors.check(tensor, where)))
      return failure();
  if (attribute.has_sparse_tensor() && failed(tensors.check(attribute.sparse_tensor(), where)))
    return failure();
  for (const pb::SparseTensorProto &tensor : attribute.sparse_tensors())
    if (failed(tensors.check(tensor, where)))
      return failure();
  if (attribute.has_tp() && failed(checkType(attribute.tp(), where, reporter)))
    return failure();
  for (const pb::TypeProto &type : attribute.type_protos())
    if (failed(checkType(type, where, reporter)))
      return failure();
  if (attribute.has_g() && failed(checkGraph(attribute.g(), &scope, opsets, where)))
    return failure();
  for (const pb::GraphProto &graph : attribute.graphs())
    if (failed(checkGraph(graph, &scope, opsets, where)))
      return failure();
  return success();
}

} // namespace

LogicalResult cameo::importer::checkGraphs(Model &model, TensorLoader &tensors,
                                           Reporter &reporter) {
  GraphCheck check(model, tensors, reporter);
  if (failed(check.checkMain(model.proto.graph())))
    return failure();
  for (const Function &function : model.functions)
    if (failed(check.checkFunction(function)))
      return failure();
  return success();
}
