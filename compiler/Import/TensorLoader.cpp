// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/TensorLoader.h"

#include "Import/ImportOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "raw_data is little-endian and is used as it stands");

// The table of element types has all of ONNX's, under its numbers.
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol)              \
  static_assert(pb::TensorProto::ONNX == number);
#include "cameo/element_types.def"

std::unique_ptr<ByteStore> ByteStore::create(int64_t size, bool isZero) {
  auto store = std::make_unique<ByteStore>();
  store->ownSize = static_cast<size_t>(size);
  // One byte at least, so that null means no memory.
  size_t allocated = std::max<size_t>(store->ownSize, 1);
  void *data = isZero ? std::calloc(allocated, 1) : std::malloc(allocated);
  store->own.reset(static_cast<char *>(data));
  return data ? std::move(store) : nullptr;
}

FailureOr<TensorSize> cameo::importer::getTensorSize(ArrayRef<int64_t> dims,
                                                     const ElementInfo &type, const Where &where,
                                                     Reporter &reporter) {
  if (static_cast<int64_t>(dims.size()) > kMaxRank)
    return reporter.limit(
        &where, "has too many dims (got " + Twine(dims.size()) + ", limit " + Twine(kMaxRank) + ")",
        "");
  for (int64_t dim : dims)
    if (dim < 0)
      return reporter.malformed(&where, "has a negative dim (got " + Twine(dim) + ")");
  CheckedSize count = CheckedSize::product(dims);
  CheckedSize bytes = (count * type.bits).divideCeil(8);
  if (!bytes.isValid())
    return reporter.malformed(
        &where, "has dims whose product no memory can hold (got [" +
                    join(map_range(dims, [](int64_t d) { return std::to_string(d); }), ", ") +
                    "])");
  return TensorSize{*count.get(), *bytes.get()};
}

namespace {

/// The field of a TensorProto that holds a tensor's elements when raw_data does not.
enum class TypedField : uint8_t { Float, Int32, Int64, Double, UInt64, String };

/// onnx.proto says it field by field; what has no field of its own goes into int32_data.
TypedField getField(const ElementInfo &type) {
  switch (type.kind) {
  case ElementKind::string:
    return TypedField::String;
  case ElementKind::complex:
    return type.bits == 64 ? TypedField::Float : TypedField::Double;
  case ElementKind::floating:
    return type.bits == 64   ? TypedField::Double
           : type.bits == 32 ? TypedField::Float
                             : TypedField::Int32;
  case ElementKind::signed_integer:
    return type.bits == 64 ? TypedField::Int64 : TypedField::Int32;
  case ElementKind::unsigned_integer:
    return type.bits >= 32 ? TypedField::UInt64 : TypedField::Int32;
  case ElementKind::boolean:
    break;
  }
  return TypedField::Int32;
}

/// Range of an entry of int32_data, or of uint64_data of less than 64 bits; an entry of packed
/// elements is a byte.
struct EntryRange {
  int64_t min, max;
};
EntryRange getEntryRange(const ElementInfo &type) {
  if (type.kind == ElementKind::boolean)
    return {0, 1};
  unsigned bits = std::max(type.bits, 8u);
  if (type.kind == ElementKind::signed_integer && !type.isPacked())
    return {minIntN(bits), maxIntN(bits)};
  return {0, static_cast<int64_t>(maxUIntN(bits))};
}

/// The number of entries that each typed field has, by TypedField.
struct FieldCounts {
  int64_t counts[6];

  explicit FieldCounts(const pb::TensorProto &tensor)
      : counts{tensor.float_data_size(),  tensor.int32_data_size(),  tensor.int64_data_size(),
               tensor.double_data_size(), tensor.uint64_data_size(), tensor.string_data_size()} {}

