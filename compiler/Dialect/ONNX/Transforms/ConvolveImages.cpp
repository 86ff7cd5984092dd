// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as convolutions of images, where that is their cheapest variant
// (codegen_templates/records/conv.td): transposed ones, one for each residue of the output modulo
// the strides; those of volumes, whose planes become channels; and those of lines. Behind all other
// rewrites, which know them as the model has them.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/IR/Window.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Kernels/Variants.h"
#include "Support/CheckedSize.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

DenseI64ArrayAttr getList(OnnxOp op, ArrayRef<int64_t> values) {
  return DenseI64ArrayAttr::get(op->getContext(), values);
}

/// A convolution of floats whose extents are known, by constants of which there are some.
template <class Op> class Convolution {
public:
  static std::optional<Convolution> read(Op op);
  /// The cheapest variant of `contract` has this expansion, with constants of `maxElements` at
  /// most.
  Expansion expand(StringRef contract, int64_t inputs, int64_t outputs, int64_t maxElements);

  Op op;
  ArrayRef<ExtentAttr> x, y;
  SmallVector<int64_t> weights;
  SmallVector<WindowAxis> windows;
};

template <class Op> std::optional<Convolution<Op>> Convolution<Op>::read(Op op) {
  std::optional<ArrayRef<ExtentAttr>> x = getExtents(op.getX()), y = getExtents(op.getY());
  std::optional<SmallVector<int64_t>> weights = getStaticShape(op.getW());
  if (!x || !y || !weights || !isNumericConstant(op.getW()) || !elementTypeOf(op.getW()).isF32() ||
      llvm::is_contained(*weights, 0))
    return std::nullopt;
  ExtentFacts facts = getSymbolFacts(op);
  LocalInference inference(op, facts);
  FailureOr<SmallVector<WindowAxis>> windows = op.getWindow(inference);
  if (failed(windows))
    return std::nullopt;
  return Convolution{op, *x, *y, *weights, *windows};
}

