// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Expansion/PackedBits.h"

#include "Support/CheckedSize.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {

RankedTensorType getCodesType(Expansion &b, unsigned bits, ArrayRef<int64_t> dims) {
  return RankedTensorType::get(
      dims, IntegerType::get(b.getBuilder().getContext(), bits, IntegerType::Unsigned));
}

/// A constant of bytes; where all are the same, perhaps only one of them is held.
class ConstantBytes {
public:
  static std::optional<ConstantBytes> read(Value value) {
    auto constant = value.getDefiningOp<cameo::onnx::ConstantOp>();
    if (!constant)
      return std::nullopt;
    ElementsAttr held = constant.getValue();
    if (auto elements = dyn_cast<DenseResourceElementsAttr>(held))
      return ConstantBytes(elements.getData(), held.getNumElements());
    if (auto elements = dyn_cast<DenseElementsAttr>(held))
      return ConstantBytes(elements.getRawData(), held.getNumElements());
    return std::nullopt;
  }

  int64_t size() const { return count; }
  unsigned char operator[](int64_t number) const {
    return static_cast<unsigned char>(view[view.size() == 1 ? 0 : number]);
  }

private:
  ConstantBytes(ArrayRef<char> view, int64_t count) : view(view), count(count) {}

  ArrayRef<char> view;
  int64_t count;
};

} // namespace

Value cameo::importer::unpackCodes(Expansion &b, Value packed, StringRef name, unsigned bits,
                                   ArrayRef<int64_t> dims, int64_t kept) {
  if (b.hasFailed())
    return {};
  std::optional<ConstantBytes> bytes = ConstantBytes::read(packed);
  int64_t perByte = 8 / bits, row = dims.back();
  CheckedSize rows = CheckedSize::product(dims.drop_back());
  CheckedSize rowBytes = (row - 1) / perByte + 1;
  CheckedSize needed = rows * *rowBytes.get();
  if (!bytes) {
    (void)b.unsupported("computes its " + name + ", which has to be a constant");
    return {};
  }
  if (!needed.isValid() || bytes->size() != *needed.get()) {
    (void)b.malformed("has " + Twine(bytes->size()) + " bytes of " + name +
                      ", other than N, K and "
                      "block_size say");
    return {};
  }
  SmallVector<int64_t> shape(dims);
  shape.back() = kept < 0 ? row : kept;
  SmallVector<char, 0> codes(*(rows * shape.back()).get());
  unsigned mask = (1u << bits) - 1;
  for (int64_t place = 0, count = codes.size(); place < count; ++place) {
    int64_t column = place % shape.back();
    unsigned byte = (*bytes)[place / shape.back() * *rowBytes.get() + column / perByte];
    codes[place] = static_cast<char>((byte >> (column % perByte * bits)) & mask);
  }
  RankedTensorType type = getCodesType(b, bits, shape);
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
      codes, alignof(std::max_align_t), /*dataIsMutable=*/false);
  return b.constant(DenseResourceElementsAttr::get(type, "codes", std::move(blob)));
}

Value cameo::importer::makeCodes(Expansion &b, unsigned bits, ArrayRef<int64_t> dims,
                                 uint8_t code) {
  return b.constant(DenseElementsAttr::get(getCodesType(b, bits, dims), llvm::APInt(bits, code)));
}
