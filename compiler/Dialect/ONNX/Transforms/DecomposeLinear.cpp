// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einsum as products of two operands at a time, convolutions with a memory, and blocks added up in
// an image as the transposed convolution that they are.

#include "Dialect/ONNX/IR/Einsum.h"
#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

using Labels = SmallVector<int64_t>;

/// A tensor whose axes have labels, no two of them the same.
struct Term {
  Value value;
  Labels labels;
};

class EinsumSteps {
public:
  EinsumSteps(OnnxBuilder &b, const EinsumLabels &labels) : b(b), labels(labels) {}

  Value build(ValueRange operands);

private:
  /// An axis whose label stands before it too: what is off the diagonal counts nothing.
  Term takeDiagonals(Value operand, ArrayRef<int64_t> axes);
  Term sumOut(Term term, llvm::function_ref<bool(int64_t)> isKept);
  Term multiply(Term left, Term right, llvm::function_ref<bool(int64_t)> isKept);
  /// The axes in another order, `groups` of them merged into one each.
  Value arrange(const Term &term, ArrayRef<int64_t> apart, ArrayRef<Labels> groups);
  ExtentAttr getExtent(const Term &term, int64_t label) const {
    auto axis = llvm::find(term.labels, label) - term.labels.begin();
    return (*getExtents(term.value))[axis];
  }

  OnnxBuilder &b;
  const EinsumLabels &labels;
};

Value EinsumSteps::build(ValueRange operands) {
  SmallVector<Term> terms;
  for (auto [operand, axes] : llvm::zip_equal(operands, labels.operands))
    terms.push_back(takeDiagonals(operand, axes));
  Term product = terms.front();
  auto isInResult = [&](int64_t label) { return llvm::is_contained(labels.result, label); };
  for (size_t next = 1; next < terms.size(); ++next)
    product = multiply(product, terms[next], [&](int64_t label) {
      return isInResult(label) ||
             llvm::any_of(ArrayRef(terms).drop_front(next + 1),
                          [&](auto &term) { return llvm::is_contained(term.labels, label); });
    });
  return arrange(sumOut(product, isInResult), labels.result, {});
}

Term EinsumSteps::takeDiagonals(Value operand, ArrayRef<int64_t> axes) {
  Term term{operand, {}};
  SmallVector<int64_t> repeated;
  ArrayRef<ExtentAttr> extents = *getExtents(operand);
  auto count = [&](size_t axis) {
    SmallVector<ExtentAttr> along(extents.size(), b.extent(1));
    along[axis] = extents[axis];
    return b.reshape(
        b.make<RangeOp>(b.number(b.extent(0)), b.number(extents[axis]), b.number(b.extent(1)), 1),
        along);
  };
  for (auto [axis, label] : llvm::enumerate(axes)) {
    auto *first = llvm::find(axes, label);
    auto before = static_cast<size_t>(first - axes.begin());
    if (before == axis) {
      term.labels.push_back(label);
      continue;
    }
    repeated.push_back(static_cast<int64_t>(axis));
    Value zero = b.constant(elementTypeOf(operand), 0);
    term.value = b.where(b.equal(count(before), count(axis)), term.value, zero);
  }
  if (!repeated.empty())
    term.value = b.reduce<ReduceSumOp>(term.value, repeated, /*keepsAxes=*/false);
  return term;
}

Term EinsumSteps::sumOut(Term term, llvm::function_ref<bool(int64_t)> isKept) {
  SmallVector<int64_t> axes;
  for (auto [axis, label] : llvm::enumerate(term.labels))
    if (!isKept(label))
      axes.push_back(static_cast<int64_t>(axis));
  if (axes.empty())
    return term;
  llvm::erase_if(term.labels, [&](int64_t label) { return !isKept(label); });
  return {b.reduce<ReduceSumOp>(term.value, axes, /*keepsAxes=*/false), term.labels};
}