  int64_t operator[](TypedField field) const { return counts[static_cast<size_t>(field)]; }
  unsigned getNumUsed() const {
    return static_cast<unsigned>(count_if(counts, [](int64_t count) { return count != 0; }));
  }
};

/// How many entries of its typed field `count` elements take.
int64_t getNumEntries(const ElementInfo &type, int64_t count) {
  if (type.isPacked())
    return *(CheckedSize(count) * type.bits).divideCeil(8).get();
  return type.kind == ElementKind::complex ? 2 * count : count;
}

template <typename Entries>
std::optional<int64_t> findOutside(const Entries &entries, EntryRange range) {
  for (auto entry : entries) {
    // A uint64 beyond int64 is outside every range that is not unlimited.
    bool isHuge = std::is_same_v<std::decay_t<decltype(entry)>, uint64_t> &&
                  static_cast<uint64_t>(entry) > static_cast<uint64_t>(INT64_MAX);
    auto value = static_cast<int64_t>(entry);
    if (isHuge || value < range.min || value > range.max)
      return value;
  }
  return std::nullopt;
}

template <typename Element, typename Entries>
void convertEntries(const Entries &entries, char *data) {
  for (auto entry : entries) {
    auto element = static_cast<Element>(entry);
    std::memcpy(data, &element, sizeof(Element));
    data += sizeof(Element);
  }
}

/// Frees what a field of a message holds.
template <typename Field> void release(Field *field) {
  Field empty;
  field->Swap(&empty);
}

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult TensorLoader::check(const pb::TensorProto &tensor, const Where &where) {
  const ElementInfo *type = findElementInfo(tensor.data_type());
  if (!type)
    return reporter.malformed(&where, "has a data type that ONNX does not have (got " +
                                          Twine(tensor.data_type()) + ")");
  if (tensor.has_segment())
    return reporter.unsupported(&where, "is stored in segments, which Cameo does not read");
  FailureOr<TensorSize> size =
      getTensorSize(ArrayRef(tensor.dims().data(), static_cast<size_t>(tensor.dims_size())), *type,
                    where, reporter);
  if (failed(size) || failed(checkElements(tensor, *type, *size, where)))
    return failure();
  int64_t bytes = size->bytes;
  for (const std::string &text : tensor.string_data())
    bytes += static_cast<int64_t>(text.size());
  return countWeight(bytes, where);
}

LogicalResult TensorLoader::countWeight(int64_t size, const Where &where) {
  weightBytes += size;
  if (weightBytes.isAtMost(maxWeightBytes))
    return success();
  return reporter.limit(&where,
                        "the model's weights are too large (got more than " +
                            Twine(maxWeightBytes) + " bytes)",
                        "--max-weight-bytes");
}

LogicalResult TensorLoader::checkElements(const pb::TensorProto &tensor, const ElementInfo &type,
                                          const TensorSize &size, const Where &where) {
  FieldCounts counts(tensor);
  if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
    if (tensor.has_raw_data() || counts.getNumUsed() != 0)
      return reporter.malformed(&where, "has data both in the model and outside it");
    return checkExternal(tensor, type, size.bytes, where);
  }
  if (tensor.has_raw_data() && counts.getNumUsed() != 0)
    return reporter.malformed(&where, "has its data twice, as raw_data and in a typed field");
  if (!tensor.has_raw_data())
    return checkTyped(tensor, type, size.count, where);

  if (type.isString())
    return reporter.malformed(&where, "has strings in raw_data");
  const std::string &raw = tensor.raw_data();
  if (static_cast<int64_t>(raw.size()) != size.bytes)
    return reporter.malformed(&where, "has raw_data of the wrong size (got " + Twine(raw.size()) +
                                          " bytes, need " + Twine(size.bytes) + ")");
  if (tensor.data_type() == pb::TensorProto::BOOL)
    for (unsigned char byte : raw)
      if (byte > 1)
        return reporter.malformed(&where, "has a bool that is neither 0 nor 1 (got " +
                                              Twine(static_cast<unsigned>(byte)) + ")");
  return success();
}

LogicalResult TensorLoader::checkTyped(const pb::TensorProto &tensor, const ElementInfo &type,
                                       int64_t count, const Where &where) {
  FieldCounts counts(tensor);
  TypedField field = getField(type);
  int64_t entries = counts[field];
  if (counts.getNumUsed() > (entries != 0 ? 1u : 0u))
    return reporter.malformed(&where,
                              "of type " + type.onnxName + " has data in a field of another type");
  int64_t needed = getNumEntries(type, count);
  if (entries != needed)
    return reporter.malformed(&where, "has the wrong number of elements (got " + Twine(entries) +
                                          " entries, need " + Twine(needed) + ")");
  std::optional<int64_t> outside;
  if (type.bits < 64 && field == TypedField::UInt64)
    outside = findOutside(tensor.uint64_data(), getEntryRange(type));
  if (field == TypedField::Int32)
    outside = findOutside(tensor.int32_data(), getEntryRange(type));
  if (outside)
    return reporter.malformed(&where, "has an element outside " + type.onnxName + " (got " +
                                          Twine(*outside) + ")");
  return success();
}

