// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header, types, and which operators a model needs.

#include "Import/CheckModel.h"
#include "Import/Domains.h"
#include "Import/ExternalSkeleton.h"
#include "Import/Remedies.h"
#include "Import/SortNodes.h"

#include "Support/CheckedSize.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

LogicalResult cameo::importer::checkModel(Model &model, const ImportOptions &options,
                                          TensorLoader &tensors, Reporter &reporter) {
  if (failed(checkHeader(model, reporter)))
    return failure();
  sortNodes(model.proto, reporter);
  if (failed(checkGraphs(model, tensors, reporter)))
    return failure();
  NodeLimits limits;
  limits.maxNodes = options.maxNodes.value_or(kMaxNodes);
  limits.maxInlined =
      options.maxNodes.value_or(kMaxInlinedNodes * (1 + (tensors.getWeightBytes() >> 20)));
  return checkCalls(model, limits, reporter);
}

LogicalResult cameo::importer::checkText(StringRef text, StringRef what, const Where &where,
                                         Reporter &reporter) {
  if (all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; }))
    return success();
  const auto *begin = reinterpret_cast<const UTF8 *>(text.begin());
  if (isLegalUTF8String(&begin, reinterpret_cast<const UTF8 *>(text.end())))
    return success();
  return reporter.malformed(&where, what + " is not UTF-8 (got " + quoteText(text) + ")");
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {

LogicalResult readOpsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto> &protos,
                         OpsetImports &opsets, const Where &where, Reporter &reporter) {
  for (const pb::OperatorSetIdProto &proto : protos) {
    StringRef domain = proto.domain();
    if (failed(checkText(domain, "the domain of an operator set", where, reporter)))
      return failure();
    if (proto.version() < 1)
      return reporter.malformed(&where, "imports operator set " + quoteText(domain) +
                                            " in a version that is none (got " +
                                            Twine(proto.version()) + ")");
    // skl2onnx and onnx.compose repeat a domain; whoever reads the list in order keeps the last.
    std::optional<int64_t> earlier = opsets.lookup(domain);
    if (earlier && *earlier != proto.version())
      reporter.warn(&where, "imports operator set " + quoteText(domain) +
                                " twice; the last version counts (got " + Twine(*earlier) +
                                " and " + Twine(proto.version()) + ")");
    opsets.set(domain, proto.version());
    const Domain *known = findDomain(normalizeDomain(domain));
    if (known && proto.version() > known->newest)
      return reporter.unsupported(&where, "needs operator set " + quoteText(domain) + " version " +
                                              Twine(proto.version()) +
                                              " (newest known: " + Twine(known->newest) + ")");
  }
  return success();
}

LogicalResult readFunctions(Model &model, Reporter &reporter) {
  for (pb::FunctionProto &proto : *model.proto.mutable_functions()) {
    Where where{nullptr, proto.name(), "function", static_cast<int64_t>(model.functions.size())};
    Function function{&proto, {}, 0};
    for (StringRef text :
         {StringRef(proto.name()), StringRef(proto.domain()), StringRef(proto.overload())})
      if (failed(checkText(text, "the name of a function", where, reporter)))
        return failure();
    if (proto.name().empty())
      return reporter.malformed(&where, "is a function without a name");
    if (failed(readOpsets(proto.opset_import(), function.opsets, where, reporter)))
      return failure();
    // A function takes from its model the operator sets that it does not import itself.
    for (const auto &[domain, version] : model.opsets.getAll())
      if (!function.opsets.lookup(domain))
        function.opsets.set(domain, version);
    std::string key = Model::getFunctionKey(proto.domain(), proto.name(), proto.overload());
    if (!model.functionPositions.try_emplace(key, model.functions.size()).second)
      return reporter.malformed(&where, "is defined twice");
    model.functions.push_back(std::move(function));
  }
  return success();
}

} // namespace

LogicalResult cameo::importer::checkHeader(Model &model, Reporter &reporter) {
  const pb::ModelProto &proto = model.proto;
  Where where;
  if (!proto.has_graph())
    return reporter.malformed(nullptr, "has no graph");
  if (!proto.has_ir_version() || proto.ir_version() < 1)
    return reporter.malformed(nullptr, "has no IR version (got " + Twine(proto.ir_version()) + ")");
  if (proto.ir_version() > kMaxIrVersion)
    return reporter.unsupported(nullptr, "has IR version " + Twine(proto.ir_version()) +
                                             " (newest known: " + Twine(kMaxIrVersion) + ")");
  if (failed(readOpsets(proto.opset_import(), model.opsets, where, reporter)))
    return failure();
  if (model.opsets.getAll().empty()) {
    // Operator sets came with IR version 3.
    if (proto.ir_version() >= 3)
      return reporter.malformed(nullptr, "imports no operator set");
    model.opsets.set("", 1);
  }
  if (proto.training_info_size() != 0)
    reporter.warn(nullptr, "its training information is ignored");
  return readFunctions(model, reporter);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

LogicalResult checkTensorType(int32_t elementType, const pb::TensorShapeProto *shape,
                              const Where &where, Reporter &reporter) {
  const ElementInfo *type = findElementInfo(elementType);
  if (!type)
    return reporter.malformed(&where, "has an element type that ONNX does not have (got " +
                                          Twine(elementType) + ")");
  if (!shape)
    return success();
  SmallVector<int64_t> dims;
  for (const pb::TensorShapeProto::Dimension &dim : shape->dim()) {
    if (failed(checkText(dim.dim_param(), "the name of a dim", where, reporter)))
      return failure();
    dims.push_back(getDimValue(dim).value_or(1));
  }
  return failure(failed(getTensorSize(dims, *type, where, reporter)));
}

} // namespace

