// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/ModelGraph.h"

#include "Import/Model.h"
#include "Import/SortNodes.h"
#include "Import/TensorLoader.h"
#include "Import/WireScan.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

struct ModelGraph::State {
  std::string name;
  pb::ModelProto proto;
  /// Types of values that are neither inputs nor initializers, as far as they are known.
  std::map<std::string, pb::TypeProto> types;
  StringMap<size_t> makers;
};

namespace {

/// Calls `visit` for the graphs in a node. They nest at most kMaxNesting deep.
template <typename Node, typename Visit> void forEachGraph(Node &node, Visit visit) {
  if constexpr (std::is_const_v<Node>) {
    for (const pb::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        visit(attribute.g());
      for (const pb::GraphProto &graph : attribute.graphs())
        visit(graph);
    }
  } else {
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        visit(*attribute.mutable_g());
      for (pb::GraphProto &graph : *attribute.mutable_graphs())
        visit(graph);
    }
  }
}

/// Brings weights from beside the model into it, wherever a message has tensors.
class WeightsInliner {
public:
  WeightsInliner(TensorLoader &tensors) : tensors(tensors) {}

  LogicalResult inlineInto(pb::GraphProto &graph) {
    for (pb::TensorProto &tensor : *graph.mutable_initializer())
      if (failed(inlineInto(tensor)))
        return failure();
    return inlineInto(*graph.mutable_node());
  }

  LogicalResult inlineInto(NodeList &nodes) {
    for (pb::NodeProto &node : nodes) {
      for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t() && failed(inlineInto(*attribute.mutable_t())))
          return failure();
        for (pb::TensorProto &tensor : *attribute.mutable_tensors())
          if (failed(inlineInto(tensor)))
            return failure();
      }
      LogicalResult all = success();
      forEachGraph(node, [&](pb::GraphProto &graph) {
        if (succeeded(all))
          all = inlineInto(graph);
      });
      if (failed(all))
        return failure();
    }
    return success();
  }

  LogicalResult inlineInto(pb::TensorProto &tensor) {
    return tensor.data_location() == pb::TensorProto::EXTERNAL ? makeRaw(tensor) : success();
  }

  LogicalResult makeRaw(pb::TensorProto &tensor) {
    Where where{nullptr, tensor.name(), "tensor"};
    if (failed(tensors.check(tensor, where)))
      return failure();
    FailureOr<LoadedTensor> loaded = tensors.take(tensor, where);
    if (failed(loaded))
      return failure();
    tensor.clear_external_data();
    tensor.clear_data_location();
    MutableArrayRef<char> bytes = loaded->bytes->get();
    tensor.set_raw_data(bytes.data(), bytes.size());
    return success();
  }

private:
  TensorLoader &tensors;
};

/// The functions that nodes call, and those that these call.
class CalledFunctions {
public:
  CalledFunctions(const pb::ModelProto &model) {
    for (const pb::FunctionProto &function : model.functions())
      functions[Model::getFunctionKey(function.domain(), function.name(), function.overload())] =
          &function;
  }

  void add(const NodeList &nodes) {
    if (functions.empty())
      return;
    for (const pb::NodeProto &node : nodes) {
      auto found =
          functions.find(Model::getFunctionKey(node.domain(), node.op_type(), node.overload()));
      if (found != functions.end() && isCalled.insert(found->second).second)
        add(found->second->node());
      forEachGraph(node, [&](const pb::GraphProto &graph) { add(graph.node()); });
    }
  }

  bool contains(const pb::FunctionProto &function) const { return isCalled.contains(&function); }

private:
  StringMap<const pb::FunctionProto *> functions;
  SmallPtrSet<const pb::FunctionProto *, 8> isCalled;
};

void rename(NodeList &nodes, StringRef from, const std::string &to) {
  for (pb::NodeProto &node : nodes) {
    for (std::string &input : *node.mutable_input())
      if (input == from)
        input = to;
    forEachGraph(node, [&](pb::GraphProto &graph) {
      rename(*graph.mutable_node(), from, to);
      for (pb::ValueInfoProto &output : *graph.mutable_output())
        if (output.name() == from)
          output.set_name(to);
    });
  }
}

