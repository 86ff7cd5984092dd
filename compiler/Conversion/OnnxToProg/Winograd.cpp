// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Winograd.h"

#include "Dialect/Prog/IR/ProgDialect.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

// Picoseconds on one core of a machine between a Zen 3, of bench/results/winograd.md, and a Xeon
// with AVX-512, which multiplies twice as fast and reads as slowly: with these neither loses.

/// A multiply-add of conv_blocked, a weight that it reads again for each row, and a multiply-add of
/// conv_winograd.
constexpr double kDirect = 10, kReadTap = 50, kProduct = 12;
/// An element of a tile's inputs or outputs, transformed.
constexpr double kTransform = 60;
/// An element of the transformed weights: read from memory; or made and read in each call, near
/// where all of them fit into a cache of the core.
constexpr double kReadWeight = 200, kMakeNearWeight = 330, kMakeFarWeight = 510;
constexpr double kNearBytes = 1 << 20;
/// What is less simple, or larger, has to save so much.
constexpr double kWorthwhile = 0.9;

/// Of one image.
struct Convolution {
  double groups, inChannels, outChannels; // of a group, whole blocks of the latter
  double taps;                            // along a side
  double rows, columns;                   // of outputs

  double getDirectCost() const {
    return groups * taps * taps * inChannels * outChannels * rows * (kDirect * columns + kReadTap);
  }
  double getCost(WinogradChoice choice) const {
    auto side = static_cast<double>(choice.tile), size = static_cast<double>(choice.getSize());
    double elements = size * size;
    double tiles = std::ceil(rows / side) * std::ceil(columns / side);
    double weights = groups * elements * inChannels * outChannels;
    bool isNear = weights * sizeof(float) <= kNearBytes;
    double weight = choice.isByCompiler ? kReadWeight : isNear ? kMakeNearWeight : kMakeFarWeight;
    double transforms = groups * elements * tiles * (inChannels + outChannels);
    return kProduct * weights * tiles + kTransform * transforms + weight * weights;
  }
};

/// Taps along a side of a square of neighbours, each of which is an output's first.
std::optional<int64_t> getTaps(ArrayRef<WindowAxis> window) {
  if (window.size() != 2 || window[0].kernel != window[1].kernel)
    return std::nullopt;
  for (const WindowAxis &axis : window)
    if (axis.stride != 1 || axis.dilation != 1)
      return std::nullopt;
  return window[0].kernel.getConstant();
}

/// The tiles that there are (codegen_templates/cpu/conv_winograd.h), small ones first.
ArrayRef<int64_t> getTiles(int64_t taps) {
  static constexpr int64_t of3[] = {2, 4}, of5[] = {2};
  return taps == 3   ? ArrayRef<int64_t>(of3)
         : taps == 5 ? ArrayRef<int64_t>(of5)
                     : ArrayRef<int64_t>();
}

} // namespace

WinogradChoice cameo::chooseWinograd(ConvOp conv, ArrayRef<WindowAxis> window, int64_t largest,
                                     const ExtentFacts &facts) {
  std::optional<int64_t> taps = getTaps(window);
  ArrayRef<int64_t> tiles = getTiles(taps.value_or(0));
  if (tiles.empty())
    return {};
  auto w = cast<SymTensorType>(conv.getW().getType());
  int64_t block = w.getBlockedLayout().getBlocks().front(), groups = conv.getGroup();
  auto count = [&](ExtentAttr extent) { return static_cast<double>(estimate(extent, facts)); };
  Convolution shape{static_cast<double>(groups),
                    count(w.getExtents()[1]),
                    count(w.getExtents()[0].floorDiv(groups).ceilDiv(block) * block),
                    static_cast<double>(*taps),
                    count(window[0].output),
                    count(window[1].output)};
  WinogradChoice best;
  double least = shape.getDirectCost(), limit = kWorthwhile * least;
  auto take = [&](WinogradChoice choice) {
    bool isExact = choice.getSize() <= largest + 2;
    if (double cost = shape.getCost(choice); isExact && cost < limit) {
      best = choice;
      least = limit = cost;
    }
  };
  for (int64_t tile : tiles)
    take({tile, *taps, /*isByCompiler=*/false});
  if (conv.getW().getDefiningOp<prog::WeightOp>())
    for (int64_t tile : tiles) { // the more, the more memory
      limit = kWorthwhile * least;
      take({tile, *taps, /*isByCompiler=*/true});
    }
  return best;
}
