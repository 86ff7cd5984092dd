// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as convolutions of images, for which a target has kernels over blocks of channels:
// transposed ones, one for each residue of the output modulo the strides; those of volumes, whose
// planes become channels; and those of lines. Behind all other rewrites, which know them as the
// model has them.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/IR/Window.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Support/CheckedSize.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

DenseI64ArrayAttr getList(OnnxOp op, ArrayRef<int64_t> values) {
  return DenseI64ArrayAttr::get(op->getContext(), values);
}

/// The extents of weights that the compiler may lay out anew: of floats, constant, not empty, and
/// no more than `most`.
std::optional<SmallVector<int64_t>> getWeights(Value w) {
  constexpr int64_t most = 16 << 20;
  std::optional<SmallVector<int64_t>> shape = getStaticShape(w);
  if (!shape || !isNumericConstant(w) || !elementTypeOf(w).isF32())
    return std::nullopt;
  CheckedSize elements = CheckedSize::product(*shape);
  bool isEmpty = llvm::is_contained(*shape, 0);
  return isEmpty || !elements.isAtMost(most) ? std::nullopt : shape;
}

template <class Op> std::optional<SmallVector<WindowAxis>> getWindows(Op op) {
  ExtentFacts facts = getSymbolFacts(op);
  LocalInference inference(op, facts);
  FailureOr<SmallVector<WindowAxis>> windows = op.getWindow(inference);
  return succeeded(windows) ? std::optional(*windows) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// The outputs of one axis that a stride apart begin with `residue`: those of a convolution whose
/// taps are the kernel's tap `last`, and each `every`-th one in front of it.
struct ResidueTaps {
  int64_t residue, last, every, count;
  int64_t dilation;         // of the convolution
  int64_t padBegin, padEnd; // of its input; negative where elements are left out

  int64_t getCutBegin() const { return std::max<int64_t>(0, -padBegin); }
  int64_t getCutEnd() const { return std::max<int64_t>(0, -padEnd); }
};

/// An axis of a transposed convolution.
class TransposedAxis {
public:
  /// False where its residues are no convolutions of constant windows, or some have no tap.
  bool read(const WindowAxis &window);

  int64_t getStride() const { return static_cast<int64_t>(residues.size()); }
  const ResidueTaps &getTaps(int64_t residue) const { return residues[residue]; }
  /// Outputs of each residue.
  ExtentAttr getOutputs() const { return input + (more - 1); }

  ExtentAttr input, output;

private:
  SmallVector<ResidueTaps> residues;
  int64_t more = 0;
};

bool TransposedAxis::read(const WindowAxis &window) {
  std::optional<int64_t> kernel = window.kernel.getConstant(), pad = window.padBegin.getConstant();
  int64_t stride = window.stride;
  input = window.input;
  output = window.output;
  std::optional<int64_t> rest = (output - (input - 1) * stride).getConstant();
  constexpr int64_t most = 8;
  if (!kernel || !pad || !rest || stride > most)
    return false;
  more = llvm::divideCeilSigned(*rest, stride);
  std::optional<int64_t> inputs = input.getConstant();
  if (inputs && *inputs + more < 2)
    return false; // no output at all
  int64_t every = 1;
  while (every * window.dilation % stride != 0)
    ++every;
  for (int64_t residue = 0; residue < stride; ++residue) {
    ResidueTaps taps = {residue, -1, every, 0, every * window.dilation / stride, 0, 0};
    int64_t high = 0, low = 0; // inputs of output `residue`, which are further away than its own
    for (int64_t tap = 0; tap < *kernel; ++tap) {
      int64_t place = residue + *pad - tap * window.dilation;
      if (place % stride != 0)
        continue;
      low = place / stride;
      high = taps.count == 0 ? low : high;
      taps.last = tap;
      ++taps.count;
    }
    taps.padBegin = -low;
    taps.padEnd = more - 1 + high;
    int64_t cut = taps.getCutBegin() + taps.getCutEnd();
    if (taps.count == 0 || (cut > 0 && (!inputs || *inputs < cut)))
      return false;
    residues.push_back(taps);
  }
  return true;
}

class TransposedConvolution {
public:
  explicit TransposedConvolution(ConvTransposeOp op) : op(op) {}

  bool read();
  Value build(OnnxBuilder &b);

private:
  bool isInBlocks();
  bool isStrided() const {
    return llvm::any_of(axes, [](const TransposedAxis &axis) { return axis.getStride() > 1; });
  }
  bool isOpen() const {
    return llvm::any_of(axes, [](const TransposedAxis &axis) { return !axis.input.isConstant(); });
  }
  /// Whether its weights are few: convolutions of open sizes are chosen for planes that are larger
  /// than those where weights are many.
  bool isSmall() const {
    constexpr int64_t most = 1 << 18;
    return CheckedSize::product(weights).isAtMost(most);
  }
  /// The weights as a convolution has them, [outputs, inputs of a group, kernel...], with the
  /// kernel as it is.
  Value turnWeights(OnnxBuilder &b);
  /// The outputs of some residues, one for each axis.
  Value convolve(OnnxBuilder &b, Value weights, ArrayRef<const ResidueTaps *> taps);
  /// Adds the outputs of all residues of the axes from `taps.size()` on.
  void convolveAll(OnnxBuilder &b, Value weights, SmallVector<const ResidueTaps *> taps,
                   SmallVector<Value> &parts);
  /// The outputs of all residues in their order.
  Value interleave(OnnxBuilder &b, ValueRange parts);
  int64_t getGroupOutputs() { return weights[1]; }
  int64_t getGroupInputs() { return weights[0] / op.getGroup(); }

  ConvTransposeOp op;
  SmallVector<int64_t> weights;
  SmallVector<TransposedAxis> axes;
};

bool TransposedConvolution::read() {
  std::optional<SmallVector<int64_t>> shape = getWeights(op.getW());
  if (!shape || !getExtents(op.getX()) || !getExtents(op.getY()))
    return false;
  weights = *shape;
  std::optional<SmallVector<WindowAxis>> windows = getWindows(op);
  if (!windows || windows->size() < 2 || !isInBlocks())
    return false;
  axes.resize(windows->size());
  for (auto [axis, window] : llvm::zip_equal(axes, *windows))
    if (!axis.read(window))
      return false;
  return !isOpen() || !isStrided() || (axes.size() == 2 && isSmall());
}

/// Whether the convolutions are worth it: each channel by itself; or so many outputs that lanes are
/// not left empty, of more inputs than a few, beside which the order of outputs takes long.
bool TransposedConvolution::isInBlocks() {
  if (op.getGroup() > 1)
    return getGroupInputs() == 1 && getGroupOutputs() == 1;
  return getGroupInputs() >= 4 && 2 * getGroupOutputs() > ChannelBlocks::lookup(op).block;
}

Value TransposedConvolution::turnWeights(OnnxBuilder &b) {
  SmallVector<ExtentAttr> apart = {b.extent(op.getGroup()), b.extent(getGroupInputs()),
                                   b.extent(getGroupOutputs())};
  SmallVector<ExtentAttr> turned = {b.extent(op.getGroup() * getGroupOutputs()),
                                    b.extent(getGroupInputs())};
  SmallVector<int64_t> order = {0, 2, 1};
  for (int64_t taps : ArrayRef(weights).drop_front(2)) {
    order.push_back(static_cast<int64_t>(order.size()));
    apart.push_back(b.extent(taps));
    turned.push_back(b.extent(taps));
  }
  return b.reshape(b.transpose(b.reshape(op.getW(), apart), order), turned);
}

Value TransposedConvolution::convolve(OnnxBuilder &b, Value weights,
                                      ArrayRef<const ResidueTaps *> taps) {
  Value x = op.getX();
  SmallVector<int64_t> starts, ends, places, steps, dilations, counts, pads(2 * axes.size());
  constexpr int64_t all = std::numeric_limits<int64_t>::min() + 1; // in front of the first one
  for (auto [number, along] : llvm::enumerate(taps)) {
    auto axis = static_cast<int64_t>(number) + 2;
    places.push_back(axis);
    starts.push_back(along->last);
    ends.push_back(all);
    steps.push_back(-along->every);
    dilations.push_back(along->dilation);
    counts.push_back(along->count);
    pads[number] = std::max<int64_t>(0, along->padBegin);
    pads[axes.size() + number] = std::max<int64_t>(0, along->padEnd);
    ExtentAttr begin = b.extent(along->getCutBegin());
    if (along->getCutBegin() + along->getCutEnd() > 0)
      x = b.slice(x, axis, begin, axes[number].input - along->getCutEnd());
  }
  Value kernel = b.make<SliceOp>(weights, b.integers(starts), b.integers(ends), b.integers(places),
                                 b.integers(steps));
  return b.make<ConvOp>(x, kernel, op.getB(), "NOTSET", getList(op, dilations), op.getGroup(),
                        getList(op, counts), getList(op, pads), DenseI64ArrayAttr());
}

void TransposedConvolution::convolveAll(OnnxBuilder &b, Value weights,
                                        SmallVector<const ResidueTaps *> taps,
                                        SmallVector<Value> &parts) {
  if (taps.size() == axes.size()) {
    parts.push_back(convolve(b, weights, taps));
    return;
  }
  const TransposedAxis &axis = axes[taps.size()];
  for (int64_t residue = 0; residue < axis.getStride(); ++residue) {
    taps.push_back(&axis.getTaps(residue));
    convolveAll(b, weights, taps, parts);
    taps.pop_back();
  }
}

Value TransposedConvolution::interleave(OnnxBuilder &b, ValueRange parts) {
  Value y = b.make<ConcatOp>(parts, 1);
  ExtentAttr batch = (*getExtents(op.getX()))[0], channels = (*getExtents(op.getY()))[1];
  SmallVector<ExtentAttr> apart{batch}, whole{batch, channels};
  for (const TransposedAxis &axis : axes)
    apart.push_back(b.extent(axis.getStride()));
  apart.push_back(channels);
  auto rank = static_cast<int64_t>(axes.size());
  SmallVector<int64_t> order = {0, rank + 1};
  for (auto [number, axis] : llvm::enumerate(axes)) {
    apart.push_back(axis.getOutputs());
    whole.push_back(axis.getOutputs() * axis.getStride());
    order.append({rank + 2 + static_cast<int64_t>(number), 1 + static_cast<int64_t>(number)});
  }
  y = b.reshape(b.transpose(b.reshape(y, apart), order), whole);
  for (auto [number, axis] : llvm::enumerate(axes))
    if (whole[number + 2] != axis.output)
      y = b.slice(y, static_cast<int64_t>(number) + 2, b.extent(0), axis.output);
  return y;
}

Value TransposedConvolution::build(OnnxBuilder &b) {
  SmallVector<Value> parts;
  convolveAll(b, turnWeights(b), {}, parts);
  return parts.size() == 1 ? parts.front() : interleave(b, parts);
}

SmallVector<Value> convolveResidues(OnnxBuilder &b, ConvTransposeOp op) {
  TransposedConvolution transposed(op);
  return transposed.read() ? SmallVector<Value>{transposed.build(b)} : SmallVector<Value>();
}

//===----------------------------------------------------------------------===//
// Volumes and lines
//===----------------------------------------------------------------------===//

/// A convolution of more channels than are read plane by plane, of one group.
std::optional<SmallVector<int64_t>> getMixingWeights(ConvOp op, size_t axes) {
  std::optional<SmallVector<int64_t>> shape = getWeights(op.getW());
  bool isMixing = shape && shape->size() == axes + 2 && op.getGroup() == 1 && shape->front() > 1 &&
                  getExtents(op.getX()) && getExtents(op.getY());
  return isMixing ? shape : std::nullopt;
}

/// Whether copies of a volume's planes, one for each tap along its first axis, are worth it: beside
/// more than single taps, for so many outputs that lanes are not left empty, and in little memory
/// as far as that is known.
bool isWorthPlanes(ConvOp op, ArrayRef<int64_t> weights) {
  constexpr int64_t most = 16 << 20; // elements
  SmallVector<int64_t> extents{weights[2]};
  ArrayRef<ExtentAttr> x = *getExtents(op.getX());
  for (ExtentAttr extent : x)
    extents.push_back(extent.getConstant().value_or(1));
  bool isProduct = llvm::all_of(weights.drop_front(2), [](int64_t taps) { return taps == 1; });
  return !isProduct && 2 * weights[0] > ChannelBlocks::lookup(op).block &&
         CheckedSize::product(extents).isAtMost(most);
}

/// The planes of a volume that the taps along its first axis read are channels of one image.
SmallVector<Value> convolvePlanes(OnnxBuilder &b, ConvOp op) {
  std::optional<SmallVector<int64_t>> weights = getMixingWeights(op, 3);
  std::optional<SmallVector<WindowAxis>> windows = weights ? getWindows(op) : std::nullopt;
  if (!windows || !isWorthPlanes(op, *weights))
    return {};
  SmallVector<int64_t> pads, dilations, strides;
  for (bool isEnd : {false, true})
    for (const WindowAxis &window : *windows) {
      std::optional<int64_t> pad = (isEnd ? window.padEnd : window.padBegin).getConstant();
      if (!pad)
        return {};
      pads.push_back(*pad);
    }
  for (const WindowAxis &window : ArrayRef(*windows).drop_front()) {
    dilations.push_back(window.dilation);
    strides.push_back(window.stride);
  }
  const WindowAxis &deep = windows->front();
  ArrayRef<ExtentAttr> x = *getExtents(op.getX());
  int64_t outputs = (*weights)[0], inputs = (*weights)[1], taps = (*weights)[2];
  ExtentFacts facts = getSymbolFacts(op);
  ExtentAttr batch = simplify(x[0] * deep.output, facts), channels = b.extent(inputs * taps);

  Value planes = op.getX();
  if (pads[0] > 0 || pads[3] > 0)
    planes =
        b.make<PadOp>(planes, b.integers({pads[0], pads[3]}), Value(), b.integers(2), "constant");
  planes = b.transpose(planes, {0, 2, 1, 3, 4});
  SmallVector<Value> parts;
  for (int64_t tap = 0; tap < taps; ++tap) {
    ExtentAttr start = b.extent(tap * deep.dilation);
    ExtentAttr end = start + (deep.output - 1) * deep.stride + 1;
    parts.push_back(b.make<SliceOp>(planes, b.extents(start), b.extents(end), b.integers(1),
                                    b.integers(deep.stride)));
  }
  Value image = taps == 1 ? parts.front() : b.make<ConcatOp>(parts, 2);
  image = b.reshape(image, {batch, channels, x[3], x[4]});
  Value w =
      b.reshape(b.transpose(op.getW(), {0, 2, 1, 3, 4}),
                {b.extent(outputs), channels, b.extent((*weights)[3]), b.extent((*weights)[4])});
  Value y =
      b.make<ConvOp>(image, w, op.getB(), "NOTSET", getList(op, dilations), 1, DenseI64ArrayAttr(),
                     getList(op, {pads[1], pads[2], pads[4], pads[5]}), getList(op, strides));
  ArrayRef<ExtentAttr> rows = *getExtents(y);
  y = b.reshape(y, {x[0], deep.output, b.extent(outputs), rows[2], rows[3]});
  return {b.transpose(y, {0, 2, 1, 3, 4})};
}

/// A line is an image of one row.
SmallVector<Value> convolveLine(OnnxBuilder &b, ConvOp op) {
  std::optional<SmallVector<int64_t>> weights = getMixingWeights(op, 1);
  std::optional<SmallVector<WindowAxis>> windows = weights ? getWindows(op) : std::nullopt;
  if (!windows || (*weights)[1] <= ChannelBlocks::lookup(op).maxPlanes)
    return {};
  const WindowAxis &along = windows->front();
  std::optional<int64_t> begin = along.padBegin.getConstant(), end = along.padEnd.getConstant();
  if (!begin || !end)
    return {};
  ArrayRef<ExtentAttr> x = *getExtents(op.getX()), y = *getExtents(op.getY());
  Value image = b.reshape(op.getX(), {x[0], x[1], b.extent(1), x[2]});
  Value w = b.reshape(op.getW(), {b.extent((*weights)[0]), b.extent((*weights)[1]), b.extent(1),
                                  b.extent((*weights)[2])});
  Value result = b.make<ConvOp>(image, w, op.getB(), "NOTSET", getList(op, {1, along.dilation}), 1,
                                DenseI64ArrayAttr(), getList(op, {0, *begin, 0, *end}),
                                getList(op, {1, along.stride}));
  return {b.reshape(result, y)};
}

} // namespace

void cameo::populateImagePatterns(RewritePatternSet &patterns) {
  patterns.add<Decomposition<ConvTransposeOp>>(patterns.getContext(), convolveResidues);
  patterns.add<Decomposition<ConvOp>>(patterns.getContext(), convolvePlanes);
  patterns.add<Decomposition<ConvOp>>(patterns.getContext(), convolveLine);
}