pb::TypeProto makeType(const GraphType &type) {
  pb::TypeProto made;
  pb::TypeProto::Tensor &tensor = *made.mutable_tensor_type();
  tensor.set_elem_type(type.elementType);
  if (!type.hasRank)
    return made;
  // Also of a scalar: a shape without dims is one.
  pb::TensorShapeProto &shape = *tensor.mutable_shape();
  for (const GraphDim &dim : type.dims) {
    pb::TensorShapeProto::Dimension &one = *shape.add_dim();
    if (const auto *number = std::get_if<int64_t>(&dim))
      one.set_dim_value(*number);
    else if (const auto &name = std::get<std::string>(dim); !name.empty())
      one.set_dim_param(name);
  }
  return made;
}

GraphDim readDim(const pb::TensorShapeProto::Dimension &dim) {
  if (std::optional<int64_t> number = getDimValue(dim))
    return *number;
  return getDimName(dim).str();
}

/// Lists of integers that are as long as a shape may be, so that they may be one.
bool mayBeShape(const pb::TensorProto &tensor) {
  return tensor.data_type() == pb::TensorProto::INT64 && tensor.dims_size() == 1 &&
         tensor.dims(0) <= 8;
}

/// The first elements along each axis of a tensor that is raw.
void cut(pb::TensorProto &tensor, ArrayRef<int64_t> dims) {
  size_t elementBytes = findElementInfo(tensor.data_type())->bits / 8;
  size_t rowBytes = static_cast<size_t>(dims.back()) * elementBytes;
  std::string bytes;
  SmallVector<int64_t> row(dims.size() - 1, 0);
  for (bool isDone = is_contained(dims, 0); !isDone;) {
    size_t first = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      first = first * static_cast<size_t>(tensor.dims(static_cast<int>(axis))) +
              static_cast<size_t>(axis < row.size() ? row[axis] : 0);
    bytes.append(tensor.raw_data(), first * elementBytes, rowBytes);
    isDone = true;
    for (size_t axis = row.size(); isDone && axis-- > 0;) {
      isDone = ++row[axis] == dims[axis];
      if (isDone)
        row[axis] = 0;
    }
  }
  tensor.set_raw_data(std::move(bytes));
  for (size_t axis = 0; axis < dims.size(); ++axis)
    tensor.set_dims(static_cast<int>(axis), dims[axis]);
}

/// Whether a tensor has its elements as raw bytes, as many as its dims say.
bool isWhole(const pb::TensorProto &tensor) {
  const ElementInfo *type = findElementInfo(tensor.data_type());
  if (!type || type->bits == 0 || type->isPacked())
    return false;
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  CheckedSize bytes = CheckedSize::product(dims) * CheckedSize(type->bits / 8);
  return bytes.get() == static_cast<int64_t>(tensor.raw_data().size());
}

/// Puts another number in place of `from`: as an extent, or as an element of what may be a shape.
void replaceExtent(pb::TensorProto &tensor, int64_t from, int64_t to) {
  if (!isWhole(tensor) || from < to)
    return;
  if (mayBeShape(tensor)) {
    std::string &bytes = *tensor.mutable_raw_data();
    for (size_t at = 0; at + sizeof from <= bytes.size(); at += sizeof from)
      if (std::memcmp(bytes.data() + at, &from, sizeof from) == 0)
        std::memcpy(bytes.data() + at, &to, sizeof to);
    return;
  }
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  std::replace(dims.begin(), dims.end(), from, to);
  if (!std::equal(dims.begin(), dims.end(), tensor.dims().begin()))
    cut(tensor, dims);
}

