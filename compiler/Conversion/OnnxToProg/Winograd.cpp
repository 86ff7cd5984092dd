// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Winograd.h"

#include "Dialect/Core/IR/BoundedMemory.h"
#include "Dialect/Prog/IR/ProgDialect.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// What is less simple, or larger, has to save so much.
constexpr double kWorthwhile = 0.9;

/// Of one image.
struct Convolution {
  double groups, inChannels, outChannels; // of a group, whole blocks of the latter
  double taps;                            // along a side
  double rows, columns;                   // of outputs
  double block;                           // of channels
  MachineAttr machine;

  double getPrice(StringRef resource) const {
    return static_cast<double>(machine.getPrice(resource));
  }
  double getDirectCost() const {
    return groups * taps * taps * inChannels * outChannels * rows *
           (getPrice("fma") * columns + getPrice("tap_row"));
  }
  double getCost(WinogradChoice choice) const {
    auto side = static_cast<double>(choice.tile), size = static_cast<double>(choice.getSize());
    double elements = size * size;
    double numChannels = inChannels * static_cast<double>(choice.stride * choice.stride);
    double tiles = std::ceil(rows / side) * std::ceil(columns / side);
    double weights = groups * elements * numChannels * outChannels;
    bool isNear = weights * sizeof(float) <= static_cast<double>(machine.getFact("core_cache"));
    double weight = getPrice(choice.isByCompiler ? "read_weight"
                             : isNear            ? "made_near"
                                                 : "made_far");
    double lanes = std::ceil(numChannels / block) * block;
    double transforms = groups * elements * tiles * (lanes + outChannels);
    double packing = choice.isOfPhases ? getPrice("phase") * groups * lanes * rows * columns : 0;
    return getPrice("tile_fma") * weights * tiles + getPrice("transformed") * transforms +
           weight * weights + packing;
  }
};
/// A square of neighbouring taps, and the distance between outputs, along each side.
struct Square {
  int64_t taps, stride;
};

std::optional<Square> getSquare(ArrayRef<WindowAxis> window) {
  if (window.size() != 2 || window[0].kernel != window[1].kernel ||
      window[0].stride != window[1].stride)
    return std::nullopt;
  std::optional<int64_t> taps = window[0].kernel.getConstant();
  bool isDense = window[0].dilation == 1 && window[1].dilation == 1;
  return taps && isDense ? std::optional(Square{*taps, window[0].stride}) : std::nullopt;
}

/// What the templates have (codegen_templates/cpu/conv_winograd.h): tiles of a side and more, of
/// this many elements, for so many taps.
constexpr int64_t kSizes[] = {4, 6}, kLeastTile = 2, kLeastTaps = 2;

/// The largest of them, 0 for none. A machine without a heap has no vectors to speak of and little
/// memory, and a tile takes up to four times the weights and all of a plane's tiles in scratch.
int64_t getLargestSize(Operation *op) {
  Precision precision = PrecisionAttr::lookup(op);
  if (precision == Precision::Exact || isBounded(op))
    return 0;
  return precision == Precision::Fast ? 6 : 4;
}

} // namespace

WinogradChoice cameo::chooseWinograd(ConvOp conv, ArrayRef<WindowAxis> window,
                                     const ExtentFacts &facts) {
  std::optional<Square> square = getSquare(window);
  int64_t largest = getLargestSize(conv);
  TargetAttr target = TargetAttr::lookup(conv);
  if (!square || !target || largest == 0)
    return {};
  auto w = cast<SymTensorType>(conv.getW().getType());
  int64_t block = w.getBlockedLayout().getBlocks().front(), groups = conv.getGroup();
  bool isOfPlanes = w.getBlockedLayout().getAxes().size() == 1;
  bool isOfPhases = square->stride > 1 || isOfPlanes;
  auto count = [&](ExtentAttr extent) { return static_cast<double>(estimate(extent, facts)); };
  Convolution shape{static_cast<double>(groups),
                    count(w.getExtents()[1]),
                    count(w.getExtents()[0].floorDiv(groups).ceilDiv(block) * block),
                    static_cast<double>(square->taps),
                    count(window[0].output),
                    count(window[1].output),
                    static_cast<double>(block),
                    target.getComputing().getMachine()};
  WinogradChoice best;
  double least = shape.getDirectCost(), limit = kWorthwhile * least;
  auto takeBest = [&](bool isByCompiler) {
    WinogradChoice choice;
    choice.isByCompiler = isByCompiler;
    choice.stride = square->stride;
    choice.isOfPhases = isOfPhases;
    choice.taps = llvm::divideCeil(square->taps, square->stride);
    for (int64_t size : kSizes) {
      choice.tile = size - choice.taps + 1;
      if (size > largest || choice.taps < kLeastTaps || choice.tile < kLeastTile)
        continue;
      if (isByCompiler) // the more, the more memory
        limit = kWorthwhile * least;
      if (double cost = shape.getCost(choice); cost < limit) {
        best = choice;
        least = limit = cost;
      }
    }
  };
  if (!isOfPhases)
    takeBest(/*isByCompiler=*/false);
  if (conv.getW().getDefiningOp<prog::WeightOp>() && (!isOfPhases || groups == 1))
    takeBest(/*isByCompiler=*/true);
  return best;
}
