// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data files: tensors, sequences and optionals, there and back.

#include "model.h"

#include "Import/TensorData.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using Kind = ValueData::Kind;

ValueData makeTensor(const std::string &name, int32_t type, const Dims &dims,
                     const std::string &bytes) {
  ValueData value;
  value.name = name;
  value.tensor.name = name;
  value.tensor.elementType = type;
  value.tensor.dims = dims;
  value.tensor.bytes.assign(bytes.begin(), bytes.end());
  return value;
}

ValueData readBack(const ValueData &value, ValueKinds kinds) {
  DataResult result = readValue(writeValue(value), "data.pb", kinds);
  INFO((result.diagnostic ? result.diagnostic->str() : ""));
  REQUIRE(!result.diagnostic);
  return result.value;
}

} // namespace

TEST_CASE("a tensor is read as it was written", "[data]") {
  ValueData value = makeTensor("x", pb::TensorProto::INT4, {3}, "\x21\x03");
  ValueData read = readBack(value, {Kind::Tensor});
  CHECK(read.name == "x");
  CHECK(read.tensor.elementType == pb::TensorProto::INT4);
  CHECK(read.tensor.dims == Dims{3});
  CHECK(read.tensor.bytes == value.tensor.bytes);
}

TEST_CASE("typed fields are read as raw bytes", "[data]") {
  pb::TensorProto proto;
  proto.set_data_type(pb::TensorProto::INT16);
  proto.add_dims(2);
  proto.add_int32_data(-2);
  proto.add_int32_data(258);
  DataResult result = readValue(proto.SerializeAsString(), "data.pb", {Kind::Tensor});
  REQUIRE(!result.diagnostic);
  CHECK(result.value.tensor.bytes == std::vector<char>{'\xfe', '\xff', 2, 1});
}

TEST_CASE("strings, sequences and optionals", "[data]") {
  ValueData text = makeTensor("s", pb::TensorProto::STRING, {2}, "");
  text.tensor.strings = {"a", std::string("b\0c", 3)};
  CHECK(readBack(text, {Kind::Tensor}).tensor.strings == text.tensor.strings);

  ValueData sequence;
  sequence.kind = Kind::Sequence;
  sequence.name = "seq";
  CHECK(readBack(sequence, {Kind::Sequence, Kind::Tensor}).elements.empty());
  sequence.elements = {makeTensor("", pb::TensorProto::UINT8, {1}, "1"),
                       makeTensor("", pb::TensorProto::UINT8, {0}, "")};
  ValueData read = readBack(sequence, {Kind::Sequence, Kind::Tensor});
  CHECK(read.name == "seq");
  REQUIRE(read.elements.size() == 2);
  CHECK(read.elements[0].tensor.bytes == std::vector<char>{'1'});

  ValueData optional;
  optional.kind = Kind::Optional;
  optional.elements = {sequence};
  read = readBack(optional, {Kind::Optional, Kind::Sequence, Kind::Tensor});
  REQUIRE(read.elements.size() == 1);
  CHECK(read.elements[0].elements.size() == 2);
  optional.elements = {sequence, sequence};
  CHECK(readValue(writeValue(optional), "data.pb", {Kind::Optional, Kind::Sequence, Kind::Tensor})
            .diagnostic);
}

TEST_CASE("data files are checked as models are", "[data]") {
  auto refuses = [](const std::string &bytes, ValueKinds kinds) {
    DataResult result = readValue(bytes, "data.pb", kinds);
    return result.diagnostic && result.diagnostic->exitClass == ExitClass::Malformed;
  };
  CHECK(refuses("", {Kind::Tensor}));
  CHECK(refuses("no data", {Kind::Tensor}));
  CHECK(refuses("no data", {Kind::Sequence, Kind::Tensor}));
  CHECK(refuses(writeValue(makeTensor("x", pb::TensorProto::FLOAT, {2}, "1234")), {Kind::Tensor}));
  CHECK(refuses(writeValue(makeTensor("x", pb::TensorProto::FLOAT, {-1}, "")), {Kind::Tensor}));
  ValueData sequence;
  sequence.kind = Kind::Sequence;
  sequence.elements = {makeTensor("", pb::TensorProto::UINT8, {1}, "1")};
  CHECK(refuses(writeValue(sequence), {Kind::Sequence, Kind::Sequence, Kind::Tensor}));

  pb::TensorProto external;
  external.set_data_type(pb::TensorProto::FLOAT);
  external.set_data_location(pb::TensorProto::EXTERNAL);
  external.add_external_data()->set_key("location");
  external.mutable_external_data(0)->set_value("data.bin");
  DataResult result = readValue(external.SerializeAsString(), "data.pb", {Kind::Tensor});
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->exitClass == ExitClass::Policy);
}