/// Calls `visit` for the dims of a tensor that has a shape.
template <typename Visit> void forEachDim(pb::ValueInfoProto &value, Visit visit) {
  if (value.type().tensor_type().has_shape())
    for (auto &dim : *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      visit(dim);
}

/// Ranks stay, without which a file is not valid.
void forgetExtents(google::protobuf::RepeatedPtrField<pb::ValueInfoProto> &values) {
  for (pb::ValueInfoProto &value : values)
    forEachDim(value, [](auto &dim) { dim.Clear(); });
}

/// In weights, also of graphs within nodes; what these say of their values is forgotten.
void replaceInGraph(pb::GraphProto &graph, const int64_t *from, int64_t to) {
  graph.clear_value_info();
  if (from)
    for (pb::TensorProto &tensor : *graph.mutable_initializer())
      replaceExtent(tensor, *from, to);
  for (pb::NodeProto &node : *graph.mutable_node())
    forEachGraph(node, [&](pb::GraphProto &inner) {
      forgetExtents(*inner.mutable_input());
      forgetExtents(*inner.mutable_output());
      replaceInGraph(inner, from, to);
    });
}

bool isFloats(const pb::TensorProto &tensor) {
  const ElementInfo *type = findElementInfo(tensor.data_type());
  return type && type->kind == ElementKind::floating && tensor.has_raw_data();
}

} // namespace

ModelGraph::ModelGraph() : state(std::make_unique<State>()) {}
ModelGraph::ModelGraph(const ModelGraph &other)
    : state(std::make_unique<State>(*other.state)), nodes(other.nodes) {}
ModelGraph::ModelGraph(ModelGraph &&other) noexcept = default;
ModelGraph &ModelGraph::operator=(ModelGraph other) noexcept {
  std::swap(state, other.state);
  std::swap(nodes, other.nodes);
  return *this;
}
ModelGraph::~ModelGraph() = default;

std::optional<Diagnostic> ModelGraph::read(StringRef path, const ImportOptions &options,
                                           ModelGraph &graph) {
  Reporter reporter(path);
  ModelFile file;
  WireLimits limits;
  limits.maxStructureBytes = options.maxStructureBytes;
  pb::ModelProto &proto = graph.state->proto;
  graph.state->name = path.str();
  if (failed(file.read(path, reporter)) || failed(scanModel(file.getBytes(), limits, reporter)) ||
      failed(decodeModel(
          file.getBytes(), [&](size_t size) { file.release(size); }, proto, reporter)))
    return reporter.getDiagnostic();
  sortNodes(proto, reporter);
  ExternalFiles files(&file, reporter);
  TensorLoader tensors(files, options.maxWeightBytes, reporter);
  WeightsInliner weights(tensors);
  if (failed(weights.inlineInto(*proto.mutable_graph())))
    return reporter.getDiagnostic();
  for (pb::FunctionProto &function : *proto.mutable_functions())
    if (failed(weights.inlineInto(*function.mutable_node())))
      return reporter.getDiagnostic();
  // So that they can be cut; one that is malformed stays as it is.
  for (pb::TensorProto &tensor : *proto.mutable_graph()->mutable_initializer())
    if (!tensor.has_raw_data() && tensor.data_type() != pb::TensorProto::STRING)
      (void)weights.makeRaw(tensor);
  graph.listNodes();
  for (const auto *values : {&proto.graph().value_info(), &proto.graph().output()})
    for (const pb::ValueInfoProto &value : *values)
      if (value.type().tensor_type().elem_type() != 0 && graph.findMaker(value.name()))
        graph.state->types[value.name()] = value.type();
  return std::nullopt;
}

void ModelGraph::listNodes() {
  nodes.clear();
  state->makers.clear();
  for (const auto &[number, node] : enumerate(state->proto.graph().node())) {
    GraphNode &read = nodes.emplace_back();
    read.opType = node.op_type();
    SmallVector<StringRef> reads;
    collectReads(node, reads);
    StringSet<> known;
    for (StringRef name : reads)
      if (!name.empty() && known.insert(name).second)
        read.reads.push_back(name.str());
    for (const std::string &name : node.output())
      if (!name.empty()) {
        read.outputs.push_back(name);
        state->makers.try_emplace(name, number);
      }
    read.name = node.name().empty() && !read.outputs.empty() ? read.outputs.front() : node.name();
  }
}

