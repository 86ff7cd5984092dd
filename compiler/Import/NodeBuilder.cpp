// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node: its inputs as values, its attributes as MLIR's, then its operation or its call.

#include "Import/Expansion/Expansion.h"
#include "Import/ExternalNode.h"
#include "Import/Frame.h"
#include "Import/GraphBuilder.h"
#include "Import/Upgrade/Upgrade.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

Location GraphBuilder::getLocation(const Frame &frame, StringRef opType, StringRef name,
                                   ArrayRef<StringRef> outputs) {
  return makeNodeLocation(builder.getContext(), opType, frame.path + name.str(), outputs);
}

namespace {

/// How many values the graphs of a control-flow node make; 0 for other nodes.
size_t getNumYielded(const Node &node) {
  size_t count = 0;
  for (auto &[name, graph] : node.graphs)
    count = std::max(count, static_cast<size_t>(graph->output_size()));
  // The first output of a loop's body is its condition.
  return node.opType == "Loop" && count > 0 ? count - 1 : count;
}

} // namespace

LogicalResult GraphBuilder::buildNode(Frame &frame, pb::NodeProto &proto, int number) {
  frame.nodeWhere = Where{&frame.where, proto.name(), proto.op_type(), number};
  const Where &where = frame.nodeWhere;
  if (const Function *function = model.lookupFunction(proto))
    return openCall(frame, proto, *function);

  SmallVector<StringRef> outputs(proto.output().begin(), proto.output().end());
  ArrayRef<StringRef> named = outputs;
  while (!named.empty() && named.back().empty())
    named = named.drop_back();
  StringRef name = proto.name();
  if (name.empty())
    name = *llvm::find_if(outputs, [](StringRef output) { return !output.empty(); });

  Node node(getLocation(frame, proto.op_type(), name, named), where);
  node.opType = getMnemonic(normalizeDomain(proto.domain()), proto.op_type());
  node.version = frame.opsets.lookup(proto.domain()).value_or(1);
  node.outputs = std::move(outputs);
  for (const std::string &input : proto.input())
    node.operands.push_back(input.empty() ? Value() : lookup(frame, input));
  if (failed(refuseMapOperands(node.operands, where)) ||
      failed(convertAttributes(frame, proto, node)))
    return failure();
  if (const ExternalOperator *declared = findExternal(
          options.externals, normalizeDomain(proto.domain()), proto.op_type(), node.version)) {
    FailureOr<Operation *> own = buildExternal(operations, *declared, node);
    return failure(failed(own) || failed(bind(frame, proto, (*own)->getResults())));
  }
  if (failed(upgradeNode(operations, node)) || failed(expandNode(operations, node)))
    return failure();
  if (!node.results.empty())
    return bind(frame, proto, node.results);
  if (node.outputs.size() < getNumYielded(node))
    node.outputs.resize(getNumYielded(node));

  FailureOr<Operation *> op = operations.create(node);
  if (failed(op))
    return failure();
  if ((*op)->getNumRegions() == 0)
    return success(succeeded(operations.finish(*op, where)) &&
                   succeeded(bind(frame, proto, (*op)->getResults())));

  // The frame opened last is built first; the one that ends last finishes the operation.
  size_t firstFrame = frames.size();
  ArrayRef<StringRef> regionNames = cast<cameo::onnx::OnnxOp>(*op).getRegionNames();
  for (size_t region = regionNames.size(); region-- > 0;)
    for (auto &[graphName, graph] : node.graphs)
      if (graphName == regionNames[region] &&
          failed(openRegion(frame, proto, *op, static_cast<unsigned>(region), *graph)))
        return failure();
  frames[firstFrame]->isLastRegion = true;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::convertAttributes(Frame &frame, pb::NodeProto &proto, Node &node) {
  for (pb::AttributeProto &attribute : *proto.mutable_attribute()) {
    Where where{&frame.nodeWhere, attribute.name()};
    pb::AttributeProto *value = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      value = frame.bindings->lookup(attribute.ref_attr_name());
      // The node lacks an attribute that the caller leaves out and for which the function has no
      // default.
      if (!value)
        continue;
      if (attribute.has_type() && attribute.type() != pb::AttributeProto::UNDEFINED &&
          attribute.type() != getAttributeType(*value))
        return reporter.malformed(&where, "refers to an attribute of another type");
    }
    if (getAttributeType(*value) == pb::AttributeProto::GRAPH) {
      node.graphs.emplace_back(attribute.name(), value->mutable_g());
      continue;
    }
    FailureOr<Attribute> converted = convertAttribute(frame, *value, where);
    if (failed(converted))
      return failure();
    node.attributes.set(attribute.name(), *converted);
  }
  return success();
}

FailureOr<Attribute> GraphBuilder::convertAttribute(Frame &frame, pb::AttributeProto &attribute,
                                                    const Where &where) {
  using A = pb::AttributeProto;
  switch (getAttributeType(attribute)) {
  case A::INT:
    return Attribute(builder.getI64IntegerAttr(attribute.i()));
  case A::FLOAT:
    return Attribute(builder.getF32FloatAttr(attribute.f()));
  case A::STRING:
    return Attribute(builder.getStringAttr(attribute.s()));
  case A::INTS:
    return Attribute(builder.getDenseI64ArrayAttr(
        ArrayRef<int64_t>(attribute.ints().data(), static_cast<size_t>(attribute.ints_size()))));
  case A::FLOATS:
    return Attribute(builder.getDenseF32ArrayAttr(
        ArrayRef<float>(attribute.floats().data(), static_cast<size_t>(attribute.floats_size()))));
  case A::STRINGS: {
    SmallVector<StringRef> strings(attribute.strings().begin(), attribute.strings().end());
    return Attribute(builder.getStrArrayAttr(strings));
  }
  case A::TENSOR: {
    FailureOr<ElementsAttr> value = convertTensor(frame, attribute.mutable_t(), nullptr, where);
    return failed(value) ? FailureOr<Attribute>() : FailureOr<Attribute>(*value);
  }
  case A::SPARSE_TENSOR: {
    FailureOr<ElementsAttr> value =
        convertTensor(frame, nullptr, attribute.mutable_sparse_tensor(), where);
    return failed(value) ? FailureOr<Attribute>() : FailureOr<Attribute>(*value);
  }
  case A::TYPE_PROTO: {
    FailureOr<Type> type = types.convertAttribute(attribute.tp(), where);
    return failed(type) ? FailureOr<Attribute>() : FailureOr<Attribute>(TypeAttr::get(*type));
  }
  default:
    return reporter.unsupported(&where, "is an attribute of type " +
                                            A::AttributeType_Name(getAttributeType(attribute)) +
                                            ", which Cameo does not read");
  }
}
