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
enum Field : uint32_t { kName = 1, kElementType = 2, kTensor = 3, kSequence = 5, kOptional = 7 };
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

  Reporter reporter;

private:
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