FailureOr<ExternalRange> TensorLoader::parseRange(const pb::TensorProto &tensor,
                                                  const Where &where) {
  ExternalRange range;
  SmallVector<StringRef> seen;
  for (const pb::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef key = entry.key();
    if (is_contained(seen, key))
      return reporter.malformed(&where, "gives " + quoteText(key) + " of its external data twice");
    seen.push_back(key);
    if (key == "location") {
      range.location = entry.value();
      continue;
    }
    if (key != "offset" && key != "length")
      continue;
    int64_t number = 0;
    StringRef value = entry.value();
    // Digits alone: no sign, no blank, no other base.
    if (value.empty() || !all_of(value, isDigit) || value.getAsInteger(10, number))
      return reporter.malformed(&where, "gives the " + key + " of its external data as " +
                                            quoteText(value) + ", which is no number of bytes");
    (key == "offset" ? range.offset : range.length) = number;
  }
  if (!is_contained(seen, "location"))
    return reporter.malformed(&where, "has external data without a location");
  return range;
}

LogicalResult TensorLoader::checkExternal(const pb::TensorProto &tensor, const ElementInfo &type,
                                          int64_t size, const Where &where) {
  if (type.isString())
    return reporter.malformed(&where, "has strings in external data");
  FailureOr<ExternalRange> range = parseRange(tensor, where);
  if (failed(range))
    return failure();
  if (range->length >= 0 && range->length != size)
    return reporter.malformed(&where, "has external data of the wrong size (got " +
                                          Twine(range->length) + " bytes, need " + Twine(size) +
                                          ")");
  return files.check(*range, size, where);
}

LogicalResult TensorLoader::check(const pb::SparseTensorProto &tensor, const Where &where) {
  if (!tensor.has_values() || !tensor.has_indices())
    return reporter.malformed(&where, "is a sparse tensor without values or indices");
  if (failed(check(tensor.values(), where)) || failed(check(tensor.indices(), where)))
    return failure();
  const ElementInfo &type = *findElementInfo(tensor.values().data_type());
  if (type.isString() || type.isPacked())
    return reporter.unsupported(&where, "is a sparse tensor of type " + type.onnxName);
  ArrayRef<int64_t> dims(tensor.dims().data(), static_cast<size_t>(tensor.dims_size()));
  FailureOr<TensorSize> size = getTensorSize(dims, type, where, reporter);
  if (failed(size))
    return failure();

  const pb::TensorProto &indices = tensor.indices();
  int64_t rank = tensor.dims_size(), numValues = 0;
  bool isVector = tensor.values().dims_size() == 1;
  if (isVector)
    numValues = tensor.values().dims(0);
  bool fits =
      isVector && indices.data_type() == pb::TensorProto::INT64 &&
      ((indices.dims_size() == 1 && indices.dims(0) == numValues) ||
       (indices.dims_size() == 2 && indices.dims(0) == numValues && indices.dims(1) == rank));
  if (rank == 0 || !fits)
    return reporter.malformed(&where,
                              "is a sparse tensor whose values, indices and dims do not fit");

  return failure(failed(countSparse(size->bytes, numValues * (type.bits / 8), where)) ||
                 failed(countWeight(size->bytes, where)));
}

