// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table below repeats onnx.proto's nesting of messages; fields that it does not have are
// treated as protobuf treats unknown ones, as opaque bytes. A message missing here would only go
// uncounted.

#include "Import/WireScan.h"

#include "Import/Proto.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

//===----------------------------------------------------------------------===//
// WireReader
//===----------------------------------------------------------------------===//

std::optional<uint64_t> WireReader::readVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (next == end)
      return fail("cut off within a number");
    auto byte = static_cast<unsigned char>(*next++);
    if (shift == 63 && byte > 1)
      break;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  return fail("a number of more than 64 bits");
}

std::optional<uint64_t> WireReader::readFixed(unsigned size) {
  if (end - next < static_cast<ptrdiff_t>(size))
    return fail("cut off within a number");
  uint64_t value = 0;
  for (unsigned byte = 0; byte < size; ++byte)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(next[byte])) << (8 * byte);
  next += size;
  return value;
}

std::optional<WireReader::Field> WireReader::read() {
  std::optional<uint64_t> tag = readVarint();
  if (!tag)
    return std::nullopt;
  Field field;
  if (*tag >> 32 || *tag >> 3 == 0)
    return fail("a field number that protobuf does not have");
  field.number = static_cast<uint32_t>(*tag >> 3);
  std::optional<uint64_t> value = 0;
  switch (*tag & 7) {
  case Varint:
    value = readVarint();
    break;
  case Fixed64:
    value = readFixed(8);
    break;
  case Fixed32:
    value = readFixed(4);
    break;
  case Bytes: {
    std::optional<uint64_t> size = readVarint();
    if (!size)
      return std::nullopt;
    if (*size > static_cast<uint64_t>(end - next))
      return fail("a length beyond the end");
    field.bytes = ArrayRef<char>(next, static_cast<size_t>(*size));
    next += *size;
    break;
  }
  case GroupBegin:
  case GroupEnd:
    break;
  default:
    return fail("a field type that protobuf does not have");
  }
  if (!value)
    return std::nullopt;
  field.type = static_cast<Type>(*tag & 7);
  field.value = *value;
  return field;
}

//===----------------------------------------------------------------------===//
// The messages of onnx.proto
//===----------------------------------------------------------------------===//

