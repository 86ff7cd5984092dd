// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SequenceProto and OptionalProto are in onnx-data.proto, which is three fields of interest: they
// are read and written field by field, their tensors by protobuf.

#include "Import/TensorData.h"

#include "Import/TensorLoader.h"
#include "Import/WireScan.h"

#include <google/protobuf/io/coded_stream.h>

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

/// The fields of SequenceProto and OptionalProto that matter; both number them alike.
enum Field : uint32_t {
  kName = 1,
  kElementType = 2,
  kTensor = 3,
  kSequence = 5,
  kMap = 6,
  kOptional = 7
};
/// Fields of MapProto.
enum MapField : uint32_t { kKeys = 3, kStringKeys = 4, kValues = 5 };
/// Their DataType.
enum ElementType : uint64_t { kTensorElement = 1, kSequenceElement = 3, kOptionalElement = 5 };

using Kind = ValueData::Kind;

Field getElementField(Kind element) {
  return element == Kind::Tensor ? kTensor : element == Kind::Sequence ? kSequence : kOptional;
}

class Reader {
public:
  explicit Reader(StringRef name)
      : reporter(name), files(nullptr, reporter), loader(files, INT64_MAX, reporter) {}

  /// The depth is that of `kinds`, which comes from a type of the model.
  LogicalResult read(ArrayRef<char> bytes, ValueKinds kinds, ValueData &value) {
    value.kind = kinds.front();
    if (value.kind == Kind::Tensor)
      return readTensor(bytes, value);
    WireReader reader(bytes);
    Field elementField = getElementField(kinds[1]);
    while (!reader.atEnd()) {
      std::optional<WireReader::Field> field = reader.read();
      if (!field)
        return reporter.malformed(nullptr, "not ONNX data: " + reader.getError());
      if (field->type != WireReader::Bytes)
        continue;
      if (field->number == kName)
        value.name.assign(field->bytes.begin(), field->bytes.end());
      else if (field->number == elementField) {
        if (failed(read(field->bytes, kinds.drop_front(), value.elements.emplace_back())))
          return failure();
      } else if (field->number > kElementType) {
        return reporter.malformed(nullptr, "holds other elements than the model's type says");
      }
    }
    if (value.kind == Kind::Optional && value.elements.size() > 1)
      return reporter.malformed(nullptr, "is an optional with more than one value");
    return success();
  }

  /// A sequence of maps, all of which have `keys`.
  LogicalResult readMaps(ArrayRef<char> bytes, ArrayRef<std::string> keys, TensorData &tensor) {
    tensor.elementType = pb::TensorProto::FLOAT;
    tensor.dims = {0, static_cast<int64_t>(keys.size())};
    return readFields(bytes, [&](const WireReader::Field &field) -> LogicalResult {
      if (field.number == kName)
        tensor.name.assign(field.bytes.begin(), field.bytes.end());
      if (field.number != kMap || field.type != WireReader::Bytes)
        return success();
      ++tensor.dims[0];
      return readMap(field.bytes, keys, tensor);
    });
  }

  /// Whether the bytes are a TensorProto of floats, not a SequenceProto: both have their type
  /// there.
  static bool isTensor(ArrayRef<char> bytes) {
    WireReader reader(bytes);
    while (!reader.atEnd()) {
      std::optional<WireReader::Field> field = reader.read();
      if (!field)
        return false;
      if (field->number == kElementType && field->type == WireReader::Varint)
        return field->value == pb::TensorProto::FLOAT;
    }
    return false;
  }

  Reporter reporter;

private:
  LogicalResult readFields(ArrayRef<char> bytes,
                           function_ref<LogicalResult(const WireReader::Field &)> visit) {
    WireReader reader(bytes);
    while (!reader.atEnd()) {
      std::optional<WireReader::Field> field = reader.read();
      if (!field)
        return reporter.malformed(nullptr, "not ONNX data: " + reader.getError());
      if (failed(visit(*field)))
        return failure();
    }
    return success();
  }

  /// Appends a map's values in the order of `keys`.
  LogicalResult readMap(ArrayRef<char> bytes, ArrayRef<std::string> keys, TensorData &tensor) {
    std::vector<std::string> own;
    ValueData values;
    auto visit = [&](const WireReader::Field &field) -> LogicalResult {
      if (field.number == kStringKeys && field.type == WireReader::Bytes)
        own.emplace_back(field.bytes.begin(), field.bytes.end());
      else if (field.number == kKeys && field.type == WireReader::Varint)
        own.push_back(std::to_string(static_cast<int64_t>(field.value)));
      else if (field.number == kKeys && field.type == WireReader::Bytes)
        appendPacked(field.bytes, own);
      else if (field.number == kValues && field.type == WireReader::Bytes)
        return read(field.bytes, {Kind::Sequence, Kind::Tensor}, values);
      return success();
    };
    if (failed(readFields(bytes, visit)))
      return failure();
    StringMap<ArrayRef<char>> byKey;
    for (auto [key, value] : zip(own, values.elements))
      if (value.tensor.elementType == tensor.elementType &&
          value.tensor.bytes.size() == sizeof(float))
        byKey[key] = value.tensor.bytes;
    for (const std::string &key : keys) {
      auto found = byKey.find(key);
      if (found == byKey.end())
        return reporter.malformed(nullptr, "has a map without a float for " + quoteText(key));
      tensor.bytes.insert(tensor.bytes.end(), found->second.begin(), found->second.end());
    }
    if (own.size() != keys.size())
      return reporter.malformed(nullptr, "has a map with other keys than the model's");
    return success();
  }

