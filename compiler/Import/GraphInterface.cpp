// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs, initializers and outputs of graphs, and what the module says of its model.

#include "Import/Frame.h"
#include "Import/GraphBuilder.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

void GraphBuilder::declareTypes(Frame &frame, const pb::GraphProto &graph) {
  for (const pb::ValueInfoProto &output : graph.output())
    frame.declared[output.name()] = &output.type();
  for (const pb::ValueInfoProto &value : graph.value_info())
    frame.declared.try_emplace(value.name(), &value.type());
}

void GraphBuilder::describeModel() {
  const pb::ModelProto &proto = model.proto;
  SmallVector<NamedAttribute> opsets;
  for (const auto &[domain, version] : model.opsets.getAll())
    opsets.push_back(builder.getNamedAttr(domain.empty() ? "ai.onnx" : domain,
                                          builder.getI64IntegerAttr(version)));
  Operation *op = *module;
  op->setAttr("onnx.ir_version", builder.getI64IntegerAttr(proto.ir_version()));
  op->setAttr("onnx.opsets", builder.getDictionaryAttr(opsets));
  // Text of the model, only to be shown: a name of a megabyte is not.
  constexpr size_t kMaxText = 256;
  op->setAttr("onnx.graph",
              builder.getStringAttr(StringRef(proto.graph().name()).take_front(kMaxText)));
  std::string producer = proto.producer_name();
  if (!proto.producer_version().empty())
    producer += " " + proto.producer_version();
  op->setAttr("onnx.producer", builder.getStringAttr(StringRef(producer).take_front(kMaxText)));
}

FailureOr<ElementsAttr> GraphBuilder::convertTensor(Frame &frame, pb::TensorProto *dense,
                                                    pb::SparseTensorProto *sparse,
                                                    const Where &where) {
  const void *key = dense ? static_cast<const void *>(dense) : sparse;
  bool isShared = frame.bindings != nullptr || builds.isTrial;
  if (ElementsAttr known = builds.tensors.lookup(key))
    return known;
  FailureOr<LoadedTensor> loaded =
      dense ? tensors.take(*dense, where) : tensors.take(*sparse, where);
  if (failed(loaded))
    return failure();
  FailureOr<ElementsAttr> elements = types.convertTensor(std::move(*loaded), where);
  if (succeeded(elements) && isShared)
    builds.tensors[key] = *elements;
  return elements;
}