std::optional<size_t> ModelGraph::findMaker(StringRef value) const {
  auto found = state->makers.find(value);
  return found == state->makers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> ModelGraph::getInputs() const {
  std::vector<std::string> names;
  for (const pb::ValueInfoProto &input : state->proto.graph().input())
    names.push_back(input.name());
  return names;
}

std::vector<std::string> ModelGraph::getOutputs() const {
  std::vector<std::string> names;
  for (const pb::ValueInfoProto &output : state->proto.graph().output())
    names.push_back(output.name());
  return names;
}

std::vector<std::string> ModelGraph::getWeights() const {
  std::vector<std::string> names;
  for (const pb::TensorProto &tensor : state->proto.graph().initializer())
    if (isFloats(tensor) && any_of(tensor.raw_data(), [](char byte) { return byte != 0; }))
      names.push_back(tensor.name());
  return names;
}

std::vector<GraphDim> ModelGraph::getExtents() const {
  std::vector<GraphDim> extents;
  auto add = [&](const GraphDim &extent) {
    const auto *number = std::get_if<int64_t>(&extent);
    if ((!number || *number > 1) && !is_contained(extents, extent))
      extents.push_back(extent);
  };
  const pb::GraphProto &graph = state->proto.graph();
  for (const pb::ValueInfoProto &input : graph.input())
    for (const auto &dim : input.type().tensor_type().shape().dim())
      add(readDim(dim));
  for (const pb::TensorProto &tensor : graph.initializer())
    for (int64_t dim : tensor.dims())
      add(dim);
  return extents;
}

void ModelGraph::declare(const std::string &value, const GraphType &type) {
  state->types[value] = makeType(type);
}

/// One extract(), in the order in which it is called.
class ModelGraph::Extraction {
public:
  Extraction(const ModelGraph &whole) : whole(whole), from(whole.state->proto.graph()) {
    for (const GraphNode &node : whole.nodes)
      isReadByAny.insert_range(node.reads);
  }

  ModelGraph run(ArrayRef<size_t> kept);

private:
  void addNodes(ArrayRef<size_t> kept);
  void addInputs();
  void addWeights();
  void addOutputs();
  void addFunctions();

  const ModelGraph &whole;
  const pb::GraphProto &from;
  ModelGraph part;
  pb::GraphProto &graph = *part.state->proto.mutable_graph();
  StringSet<> isMade, isRead, isReadByAny;
  /// In their order: what the part makes, and what it reads that becomes an input.
  std::vector<std::string> made, inputs;
};

void ModelGraph::Extraction::addNodes(ArrayRef<size_t> kept) {
  const auto &types = whole.state->types;
  auto isThere = [&](const std::string &value) {
    return isMade.contains(value) || types.count(value) || !whole.findMaker(value);
  };
  for (size_t number : kept) {
    const GraphNode &node = whole.nodes[number];
    if (!all_of(node.reads, isThere))
      continue;
    *graph.add_node() = from.node(static_cast<int>(number));
    for (const std::string &value : node.reads)
      if (isRead.insert(value).second && !isMade.contains(value) && types.count(value))
        inputs.push_back(value);
    isMade.insert_range(node.outputs);
    append_range(made, node.outputs);
  }
}

void ModelGraph::Extraction::addInputs() {
  for (const pb::ValueInfoProto &input : from.input())
    if (isRead.contains(input.name()) && !is_contained(inputs, input.name()))
      *graph.add_input() = input;
  for (const std::string &value : inputs) {
    pb::ValueInfoProto &input = *graph.add_input();
    input.set_name(value);
    *input.mutable_type() = whole.state->types.at(value);
  }
}

void ModelGraph::Extraction::addWeights() {
  auto isWeight = [&](const std::string &value) {
    return isRead.contains(value) && !is_contained(inputs, value);
  };
  for (const pb::TensorProto &tensor : from.initializer())
    if (isWeight(tensor.name()))
      *graph.add_initializer() = tensor;
  for (const pb::SparseTensorProto &tensor : from.sparse_initializer())
    if (isWeight(tensor.values().name()))
      *graph.add_sparse_initializer() = tensor;
}

void ModelGraph::Extraction::addOutputs() {
  StringSet<> isOutput;
  for (const pb::ValueInfoProto &output : from.output())
    if (isMade.contains(output.name()) && isOutput.insert(output.name()).second)
      *graph.add_output() = output;
  for (const std::string &value : made) {
    if (isRead.contains(value) || !isReadByAny.contains(value) || !isOutput.insert(value).second)
      continue;
    pb::ValueInfoProto &output = *graph.add_output();
    output.set_name(value);
    if (auto type = whole.state->types.find(value); type != whole.state->types.end())
      *output.mutable_type() = type->second;
  }
  for (const pb::ValueInfoProto &value : from.value_info())
    if (isMade.contains(value.name()) && !isOutput.contains(value.name()))
      *graph.add_value_info() = value;
}

void ModelGraph::Extraction::addFunctions() {
  CalledFunctions called(whole.state->proto);
  called.add(graph.node());
  for (const pb::FunctionProto &function : whole.state->proto.functions())
    if (called.contains(function))
      *part.state->proto.add_functions() = function;
}

ModelGraph ModelGraph::Extraction::run(ArrayRef<size_t> kept) {
  part.state->name = whole.state->name;
  part.state->types = whole.state->types;
  part.state->proto.set_ir_version(whole.state->proto.ir_version());
  *part.state->proto.mutable_opset_import() = whole.state->proto.opset_import();
  graph.set_name(from.name());
  addNodes(kept);
  addInputs();
  addWeights();
  addOutputs();
  addFunctions();
  part.listNodes();
  return std::move(part);
}

ModelGraph ModelGraph::extract(ArrayRef<size_t> kept) const { return Extraction(*this).run(kept); }

ModelGraph ModelGraph::withOutputs(ArrayRef<std::string> more) const {
  ModelGraph copy = *this;
  // Its type is what it comes to.
  for (const std::string &name : more)
    copy.state->proto.mutable_graph()->add_output()->set_name(name);
  return copy;
}

ModelGraph ModelGraph::withoutOutput(size_t number) const {
  ModelGraph copy = *this;
  copy.state->proto.mutable_graph()->mutable_output()->DeleteSubrange(static_cast<int>(number), 1);
  return copy;
}

std::optional<ModelGraph> ModelGraph::withoutInput(size_t number) const {
  const auto &inputs = state->proto.graph().input();
  const pb::ValueInfoProto &input = inputs[static_cast<int>(number)];
  std::string type = input.type().SerializeAsString();
  auto other = find_if(inputs, [&](const pb::ValueInfoProto &one) {
    return one.type().SerializeAsString() == type;
  });
  if (other->name() == input.name())
    return std::nullopt;
  ModelGraph copy = *this;
  pb::GraphProto &graph = *copy.state->proto.mutable_graph();
  rename(*graph.mutable_node(), input.name(), other->name());
  graph.mutable_input()->DeleteSubrange(static_cast<int>(number), 1);
  copy.listNodes();
  return copy;
}

ModelGraph ModelGraph::withExtent(const GraphDim &extent, int64_t number) const {
  ModelGraph copy = *this;
  pb::GraphProto &graph = *copy.state->proto.mutable_graph();
  for (pb::ValueInfoProto &input : *graph.mutable_input())
    forEachDim(input, [&](auto &dim) {
      if (readDim(dim) == extent)
        dim.set_dim_value(number);
    });
  copy.state->types.clear();
  forgetExtents(*graph.mutable_output());
  replaceInGraph(graph, std::get_if<int64_t>(&extent), number);
  return copy;
}

ModelGraph ModelGraph::withZeros(ArrayRef<std::string> weights) const {
  ModelGraph copy = *this;
  for (pb::TensorProto &tensor : *copy.state->proto.mutable_graph()->mutable_initializer())
    if (isFloats(tensor) && is_contained(weights, tensor.name()))
      tensor.mutable_raw_data()->assign(tensor.raw_data().size(), '\0');
  return copy;
}

/// Refuses a model that protobuf cannot hold, before it is asked to.
std::optional<Diagnostic> ModelGraph::format(std::string &file) const {
  if (static_cast<int64_t>(state->proto.ByteSizeLong()) > kMaxFileBytes ||
      !state->proto.SerializeToString(&file))
    return Diagnostic{ExitClass::Limit, state->name, "",
                      "a copy of the model with its weights is larger than 2 GiB, which is what "
                      "protobuf can hold",
                      ""};
  return std::nullopt;
}