/// Bounds the dense size of all sparse tensors together by the size of their values.
LogicalResult TensorLoader::countSparse(int64_t denseSize, int64_t valueSize, const Where &where) {
  constexpr int64_t kFree = int64_t(64) << 20, kPerByte = 64;
  denseBytes += denseSize;
  valueBytes += valueSize;
  CheckedSize allowed = valueBytes * kPerByte + kFree;
  if (allowed.isValid() && denseBytes.isAtMost(*allowed.get()))
    return success();
  return reporter.limit(&where,
                        "is a sparse tensor that would take " + Twine(denseSize) +
                            " bytes (limit, of all together: 64 MiB and 64 times their values)",
                        "");
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<ByteStore>> TensorLoader::allocate(int64_t size, const Where &where,
                                                             bool isZero) {
  std::unique_ptr<ByteStore> store = ByteStore::create(size, isZero);
  if (!store)
    return reporter.limit(&where, "there is no memory for its " + Twine(size) + " bytes", "");
  return store;
}

FailureOr<LoadedTensor> TensorLoader::take(pb::TensorProto &tensor, const Where &where) {
  const ElementInfo &type = *findElementInfo(tensor.data_type());
  LoadedTensor loaded;
  loaded.dataType = tensor.data_type();
  loaded.dims.assign(tensor.dims().begin(), tensor.dims().end());
  FailureOr<TensorSize> size = getTensorSize(loaded.dims, type, where, reporter);
  if (failed(size))
    return failure();
  loaded.count = size->count;

  if (type.isString()) {
    loaded.strings.reserve(static_cast<size_t>(loaded.count));
    for (std::string &text : *tensor.mutable_string_data())
      loaded.strings.push_back(std::move(text));
    release(tensor.mutable_string_data());
    return loaded;
  }
  if (tensor.has_raw_data()) {
    loaded.bytes = std::make_unique<ByteStore>(std::move(*tensor.mutable_raw_data()));
    tensor.clear_raw_data();
    return loaded;
  }

  FailureOr<std::unique_ptr<ByteStore>> store = allocate(size->bytes, where);
  if (failed(store))
    return failure();
  loaded.bytes = std::move(*store);
  char *data = loaded.bytes->get().data();
  if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
    FailureOr<ExternalRange> range = parseRange(tensor, where);
    if (failed(range) || failed(files.read(*range, data, size->bytes, where)))
      return failure();
    return loaded;
  }
  switch (getField(type)) {
  case TypedField::Float:
    convertEntries<float>(tensor.float_data(), data);
    release(tensor.mutable_float_data());
    break;
  case TypedField::Int32:
    if (type.bits == 32)
      convertEntries<int32_t>(tensor.int32_data(), data);
    else if (type.bits == 16)
      convertEntries<int16_t>(tensor.int32_data(), data);
    else
      convertEntries<int8_t>(tensor.int32_data(), data);
    release(tensor.mutable_int32_data());
    break;
  case TypedField::Int64:
    convertEntries<int64_t>(tensor.int64_data(), data);
    release(tensor.mutable_int64_data());
    break;
  case TypedField::Double:
    convertEntries<double>(tensor.double_data(), data);
    release(tensor.mutable_double_data());
    break;
  case TypedField::UInt64:
    if (type.bits == 32)
      convertEntries<uint32_t>(tensor.uint64_data(), data);
    else
      convertEntries<uint64_t>(tensor.uint64_data(), data);
    release(tensor.mutable_uint64_data());
    break;
  case TypedField::String:
    break;
  }
  return loaded;
}

FailureOr<LoadedTensor> TensorLoader::take(pb::SparseTensorProto &tensor, const Where &where) {
  FailureOr<LoadedTensor> values = take(*tensor.mutable_values(), where);
  FailureOr<LoadedTensor> indices = take(*tensor.mutable_indices(), where);
  if (failed(values) || failed(indices))
    return failure();
  const ElementInfo &type = *findElementInfo(values->dataType);
  LoadedTensor dense;
  dense.dataType = values->dataType;
  dense.dims.assign(tensor.dims().begin(), tensor.dims().end());
  FailureOr<TensorSize> size = getTensorSize(dense.dims, type, where, reporter);
  if (failed(size))
    return failure();
  dense.count = size->count;
  FailureOr<std::unique_ptr<ByteStore>> store = allocate(size->bytes, where, /*isZero=*/true);
  if (failed(store))
    return failure();
  dense.bytes = std::move(*store);

  // One number per value, or one per axis.
  size_t perValue = indices->dims.size() == 1 ? 1 : dense.dims.size();
  size_t elementBytes = type.bits / 8;
  int64_t previous = -1;
  for (int64_t number = 0; number < values->count; ++number) {
    CheckedSize linear = 0;
    for (size_t axis = 0; axis < perValue; ++axis) {
      int64_t index;
      std::memcpy(
          &index,
          indices->bytes->get().data() + (static_cast<size_t>(number) * perValue + axis) * 8, 8);
      int64_t extent = perValue == 1 ? dense.count : dense.dims[axis];
      if (index < 0 || index >= extent)
        return reporter.malformed(&where, "is a sparse tensor with an index out of range (got " +
                                              Twine(index) + ", need [0, " + Twine(extent) + "))");
      linear = linear * extent + index;
    }
    int64_t position = *linear.get();
    if (position <= previous)
      return reporter.malformed(&where, "is a sparse tensor whose indices do not ascend");
    previous = position;
    std::memcpy(dense.bytes->get().data() + static_cast<size_t>(position) * elementBytes,
                values->bytes->get().data() + static_cast<size_t>(number) * elementBytes,
                elementBytes);
  }
  return dense;
}
