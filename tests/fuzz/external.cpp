// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor whose data lies outside the model. The first line of an input is the tensor: data type,
// dims; each further one an entry, key and value. By any entries, only the bytes of a file below
// the model's folder are read, at the place asked for.

#include "fuzz.h"

#include "Import/TensorLoader.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace cameo;
using namespace cameo::importer;

namespace {

/// No file that may be read holds this byte.
constexpr char kSecret = '\x5a';
constexpr size_t kFileBytes = 256;

/// A folder with the model, two files that may be read, and all kinds of ways out of it.
class Folder {
public:
  Folder() {
    llvm::SmallString<128> made;
    fuzz::require(!llvm::sys::fs::createUniqueDirectory("cameo-fuzz", made), "a scratch folder");
    root = made.str().str();
    inner = root + "/inner";
    ::mkdir(inner.c_str(), 0700);
    ::mkdir((inner + "/s").c_str(), 0700);
    write(inner + "/model.onnx", std::string(kFileBytes, kSecret));
    write(root + "/secret", std::string(kFileBytes, kSecret));
    std::string readable;
    for (size_t i = 0; i < kFileBytes; ++i)
      readable += static_cast<char>(i % 64);
    write(inner + "/d", readable);
    write(inner + "/s/d", readable);
    (void)!::symlink("../secret", (inner + "/l").c_str());
    (void)!::symlink("..", (inner + "/up").c_str());
    (void)!::link((root + "/secret").c_str(), (inner + "/h").c_str());
    ::mkfifo((inner + "/f").c_str(), 0600);
  }
  ~Folder() { llvm::sys::fs::remove_directories(root); }

  std::string root, inner;

private:
  static void write(const std::string &path, const std::string &bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    fuzz::require(!error, "a file in the scratch folder", path);
  }
};

pb::TensorProto makeTensor(llvm::StringRef text) {
  pb::TensorProto tensor;
  auto [head, entries] = text.split('\n');
  llvm::SmallVector<llvm::StringRef> words, lines;
  head.split(words, ' ', 70);
  int64_t number = 0;
  for (llvm::StringRef word : words) {
    if (word.getAsInteger(0, number))
      continue;
    if (tensor.has_data_type())
      tensor.add_dims(number);
    else
      tensor.set_data_type(static_cast<int32_t>(number));
  }
  tensor.set_name("w");
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  entries.split(lines, '\n', 16, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [key, value] = line.split(' ');
    tensor.add_external_data()->set_key(key.str());
    tensor.mutable_external_data()->rbegin()->set_value(value.str());
  }
  return tensor;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  Reporter reporter("fuzz");
  ModelFile model;
  fuzz::require(succeeded(model.read(folder.inner + "/model.onnx", reporter)), "a model's folder");
  ExternalFiles files(&model, reporter);
  TensorLoader loader(files, /*maxWeightBytes=*/1 << 16, reporter);

  pb::TensorProto tensor = makeTensor({reinterpret_cast<const char *>(data), size});
  Where where{nullptr, "w", "tensor", 0};
  if (failed(loader.check(tensor, where))) {
    fuzz::require(reporter.hasFailed(), "a refusal says why");
    return 0;
  }
  llvm::FailureOr<LoadedTensor> loaded = loader.take(tensor, where);
  if (failed(loaded)) {
    fuzz::require(reporter.hasFailed(), "a failure says why");
    return 0;
  }
  if (!loaded->bytes)
    return 0;
  llvm::ArrayRef<char> bytes = loaded->bytes->get();
  fuzz::require(bytes.size() <= kFileBytes, "no more bytes than there are");
  for (size_t i = 0; i < bytes.size(); ++i)
    fuzz::require(bytes[i] != kSecret && (i == 0 || bytes[i] == (bytes[i - 1] + 1) % 64),
                  "the bytes of a file below the model");
  return 0;
}
