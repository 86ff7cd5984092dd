// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ByteWeights.h"

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The bytes of a constant as the numbers that they are.
class Bytes {
public:
  static std::optional<Bytes> read(Value value) {
    std::optional<ConstantElements> elements = ConstantElements::read(value);
    Type type = elementTypeOf(value);
    if (!elements || !type.isInteger(8))
      return std::nullopt;
    return Bytes(std::move(*elements), type.isUnsignedInteger());
  }

  int64_t size() const { return elements.getNumElements(); }
  int64_t operator[](int64_t number) const {
    char byte = *elements.getElement(number);
    return isUnsigned ? int64_t{static_cast<uint8_t>(byte)} : int64_t{static_cast<int8_t>(byte)};
  }
  /// The offset that takes their middle to 0.
  int64_t getOffset() const { return isUnsigned ? 128 : 0; }

private:
  Bytes(ConstantElements elements, bool isUnsigned)
      : elements(std::move(elements)), isUnsigned(isUnsigned) {}

  ConstantElements elements;
  bool isUnsigned;
};

bool fitsByte(int64_t number) { return number >= INT8_MIN && number <= INT8_MAX; }

} // namespace

std::optional<ByteWeights> ByteWeights::read(Value w, Value zeroPoint, bool channelsAreLast) {
  std::optional<Bytes> bytes = Bytes::read(w), zeroBytes;
  if (zeroPoint)
    zeroBytes = Bytes::read(zeroPoint);
  ArrayRef<ExtentAttr> extents = cast<SymTensorType>(w.getType()).getExtents();
  if (!bytes || (zeroPoint && !zeroBytes) || extents.empty())
    return std::nullopt;
  int64_t channels = *(channelsAreLast ? extents.back() : extents.front()).getConstant();
  int64_t depth = channels > 0 ? bytes->size() / channels : 0;
  if (zeroBytes && zeroBytes->size() != 1 && zeroBytes->size() != channels)
    return std::nullopt;

  auto channelOf = [&](int64_t n) { return channelsAreLast ? n % channels : n / depth; };
  auto zeroOf = [&](int64_t channel) {
    return !zeroBytes ? int64_t{0} : (*zeroBytes)[zeroBytes->size() == 1 ? 0 : channel];
  };
  ByteWeights weights;
  weights.source = w;
  weights.channelsAreLast = channelsAreLast;
  weights.codes.resize(bytes->size());
  std::vector<uint32_t> sums(channels); // these wrap, as those of products do
  bool fits = true;
  for (int64_t n = 0; n < bytes->size(); ++n) {
    int64_t centred = (*bytes)[n] - zeroOf(channelOf(n));
    fits = fits && fitsByte(centred);
    sums[channelOf(n)] += static_cast<uint32_t>(centred);
  }
  for (int64_t n = 0; n < bytes->size(); ++n)
    weights.codes[n] =
        static_cast<char>((*bytes)[n] - (fits ? zeroOf(channelOf(n)) : bytes->getOffset()));
  weights.sums.assign(sums.begin(), sums.end());
  for (int64_t n = 0; !fits && n < (zeroBytes ? zeroBytes->size() : 1); ++n)
    weights.zeros.push_back(static_cast<int32_t>(zeroOf(n) - bytes->getOffset()));
  return weights;
}

Value ByteWeights::getCodes(OnnxBuilder &b, ArrayRef<ExtentAttr> extents) const {
  MLIRContext *context = source.getContext();
  auto type = SymTensorType::get(extents, IntegerType::get(context, 8));
  ConstantWriter writer(type);
  assert(writer.getNumElements() == static_cast<int64_t>(codes.size()));
  for (size_t n = 0; n < codes.size(); ++n)
    *writer.getElement(static_cast<int64_t>(n)) = codes[n];
  return b.constant(type, writer.finish(getOutputName(source.getLoc(), 0)));
}

Value ByteWeights::getMatrix(OnnxBuilder &b) const {
  ArrayRef<ExtentAttr> extents = cast<SymTensorType>(source.getType()).getExtents();
  assert(extents.size() == 2);
  if (channelsAreLast)
    return getCodes(b, extents);
  ByteWeights turned = *this;
  size_t channels = sums.size(), depth = channels > 0 ? codes.size() / channels : 0;
  for (size_t k = 0; k < depth; ++k)
    for (size_t channel = 0; channel < channels; ++channel)
      turned.codes[k * channels + channel] = codes[channel * depth + k];
  return turned.getCodes(b, {extents[1], extents[0]});
}

Value ByteWeights::getSumsOfCodes(OnnxBuilder &b) const {
  std::vector<int32_t> ofCodes(sums);
  auto depth = static_cast<uint32_t>(sums.empty() ? 0 : codes.size() / sums.size());
  for (size_t channel = 0; channel < sums.size() && !zeros.empty(); ++channel) {
    auto zero = static_cast<uint32_t>(zeros[zeros.size() == 1 ? 0 : channel]);
    ofCodes[channel] = static_cast<int32_t>(static_cast<uint32_t>(sums[channel]) + depth * zero);
  }
  return integers(b, ofCodes);
}

Value ByteWeights::integers(OnnxBuilder &b, ArrayRef<int32_t> values) const {
  MLIRContext *context = source.getContext();
  auto element = IntegerType::get(context, 32);
  auto count = static_cast<int64_t>(values.size());
  auto type = SymTensorType::get({b.extent(count)}, element);
  return b.constant(type, DenseElementsAttr::get(RankedTensorType::get({count}, element), values));
}
