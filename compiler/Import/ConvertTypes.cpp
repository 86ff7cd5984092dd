// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/ConvertTypes.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Import/Model.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Whether a type is there and says at least of what kind the value is.
bool saysSomething(const pb::TypeProto &type) {
  switch (type.value_case()) {
  case pb::TypeProto::VALUE_NOT_SET:
    return false;
  case pb::TypeProto::kTensorType:
    return type.tensor_type().elem_type() != 0;
  case pb::TypeProto::kSequenceType:
    return saysSomething(type.sequence_type().elem_type());
  case pb::TypeProto::kOptionalType:
    return saysSomething(type.optional_type().elem_type());
  default:
    return true;
  }
}

/// `known` with `said` where it is unknown; nullopt where they contradict.
std::optional<SymTensorType> mergeExtents(SymTensorType known, SymTensorType said) {
  if (!said.hasRank())
    return known;
  if (!known.hasRank())
    return said;
  if (known.getRank() != said.getRank())
    return std::nullopt;
  SmallVector<ExtentAttr> extents;
  for (auto [mine, other] : llvm::zip_equal(known.getExtents(), said.getExtents())) {
    if (mine.isConstant() && other.isConstant() && mine != other)
      return std::nullopt;
    extents.push_back(mine.isUnknown() ? other : mine);
  }
  return known.withExtents(extents);
}

std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return escapeText(text, 200);
}

} // namespace

StringRef cameo::importer::getDimName(const pb::TensorShapeProto::Dimension &dim) {
  StringRef name = dim.value_case() == pb::TensorShapeProto::Dimension::kDimParam
                       ? StringRef(dim.dim_param())
                       : StringRef();
  auto isOfNames = [](char c) { return llvm::isAlpha(c) || c == '_' || (c & 0x80); };
  return llvm::any_of(name, isOfNames) ? name : StringRef();
}

void TypeConverter::collectSymbols(const pb::GraphProto &graph) {
  for (const pb::ValueInfoProto &input : graph.input())
    for (const pb::TensorShapeProto::Dimension &dim : input.type().tensor_type().shape().dim())
      if (StringRef name = getDimName(dim); !name.empty())
        symbols.insert(name);
}

ExtentAttr TypeConverter::makeSymbol(StringRef input, int axis) {
  std::string base = (input + "_" + Twine(axis)).str(), name = base;
  for (unsigned number = 1; !symbols.insert(name).second; ++number)
    name = base + "_" + std::to_string(number);
  return ExtentAttr::symbol(context, name);
}

ExtentAttr TypeConverter::convertKnownDim(const pb::TensorShapeProto::Dimension &dim) {
  if (std::optional<int64_t> value = getDimValue(dim))
    return ExtentAttr::constant(context, *value);
  StringRef name = getDimName(dim);
  return symbols.contains(name) ? ExtentAttr::symbol(context, name) : ExtentAttr::unknown(context);
}

FailureOr<Type> TypeConverter::convert(const pb::TypeProto &type, const Where &where,
                                       ConvertDim convertDim) {
  // Types nest at most kMaxNesting deep (WireScan.h).
  switch (type.value_case()) {
  case pb::TypeProto::kTensorType: {
    const pb::TypeProto::Tensor &tensor = type.tensor_type();
    Type element = getElementType(context, tensor.elem_type());
    if (!tensor.has_shape())
      return Type(SymTensorType::get(element));
    SmallVector<ExtentAttr> extents;
    for (const pb::TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
      std::optional<int64_t> value = getDimValue(dim);
      extents.push_back(convertDim ? convertDim(dim, static_cast<int>(extents.size()))
                        : value    ? ExtentAttr::constant(context, *value)
                                   : ExtentAttr::unknown(context));
    }
    return Type(SymTensorType::get(extents, element));
  }
  // The dims of what is in a container need not be those of one tensor, so they name nothing.
  case pb::TypeProto::kSequenceType: {
    FailureOr<Type> element = convert(type.sequence_type().elem_type(), where, nullptr);
    return failed(element) ? element : FailureOr<Type>(SequenceType::get(context, *element));
  }
  case pb::TypeProto::kOptionalType: {
    FailureOr<Type> element = convert(type.optional_type().elem_type(), where, nullptr);
    return failed(element) ? element : FailureOr<Type>(OptionalType::get(context, *element));
  }
  case pb::TypeProto::kMapType:
    return reporter.unsupported(&where, "is a map, which Cameo does not have");
  case pb::TypeProto::kSparseTensorType:
    return reporter.unsupported(&where, "is a sparse tensor, which Cameo has as a constant only");
  case pb::TypeProto::kOpaqueType:
    return reporter.unsupported(&where, "is of an opaque type, which Cameo does not have");
  case pb::TypeProto::VALUE_NOT_SET:
    break;
  }
  return reporter.malformed(&where, "has a type that says nothing");
}

FailureOr<Type> TypeConverter::convertInput(const pb::ValueInfoProto &input, const Where &where) {
  auto convertDim = [&](const pb::TensorShapeProto::Dimension &dim, int axis) {
    if (std::optional<int64_t> value = getDimValue(dim))
      return ExtentAttr::constant(context, *value);
    StringRef name = getDimName(dim);
    return name.empty() ? makeSymbol(input.name(), axis) : ExtentAttr::symbol(context, name);
  };
  return convert(input.type(), where, convertDim);
}

SymTensorType TypeConverter::openDims(StringRef input, SymTensorType type, int64_t rank) {
  SmallVector<ExtentAttr> extents;
  for (int64_t axis = 0; axis < rank; ++axis)
    extents.push_back(makeSymbol(input, static_cast<int>(axis)));
  return SymTensorType::get(extents, type.getElementType());
}

