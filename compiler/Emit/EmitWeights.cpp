// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitWeights.h"

#include "Emit/CppWriter.h"
#include "Emit/FileComment.h"
#include "Emit/Sources.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// cameo_weights_header: magic, bytes, hash, zeros.
constexpr size_t kHeaderBytes = 64;
constexpr StringLiteral kMagic = "CAMEOWT1";

/// The elements as they lie in memory, sub-byte types and bool one a byte; false when the attribute
/// is of a kind that has no bytes.
bool copyElements(ElementsAttr value, MutableArrayRef<char> target) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != target.size())
      return false;
    llvm::copy(blob->getData(), target.begin());
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return false;
  if (dense.getElementType().isInteger(1)) {
    if (static_cast<size_t>(dense.getNumElements()) != target.size())
      return false;
    for (auto [number, bit] : llvm::enumerate(dense.getValues<bool>()))
      target[number] = bit;
    return true;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (raw.empty() || target.size() % raw.size() != 0 ||
      (!dense.isSplat() && raw.size() != target.size()))
    return target.empty();
  for (size_t offset = 0; offset < target.size(); offset += raw.size())
    llvm::copy(raw, target.begin() + offset);
  return true;
}

/// The payload, zero between weights.
FailureOr<std::string> collectPayload(const Program &program) {
  std::string payload;
  llvm::DenseSet<std::pair<int64_t, Attribute>> copied;
  WalkResult walked = program.getMain()->walk([&](WeightOp weight) {
    auto offset = weight->getAttrOfType<IntegerAttr>("offset");
    ExtentAttr size = getByteSize(weight.getType());
    std::optional<int64_t> bytes = size ? size.getConstant() : std::nullopt;
    if (!offset || offset.getInt() < 0 || !bytes) {
      weight.emitError("has no place in the weights");
      return WalkResult::interrupt();
    }
    if (!copied.insert({offset.getInt(), weight.getValue()}).second)
      return WalkResult::advance();
    size_t end = static_cast<size_t>(offset.getInt() + *bytes);
    if (payload.size() < end)
      payload.resize(end);
    MutableArrayRef<char> target(payload.data() + offset.getInt(), static_cast<size_t>(*bytes));
    if (!copyElements(weight.getValue(), target)) {
      weight.emitError("its value does not have the bytes of ") << weight.getType();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return payload;
}

/// For targets without files, assemblers or linkers that can include bytes.
std::string printArray(const Program &program, StringRef blob) {
  Code name = TrustedCode::make(program.getOptions().name);
  CppWriter writer;
  printFileComment(writer, program.getOptions(), "The weights of " + name + ", header first.");
  writer.line("extern \"C\" const unsigned char " + name + "_weights[];");
  writer.blank();
  SmallVector<Code> bytes;
  for (char c : blob)
    bytes.push_back(Code(static_cast<int64_t>(static_cast<unsigned char>(c))));
  writer.table("alignas(64) const unsigned char " + name + "_weights[] = {", bytes);
  return writer.take();
}

} // namespace

FailureOr<WeightsInfo> cameo::emitWeights(const Program &program, EmittedFiles &files) {
  FailureOr<std::string> payload = collectPayload(program);
  if (failed(payload))
    return failure();
  if (payload->empty())
    return WeightsInfo{};
  const EmitOptions &options = program.getOptions();
  WeightsInfo info{payload->size(), llvm::xxHash64(StringRef(*payload))};
  std::string blob(kHeaderBytes, '\0');
  llvm::copy(kMagic, blob.begin());
  llvm::support::endian::write64le(blob.data() + 8, info.bytes);
  llvm::support::endian::write64le(blob.data() + 16, info.hash);
  blob += *payload;
  payload->clear();
  payload->shrink_to_fit();

  bool isEmbedded = options.weights == EmitOptions::Weights::Embed;
  if (isEmbedded && options.heap == EmitOptions::Heap::None) {
    files[options.name + "_weights.cpp"] = printArray(program, blob);
    return info;
  }
  if (isEmbedded)
    files[options.name + "_weights.S"] = fillSkeleton("weights.S", {{"name", options.name}});
  files[options.name + "_weights.bin"] = std::move(blob);
  return info;
}