LogicalResult cameo::importer::checkType(const pb::TypeProto &type, const Where &where,
                                         Reporter &reporter) {
  // Types nest at most kMaxNesting deep (WireScan.h).
  switch (type.value_case()) {
  case pb::TypeProto::kTensorType:
    return checkTensorType(type.tensor_type().elem_type(),
                           type.tensor_type().has_shape() ? &type.tensor_type().shape() : nullptr,
                           where, reporter);
  case pb::TypeProto::kSparseTensorType:
    return checkTensorType(
        type.sparse_tensor_type().elem_type(),
        type.sparse_tensor_type().has_shape() ? &type.sparse_tensor_type().shape() : nullptr, where,
        reporter);
  case pb::TypeProto::kSequenceType:
    return checkType(type.sequence_type().elem_type(), where, reporter);
  case pb::TypeProto::kOptionalType:
    return checkType(type.optional_type().elem_type(), where, reporter);
  case pb::TypeProto::kMapType:
    return checkType(type.map_type().value_type(), where, reporter);
  case pb::TypeProto::kOpaqueType:
    return success();
  case pb::TypeProto::VALUE_NOT_SET:
    return reporter.malformed(&where, "has a type that says nothing");
  }
  return reporter.malformed(&where, "has a type of an unknown kind");
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

class OperatorCheck {
public:
  OperatorCheck(const Model &model, IsKnownOperator isKnown, Reporter &reporter)
      : model(model), isKnown(isKnown), reporter(reporter) {}

  LogicalResult run() {
    const pb::GraphProto &graph = model.proto.graph();
    visit(graph.node(), model.opsets, Where{nullptr, graph.name(), "graph"});
    while (!pending.empty()) {
      const Function *function = pending.pop_back_val();
      visit(function->proto->node(), function->opsets,
            Where{nullptr, function->proto->name(), "function"});
    }
    reporter.setDeclarations(skeleton.print());
    return reporter.reportUnsupported();
  }

private:
  void addUnknown(const pb::NodeProto &node, const Where &where, StringRef domain,
                  int64_t version) {
    if (!types)
      types.emplace(model.proto.graph());
    Remedy remedy = findRemedy(node, domain, *types);
    if (remedy.kind == RemedyKind::External)
      skeleton.add(node, domain, version, *types);
    reporter.addUnsupported(
        {where.str(), domain.str(), node.op_type(), version, remedy.kind, remedy.text.str()});
  }

  void visit(const google::protobuf::RepeatedPtrField<pb::NodeProto> &nodes,
             const OpsetImports &opsets, const Where &outer) {
    int64_t index = 0;
    for (const pb::NodeProto &node : nodes) {
      Where where{&outer, node.name(), node.op_type(), index++};
      if (const Function *callee = model.lookupFunction(node)) {
        if (reached.insert(callee).second)
          pending.push_back(callee);
        continue;
      }
      StringRef domain = normalizeDomain(node.domain());
      int64_t version = opsets.lookup(domain).value_or(1);
      if (!isKnown(domain, node.op_type(), version))
        addUnknown(node, where, domain, version);
      for (const pb::AttributeProto &attribute : node.attribute()) {
        if (attribute.has_g())
          visit(attribute.g().node(), opsets, Where{&where, attribute.name()});
        for (const pb::GraphProto &graph : attribute.graphs())
          visit(graph.node(), opsets, Where{&where, attribute.name()});
      }
    }
  }

  const Model &model;
  IsKnownOperator isKnown;
  Reporter &reporter;
  SmallVector<const Function *> pending;
  SmallPtrSet<const Function *, 8> reached;
  std::optional<DeclaredTypes> types;
  ExternalSkeleton skeleton;
};

} // namespace

LogicalResult cameo::importer::checkOperators(const Model &model, IsKnownOperator isKnown,
                                              Reporter &reporter) {
  return OperatorCheck(model, isKnown, reporter).run();
}
