// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitWeights.h"

#include "Constants/ConstantBytes.h"
#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Emit/CppWriter.h"
#include "Emit/FileComment.h"
#include "Emit/Sources.h"
#include "Emit/StreamHash.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <memory>
#include <optional>
#include <vector>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// cameo_weights_header: magic, bytes, hash, zeros.
constexpr size_t kHeaderBytes = 64;
constexpr StringLiteral kMagic = "CAMEOWT1";

/// A constant packed beforehand may take so much; a larger one is packed each time it is read.
constexpr int64_t kMaxPackedBytes = int64_t(64) << 20;

/// A constant and where Plan wants it.
struct Place {
  ElementsAttr value;
  /// Which it goes through; null for none.
  ArrayAttr steps;
  int64_t offset = 0, size = 0;
  Location location;
  /// Whether the model's table tells its elements too.
  bool isDefault = false;
};

/// A constant of the blob; nothing of a context's, which may be gone before the blob is written.
struct PlacedConstant {
  int64_t offset, size;
  ConstantBytes bytes;
};

/// The weights and defaults of a program; equal constants have one place.
class Places {
public:
  LogicalResult collect(const Program &program);
  /// Takes the memory of large constants, which the blob is read from: what is in memory once, as
  /// large models are, is never there a second time. Places in their order.
  FailureOr<std::vector<PlacedConstant>> take();

private:
  /// The memory of a large constant, which other constants may share under other types.
  struct Resource {
    std::shared_ptr<const void> memory;
    unsigned numReaders = 0;
  };

  LogicalResult add(Place place, IntegerAttr offset, std::optional<int64_t> size);
  FailureOr<ConstantSource> getSource(const Place &place);
  FailureOr<ArrayRef<char>> take(DenseResourceElementsAttr value);
  void dropReader(const Place &place);

  SmallVector<Place> places;
  llvm::DenseMap<std::pair<int64_t, Attribute>, size_t> known;
  llvm::DenseMap<DialectResourceBlobManager::BlobEntry *, Resource> resources;
};

/// The resource that holds a large constant; null for one that an attribute holds.
DialectResourceBlobManager::BlobEntry *getResource(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  return resource ? resource.getRawHandle().getResource() : nullptr;
}

LogicalResult Places::add(Place place, IntegerAttr offset, std::optional<int64_t> size) {
  if (size == 0)
    return success(); // has no place
  if (!offset || offset.getInt() < 0 || !size)
    return emitError(place.location) << "has no place in the weights";
  place.offset = offset.getInt();
  place.size = *size;
  auto [entry, isNew] = known.try_emplace({place.offset, place.value}, places.size());
  if (!isNew) {
    places[entry->second].isDefault |= place.isDefault;
    return success();
  }
  if (auto *resource = getResource(place.value))
    ++resources[resource].numReaders;
  places.push_back(place);
  return success();
}

LogicalResult Places::collect(const Program &program) {
  WalkResult walked = walkOutsideKernels(program.getMain(), [&](WeightOp weight) {
    ExtentAttr size = getByteSize(weight.getType());
    return WalkResult(add({weight.getValue(), weight.getStepsAttr(), 0, 0, weight.getLoc()},
                          weight->getAttrOfType<IntegerAttr>("offset"),
                          size ? size.getConstant() : std::nullopt));
  });
  if (walked.wasInterrupted())
    return failure();
  for (const PortInfo &input : program.getInputs())
    if (input.initial) {
      SymTensorType type = getTypeOf(input.initial, input.type.getLayout());
      func::FuncOp main = program.getMain();
      ArrayAttr steps = makeSteps(main.getContext(), {}, type.getLayout());
      if (failed(add({input.initial, steps, 0, 0, main.getLoc(), /*isDefault=*/true},
                     input.initialOffset, getByteSize(type).getConstant())))
        return failure();
    }
  llvm::stable_sort(places, [](const Place &a, const Place &b) { return a.offset < b.offset; });
  return success();
}

/// The bytes of a resource, which its memory goes with.
FailureOr<ArrayRef<char>> Places::take(DenseResourceElementsAttr value) {
  auto *entry = value.getRawHandle().getResource();
  Resource &resource = resources[entry];
  if (!entry->getBlob())
    return failure();
  ArrayRef<char> data = entry->getBlob()->getData();
  if (!resource.memory) {
    auto blob = std::make_shared<AsmResourceBlob>(std::move(*entry->getBlob()));
    entry->setBlob(UnmanagedAsmResourceBlob::allocateWithAlign(data, blob->getDataAlignment()));
    resource.memory = std::move(blob);
  }
  return data;
}

