// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of an import, in their order: bytes, messages, everything that can be checked,
// operations.

#include "Import/Import.h"

#include "Import/CheckModel.h"
#include "Import/GraphBuilder.h"
#include "Import/InputRanks.h"
#include "Import/Upgrade/Upgrade.h"
#include "Import/WireScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {

/// Is told how many bytes from the start are no longer needed.
using Release = function_ref<void(size_t)>;

/// Hands out bytes in pieces and releases those that have been read: what protobuf copies out of a
/// model is mostly all of it, and need not be there twice.
class ReleasingStream : public google::protobuf::io::ZeroCopyInputStream {
public:
  ReleasingStream(ArrayRef<char> bytes, Release release) : bytes(bytes), release(release) {}

  bool Next(const void **data, int *size) override {
    if (position == bytes.size())
      return false;
    release(position);
    size_t piece = std::min(kPiece, bytes.size() - position);
    *data = bytes.data() + position;
    *size = static_cast<int>(piece);
    position += piece;
    return true;
  }
  void BackUp(int count) override { position -= static_cast<size_t>(count); }
  bool Skip(int count) override {
    position = std::min(position + static_cast<size_t>(count), bytes.size());
    return position != bytes.size();
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(position); }

private:
  static constexpr size_t kPiece = size_t(4) << 20;
  ArrayRef<char> bytes;
  Release release;
  size_t position = 0;
};

} // namespace

LogicalResult cameo::importer::decodeModel(ArrayRef<char> bytes, function_ref<void(size_t)> release,
                                           pb::ModelProto &proto, Reporter &reporter) {
  // Our diagnostic replaces protobuf's message.
  google::protobuf::LogSilencer silence;
  ReleasingStream pieces(bytes, release);
  google::protobuf::io::CodedInputStream stream(&pieces);
  // Three messages for each graph in a graph, two for each type in a type.
  stream.SetRecursionLimit(8 * static_cast<int>(kMaxNesting));
  if (proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage()) {
    release(bytes.size());
    return success();
  }
  return reporter.malformed(nullptr, "not an ONNX model: protobuf cannot decode it");
}

namespace {

bool isKnownOperator(MLIRContext &context, StringRef domain, StringRef opType, int64_t version) {
  std::string mnemonic = getMnemonic(domain, opType);
  return !mnemonic.empty() && version >= getFirstVersion(mnemonic) &&
         (RegisteredOperationName::lookup("onnx." + mnemonic, &context) ||
          isUpgradedAway(mnemonic));
}

OwningOpRef<ModuleOp> importBytes(ArrayRef<char> bytes, const ModelFile *file, Release release,
                                  const ImportOptions &options, MLIRContext &context,
                                  Reporter &reporter) {
  context.loadDialect<cameo::onnx::ONNXDialect, func::FuncDialect>();
  if (bytes.empty()) {
    (void)reporter.malformed(nullptr, "is empty");
    return nullptr;
  }
  WireLimits limits;
  limits.maxStructureBytes = options.maxStructureBytes;
  Model model;
  if (failed(scanModel(bytes, limits, reporter)) ||
      failed(decodeModel(bytes, release, model.proto, reporter)))
    return nullptr;

  ExternalFiles files(file, reporter);
  TensorLoader tensors(files, options.maxWeightBytes, reporter);
  auto isKnown = [&](StringRef domain, StringRef opType, int64_t version) {
    return findExternal(options.externals, domain, opType, version) ||
           isKnownOperator(context, domain, opType, version);
  };
  if (failed(checkModel(model, options, tensors, reporter)) ||
      failed(checkOperators(model, isKnown, reporter)))
    return nullptr;
  SharedBuilds builds;
  if (failed(
          countDims(*model.proto.mutable_graph(), options.countedDims, builds.counted, reporter)) ||
      failed(findInputRanks(model, options, tensors, builds, &context, reporter)))
    return nullptr;
  FailureOr<OwningOpRef<ModuleOp>> module =
      GraphBuilder(model, options, tensors, builds, &context, reporter).build();
  if (failed(module) || (options.rejectWarnings && failed(reporter.rejectWarnings())))
    return nullptr;
  return std::move(*module);
}

std::string hashBytes(ArrayRef<char> bytes) {
  std::array<uint8_t, 32> digest =
      llvm::SHA256::hash(ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

ImportResult makeResult(OwningOpRef<ModuleOp> module, Reporter &reporter) {
  ImportResult result;
  result.module = std::move(module);
  result.diagnostic = reporter.getDiagnostic();
  result.unsupported = reporter.takeUnsupported();
  result.declarations = reporter.takeDeclarations();
  result.warnings = reporter.getWarnings();
  return result;
}

} // namespace

ImportResult cameo::importModel(StringRef path, const ImportOptions &options,
                                MLIRContext &context) {
  Reporter reporter(path == "-" ? "<stdin>" : path);
  ModelFile file;
  OwningOpRef<ModuleOp> module;
  std::string hash;
  if (succeeded(file.read(path, reporter))) {
    // Bytes are released as they are decoded.
    if (options.hashesFile)
      hash = hashBytes(file.getBytes());
    module = importBytes(
        file.getBytes(), &file, [&](size_t size) { file.release(size); }, options, context,
        reporter);
  }
  ImportResult result = makeResult(std::move(module), reporter);
  result.fileHash = std::move(hash);
  return result;
}

ImportResult cameo::importModelFromBytes(StringRef bytes, StringRef name,
                                         const ImportOptions &options, MLIRContext &context) {
  Reporter reporter(name);
  OwningOpRef<ModuleOp> module = importBytes(
      ArrayRef<char>(bytes.data(), bytes.size()), nullptr, [](size_t) {}, options, context,
      reporter);
  return makeResult(std::move(module), reporter);
}
