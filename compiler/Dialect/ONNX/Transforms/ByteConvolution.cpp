// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ByteConvolution.h"

#include "Dialect/ONNX/IR/ByteKernels.h"
#include "Dialect/ONNX/Transforms/ByteWeights.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Attributes of windows over images of two spatial axes.
struct Windows {
  DenseI64ArrayAttr dilations, kernel, pads, strides;
  /// Whether each reads one element, of all of them.
  bool arePoints = true;
  bool hasPads = false;

  /// The window of one or two axes, the first of which is of one element then; nullopt where a
  /// number is no constant.
  static std::optional<Windows> get(MLIRContext *context, ArrayRef<WindowAxis> axes) {
    Windows windows;
    SmallVector<int64_t> dilations(2, 1), kernel(2, 1), strides(2, 1), pads(4, 0);
    size_t lead = 2 - axes.size();
    for (auto [number, axis] : llvm::enumerate(axes)) {
      std::optional<int64_t> taps = axis.kernel.getConstant(), begin = axis.padBegin.getConstant(),
                             end = axis.padEnd.getConstant();
      if (!taps || !begin || !end)
        return std::nullopt;
      kernel[lead + number] = *taps;
      pads[lead + number] = *begin;
      pads[2 + lead + number] = *end;
      strides[lead + number] = axis.stride;
      dilations[lead + number] = axis.dilation;
      windows.hasPads |= *begin != 0 || *end != 0;
      windows.arePoints &= *taps == 1 && axis.stride == 1 && !windows.hasPads;
    }
    auto array = [&](ArrayRef<int64_t> values) { return DenseI64ArrayAttr::get(context, values); };
    windows.dilations = array(dilations);
    windows.kernel = array(kernel);
    windows.pads = array(pads);
    windows.strides = array(strides);
    return windows;
  }
};

/// The operators of a convolution, over images of two axes.
class ImageBuilder {
public:
  ImageBuilder(OnnxBuilder &b, MLIRContext *context, Windows windows, const ByteWeights &weights)
      : b(b), windows(std::move(windows)), weights(weights),
        byte(IntegerType::get(context, 8, IntegerType::Unsigned)),
        wide(IntegerType::get(context, 32)) {}

  /// A line is an image of one row.
  SmallVector<ExtentAttr> getExtentsOfImage(Value of) {
    SmallVector<ExtentAttr> extents(*getExtents(of));
    if (extents.size() == 3)
      extents.insert(extents.begin() + 2, b.extent(1));
    return extents;
  }

  /// `zero`: the zero point of x where that is a constant.
  void read(Value x, Value xZeroPoint, std::optional<int64_t> zero) {
    bool isSigned = elementTypeOf(x) != byte;
    image = b.reshape(makeUnsigned(x), getExtentsOfImage(x));
    isKnown = zero.has_value();
    if (!isKnown)
      zeroPoint = b.reshape(makeUnsigned(xZeroPoint), {});
    else if (int64_t unsignedZero = *zero + (isSigned ? kMiddle : 0); unsignedZero != 0)
      zeroPoint = b.constant(byte, static_cast<double>(unsignedZero));
  }

  /// The sums of the codes, less the image's zero point.
  Value convolve(Value w, int64_t group) {
    Value padded = image;
    DenseI64ArrayAttr pads = windows.pads;
    if (!isKnown && windows.hasPads) {
      padded = pad();
      pads = DenseI64ArrayAttr::get(pads.getContext(), {0, 0, 0, 0});
    }
    Value sums = b.make<ConvIntegerOp>(
        padded, weights.getCodes(b, getExtentsOfImage(w)), isKnown ? zeroPoint : Value(), Value(),
        "NOTSET", windows.dilations, group, windows.kernel, pads, windows.strides);
    if (isKnown)
      return sums;
    return b.sub(sums, b.mul(b.cast(zeroPoint, wide), perChannel(weights.getSumsOfCodes(b))));
  }

  /// The rest of the weights' zero points, times the sums of what windows read.
  Value multiplyZeros(int64_t depth) {
    Value pixels = b.cast(image, wide);
    if (zeroPoint)
      pixels = b.sub(pixels, b.cast(zeroPoint, wide));
    pixels = b.reduce<ReduceSumOp>(pixels, {1});
    return b.mul(sumWindows(pixels, depth), perChannel(weights.getZeros(b)));
  }

private:
  static constexpr int64_t kMiddle = 128;

  Value makeUnsigned(Value codes) {
    if (elementTypeOf(codes) == byte)
      return codes;
    return b.cast(b.add(b.cast(codes, wide), b.constant(wide, kMiddle)), byte);
  }

  /// With what padding reads, which only the run knows.
  Value pad() {
    SmallVector<ExtentAttr> around(8, b.extent(0));
    for (int64_t side = 0; side < 4; ++side)
      around[side / 2 * 4 + 2 + side % 2] = b.extent(windows.pads[side]);
    return b.make<PadOp>(image, b.extents(around), zeroPoint, Value(), "constant");
  }

  /// Sums of `depth` differences of bytes, in floats that hold them.
  Value sumWindows(Value pixels, int64_t depth) {
    if (windows.arePoints)
      return pixels;
    MLIRContext *context = wide.getContext();
    Type real = depth < (1 << 16) ? Type(Float32Type::get(context)) : Float64Type::get(context);
    std::vector<float> ones(static_cast<size_t>(windows.kernel[0] * windows.kernel[1]), 1.0F);
    Value taps = b.floats(ones, {1, 1, windows.kernel[0], windows.kernel[1]});
    Value sums =
        b.make<ConvOp>(b.cast(pixels, real), b.cast(taps, real), Value(), "NOTSET",
                       windows.dilations, 1, windows.kernel, windows.pads, windows.strides);
    return b.cast(sums, wide);
  }

  Value perChannel(Value numbers) {
    return b.reshape(numbers, {getExtents(numbers)->front(), b.extent(1), b.extent(1)});
  }

  OnnxBuilder &b;
  Windows windows;
  const ByteWeights &weights;
  Type byte, wide;
  Value image, zeroPoint; // null where it is 0
  bool isKnown = false;
};

} // namespace

Value ByteConvolution::build(OnnxBuilder &b, const ChannelBlocks &target) const {
  std::optional<ArrayRef<ExtentAttr>> extents = getExtents(x);
  if (target.block <= 0 || failed(window) || !extents)
    return {};
  bool isLine = extents->size() == 3;
  std::optional<Windows> windows;
  if (isLine || canConvolveBytes(x, w, y, group.getInt(), window, target))
    windows = Windows::get(x.getContext(), *window);
  std::optional<ByteWeights> weights = ByteWeights::read(w, wZeroPoint, /*channelsAreLast=*/false);
  if (!windows || !weights || (!weights->areCentred() && group.getInt() != 1))
    return {};
  ImageBuilder builder(b, x.getContext(), std::move(*windows), *weights);
  builder.read(x, xZeroPoint, getZeroPoint(xZeroPoint));
  Value sums = builder.convolve(w, group.getInt());
  if (!weights->areCentred()) {
    int64_t depth = 1;
    for (ExtentAttr extent : getExtents(w)->drop_front())
      depth *= *extent.getConstant();
    sums = b.sub(sums, builder.multiplyZeros(depth));
  }
  return b.reshape(sums, *getExtents(y));
}