  static void appendPacked(ArrayRef<char> bytes, std::vector<std::string> &keys) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    for (uint64_t key = 0; stream.ReadVarint64(&key);)
      keys.push_back(std::to_string(static_cast<int64_t>(key)));
  }

  LogicalResult readTensor(ArrayRef<char> bytes, ValueData &value) {
    pb::TensorProto proto;
    google::protobuf::LogSilencer silence;
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
      return reporter.malformed(nullptr, "is no TensorProto");
    Where where{nullptr, proto.name(), "tensor"};
    if (failed(loader.check(proto, where)))
      return failure();
    FailureOr<LoadedTensor> loaded = loader.take(proto, where);
    if (failed(loaded))
      return failure();
    value.name = proto.name();
    value.tensor.name = proto.name();
    value.tensor.elementType = loaded->dataType;
    value.tensor.dims.assign(loaded->dims.begin(), loaded->dims.end());
    value.tensor.strings = std::move(loaded->strings);
    if (loaded->bytes)
      value.tensor.bytes.assign(loaded->bytes->get().begin(), loaded->bytes->get().end());
    return success();
  }

  ExternalFiles files;
  TensorLoader loader;
};

void appendVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void appendBytes(std::string &bytes, uint32_t field, StringRef content) {
  appendVarint(bytes, field << 3 | WireReader::Bytes);
  appendVarint(bytes, content.size());
  bytes += content;
}

std::string writeTensor(const TensorData &tensor) {
  pb::TensorProto proto;
  proto.set_name(tensor.name);
  proto.set_data_type(tensor.elementType);
  for (int64_t dim : tensor.dims)
    proto.add_dims(dim);
  if (const ElementInfo *type = findElementInfo(tensor.elementType); type && type->isString())
    for (const std::string &text : tensor.strings)
      proto.add_string_data(text);
  else
    proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  return proto.SerializeAsString();
}

} // namespace

DataResult cameo::readValue(StringRef bytes, StringRef name, ValueKinds kinds) {
  DataResult result;
  Reader reader(name);
  // An empty file is a tensor of no type, which is none; an empty sequence or optional may be one.
  if (static_cast<int64_t>(bytes.size()) > kMaxFileBytes)
    (void)reader.reporter.limit(nullptr, "is too large (got more than 2 GiB)", "");
  else
    (void)reader.read(ArrayRef<char>(bytes.data(), bytes.size()), kinds, result.value);
  result.diagnostic = reader.reporter.getDiagnostic();
  return result;
}

DataResult cameo::readValueFile(StringRef path, ValueKinds kinds) {
  Reporter reporter(path);
  ModelFile file;
  if (succeeded(file.read(path, reporter)))
    return readValue(StringRef(file.getBytes().data(), file.getBytes().size()), path, kinds);
  DataResult result;
  result.diagnostic = reporter.getDiagnostic();
  return result;
}

DataResult cameo::readMapsFile(StringRef path, ArrayRef<std::string> keys) {
  DataResult result;
  Reader reader(path);
  ModelFile file;
  if (succeeded(file.read(path, reader.reporter))) {
    if (Reader::isTensor(file.getBytes()))
      (void)reader.read(file.getBytes(), Kind::Tensor, result.value);
    else
      (void)reader.readMaps(file.getBytes(), keys, result.value.tensor);
  }
  result.diagnostic = reader.reporter.getDiagnostic();
  return result;
}

std::string cameo::writeValue(const ValueData &value) {
  if (value.kind == Kind::Tensor)
    return writeTensor(value.tensor);
  std::string bytes;
  appendBytes(bytes, kName, value.name);
  Kind element = value.elements.empty() ? Kind::Tensor : value.elements.front().kind;
  appendVarint(bytes, kElementType << 3 | WireReader::Varint);
  appendVarint(bytes, element == Kind::Tensor     ? kTensorElement
                      : element == Kind::Sequence ? kSequenceElement
                                                  : kOptionalElement);
  for (const ValueData &inner : value.elements)
    appendBytes(bytes, getElementField(inner.kind), writeValue(inner));
  return bytes;
}
