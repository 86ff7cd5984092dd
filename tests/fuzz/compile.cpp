// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models behind the importer: whatever their extents, ranks, constants and attributes, every stage
// ends with files or with one diagnostic that does not blame the compiler. Inputs are changed as
// models, not as bytes, few of which would still be one. The first byte is the target.

#include "fuzz.h"

#include "Pipeline/Pipeline.h"
#include "Target/Targets.h"
#include "onnx/onnx-ml.pb.h"
#include "llvm/Support/FileSystem.h"

#include <random>
#include <unistd.h>

using namespace cameo;
namespace pb = ::onnx;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed);

namespace {

constexpr int64_t kNumbers[] = {
    INT64_MIN,        -(int64_t(1) << 31), -3,       -2, -1, 0, 1, 2, 3, 4, 7, 64, 1000,
    int64_t(1) << 31, int64_t(1) << 40,    INT64_MAX};
constexpr float kFloats[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, 1e-45F, 1e38F};

/// One change of a model; what the model has nothing for changes nothing.
class Change {
public:
  explicit Change(unsigned seed) : random(seed) {}

  void apply(pb::ModelProto &model) {
    collect(*model.mutable_graph());
    switch (draw(6)) {
    case 0:
      return changeExtent();
    case 1:
      return changeRank();
    case 2:
      return changeConstant();
    case 3:
      return changeAttribute();
    case 4:
      return changeOperand();
    default:
      return changeType();
    }
  }

private:
  unsigned draw(size_t count) { return static_cast<unsigned>(random() % count); }
  template <class List> auto pick(const List &list) {
    return *(std::begin(list) + draw(std::size(list)));
  }

  void collect(pb::GraphProto &graph) {
    for (pb::ValueInfoProto &value : *graph.mutable_input())
      if (value.type().has_tensor_type())
        inputs.push_back(value.mutable_type()->mutable_tensor_type());
    for (pb::TensorProto &tensor : *graph.mutable_initializer())
      tensors.push_back(&tensor);
    // Types inferred for another model would contradict this one.
    for (pb::ValueInfoProto &value : *graph.mutable_output())
      if (value.type().has_tensor_type())
        value.mutable_type()->mutable_tensor_type()->clear_shape();
    for (pb::NodeProto &node : *graph.mutable_node()) {
      nodes.push_back(&node);
      for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
        attributes.push_back(&attribute);
        if (attribute.has_t())
          tensors.push_back(attribute.mutable_t());
        if (attribute.has_g())
          collect(*attribute.mutable_g());
      }
    }
  }

  void setExtent(pb::TensorShapeProto_Dimension &dim) {
    if (draw(3) == 0)
      dim.set_dim_param(draw(2) == 0 ? "n" : "m");
    else if (draw(2) == 0 && dim.dim_value() < 1000)
      dim.set_dim_value(dim.dim_value() + 1);
    else
      dim.set_dim_value(pick(kNumbers));
  }

  void changeExtent() {
    if (inputs.empty())
      return;
    auto &dims = *pick(inputs)->mutable_shape()->mutable_dim();
    if (!dims.empty())
      setExtent(dims[static_cast<int>(draw(dims.size()))]);
  }

  void changeRank() {
    if (inputs.empty())
      return;
    pb::TypeProto_Tensor &type = *pick(inputs);
    auto &dims = *type.mutable_shape()->mutable_dim();
    unsigned how = draw(4);
    if (how == 0)
      type.clear_shape();
    else if (how == 1 && !dims.empty())
      dims.RemoveLast();
    else
      setExtent(*dims.Add());
  }

  void changeType() {
    if (!inputs.empty())
      pick(inputs)->set_elem_type(static_cast<int>(1 + draw(22)));
  }

  void changeConstant() {
    if (tensors.empty())
      return;
    pb::TensorProto &tensor = *pick(tensors);
    if (tensor.int64_data_size() != 0) {
      tensor.set_int64_data(static_cast<int>(draw(tensor.int64_data_size())), pick(kNumbers));
    } else if (!tensor.raw_data().empty()) {
      std::string &bytes = *tensor.mutable_raw_data();
      LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), bytes.size(), bytes.size());
    }
  }

  void changeAttribute() {
    if (attributes.empty())
      return;
    pb::AttributeProto &attribute = *pick(attributes);
    if (attribute.type() == pb::AttributeProto::INT)
      attribute.set_i(pick(kNumbers));
    else if (attribute.type() == pb::AttributeProto::FLOAT)
      attribute.set_f(pick(kFloats));
    else if (attribute.ints_size() != 0 && draw(4) != 0)
      attribute.set_ints(static_cast<int>(draw(attribute.ints_size())), pick(kNumbers));
    else if (attribute.type() == pb::AttributeProto::INTS)
      attribute.add_ints(pick(kNumbers));
  }

  void changeOperand() {
    if (nodes.empty())
      return;
    pb::NodeProto &node = *pick(nodes);
    if (node.input().empty())
      return;
    int number = static_cast<int>(draw(node.input_size()));
    if (draw(3) == 0)
      node.set_input(number, "");
    else
      node.mutable_input()->SwapElements(number, static_cast<int>(draw(node.input_size())));
  }

  std::minstd_rand random;
  std::vector<pb::TypeProto_Tensor *> inputs;
  std::vector<pb::TensorProto *> tensors;
  std::vector<pb::NodeProto *> nodes;
  std::vector<pb::AttributeProto *> attributes;
};

/// So low that no input runs for long, so high that every check is reached.
Options getOptions(const Target &target) {
  Options options;
  options.import.maxNodes = 500;
  options.import.maxWeightBytes = 1 << 20;
  options.import.maxTensorBytes = 1 << 24;
  options.import.maxStructureBytes = 1 << 22;
  options.emit.target = &target;
  options.emit.name = "fuzz";
  options.emit.runtimeSources = false;
  options.verifyPasses = true;
  return options;
}

/// The pipeline reads files; one, which each input overwrites.
class ModelFile {
public:
  ModelFile() {
    fuzz::require(!llvm::sys::fs::createTemporaryFile("cameo_fuzz", "onnx", descriptor, path),
                  "there is room for a file");
  }
  ~ModelFile() { llvm::sys::fs::remove(path); }

  llvm::StringRef write(const uint8_t *data, size_t size) const {
    bool written = ::ftruncate(descriptor, 0) == 0 &&
                   ::pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size);
    fuzz::require(written, "a model is written");
    return path;
  }

private:
  llvm::SmallString<128> path;
  int descriptor = -1;
};

} // namespace

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  pb::ModelProto model;
  if (size < 2 || !model.ParseFromArray(data + 1, static_cast<int>(size - 1)))
    return LLVMFuzzerMutate(data, size, maxSize);
  Change(seed).apply(model);
  size_t changed = model.ByteSizeLong();
  if (changed + 1 > maxSize)
    return size;
  model.SerializeToArray(data + 1, static_cast<int>(changed));
  if (seed % 16 == 0)
    data[0] ^= 1; // the other target
  return changed + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static const ModelFile file;
  Options options = getOptions(data[0] % 2 == 0 ? kCpuTarget : kCudaTarget);
  PipelineResult result = compileModel(file.write(data + 1, size - 1), options);
  fuzz::require(result.diagnostic.has_value() == result.files.empty(), "files or a diagnostic");
  if (result.diagnostic)
    fuzz::require(result.diagnostic->exitClass != ExitClass::Internal, "a user's mistake is no bug",
                  result.diagnostic->str());
  return 0;
}