/// The memory of a constant that nothing reads any more goes with its last holder.
void Places::dropReader(const Place &place) {
  auto *entry = getResource(place.value);
  if (!entry || --resources[entry].numReaders != 0)
    return;
  resources.erase(entry);
  if (!place.isDefault)
    entry->setBlob(AsmResourceBlob());
}

FailureOr<ConstantSource> Places::getSource(const Place &place) {
  auto elementBytes = static_cast<size_t>(getElementBytes(place.value.getElementType()));
  size_t size = static_cast<size_t>(place.value.getNumElements()) * elementBytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(place.value)) {
    FailureOr<ArrayRef<char>> bytes = take(resource);
    if (failed(bytes) || bytes->size() != size)
      return failure();
    return ConstantSource{{*bytes, elementBytes}, resources[getResource(resource)].memory};
  }
  // Attributes end with their context: what is inside of one is small, or one element.
  auto dense = dyn_cast<DenseElementsAttr>(place.value);
  bool isUniform = dense && dense.isSplat();
  if (isUniform)
    dense = dense.resizeSplat(RankedTensorType::get({1}, dense.getElementType()));
  std::vector<char> bytes(isUniform ? elementBytes : size);
  if (!dense || !copyElements(dense, bytes))
    return failure();
  return ConstantSource::own(std::move(bytes), elementBytes, isUniform);
}

FailureOr<std::vector<PlacedConstant>> Places::take() {
  std::vector<PlacedConstant> taken;
  for (const Place &place : places) {
    FailureOr<ConstantSource> source = getSource(place);
    if (failed(source))
      return emitError(place.location) << "its value does not have the bytes of its type";
    ConstantBytes bytes(getTypeOf(place.value, /*layout=*/{}), place.steps, std::move(*source));
    if (place.steps && place.size <= kMaxPackedBytes && !place.isDefault)
      bytes.pack();
    taken.push_back({place.offset, place.size, std::move(bytes)});
    dropReader(place);
  }
  return taken;
}

/// Header and constants, zeros between them.
bool forEachPiece(StringRef header, ArrayRef<PlacedConstant> constants,
                  FileContent::PieceVisitor visit) {
  if (!header.empty() && !visit(header))
    return false;
  const char zeros[kHeaderBytes] = {};
  int64_t end = 0;
  for (const PlacedConstant &constant : constants) {
    if (!visit(StringRef(zeros, static_cast<size_t>(constant.offset - end))) ||
        !constant.bytes.forEachPiece(visit))
      return false;
    end = constant.offset + constant.size;
  }
  return true;
}

/// For targets without files, assemblers or linkers that can include bytes.
std::string printArray(const Program &program, const FileContent &blob) {
  Code name = TrustedCode::make(program.getOptions().name);
  CppWriter writer;
  printFileComment(writer, program.getOptions(), "The weights of " + name + ", header first.");
  writer.line("extern \"C\" const unsigned char " + name + "_weights[];");
  writer.blank();
  SmallVector<Code> bytes;
  blob.forEachPiece([&](StringRef piece) {
    for (char c : piece)
      bytes.push_back(Code(static_cast<int64_t>(static_cast<unsigned char>(c))));
    return true;
  });
  writer.table("alignas(" + Code(kAlignment) + ") const unsigned char " + name + "_weights[] = {",
               bytes);
  return writer.take();
}

/// cameo_weights_header.
std::string makeHeader(const WeightsInfo &info) {
  std::string header(kHeaderBytes, '\0');
  llvm::copy(kMagic, header.begin());
  llvm::support::endian::write64le(header.data() + 8, info.bytes);
  llvm::support::endian::write64le(header.data() + 16, info.hash);
  return header;
}

} // namespace

FailureOr<WeightsInfo> cameo::emitWeights(const Program &program, EmittedFiles &files) {
  Places places;
  if (failed(places.collect(program)))
    return failure();
  FailureOr<std::vector<PlacedConstant>> constants = places.take();
  if (failed(constants))
    return failure();
  if (constants->empty())
    return WeightsInfo{};
  StreamHash hash;
  forEachPiece("", *constants, [&](StringRef piece) {
    hash.add(piece);
    return true;
  });
  const PlacedConstant &last = constants->back();
  WeightsInfo info{static_cast<uint64_t>(last.offset + last.size), hash.get()};
  FileContent blob(kHeaderBytes + info.bytes,
                   [header = makeHeader(info),
                    constants = std::move(*constants)](FileContent::PieceVisitor visit) {
                     return forEachPiece(header, constants, visit);
                   });

  const EmitOptions &options = program.getOptions();
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
