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
  double inChannels, outChannels; // whole blocks of the latter
  double rows, columns;           // of outputs

  double getDirectCost() const {
    return 9 * inChannels * outChannels * rows * (kDirect * columns + kReadTap);
  }
  double getCost(WinogradChoice choice) const {
    auto side = static_cast<double>(choice.tile);
    double elements = (side + 2) * (side + 2);
    double tiles = std::ceil(rows / side) * std::ceil(columns / side);
    double weights = elements * inChannels * outChannels;
    bool isNear = weights * sizeof(float) <= kNearBytes;
    double weight = choice.isByCompiler ? kReadWeight : isNear ? kMakeNearWeight : kMakeFarWeight;
    return kProduct * weights * tiles + kTransform * elements * tiles * (inChannels + outChannels) +
           weight * weights;
  }
};

} // namespace

WinogradChoice cameo::chooseWinograd(ConvOp conv, ArrayRef<WindowAxis> window, int64_t largest,
                                     const ExtentFacts &facts) {
  bool is3x3 = window.size() == 2 && conv.getGroup() == 1;
  for (const WindowAxis &axis : window)
    is3x3 &= axis.kernel.isConstant(3) && axis.stride == 1 && axis.dilation == 1;
  if (!is3x3)
    return {};
  auto w = cast<SymTensorType>(conv.getW().getType());
  int64_t block = w.getBlockedLayout().getBlocks().front();
  auto count = [&](ExtentAttr extent) { return static_cast<double>(estimate(extent, facts)); };
  Convolution shape{count(w.getExtents()[1]), count(w.getExtents()[0].ceilDiv(block) * block),
                    count(window[0].output), count(window[1].output)};
  // From those that take least memory to those that take most.
  SmallVector<SmallVector<WinogradChoice>> steps = {{{2, false}, {4, false}}};
  if (conv.getW().getDefiningOp<prog::WeightOp>())
    steps.append({{{2, true}}, {{4, true}}});
  WinogradChoice best;
  double least = shape.getDirectCost();
  for (ArrayRef<WinogradChoice> step : steps) {
    double limit = kWorthwhile * least;
    for (WinogradChoice choice : step)
      if (double cost = shape.getCost(choice); choice.tile <= largest && cost < limit) {
        best = choice;
        least = limit = cost;
      }
  }
  return best;
}
