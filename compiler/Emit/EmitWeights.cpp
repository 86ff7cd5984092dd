// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitWeights.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Emit/CppWriter.h"
#include "Emit/FileComment.h"
#include "Emit/PackElements.h"
#include "Emit/Sources.h"
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

/// The bytes behind the header, zero between weights.
class Payload {
public:
  /// Puts a constant of `size` bytes where Plan wants it; equal ones share a place. A blocked
  /// layout is that of `packed`, which is null for a dense tensor.
  LogicalResult add(ElementsAttr value, IntegerAttr offset, std::optional<int64_t> size,
                    SymTensorType packed, function_ref<InFlightDiagnostic()> emitError);
  std::string take() { return std::move(bytes); }

private:
  std::string bytes;
  llvm::DenseSet<std::pair<int64_t, Attribute>> copied;
};

LogicalResult Payload::add(ElementsAttr value, IntegerAttr offset, std::optional<int64_t> size,
                           SymTensorType packed, function_ref<InFlightDiagnostic()> emitError) {
  if (!offset || offset.getInt() < 0 || !size)
    return emitError() << "has no place in the weights";
  if (!copied.insert({offset.getInt(), value}).second)
    return success();
  size_t end = static_cast<size_t>(offset.getInt() + *size);
  if (bytes.size() < end)
    bytes.resize(end);
  MutableArrayRef<char> target(bytes.data() + offset.getInt(), static_cast<size_t>(*size));
  std::vector<char> dense;
  if (packed)
    dense.resize(static_cast<size_t>(*getByteSize(packed.withLayout({})).getConstant()));
  if (!copyElements(value, packed ? MutableArrayRef<char>(dense) : target))
    return emitError() << "its value does not have the bytes of its type";
  if (packed)
    packElements(packed, dense, target);
  return success();
}

FailureOr<std::string> collectPayload(const Program &program) {
  Payload payload;
  WalkResult walked = program.getMain()->walk([&](WeightOp weight) {
    ExtentAttr size = getByteSize(weight.getType());
    return WalkResult(
        payload.add(weight.getValue(), weight->getAttrOfType<IntegerAttr>("offset"),
                    size ? size.getConstant() : std::nullopt,
                    weight.getType().getBlockedLayout() ? weight.getType() : SymTensorType(),
                    [&] { return weight.emitError(); }));
  });
  if (walked.wasInterrupted())
    return failure();
  for (const PortInfo &input : program.getInputs())
    if (input.initial &&
        failed(payload.add(
            input.initial, input.initialOffset,
            input.initial.getNumElements() * getCppType(input.type.getElementType())->bytes,
            SymTensorType(), [&] { return program.getMain().emitError(input.name + " "); })))
      return failure();
  return payload.take();
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