bool GraphBuilder::freezesInitializers(const pb::GraphProto &graph) {
  // Until then every initializer had to be listed as an input, so that the list says nothing.
  constexpr int64_t kFirstOptionalInputs = 4;
  if (model.proto.ir_version() < kFirstOptionalInputs)
    return true;
  if (options.freezeInitializers)
    return *options.freezeInitializers;
  llvm::DenseSet<StringRef> inputs;
  for (const pb::ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  int64_t numListed = 0, count = graph.initializer_size() + graph.sparse_initializer_size();
  for (const pb::TensorProto &tensor : graph.initializer())
    numListed += inputs.contains(tensor.name());
  for (const pb::SparseTensorProto &tensor : graph.sparse_initializer())
    numListed += inputs.contains(tensor.values().name());
  // Exporters that had not noticed the change went on to list them all.
  if (numListed == 0 || numListed == count)
    return true;
  reporter.warn(nullptr, "takes " + Twine(numListed) + " of its " + Twine(count) +
                             " initializers as inputs too, so that each run may change them; "
                             "--freeze-initializers makes constants of them");
  return false;
}

LogicalResult GraphBuilder::addInputs(Frame &frame, pb::GraphProto &graph) {
  llvm::DenseMap<StringRef, pb::TensorProto *> initializers;
  for (pb::TensorProto &tensor : *graph.mutable_initializer())
    initializers[tensor.name()] = &tensor;

  bool mayOverride = !freezesInitializers(graph);
  SmallVector<Attribute> attributes;
  int64_t number = 0;
  for (const pb::ValueInfoProto &input : graph.input()) {
    Where where{&frame.where, input.name(), "input", number++};
    pb::TensorProto *initial = initializers.lookup(input.name());
    if (initial && !mayOverride)
      continue;
    NamedAttrList argument;
    argument.set("onnx.name", builder.getStringAttr(input.name()));
    if (llvm::any_of(builds.counted,
                     [&](const CountedAxis &each) { return each.count == input.name(); }))
      argument.set("onnx.counts", builder.getUnitAttr());
    FailureOr<Type> type = types.convertInput(input, where);
    if (failed(type))
      return failure();
    auto tensor = dyn_cast<core::SymTensorType>(*type);
    bool isOpen = tensor && !tensor.hasRank();
    auto rank = builds.ranks.find(input.name());
    if (initial) {
      FailureOr<ElementsAttr> value = convertTensor(frame, initial, nullptr, where);
      if (failed(value) ||
          failed(types.merge(types.getType(*value), *type, TypeConverter::OnShape::Refuse, where)))
        return failure();
      argument.set("onnx.default", *value);
      if (isOpen)
        type = Type(types.getType(*value));
    } else if (isOpen && rank != builds.ranks.end()) {
      type = Type(types.openDims(input.name(), tensor, rank->second));
    }
    Location location = getLocation(frame, "Input", input.name(), StringRef(input.name()));
    frame.values[input.name()] = frame.block->addArgument(*type, location);
    attributes.push_back(argument.getDictionary(builder.getContext()));
  }
  main.setType(builder.getFunctionType(frame.block->getArgumentTypes(), {}));
  main.setAllArgAttrs(attributes);
  return success();
}

LogicalResult GraphBuilder::cutCounted(Frame &frame) {
  llvm::StringSet<> limited;
  for (const CountedAxis &each : builds.counted) {
    Value &value = frame.values[each.input], count = frame.values[each.count];
    Where where{&frame.where, each.input, "input"};
    if (limited.insert(each.count).second)
      limitCount(builder, getLocation(frame, "Input", each.count, StringRef(each.count)), count,
                 cast<core::SymTensorType>(value.getType()).getExtents()[each.axis]);
    Location location = getLocation(frame, "Slice", each.input, StringRef(each.input));
    value = takeCounted(operations, location, where, value, each.axis, count);
    if (!value)
      return failure();
  }
  return success();
}

LogicalResult GraphBuilder::addInitializers(Frame &frame, pb::GraphProto &graph) {
  auto add = [&](StringRef name, pb::TensorProto *dense,
                 pb::SparseTensorProto *sparse) -> LogicalResult {
    // An input that is given: always in a body, if it may be overridden in the main graph.
    if (frame.values.count(name))
      return success();
    Where where{&frame.where, name};
    FailureOr<ElementsAttr> value = convertTensor(frame, dense, sparse, where);
    if (failed(value))
      return failure();
    frame.values[name] =
        operations.createConstant(getLocation(frame, kInitializerOpType, name, name), *value);
    return success();
  };
  for (pb::TensorProto &tensor : *graph.mutable_initializer())
    if (failed(add(tensor.name(), &tensor, nullptr)))
      return failure();
  for (pb::SparseTensorProto &tensor : *graph.mutable_sparse_initializer())
    if (failed(add(tensor.values().name(), nullptr, &tensor)))
      return failure();
  return success();
}

LogicalResult GraphBuilder::setFunctionType(const pb::GraphProto &graph, ValueRange results) {
  SmallVector<Attribute> attributes;
  for (auto [output, result] : llvm::zip_equal(graph.output(), results)) {
    NamedAttrList attribute;
    attribute.set("onnx.name", builder.getStringAttr(output.name()));
    if (Attribute keys = getKeys(result))
      attribute.set("onnx.keys", keys);
    attributes.push_back(attribute.getDictionary(builder.getContext()));
  }
  main.setType(
      builder.getFunctionType(main.getBody().front().getArgumentTypes(), results.getTypes()));
  main.setAllResultAttrs(attributes);
  return success();
}
