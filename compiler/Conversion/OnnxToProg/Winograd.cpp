// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Winograd.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

// Costs in the time of a multiply-add of conv_blocked, 0.018 ns on one core of a Zen 4, fitted to
// bench/results/winograd.md.

/// An element of a tile's inputs or outputs, transformed, written and read again.
constexpr double kTransform = 10;
/// An element of the transformed weights, which each call makes: in a near cache, and where they
/// are more than it holds.
constexpr double kNearWeight = 10, kFarWeight = 30;
constexpr double kNearBytes = 4 << 20;
/// What it has to save, for all that the model does not know.
constexpr double kWorthwhile = 0.9;

/// What every symbol counts.
constexpr int64_t kNominalExtent = 64;
constexpr int64_t kBlock = 16;

double evaluate(ExtentAttr extent) {
  return static_cast<double>(extent.evaluate([](StringRef) { return kNominalExtent; }).value_or(0));
}

/// Of one image.
struct Convolution {
  double inChannels, outChannels; // whole blocks of the latter
  double rows, columns;           // of outputs

  double getDirectCost() const { return 9 * inChannels * outChannels * rows * columns; }
  double getCost(int64_t tile) const {
    auto side = static_cast<double>(tile);
    double elements = (side + 2) * (side + 2);
    double tiles = std::ceil(rows / side) * std::ceil(columns / side);
    double weights = elements * inChannels * outChannels;
    bool isNear = weights * sizeof(float) <= kNearBytes;
    return weights * tiles + kTransform * elements * tiles * (inChannels + outChannels) +
           (isNear ? kNearWeight : kFarWeight) * weights;
  }
};

} // namespace

int64_t cameo::chooseWinogradTile(ConvOp conv, ArrayRef<WindowAxis> window, int64_t largest) {
  bool is3x3 = window.size() == 2 && conv.getGroup() == 1;
  for (const WindowAxis &axis : window)
    is3x3 &= axis.kernel.isConstant(3) && axis.stride == 1 && axis.dilation == 1;
  if (!is3x3)
    return 0;
  auto w = cast<SymTensorType>(conv.getW().getType());
  auto padded = static_cast<double>(
      llvm::alignTo(static_cast<uint64_t>(evaluate(w.getExtents()[0])), kBlock));
  Convolution shape{evaluate(w.getExtents()[1]), padded, evaluate(window[0].output),
                    evaluate(window[1].output)};
  int64_t best = 0;
  double least = kWorthwhile * shape.getDirectCost();
  for (int64_t tile : {2, 4})
    if (double cost = shape.getCost(tile); tile <= largest && cost < least) {
      best = tile;
      least = cost;
    }
  return best;
}