FailureOr<Type> TypeConverter::convertDeclared(const pb::TypeProto &type, const Where &where) {
  if (!saysSomething(type))
    return Type();
  return convert(type, where, [&](const pb::TensorShapeProto::Dimension &dim, int) {
    return convertKnownDim(dim);
  });
}

FailureOr<Type> TypeConverter::merge(Type inferred, Type declared, OnShape onShape,
                                     const Where &where) {
  auto describe = [&]() {
    return "is declared as " + toString(declared) + ", but is " + toString(inferred);
  };
  if (!declared || inferred == declared)
    return inferred;
  // ONNX lets a value that may be missing be declared as what it is where it is not.
  if (isa<OptionalType>(inferred) && !isa<OptionalType>(declared))
    declared = OptionalType::get(context, declared);
  if (inferred.getTypeID() != declared.getTypeID())
    return reporter.malformed(&where, describe());
  if (auto sequence = dyn_cast<SequenceType>(inferred)) {
    FailureOr<Type> element =
        merge(sequence.getElement(), cast<SequenceType>(declared).getElement(), onShape, where);
    return failed(element) ? element : FailureOr<Type>(SequenceType::get(context, *element));
  }
  if (auto optional = dyn_cast<OptionalType>(inferred)) {
    FailureOr<Type> element =
        merge(optional.getElement(), cast<OptionalType>(declared).getElement(), onShape, where);
    return failed(element) ? element : FailureOr<Type>(OptionalType::get(context, *element));
  }
  auto known = cast<SymTensorType>(inferred), said = cast<SymTensorType>(declared);
  if (known.getElementType() != said.getElementType())
    return reporter.malformed(&where, describe());
  if (std::optional<SymTensorType> merged = mergeExtents(known, said))
    return Type(*merged);
  if (onShape == OnShape::Refuse)
    return reporter.malformed(&where, describe());
  // A shape that is wrong in one place is ignored as a whole.
  reporter.warn(&where, describe());
  return inferred;
}

Type TypeConverter::relax(Type type) const {
  auto tensor = dyn_cast_or_null<SymTensorType>(type);
  if (!tensor || !tensor.hasRank())
    return type;
  SmallVector<ExtentAttr> extents(tensor.getExtents().size(), ExtentAttr::unknown(context));
  return tensor.withExtents(extents);
}

SymTensorType TypeConverter::getType(ElementsAttr value) const {
  auto type = cast<ShapedType>(value.getType());
  SmallVector<ExtentAttr> extents;
  for (int64_t dim : type.getShape())
    extents.push_back(ExtentAttr::constant(context, dim));
  return SymTensorType::get(extents, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {

/// Larger tensors are kept out of the attribute, which MLIR hashes and compares.
constexpr int64_t kMaxInlineBytes = 1024;

/// Every element of `bits` bits in the low bits of a byte of its own.
void unpack(ArrayRef<char> packed, unsigned bits, MutableArrayRef<char> elements) {
  unsigned mask = (1u << bits) - 1;
  for (size_t number = 0; number < elements.size(); ++number) {
    size_t bit = number * bits, byte = bit / 8, shift = bit % 8;
    unsigned window = static_cast<unsigned char>(packed[byte]);
    if (shift + bits > 8)
      window |= static_cast<unsigned>(static_cast<unsigned char>(packed[byte + 1])) << 8;
    elements[number] = static_cast<char>((window >> shift) & mask);
  }
}

DenseElementsAttr makeInline(RankedTensorType type, ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bools;
  for (char byte : bytes)
    bools.push_back(byte != 0);
  return DenseElementsAttr::get(type, bools);
}

} // namespace

FailureOr<ElementsAttr> TypeConverter::convertTensor(LoadedTensor tensor, const Where &where) {
  auto type = RankedTensorType::get(tensor.dims, getElementType(context, tensor.dataType));
  const ElementInfo &info = *findElementInfo(tensor.dataType);
  // No operator has elements that do not divide a byte.
  if (info.isPacked() && 8 % info.bits != 0)
    return reporter.unsupported(&where, "has elements of type " + Twine(info.onnxName) +
                                            ", which Cameo does not have in constants");
  if (info.isString()) {
    SmallVector<StringRef> strings(tensor.strings.begin(), tensor.strings.end());
    return ElementsAttr(DenseStringElementsAttr::get(type, strings));
  }
  if (info.isPacked()) {
    std::unique_ptr<ByteStore> elements = ByteStore::create(tensor.count);
    if (!elements)
      return reporter.limit(&where, "there is no memory for its " + Twine(tensor.count) + " bytes",
                            "");
    unpack(tensor.bytes->get(), info.bits, elements->get());
    tensor.bytes = std::move(elements);
  }
  ArrayRef<char> bytes = tensor.bytes->get();
  if (static_cast<int64_t>(bytes.size()) <= kMaxInlineBytes)
    return ElementsAttr(makeInline(type, bytes));
  // malloc aligns for every element; std::string keeps no kilobyte inside itself.
  constexpr size_t kAlignment = alignof(std::max_align_t);
  AsmResourceBlob blob(
      bytes, kAlignment,
      [store = std::move(tensor.bytes)](void *, size_t, size_t) mutable { store.reset(); },
      /*dataIsMutable=*/false);
  return ElementsAttr(DenseResourceElementsAttr::get(
      type, ("tensor_" + Twine(numResources++)).str(), std::move(blob)));
}