namespace {

enum class Message : uint8_t {
  None,
  Model,
  Opset,
  Graph,
  Node,
  Attribute,
  Tensor,
  Segment,
  SparseTensor,
  ValueInfo,
  Type,
  TensorType,
  SequenceType,
  MapType,
  OptionalType,
  SparseTensorType,
  OpaqueType,
  Shape,
  Dimension,
  Entry,
  Annotation,
  Training,
  Function,
  DeviceConfiguration,
  NodeDeviceConfiguration,
  Sharding,
  IntIntList,
  ShardedDim,
  SimpleShardedDim,
};

struct FieldRow {
  Message parent;
  uint32_t number;
  Message child;
  StringLiteral name;
};

constexpr FieldRow kFields[] = {
    {Message::Model, 7, Message::Graph, "graph"},
    {Message::Model, 8, Message::Opset, "opset_import"},
    {Message::Model, 14, Message::Entry, "metadata_props"},
    {Message::Model, 20, Message::Training, "training_info"},
    {Message::Model, 25, Message::Function, "functions"},
    {Message::Model, 26, Message::DeviceConfiguration, "configuration"},
    {Message::Training, 1, Message::Graph, "initialization"},
    {Message::Training, 2, Message::Graph, "algorithm"},
    {Message::Training, 3, Message::Entry, "initialization_binding"},
    {Message::Training, 4, Message::Entry, "update_binding"},
    {Message::Function, 7, Message::Node, "node"},
    {Message::Function, 9, Message::Opset, "opset_import"},
    {Message::Function, 11, Message::Attribute, "attribute_proto"},
    {Message::Function, 12, Message::ValueInfo, "value_info"},
    {Message::Function, 14, Message::Entry, "metadata_props"},
    {Message::Graph, 1, Message::Node, "node"},
    {Message::Graph, 5, Message::Tensor, "initializer"},
    {Message::Graph, 11, Message::ValueInfo, "input"},
    {Message::Graph, 12, Message::ValueInfo, "output"},
    {Message::Graph, 13, Message::ValueInfo, "value_info"},
    {Message::Graph, 14, Message::Annotation, "quantization_annotation"},
    {Message::Graph, 15, Message::SparseTensor, "sparse_initializer"},
    {Message::Graph, 16, Message::Entry, "metadata_props"},
    {Message::Annotation, 2, Message::Entry, "quant_parameter_tensor_names"},
    {Message::Node, 5, Message::Attribute, "attribute"},
    {Message::Node, 9, Message::Entry, "metadata_props"},
    {Message::Node, 10, Message::NodeDeviceConfiguration, "device_configurations"},
    {Message::NodeDeviceConfiguration, 2, Message::Sharding, "sharding_spec"},
    {Message::Sharding, 3, Message::IntIntList, "index_to_device_group_map"},
    {Message::Sharding, 4, Message::ShardedDim, "sharded_dim"},
    {Message::ShardedDim, 2, Message::SimpleShardedDim, "simple_sharding"},
    {Message::Attribute, 5, Message::Tensor, "t"},
    {Message::Attribute, 6, Message::Graph, "g"},
    {Message::Attribute, 10, Message::Tensor, "tensors"},
    {Message::Attribute, 11, Message::Graph, "graphs"},
    {Message::Attribute, 14, Message::Type, "tp"},
    {Message::Attribute, 15, Message::Type, "type_protos"},
    {Message::Attribute, 22, Message::SparseTensor, "sparse_tensor"},
    {Message::Attribute, 23, Message::SparseTensor, "sparse_tensors"},
    {Message::Tensor, 3, Message::Segment, "segment"},
    {Message::Tensor, 13, Message::Entry, "external_data"},
    {Message::Tensor, 16, Message::Entry, "metadata_props"},
    {Message::SparseTensor, 1, Message::Tensor, "values"},
    {Message::SparseTensor, 2, Message::Tensor, "indices"},
    {Message::ValueInfo, 2, Message::Type, "type"},
    {Message::ValueInfo, 4, Message::Entry, "metadata_props"},
    {Message::Type, 1, Message::TensorType, "tensor_type"},
    {Message::Type, 4, Message::SequenceType, "sequence_type"},
    {Message::Type, 5, Message::MapType, "map_type"},
    {Message::Type, 7, Message::OpaqueType, "opaque_type"},
    {Message::Type, 8, Message::SparseTensorType, "sparse_tensor_type"},
    {Message::Type, 9, Message::OptionalType, "optional_type"},
    {Message::TensorType, 2, Message::Shape, "shape"},
    {Message::SparseTensorType, 2, Message::Shape, "shape"},
    {Message::SequenceType, 1, Message::Type, "elem_type"},
    {Message::OptionalType, 1, Message::Type, "elem_type"},
    {Message::MapType, 2, Message::Type, "value_type"},
    {Message::Shape, 1, Message::Dimension, "dim"},
};

/// The row of each field that is a message, by its parent and number.
class FieldTable {
public:
  FieldTable() {
    for (const FieldRow &row : kFields)
      rows[static_cast<size_t>(row.parent)][row.number] = &row;
  }
  const FieldRow *lookup(Message parent, uint32_t number) const {
    return number < kMaxFields ? rows[static_cast<size_t>(parent)][number] : nullptr;
  }

private:
  static constexpr size_t kMaxFields = 32;
  const FieldRow *rows[static_cast<size_t>(Message::SimpleShardedDim) + 1][kMaxFields] = {};
};

/// Memory of one decoded message, about: its object and the pointer to it.
int64_t getMessageBytes(Message message) {
  constexpr int64_t kPointer = 8;
  switch (message) {
  case Message::Node:
    return kPointer + static_cast<int64_t>(sizeof(pb::NodeProto));
  case Message::Attribute:
    return kPointer + static_cast<int64_t>(sizeof(pb::AttributeProto));
  case Message::Tensor:
    return kPointer + static_cast<int64_t>(sizeof(pb::TensorProto));
  case Message::Graph:
    return kPointer + static_cast<int64_t>(sizeof(pb::GraphProto));
  case Message::Function:
    return kPointer + static_cast<int64_t>(sizeof(pb::FunctionProto));
  default:
    return kPointer + static_cast<int64_t>(sizeof(pb::ValueInfoProto));
  }
}

/// A string that a message holds, beside its characters.
constexpr int64_t kStringBytes = 40;
constexpr int64_t kNumberBytes = 8;

/// How much larger than in the file the content of an opaque field can be.
int64_t getExpansion(Message message, uint32_t number) {
  // Repeated integers may be packed, whatever onnx.proto says of them: a byte may be a number.
  struct Packed {
    Message message;
    uint32_t number;
    int64_t bytes;
  };
  static constexpr Packed kPacked[] = {
      {Message::Tensor, 1, 8},       // dims
      {Message::Tensor, 5, 4},       // int32_data
      {Message::Tensor, 7, 8},       // int64_data
      {Message::Tensor, 11, 8},      // uint64_data
      {Message::SparseTensor, 3, 8}, // dims
      {Message::Attribute, 8, 8},    // ints
      {Message::Sharding, 2, 8},     // device
      {Message::IntIntList, 2, 8},   // value
  };
  for (const Packed &field : kPacked)
    if (field.message == message && field.number == number)
      return field.bytes;
  return 1;
}

//===----------------------------------------------------------------------===//
// The scan
//===----------------------------------------------------------------------===//

class Scanner {
public:
  Scanner(ArrayRef<char> bytes, const WireLimits &limits, Reporter &reporter)
      : bytes(bytes), limits(limits), reporter(reporter) {}

