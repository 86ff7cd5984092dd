// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are no model, or one that decoding would make too large.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

std::string varint(uint64_t number) {
  std::string bytes;
  for (; number > 127; number >>= 7)
    bytes += static_cast<char>((number & 127) | 128);
  return bytes + static_cast<char>(number);
}

std::string field(uint32_t number, const std::string &content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

/// If in If, `depth` deep, written without protobuf's help.
std::string nestedIf(unsigned depth) {
  std::string graph =
      field(1, field(1, "x") + field(2, "y") + field(4, "Relu")) + field(12, field(1, "y"));
  for (unsigned level = 0; level < depth; ++level) {
    std::string attribute = field(1, "then_branch") + field(6, graph) + varint(20 << 3) + varint(5);
    std::string other =
        field(1, "else_branch") + field(6, field(12, field(1, "x"))) + varint(20 << 3) + varint(5);
    graph = field(1, field(1, "c") + field(2, "y") + field(4, "If") + field(5, attribute) +
                         field(5, other)) +
            field(12, field(1, "y"));
  }
  std::string type = field(1, varint(8) + varint(1) + field(2, field(1, varint(8) + varint(2))));
  std::string condition = field(1, varint(8) + varint(9) + field(2, ""));
  graph +=
      field(11, field(1, "x") + field(2, type)) + field(11, field(1, "c") + field(2, condition));
  return varint(8) + varint(10) + field(8, varint(16) + varint(21)) + field(7, graph);
}

} // namespace

TEST_CASE_METHOD(ImportFixture, "bytes that are no model say where they are wrong", "[bytes]") {
  CHECK_THAT(malformed(std::string()), holds("is empty"));
  CHECK_THAT(malformed(std::string("This is not a model.\n")), holds("not an ONNX model"));
  CHECK_THAT(malformed(std::string("PK\3\4zip")), holds("not an ONNX model"));
  CHECK_THAT(malformed("\x3a" + varint(2147483647) + "\x0a"),
             holds("a length beyond the end at byte"));
  CHECK_THAT(malformed("\x3a" + std::string(9, '\xff') + "\x01"), holds("a length beyond the end"));
  CHECK_THAT(malformed("\x3a" + std::string(11, '\xff')), holds("a number of more than 64 bits"));
}

TEST_CASE_METHOD(ImportFixture, "groups are refused however deep", "[bytes]") {
  std::string groups;
  for (int depth = 0; depth < 100000; ++depth)
    groups += varint(1000 << 3 | 3);
  CHECK_THAT(malformed(ReluModel().proto.SerializeAsString() + groups), holds("a group"));
}

TEST_CASE_METHOD(ImportFixture, "unknown fields are skipped", "[bytes]") {
  std::string bytes = ReluModel().proto.SerializeAsString() + field(901, field(902, "unknown"));
  CHECK(import(bytes).module);
}

TEST_CASE_METHOD(ImportFixture, "every cut of a model is a model or refused", "[bytes]") {
  std::string bytes = ReluModel().proto.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ImportResult result = import(bytes.substr(0, size));
    CAPTURE(size);
    if (!result.module)
      CHECK(result.diagnostic->exitClass == ExitClass::Malformed);
  }
}

TEST_CASE_METHOD(ImportFixture, "graphs nest 64 deep and no deeper", "[bytes]") {
  CHECK(import(nestedIf(30)).module);
  CHECK(import(nestedIf(64)).module);
  CHECK_THAT(refuse(nestedIf(65), ExitClass::Limit), holds("graphs nest too deep"));
  CHECK_THAT(refuse(nestedIf(300), ExitClass::Limit), holds("graphs nest too deep"));
}

TEST_CASE_METHOD(ImportFixture, "types nest 64 deep and no deeper", "[bytes]") {
  std::string type = field(1, varint(8) + varint(1));
  for (int depth = 0; depth < 65; ++depth)
    type = field(4, field(1, type));
  std::string bytes =
      ReluModel().proto.SerializeAsString() + field(7, field(13, field(1, "v") + field(2, type)));
  CHECK_THAT(refuse(bytes, ExitClass::Limit), holds("types nest too deep"));
}

TEST_CASE_METHOD(ImportFixture, "small bytes that decode to much are refused before", "[bytes]") {
  // 2 bytes an attribute in the file, hundreds in memory.
  std::string attributes;
  for (int count = 0; count < 1000000; ++count)
    attributes += field(5, "");
  ImportOptions options;
  options.maxStructureBytes = 64 << 20;
  std::string bytes = ReluModel().proto.SerializeAsString() + field(7, field(1, attributes));
  CHECK_THAT(refuse(bytes, ExitClass::Limit, options), holds("--max-structure-bytes"));
}

TEST_CASE_METHOD(ImportFixture, "a packed list counts by its numbers", "[bytes]") {
  ImportOptions options;
  options.maxStructureBytes = 1 << 20;
  std::string bytes = ReluModel().proto.SerializeAsString() +
                      field(7, field(5, field(7, std::string(1 << 20, '\1'))));
  CHECK_THAT(refuse(bytes, ExitClass::Limit, options), holds("takes too much memory"));
}

TEST_CASE_METHOD(ImportFixture, "the same bytes give the same words", "[bytes]") {
  std::string bytes = ReluModel().proto.SerializeAsString().substr(0, 40);
  CHECK(malformed(bytes) == malformed(bytes));
}
