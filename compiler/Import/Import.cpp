// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of an import, in their order: bytes, messages, everything that can be checked,
// operations.

#include "Import/Import.h"

#include "Import/CheckModel.h"
#include "Import/GraphBuilder.h"
#include "Import/Upgrade/Upgrade.h"
#include "Import/WireScan.h"

#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {

/// Decodes `bytes`, which scanModel has found to be well formed.
LogicalResult decode(ArrayRef<char> bytes, pb::ModelProto &proto, Reporter &reporter) {
  // What protobuf would print is said by our diagnostic.
  google::protobuf::LogSilencer silence;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  // Three messages for each graph in a graph, two for each type in a type.
  stream.SetRecursionLimit(8 * static_cast<int>(kMaxNesting));
  if (proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage())
    return success();
  return reporter.malformed(nullptr, "not an ONNX model: protobuf cannot decode it");
}

bool isKnownOperator(MLIRContext &context, StringRef domain, StringRef opType, int64_t version) {
  std::string mnemonic = getMnemonic(domain, opType);
  return !mnemonic.empty() && version >= getFirstVersion(mnemonic) &&
         (RegisteredOperationName::lookup("onnx." + mnemonic, &context) ||
          isUpgradedAway(mnemonic));
}

/// `release` frees the bytes once they are decoded.
OwningOpRef<ModuleOp> importBytes(ArrayRef<char> bytes, const ModelFile *file,
                                  function_ref<void()> release, const ImportOptions &options,
                                  MLIRContext &context, Reporter &reporter) {
  context.loadDialect<cameo::onnx::ONNXDialect, func::FuncDialect>();
  if (bytes.empty()) {
    (void)reporter.malformed(nullptr, "is empty");
    return nullptr;
  }
  WireLimits limits;
  limits.maxStructureBytes = options.maxStructureBytes;
  Model model;
  if (failed(scanModel(bytes, limits, reporter)) || failed(decode(bytes, model.proto, reporter)))
    return nullptr;
  release();

  ExternalFiles files(file, reporter);
  TensorLoader tensors(files, options.maxWeightBytes, reporter);
  auto isKnown = [&](StringRef domain, StringRef opType, int64_t version) {
    return isKnownOperator(context, domain, opType, version);
  };
  if (failed(checkModel(model, options, tensors, reporter)) ||
      failed(checkOperators(model, isKnown, reporter)))
    return nullptr;
  FailureOr<OwningOpRef<ModuleOp>> module =
      GraphBuilder(model, options, tensors, &context, reporter).build();
  if (failed(module) || (options.rejectWarnings && failed(reporter.rejectWarnings())))
    return nullptr;
  return std::move(*module);
}

ImportResult makeResult(OwningOpRef<ModuleOp> module, Reporter &reporter) {
  ImportResult result;
  result.module = std::move(module);
  result.diagnostic = reporter.getDiagnostic();
  result.unsupported = reporter.takeUnsupported();
  result.warnings = reporter.getWarnings();
  return result;
}

} // namespace

ImportResult cameo::importModel(StringRef path, const ImportOptions &options,
                                MLIRContext &context) {
  Reporter reporter(path == "-" ? "<stdin>" : path);
  ModelFile file;
  OwningOpRef<ModuleOp> module;
  if (succeeded(file.read(path, reporter)))
    module = importBytes(
        file.getBytes(), &file, [&] { file.release(); }, options, context, reporter);
  return makeResult(std::move(module), reporter);
}

ImportResult cameo::importModelFromBytes(StringRef bytes, StringRef name,
                                         const ImportOptions &options, MLIRContext &context) {
  Reporter reporter(name);
  OwningOpRef<ModuleOp> module = importBytes(
      ArrayRef<char>(bytes.data(), bytes.size()), nullptr, [] {}, options, context, reporter);
  return makeResult(std::move(module), reporter);
}
