// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitWeights.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Emit/CppWriter.h"
#include "Emit/FileComment.h"
#include "Emit/PackElements.h"
#include "Emit/Sources.h"
#include "Emit/WinogradWeights.h"
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

/// A constant and where Plan wants it.
struct Place {
  ElementsAttr value;
  int64_t offset = 0, size = 0;
  /// The type, where it has a layout; null for a dense tensor.
  SymTensorType packed;
  /// Of taps that are to be transformed, else null.
  WinogradAttr winograd;
  Location location;
};

/// The memory of a large constant; null for one that an attribute holds.
DialectResourceBlobManager::BlobEntry *getResource(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  return resource ? resource.getRawHandle().getResource() : nullptr;
}

/// The weights and defaults of a program; equal constants have one place.
class Places {
public:
  LogicalResult collect(const Program &program);
  /// Header and constants, zero between them. Large models are mostly this, so it grows in one
  /// buffer while the constants that are in it are freed: weights are never in memory twice.
  FailureOr<std::string> fill();

private:
  LogicalResult add(ElementsAttr value, IntegerAttr offset, std::optional<int64_t> size,
                    SymTensorType packed, WinogradAttr winograd, Location location);
  LogicalResult copy(const Place &place, MutableArrayRef<char> target) const;

  SmallVector<Place> places;
  llvm::DenseSet<std::pair<int64_t, Attribute>> known;
  /// The places that have a resource for their memory, which another type may share, and the
  /// defaults that are told in the model's table too.
  llvm::DenseMap<DialectResourceBlobManager::BlobEntry *, unsigned> numReaders;
};

LogicalResult Places::add(ElementsAttr value, IntegerAttr offset, std::optional<int64_t> size,
                          SymTensorType packed, WinogradAttr winograd, Location location) {
  if (size == 0)
    return success(); // has no place
  if (!offset || offset.getInt() < 0 || !size)
    return emitError(location) << "has no place in the weights";
  if (known.insert({offset.getInt(), value}).second) {
    places.push_back({value, offset.getInt(), *size, packed, winograd, location});
    ++numReaders[getResource(value)];
  }
  return success();
}

LogicalResult Places::collect(const Program &program) {
  WalkResult walked = walkOutsideKernels(program.getMain(), [&](WeightOp weight) {
    ExtentAttr size = getByteSize(weight.getType());
    return WalkResult(add(weight.getValue(), weight->getAttrOfType<IntegerAttr>("offset"),
                          size ? size.getConstant() : std::nullopt,
                          weight.getType().getLayout() ? weight.getType() : SymTensorType(),
                          weight.getWinogradAttr(), weight.getLoc()));
  });
  if (walked.wasInterrupted())
    return failure();
  for (const PortInfo &input : program.getInputs())
    if (input.initial) {
      SymTensorType type = getTypeOf(input.initial, input.type.getLayout());
      if (failed(add(input.initial, input.initialOffset, *getByteSize(type).getConstant(),
                     type.getLayout() ? type : SymTensorType(), WinogradAttr(),
                     program.getMain().getLoc())))
        return failure();
      ++numReaders[getResource(input.initial)];
    }
  llvm::stable_sort(places, [](const Place &a, const Place &b) { return a.offset < b.offset; });
  return success();
}

LogicalResult Places::copy(const Place &place, MutableArrayRef<char> target) const {
  std::vector<char> dense;
  if (place.packed)
    dense.resize(
        static_cast<size_t>(*getByteSize(getTypeOf(place.value, /*layout=*/{})).getConstant()));
  if (!copyElements(place.value, place.packed ? MutableArrayRef<char>(dense) : target))
    return emitError(place.location) << "its value does not have the bytes of its type";
  if (place.winograd)
    dense = transformWinogradWeights(dense, place.value.getShapedType().getShape(), place.winograd);
  if (place.packed)
    packElements(place.packed, dense, target);
  return success();
}

FailureOr<std::string> Places::fill() {
  size_t end = 0;
  for (const Place &place : places)
    end = std::max(end, static_cast<size_t>(place.offset + place.size));
  std::string blob;
  blob.reserve(kHeaderBytes + end);
  blob.resize(kHeaderBytes);
  for (const Place &place : places) {
    size_t offset = kHeaderBytes + static_cast<size_t>(place.offset);
    auto size = static_cast<size_t>(place.size);
    blob.resize(std::max(blob.size(), offset + size));
    if (failed(copy(place, MutableArrayRef<char>(blob.data(), blob.size()).slice(offset, size))))
      return failure();
    auto *resource = getResource(place.value);
    if (resource && --numReaders[resource] == 0)
      resource->setBlob(AsmResourceBlob());
  }
  return blob;
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
  Places places;
  if (failed(places.collect(program)))
    return failure();
  FailureOr<std::string> filled = places.fill();
  if (failed(filled))
    return failure();
  std::string blob = std::move(*filled);
  if (blob.size() == kHeaderBytes)
    return WeightsInfo{};
  const EmitOptions &options = program.getOptions();
  StringRef payload = StringRef(blob).drop_front(kHeaderBytes);
  WeightsInfo info{payload.size(), llvm::xxHash64(payload)};
  llvm::copy(kMagic, blob.begin());
  llvm::support::endian::write64le(blob.data() + 8, info.bytes);
  llvm::support::endian::write64le(blob.data() + 16, info.hash);

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
