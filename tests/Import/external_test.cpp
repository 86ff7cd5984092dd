// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights outside the model, in real folders: what may be read, and what is refused and why.

#include "model.h"

#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cameo;
using namespace cameo::importer;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A folder with `inner/`, where models are, and a file beside it that none may read.
class ExternalFixture : public ImportFixture {
public:
  ExternalFixture() {
    llvm::SmallString<128> made;
    REQUIRE(!llvm::sys::fs::createUniqueDirectory("cameo-import-test", made));
    folder = made.str().str();
    inner = folder + "/inner";
    REQUIRE(::mkdir(inner.c_str(), 0700) == 0);
    write(folder + "/outside.bin", std::string(64, 'o'));
  }
  ~ExternalFixture() { llvm::sys::fs::remove_directories(folder); }

  void write(const std::string &path, const std::string &bytes) {
    int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0);
    REQUIRE(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::close(file);
  }

  /// A model in inner/ with one external tensor of `dims` floats.
  ImportResult importWith(const Entries &entries, const Dims &dims = {4},
                          const ImportOptions &options = {}) {
    ReluModel model;
    pb::TensorProto &tensor = *model.graph.add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(pb::TensorProto::FLOAT);
    *tensor.mutable_dims() = {dims.begin(), dims.end()};
    tensor.set_data_location(pb::TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries) {
      tensor.add_external_data()->set_key(key);
      tensor.mutable_external_data()->rbegin()->set_value(value);
    }
    write(inner + "/model.onnx", model.proto.SerializeAsString());
    return importModel(inner + "/model.onnx", options, context);
  }

  void refuseLocation(const std::string &location, ExitClass exitClass) {
    CAPTURE(location);
    ImportResult result = importWith({{"location", location}});
    REQUIRE(result.diagnostic);
    CAPTURE(result.diagnostic->str());
    CHECK(result.diagnostic->exitClass == exitClass);
  }

  std::string folder, inner;
};

} // namespace

TEST_CASE_METHOD(ExternalFixture, "weights beside the model are read", "[external]") {
  write(inner + "/data.bin", std::string("\0\0\x80\x3f", 4) + std::string(12, '\0'));
  REQUIRE(::mkdir((inner + "/sub").c_str(), 0700) == 0);
  write(inner + "/sub/data.bin", std::string(16, '\0'));
  CHECK(importWith({{"location", "data.bin"}}).module);
  CHECK(importWith({{"location", "./data.bin"}}).module);
  CHECK(importWith({{"location", "sub/data.bin"}, {"checksum", "not looked at"}}).module);
  CHECK(importWith({{"location", "data.bin"}, {"offset", "4"}, {"length", "12"}}, {3}).module);
  CHECK(importWith({{"location", "data.bin"}, {"offset", "16"}}, {0}).module);
}

TEST_CASE_METHOD(ExternalFixture, "nothing outside the folder is read", "[external]") {
  for (const char *location :
       {"../outside.bin", "..", "a/../../outside.bin", "/etc/hostname", "..\\outside.bin",
        "C:\\outside.bin", "C:outside.bin", "\\\\host\\share", "*/_ORT_MEM_ADDR_/*",
        "file:///etc/hostname", "/proc/self/environ"})
    refuseLocation(location, ExitClass::Policy);
}

TEST_CASE_METHOD(ExternalFixture, "nothing is read through a link", "[external]") {
  REQUIRE(::symlink("../outside.bin", (inner + "/link").c_str()) == 0);
  refuseLocation("link", ExitClass::Policy);
  REQUIRE(::symlink("..", (inner + "/up").c_str()) == 0);
  refuseLocation("up/outside.bin", ExitClass::Policy);
  REQUIRE(::link((folder + "/outside.bin").c_str(), (inner + "/hard").c_str()) == 0);
  refuseLocation("hard", ExitClass::Policy);
}

TEST_CASE_METHOD(ExternalFixture, "only regular files are read", "[external]") {
  refuseLocation(".", ExitClass::Policy);
  REQUIRE(::mkdir((inner + "/folder").c_str(), 0700) == 0);
  refuseLocation("folder", ExitClass::Policy);
  REQUIRE(::mkfifo((inner + "/fifo").c_str(), 0600) == 0);
  refuseLocation("fifo", ExitClass::Policy);
  refuseLocation("model.onnx", ExitClass::Policy);
  refuseLocation("missing", ExitClass::Io);
}