template <class Op>
Expansion Convolution<Op>::expand(StringRef contract, int64_t inputs, int64_t outputs,
                                  int64_t maxElements) {
  ExtentFacts facts = getSymbolFacts(op);
  Problem problem(op, facts);
  auto integer = [&](int64_t value) { return ExtentAttr::constant(op.getContext(), value); };
  auto setAll = [&](StringRef member, auto get) {
    problem.set(member, llvm::map_to_vector(windows, get));
  };
  problem.set("batch", x[0]).set("groups", integer(op.getGroup()));
  problem.set("in_channels", integer(inputs)).set("out_channels", integer(outputs));
  problem.set("spatial_rank", integer(static_cast<int64_t>(windows.size())));
  setAll("input", [](const WindowAxis &axis) { return axis.input; });
  setAll("kernel", [](const WindowAxis &axis) { return axis.kernel; });
  setAll("output", [](const WindowAxis &axis) { return axis.output; });
  setAll("stride", [&](const WindowAxis &axis) { return integer(axis.stride); });
  constexpr int64_t bytes = sizeof(float);
  problem.setConstant("w", true).setBudget(bytes * maxElements);
  Candidate chosen = chooseVariant(contract, problem);
  return chosen ? chosen.variant->expansion : Expansion::None;
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
  if (!kernel || !pad || !rest)
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

class TransposedConvolution : private Convolution<ConvTransposeOp> {
public:
  explicit TransposedConvolution(Convolution<ConvTransposeOp> read)
      : Convolution(std::move(read)), axes(windows.size()) {}

  /// False where they have no windows that are constants.
  bool readAxes();
  int64_t getGroupOutputs() const { return weights[1]; }
  int64_t getGroupInputs() { return weights[0] / op.getGroup(); }
  Value build(OnnxBuilder &b);

private:
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

  SmallVector<TransposedAxis> axes;
};

bool TransposedConvolution::readAxes() {
  return llvm::all_of(llvm::zip_equal(axes, windows),
                      [](auto both) { return std::get<0>(both).read(std::get<1>(both)); });
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

SmallVector<Value> convolveResidues(OnnxBuilder &b, ConvTransposeOp op, int64_t maxElements) {
  auto read = Convolution<ConvTransposeOp>::read(op);
  if (!read || read->expand("conv_transpose", read->weights[0], read->weights[1] * op.getGroup(),
                            maxElements) != Expansion::Residues)
    return {};
  TransposedConvolution transposed(std::move(*read));
  return transposed.readAxes() ? SmallVector<Value>{transposed.build(b)} : SmallVector<Value>();
}

//===----------------------------------------------------------------------===//
// Volumes and lines
//===----------------------------------------------------------------------===//

/// A convolution of one group and its padding, which is a constant.
struct PaddedConvolution : Convolution<ConvOp> {
  explicit PaddedConvolution(Convolution read) : Convolution(std::move(read)) {}

  bool readPads();
  /// Whether the padding in front of and behind a volume's planes is of `most` elements at most, as
  /// far as extents are known: images of planes have it in memory.
  bool isPaddedBy(int64_t most) const;
  /// The taps along a volume's first axis read planes, which are channels of one image.
  Value convolvePlanes(OnnxBuilder &b);
  /// A line is an image of one row.
  Value convolveRow(OnnxBuilder &b);

private:
  /// The planes in front of channels, and for each tap those that it reads, as channels.
  Value layPlanes(OnnxBuilder &b);

  SmallVector<int64_t> begins, ends;
};

bool PaddedConvolution::readPads() {
  for (const WindowAxis &axis : windows) {
    std::optional<int64_t> begin = axis.padBegin.getConstant(), end = axis.padEnd.getConstant();
    if (!begin || !end)
      return false;
    begins.push_back(*begin);
    ends.push_back(*end);
  }
  return true;
}

bool PaddedConvolution::isPaddedBy(int64_t most) const {
  SmallVector<int64_t> padding{begins[0] + ends[0], weights[1]};
  for (ExtentAttr extent : {x[0], x[3], x[4]})
    padding.push_back(extent.getConstant().value_or(1));
  return CheckedSize::product(padding).isAtMost(most);
}

Value PaddedConvolution::layPlanes(OnnxBuilder &b) {
  const WindowAxis &deep = windows.front();
  Value planes = op.getX();
  if (begins[0] > 0 || ends[0] > 0)
    planes =
        b.make<PadOp>(planes, b.integers({begins[0], ends[0]}), Value(), b.integers(2), "constant");
  planes = b.transpose(planes, {0, 2, 1, 3, 4});
  SmallVector<Value> parts;
  for (int64_t tap = 0; tap < weights[2]; ++tap) {
    ExtentAttr start = b.extent(tap * deep.dilation);
    ExtentAttr end = start + (deep.output - 1) * deep.stride + 1;
    parts.push_back(b.make<SliceOp>(planes, b.extents(start), b.extents(end), b.integers(1),
                                    b.integers(deep.stride)));
  }
  return parts.size() == 1 ? parts.front() : b.make<ConcatOp>(parts, 2);
}

Value PaddedConvolution::convolvePlanes(OnnxBuilder &b) {
  const WindowAxis &deep = windows[0], &high = windows[1], &wide = windows[2];
  ExtentFacts facts = getSymbolFacts(op);
  ExtentAttr batch = simplify(x[0] * deep.output, facts), outputs = b.extent(weights[0]);
  ExtentAttr channels = b.extent(weights[1] * weights[2]);
  Value image = b.reshape(layPlanes(b), {batch, channels, x[3], x[4]});
  Value w = b.reshape(b.transpose(op.getW(), {0, 2, 1, 3, 4}),
                      {outputs, channels, b.extent(weights[3]), b.extent(weights[4])});
  Value result =
      b.make<ConvOp>(image, w, op.getB(), "NOTSET", getList(op, {high.dilation, wide.dilation}), 1,
                     DenseI64ArrayAttr(), getList(op, {begins[1], begins[2], ends[1], ends[2]}),
                     getList(op, {high.stride, wide.stride}));
  ArrayRef<ExtentAttr> rows = *getExtents(result);
  result = b.reshape(result, {x[0], deep.output, outputs, rows[2], rows[3]});
  return b.transpose(result, {0, 2, 1, 3, 4});
}

Value PaddedConvolution::convolveRow(OnnxBuilder &b) {
  const WindowAxis &along = windows.front();
  Value image = b.reshape(op.getX(), {x[0], x[1], b.extent(1), x[2]});
  Value w = b.reshape(
      op.getW(), {b.extent(weights[0]), b.extent(weights[1]), b.extent(1), b.extent(weights[2])});
  Value result = b.make<ConvOp>(image, w, op.getB(), "NOTSET", getList(op, {1, along.dilation}), 1,
                                DenseI64ArrayAttr(), getList(op, {0, begins[0], 0, ends[0]}),
                                getList(op, {1, along.stride}));
  return b.reshape(result, y);
}

SmallVector<Value> convolveImages(OnnxBuilder &b, ConvOp op, int64_t maxElements) {
  auto read = Convolution<ConvOp>::read(op);
  if (!read)
    return {};
  Expansion expansion =
      read->expand("conv", read->weights[1] * op.getGroup(), read->weights[0], maxElements);
  PaddedConvolution padded(std::move(*read));
  if (expansion == Expansion::None || !padded.readPads())
    return {};
  if (expansion == Expansion::Row)
    return {padded.convolveRow(b)};
  if (padded.isPaddedBy(maxElements))
    return {padded.convolvePlanes(b)};
  return {};
}

//===----------------------------------------------------------------------===//
// Between convolutions of lines
//===----------------------------------------------------------------------===//

bool isElementwise(Operation *op) {
  auto record = dyn_cast_or_null<OnnxOp>(op);
  return record && op->getNumResults() == 1 && record.hasScalarBody();
}

/// The image of one row whose row `value` is, as convolutions and what follows them have it; null
/// where it is none.
Value getImage(Value value) {
  auto view = value.getDefiningOp<ReshapeOp>();
  if (!view ||
      !(view.getData().getDefiningOp<ConvOp>() || isElementwise(view.getData().getDefiningOp())))
    return {};
  auto image = getExtents(view.getData()), line = getExtents(value);
  if (!image || !line || image->size() != 4 || line->size() != 3 || !(*image)[2].isConstant(1))
    return {};
  bool isSame = (*image)[0] == (*line)[0] && (*image)[1] == (*line)[1] && (*image)[3] == (*line)[2];
  return isSame ? view.getData() : Value();
}

/// The operand of an operator on lines, for one on images of one row.
Value makeImage(OnnxBuilder &b, Value line) {
  if (Value image = getImage(line))
    return image;
  ArrayRef<ExtentAttr> extents = *getExtents(line);
  if (extents.size() < 2)
    return line;
  SmallVector<ExtentAttr> image(extents);
  image.insert(std::prev(image.end()), b.extent(1));
  return b.reshape(line, image);
}

/// Elementwise operators on rows of images, on the images: no view stands between the
/// convolutions in front and behind, so that all of them may have channels in blocks.
struct ComputeOnImages : OpInterfaceRewritePattern<OnnxOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || !llvm::all_of(op->getOperands(), hasExtents) ||
        llvm::none_of(op->getOperands(), [](Value operand) { return bool(getImage(operand)); }))
      return failure();
    auto line = getExtents(op->getResult(0));
    if (!line || line->size() != 3)
      return failure();
    OnnxBuilder b(rewriter, op);
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return makeImage(b, operand); });
    b.replaceRoot(b.reshape(b.rebuild(op, operands)->getResult(0), *line));
    return success();
  }

private:
  static bool hasExtents(Value operand) { return getExtents(operand).has_value(); }
};

} // namespace

void cameo::populateImagePatterns(RewritePatternSet &patterns, const FoldBudget &budget) {
  int64_t most = budget.maxElements;
  patterns.add<ComputeOnImages>(patterns.getContext());
  patterns.add<Decomposition<ConvTransposeOp>>(
      patterns.getContext(),
      [most](OnnxBuilder &b, ConvTransposeOp op) { return convolveResidues(b, op, most); });
  patterns.add<Decomposition<ConvOp>>(patterns.getContext(), [most](OnnxBuilder &b, ConvOp op) {
    return convolveImages(b, op, most);
  });
}
