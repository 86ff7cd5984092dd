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

namespace {

/// Brings weights from beside the model into it, wherever a message has tensors. Graphs nest at
/// most kMaxNesting deep.
class WeightsInliner {
public:
  WeightsInliner(TensorLoader &tensors) : tensors(tensors) {}

  LogicalResult inlineInto(pb::GraphProto &graph) {
    for (pb::TensorProto &tensor : *graph.mutable_initializer())
      if (failed(inlineInto(tensor)))
        return failure();
    for (pb::NodeProto &node : *graph.mutable_node())
      if (failed(inlineInto(node)))
        return failure();
    return success();
  }

  LogicalResult inlineInto(pb::NodeProto &node) {
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t() && failed(inlineInto(*attribute.mutable_t())))
        return failure();
      if (attribute.has_g() && failed(inlineInto(*attribute.mutable_g())))
        return failure();
      for (pb::TensorProto &tensor : *attribute.mutable_tensors())
        if (failed(inlineInto(tensor)))
          return failure();
      for (pb::GraphProto &graph : *attribute.mutable_graphs())
        if (failed(inlineInto(graph)))
          return failure();
    }
    return success();
  }

private:
  LogicalResult inlineInto(pb::TensorProto &tensor) {
    if (tensor.data_location() != pb::TensorProto::EXTERNAL)
      return success();
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

  TensorLoader &tensors;
};

/// What protobuf cannot hold is refused, before it is asked to.
std::optional<Diagnostic> serialize(const pb::ModelProto &proto, StringRef name,
                                    std::string &file) {
  if (static_cast<int64_t>(proto.ByteSizeLong()) > kMaxFileBytes || !proto.SerializeToString(&file))
    return Diagnostic{ExitClass::Limit, name.str(), "",
                      "a copy of the model with its weights is larger than 2 GiB, which is what "
                      "protobuf can hold",
                      ""};
  return std::nullopt;
}

} // namespace

struct ModelGraph::State {
  std::string name;
  pb::ModelProto proto;
};

ModelGraph::ModelGraph() : state(std::make_unique<State>()) {}
ModelGraph::ModelGraph(ModelGraph &&other) noexcept = default;
ModelGraph &ModelGraph::operator=(ModelGraph &&other) noexcept = default;
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
    for (pb::NodeProto &node : *function.mutable_node())
      if (failed(weights.inlineInto(node)))
        return reporter.getDiagnostic();

  for (const pb::NodeProto &node : proto.graph().node()) {
    GraphNode &read = graph.nodes.emplace_back();
    read.opType = node.op_type();
    SmallVector<StringRef> reads;
    collectReads(node, reads);
    StringSet<> known;
    for (StringRef name : reads)
      if (!name.empty() && known.insert(name).second)
        read.reads.push_back(name.str());
    copy_if(node.output(), std::back_inserter(read.outputs),
            [](const std::string &name) { return !name.empty(); });
    read.name = node.name().empty() && !read.outputs.empty() ? read.outputs.front() : node.name();
  }
  for (const pb::ValueInfoProto &output : proto.graph().output())
    graph.outputs.push_back(output.name());
  return std::nullopt;
}

std::optional<Diagnostic> ModelGraph::formatWithOutputs(ArrayRef<std::string> more,
                                                        std::string &file) const {
  // Its type is what it comes to; a repeated message is changed and changed back, not copied.
  auto &all = *state->proto.mutable_graph()->mutable_output();
  int own = all.size();
  for (const std::string &name : more)
    all.Add()->set_name(name);
  std::optional<Diagnostic> problem = serialize(state->proto, state->name, file);
  all.DeleteSubrange(own, all.size() - own);
  return problem;
}

std::optional<Diagnostic> ModelGraph::formatNode(size_t number,
                                                 const std::map<std::string, TensorData> &values,
                                                 std::string &file) const {
  const pb::ModelProto &whole = state->proto;
  const GraphNode &node = nodes[number];
  pb::ModelProto copy;
  copy.set_ir_version(whole.ir_version());
  *copy.mutable_opset_import() = whole.opset_import();
  *copy.mutable_functions() = whole.functions();
  pb::GraphProto &graph = *copy.mutable_graph();
  graph.set_name("node");
  *graph.add_node() = whole.graph().node(static_cast<int>(number));
  StringSet<> isRead;
  for (const std::string &name : node.reads)
    isRead.insert(name);
  for (const auto &[name, tensor] : values) {
    pb::ValueInfoProto &input = *graph.add_input();
    input.set_name(name);
    pb::TypeProto::Tensor &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.elementType);
    // Also of a scalar: a shape without dims is one.
    pb::TensorShapeProto &shape = *type.mutable_shape();
    for (int64_t dim : tensor.dims)
      shape.add_dim()->set_dim_value(dim);
  }
  for (const pb::TensorProto &tensor : whole.graph().initializer())
    if (isRead.contains(tensor.name()) && !values.count(tensor.name()))
      *graph.add_initializer() = tensor;
  for (const pb::SparseTensorProto &tensor : whole.graph().sparse_initializer())
    if (isRead.contains(tensor.values().name()) && !values.count(tensor.values().name()))
      *graph.add_sparse_initializer() = tensor;
  for (const std::string &name : node.outputs)
    graph.add_output()->set_name(name);
  return serialize(copy, state->name, file);
}