  LogicalResult run() {
    push(Message::Model, "model", bytes);
    while (!open.empty())
      if (failed(step()))
        return failure();
    return success();
  }

private:
  struct Open {
    Message message;
    StringRef name;
    const char *begin;
    WireReader reader;
  };

  void push(Message message, StringRef name, ArrayRef<char> content) {
    open.push_back({message, name, content.begin(), WireReader(content)});
    numGraphs += message == Message::Graph;
    numTypes += message == Message::Type;
  }

  void pop() {
    numGraphs -= open.back().message == Message::Graph;
    numTypes -= open.back().message == Message::Type;
    open.pop_back();
  }

  LogicalResult step() {
    Open &top = open.back();
    if (top.reader.atEnd()) {
      pop();
      return success();
    }
    std::optional<WireReader::Field> field = top.reader.read();
    if (!field)
      return broken(top.reader.getError());
    return visit(*field);
  }

  LogicalResult visit(const WireReader::Field &field) {
    switch (field.type) {
    case WireReader::Varint:
    case WireReader::Fixed64:
    case WireReader::Fixed32:
      return count(kNumberBytes);
    // No message of ONNX has a group; protobuf would keep one as an unknown field, recursively.
    case WireReader::GroupBegin:
    case WireReader::GroupEnd:
      return broken("a group, which ONNX does not have");
    case WireReader::Bytes:
      break;
    }
    const FieldRow *row = fields.lookup(open.back().message, field.number);
    if (!row)
      return count(kStringBytes + getExpansion(open.back().message, field.number) *
                                      static_cast<int64_t>(field.bytes.size()));
    numNodes += row->child == Message::Node;
    if (failed(count(getMessageBytes(row->child))))
      return failure();
    push(row->child, row->name, field.bytes);
    if (numGraphs > kMaxNesting + 1)
      return tooDeep("graphs");
    if (numTypes > kMaxNesting)
      return tooDeep("types");
    return success();
  }

  LogicalResult count(int64_t size) {
    structureBytes += size;
    int64_t allowance =
        limits.maxStructureBytes + 3 * static_cast<int64_t>(bytes.size()) + (numNodes << 11);
    if (structureBytes <= allowance)
      return success();
    return reporter.limit(nullptr,
                          "decoding the file takes too much memory (got more than " +
                              Twine(allowance >> 20) + " MiB for a file of " +
                              Twine(static_cast<uint64_t>(bytes.size())) + " bytes)",
                          "--max-structure-bytes");
  }

  LogicalResult tooDeep(StringRef what) {
    return reporter.limit(
        nullptr, Twine(what) + " nest too deep (got more than " + Twine(kMaxNesting) + ")", "");
  }

  LogicalResult broken(StringRef problem) {
    const Open &top = open.back();
    std::string path;
    for (const Open &message : ArrayRef(open).take_back(6))
      path += (path.empty() ? "" : ".") + message.name.str();
    size_t offset = static_cast<size_t>(top.begin - bytes.begin()) + top.reader.getOffset();
    return reporter.malformed(nullptr, "not an ONNX model: " + problem + " at byte " +
                                           Twine(static_cast<uint64_t>(offset)) + ", in " + path);
  }

  ArrayRef<char> bytes;
  const WireLimits &limits;
  Reporter &reporter;
  FieldTable fields;
  SmallVector<Open> open;
  unsigned numGraphs = 0, numTypes = 0;
  int64_t numNodes = 0;
  int64_t structureBytes = 0;
};

} // namespace

LogicalResult cameo::importer::scanModel(ArrayRef<char> bytes, const WireLimits &limits,
                                         Reporter &reporter) {
  return Scanner(bytes, limits, reporter).run();
}