TEST_CASE_METHOD(ExternalFixture, "locations that are none", "[external]") {
  refuseLocation("", ExitClass::Malformed);
  refuseLocation(std::string("data.bin\0.txt", 13), ExitClass::Malformed);
  CHECK(importWith({}).diagnostic->exitClass == ExitClass::Malformed);
  CHECK(importWith({{"location", "a"}, {"location", "b"}}).diagnostic->exitClass ==
        ExitClass::Malformed);
}

TEST_CASE_METHOD(ExternalFixture, "offsets and lengths are numbers within the file", "[external]") {
  write(inner + "/data.bin", std::string(16, '\0'));
  auto [key, value] = GENERATE(table<std::string, std::string>({{"offset", "-4"},
                                                                {"offset", "0x0"},
                                                                {"offset", ""},
                                                                {"offset", " 0"},
                                                                {"offset", "18446744073709551616"},
                                                                {"offset", "9223372036854775807"},
                                                                {"offset", "1"},
                                                                {"offset", "+0"},
                                                                {"length", "-16"},
                                                                {"length", "15"},
                                                                {"length", "17"},
                                                                {"length", "16 bytes"}}));
  CAPTURE(key, value);
  ImportResult result = importWith({{"location", "data.bin"}, {key, value}});
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->exitClass == ExitClass::Malformed);
}

TEST_CASE_METHOD(ExternalFixture, "the file holds what the dims say", "[external]") {
  write(inner + "/data.bin", std::string(16, '\0'));
  CHECK(importWith({{"location", "data.bin"}}, {5}).diagnostic->exitClass == ExitClass::Malformed);
  ImportOptions options;
  options.maxWeightBytes = 15;
  CHECK_THAT(importWith({{"location", "data.bin"}}, {4}, options).diagnostic->str(),
             holds("--max-weight-bytes"));
}

TEST_CASE_METHOD(ImportFixture, "weights count together, wherever they are", "[external]") {
  ReluModel model;
  model.floats("v", {2}, {1, 2}).floats("w", {2}, {3, 4});
  ImportOptions options;
  options.maxWeightBytes = 16;
  accept(model, options);
  options.maxWeightBytes = 15;
  CHECK_THAT(refuse(model, ExitClass::Limit, options),
             holds("graph/w: the model's weights are too large (got more than 15 bytes); raise it "
                   "with --max-weight-bytes"));
}

TEST_CASE_METHOD(ExternalFixture, "a model that is no file has no folder", "[external]") {
  ReluModel model;
  pb::TensorProto &tensor = *model.graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  tensor.add_external_data()->set_key("location");
  tensor.mutable_external_data(0)->set_value("data.bin");
  CHECK_THAT(refuse(model, ExitClass::Policy), holds("has no folder"));
  tensor.set_raw_data("1234");
  CHECK_THAT(malformed(model), holds("both in the model and outside it"));
}

TEST_CASE_METHOD(ExternalFixture, "models that cannot be read", "[external]") {
  auto refusePath = [&](const std::string &path, const std::string &text) {
    ImportResult result = importModel(path, {}, context);
    REQUIRE(result.diagnostic);
    CHECK(result.diagnostic->exitClass == ExitClass::Io);
    CHECK_THAT(result.diagnostic->str(), holds(text));
  };
  REQUIRE(::mkfifo((inner + "/fifo").c_str(), 0600) == 0);
  refusePath(inner, "is not a regular file");
  refusePath(inner + "/fifo", "is not a regular file");
  refusePath("/dev/zero", "is not a regular file");
  refusePath(inner + "/missing", "cannot be opened");
}

TEST_CASE_METHOD(ExternalFixture, "a model beyond 2 GiB is told to use external data",
                 "[external]") {
  write(inner + "/model.onnx", "");
  REQUIRE(::truncate((inner + "/model.onnx").c_str(), off_t(1) << 31) == 0);
  ImportResult result = importModel(inner + "/model.onnx", {}, context);
  CHECK(result.diagnostic->exitClass == ExitClass::Limit);
  CHECK_THAT(result.diagnostic->str(), holds("external data"));
}