/// A matrix product: axes of both that are kept are its batch, the others of both what it sums.
Term EinsumSteps::multiply(Term left, Term right, llvm::function_ref<bool(int64_t)> isKept) {
  auto isIn = [](const Term &term, int64_t label) {
    return llvm::is_contained(term.labels, label);
  };
  left = sumOut(left, [&](int64_t label) { return isKept(label) || isIn(right, label); });
  right = sumOut(right, [&](int64_t label) { return isKept(label) || isIn(left, label); });
  Labels batch, summed, rows, columns;
  for (int64_t label : left.labels)
    (!isIn(right, label) ? rows : isKept(label) ? batch : summed).push_back(label);
  for (int64_t label : right.labels)
    if (!isIn(left, label))
      columns.push_back(label);
  Value product = b.make<MatMulOp>(arrange(left, batch, {rows, summed}),
                                   arrange(right, batch, {summed, columns}));
  SmallVector<ExtentAttr> extents(getExtents(product)->take_front(batch.size()));
  for (int64_t label : rows)
    extents.push_back(getExtent(left, label));
  for (int64_t label : columns)
    extents.push_back(getExtent(right, label));
  Labels all = batch;
  llvm::append_range(all, rows);
  llvm::append_range(all, columns);
  return {b.reshape(product, extents), all};
}

Value EinsumSteps::arrange(const Term &term, ArrayRef<int64_t> apart, ArrayRef<Labels> groups) {
  SmallVector<int64_t> permutation;
  SmallVector<ExtentAttr> extents;
  auto add = [&](int64_t label) {
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
    return getExtent(term, label);
  };
  for (int64_t label : apart)
    extents.push_back(add(label));
  for (const Labels &group : groups) {
    ExtentAttr merged = b.extent(1);
    for (int64_t label : group)
      merged = merged * add(label); // checked: `unknown` when it does not fit
    extents.push_back(merged);
  }
  bool isInOrder = llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
  return b.reshape(isInOrder ? term.value : b.transpose(term.value, permutation), extents);
}

