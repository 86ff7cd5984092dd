// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ByteConvolution.h"

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

constexpr int64_t kSignBit = 128;

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

private:
  Bytes(ConstantElements elements, bool isUnsigned)
      : elements(std::move(elements)), isUnsigned(isUnsigned) {}

  ConstantElements elements;
  bool isUnsigned;
};

/// Weights less their zero point, one for all or one for each output channel; nothing where these
/// are no constants or do not fit into signed bytes.
std::optional<ConstantWriter> centre(Value w, Value zeroPoint) {
  std::optional<Bytes> codes = Bytes::read(w), zeros;
  if (zeroPoint)
    zeros = Bytes::read(zeroPoint);
  if (!codes || (zeroPoint && !zeros))
    return std::nullopt;
  auto type = cast<SymTensorType>(w.getType());
  ConstantWriter writer(type.withElementType(IntegerType::get(w.getContext(), 8)));
  int64_t channels = std::max<int64_t>(1, writer.getShape().front());
  int64_t depth = codes->size() / channels;
  if (zeros && zeros->size() != 1 && zeros->size() != channels)
    return std::nullopt;
  for (int64_t number = 0; number < codes->size(); ++number) {
    int64_t zero = !zeros ? 0 : (*zeros)[zeros->size() == 1 ? 0 : number / depth];
    int64_t centred = (*codes)[number] - zero;
    if (centred < -kSignBit || centred >= kSignBit)
      return std::nullopt;
    *writer.getElement(number) = static_cast<char>(centred);
  }
  return writer;
}

} // namespace

Value ByteConvolution::build(OnnxBuilder &b, const ChannelBlocks &target) const {
  std::optional<int64_t> zero = getZeroPoint(xZeroPoint);
  if (!zero || !canConvolveBytes(x, w, y, group.getInt(), window, target))
    return {};
  std::optional<ConstantWriter> weights = centre(w, wZeroPoint);
  if (!weights)
    return {};
  MLIRContext *context = x.getContext();
  Type byte = IntegerType::get(context, 8, IntegerType::Unsigned);
  Value image = x;
  if (elementTypeOf(x) != byte) {
    Type wide = IntegerType::get(context, 32);
    image = b.cast(b.add(b.cast(x, wide), b.constant(wide, kSignBit)), byte);
    *zero += kSignBit;
  }
  auto type = cast<SymTensorType>(w.getType()).withElementType(IntegerType::get(context, 8));
  Value packed = b.constant(type, weights->finish(getOutputName(w.getLoc(), 0)));
  Value zeroPoint = *zero == 0 ? Value() : b.constant(byte, static_cast<double>(*zero));
  return b.make<ConvIntegerOp>(image, packed, zeroPoint, Value(), autoPad, dilations, group,
                               kernelShape, pads, strides);
}