/// Narrow integers wrap around at the end as they would at every step.
SmallVector<Value> decomposeEinsum(OnnxBuilder &b, EinsumOp op) {
  SmallVector<int64_t> ranks;
  for (Value operand : op.getInputs()) {
    std::optional<ArrayRef<ExtentAttr>> extents = getExtents(operand);
    if (!extents)
      return {};
    ranks.push_back(static_cast<int64_t>(extents->size()));
  }
  std::string error;
  std::optional<EinsumLabels> labels = readEinsum(op.getEquation(), ranks, error);
  assert(labels && "inference has read it");
  Type element = elementTypeOf(op.getOutput());
  bool isNarrow = element.isInteger() && element.getIntOrFloatBitWidth() < 32;
  Type wide = isNarrow ? IntegerType::get(op.getContext(), 32) : element;
  auto operands = llvm::map_to_vector(op.getInputs(), [&](Value x) { return b.cast(x, wide); });
  return {b.cast(EinsumSteps(b, *labels).build(operands), element)};
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// A convolution per channel of a kernel, or of channels, that only the run counts: at each place a
/// sum over the taps.
Value sumTaps(OnnxBuilder &b, CausalConvWithStateOp op, Value whole, ExtentAttr taps) {
  ArrayRef<ExtentAttr> input = *getExtents(op.getInput());
  ExtentAttr zero = b.extent(0), one = b.extent(1), channels = input[1], length = input[2];
  auto count = [&](ExtentAttr extent) {
    return b.make<RangeOp>(b.number(zero), b.number(extent), b.number(one), 1);
  };
  Value places = b.add(b.reshape(count(length), {length, one}), count(taps));
  Type element = elementTypeOf(whole), sum = prog::getAccumulatorType(element);
  Value windows = b.cast(b.make<GatherOp>(whole, places, 2), sum);
  Value kernel = b.reshape(b.cast(op.getWeight(), sum), {one, channels, one, taps});
  Value result = b.reduce<ReduceSumOp>(b.mul(windows, kernel), {3}, /*keepsAxes=*/false);
  if (op.getBias())
    result = b.add(result, b.reshape(b.cast(op.getBias(), sum), {one, channels, one}));
  return b.reshape(b.cast(result, element), input);
}

/// A convolution per channel behind what came before, or zeros.
SmallVector<Value> decomposeCausalConv(OnnxBuilder &b, CausalConvWithStateOp op) {
  std::optional<ArrayRef<ExtentAttr>> input = getExtents(op.getInput());
  std::optional<ArrayRef<ExtentAttr>> weight = getExtents(op.getWeight());
  if (!input || !weight)
    return {};
  std::optional<int64_t> taps = (*weight)[2].getConstant(), channels = (*weight)[0].getConstant();
  Value zero = b.constant(elementTypeOf(op.getInput()), 0);
  Value past = op.getPastState();
  ExtentAttr before = (*weight)[2] - 1;
  if (!past)
    past = b.make<ExpandOp>(zero, b.extents({(*input)[0], (*input)[1], before}));
  Value whole = b.make<ConcatOp>(ValueRange{past, op.getInput()}, 2);
  Builder attributes(op.getContext());
  Value result;
  if (taps && channels)
    result = b.make<ConvOp>(whole, op.getWeight(), op.getBias(), "NOTSET", DenseI64ArrayAttr(),
                            *channels, attributes.getDenseI64ArrayAttr(*taps), DenseI64ArrayAttr(),
                            DenseI64ArrayAttr());
  else
    result = sumTaps(b, op, whole, (*weight)[2]);
  if (op.getActivation() != "none")
    result = b.mul(result, b.make<SigmoidOp>(result));
  ExtentAttr length = (*getExtents(whole))[2];
  return {result, b.slice(whole, 2, length - before, length)};
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// 0, 1, ... below `count`.
Value countUp(OnnxBuilder &b, ExtentAttr count) {
  return b.make<RangeOp>(b.number(b.extent(0)), b.number(count), b.number(b.extent(1)), 1);
}

/// Weights that put each of `block`'s elements where it belongs: [elements, 1, block...].
Value buildPlacement(OnnxBuilder &b, Type element, ExtentAttr elements,
                     ArrayRef<ExtentAttr> block) {
  Value rows = b.reshape(countUp(b, elements), {elements, b.extent(1)});
  Value identity = b.cast(b.equal(rows, countUp(b, elements)), element);
  SmallVector<ExtentAttr> extents = {elements, b.extent(1)};
  llvm::append_range(extents, block);
  return b.reshape(identity, extents);
}

/// Each channel of each instance is an image of its own. Where steps leave a rest of the image, the
/// convolution makes as much as they could, of which the rest is cut off.
SmallVector<Value> decomposeCol2Im(OnnxBuilder &b, Col2ImOp op) {
  std::optional<ExtentValues> block = KnownValues().lookup(op.getBlockShape());
  auto input = getExtents(op.getInput()), output = getExtents(op.getOutput());
  Type element = elementTypeOf(op.getInput());
  if (!block || !input || !output || !isa<FloatType>(element))
    return {};
  ArrayRef<ExtentAttr> image = output->drop_front(2);
  size_t axes = image.size();
  SmallVector<int64_t> ones(axes, 1), none(2 * axes, 0), rests;
  SmallVector<int64_t> strides = llvm::to_vector(op.getStrides().value_or(ones)),
                       dilations = llvm::to_vector(op.getDilations().value_or(ones)),
                       pads = llvm::to_vector(op.getPads().value_or(none));
  ExtentAttr elements = b.extent(1), places = b.extent(1);
  for (ExtentAttr extent : *block)
    elements = elements * extent;
  SmallVector<ExtentAttr> blocks = {(*output)[0] * (*output)[1], elements};
  for (size_t axis = 0; axis < axes; ++axis) {
    ExtentAttr room = image[axis] + (pads[axis] + pads[axes + axis] - 1) -
                      ((*block)[axis] - 1) * b.extent(dilations[axis]);
    blocks.push_back(room.floorDiv(strides[axis]) + 1);
    places = places * blocks.back();
    rests.push_back(strides[axis] - 1);
  }
  b.requireEqual((*input)[2], places, "the blocks that image_shape has room for");
  Builder attributes(op.getContext());
  auto list = [&](ArrayRef<int64_t> values) { return attributes.getDenseI64ArrayAttr(values); };
  Value added = b.make<ConvTransposeOp>(
      b.reshape(op.getInput(), blocks), buildPlacement(b, element, elements, *block), Value(),
      "NOTSET", list(dilations), 1, DenseI64ArrayAttr(), list(rests), DenseI64ArrayAttr(),
      list(pads), list(strides));
  for (size_t axis = 0; axis < axes; ++axis)
    if (strides[axis] != 1)
      added = b.slice(added, static_cast<int64_t>(axis) + 2, b.extent(0), image[axis]);
  return {b.reshape(added, *output)};
}

} // namespace

void cameo::populateLinearDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<CausalConvWithStateOp>>(context, decomposeCausalConv);
  patterns.add<Decomposition<Col2ImOp>>(context, decomposeCol2Im);
  patterns.add<Decomposition<EinsumOp>>(context, decomposeEinsum);
}
