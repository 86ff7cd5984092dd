// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and values of the operators that move elements.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"

#include <array>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult IdentityOp::inferExtents(ExtentInference &infer) {
  infer.setType(0, getInput().getType());
  if (std::optional<ExtentValues> values = infer.values(getInput()))
    infer.setValues(0, *values);
  return success();
}

LogicalResult TransposeOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getData());
  size_t rank = input ? input->size() : getPerm() ? getPerm()->size() : 0;
  SmallVector<int64_t> perm;
  if (getPerm())
    perm.assign(getPerm()->begin(), getPerm()->end());
  else
    for (size_t axis = rank; axis-- > 0;)
      perm.push_back(axis);
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, rank)))
    return infer.emitError() << "needs a perm that holds each of the " << rank
                             << " axes once (C1, got [" << llvm::ArrayRef<int64_t>(perm) << "])";
  if (!input) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result;
  for (int64_t axis : perm)
    result.push_back((*input)[axis]);
  infer.setResult(0, element, result);
  if (std::optional<KnownTensor> known = infer.known(getData()))
    infer.setElements(0, result, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source(rank);
      for (auto [axis, from] : llvm::enumerate(perm))
        source[from] = index[axis];
      return known->at(source);
    });
  return success();
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  SmallVector<ExtentAttr> result;
  SmallVector<ExtentAttr> lengths;
  int64_t joined = 0;
  ExtentValues values;
  bool ranked = true, valued = true;
  for (Value input : getInputs()) {
    std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input);
    ranked &= extents.has_value();
    if (!extents)
      continue;
    FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), extents->size(), "axis (C1)");
    if (failed(axis))
      return failure();
    if (result.empty()) {
      result.assign(extents->begin(), extents->end());
      joined = *axis;
    } else if (result.size() != extents->size()) {
      return infer.emitError() << "joins tensors of ranks " << result.size() << " and "
                               << extents->size() << " (C2)";
    } else {
      for (auto [number, extent] : llvm::enumerate(*extents)) {
        bool along = static_cast<int64_t>(number) == *axis;
        if (!along && result[number].isConstant() && extent.isConstant() &&
            result[number] != extent)
          return infer.emitError()
                 << "joins tensors that differ along axis " << number << " (C2, got "
                 << *result[number].getConstant() << " and " << *extent.getConstant() << ")";
        if (along)
          lengths.push_back(extent);
        else if (!result[number].isConstant())
          result[number] = extent;
      }
    }
    std::optional<ExtentValues> known = infer.values(input);
    valued &= known.has_value() && extents->size() == 1;
    if (valued)
      values.append(*known);
  }
  if (!ranked) {
    infer.setUnranked(0, element);
    return success();
  }
  // Added in blocks: a long sum is named before it comes near the limit of the normal form, and is
  // not built again for each input.
  constexpr size_t kBlock = 32;
  for (ArrayRef<ExtentAttr> rest = lengths; !rest.empty();
       rest = rest.drop_front(std::min(kBlock, rest.size()))) {
    ExtentAttr block = infer.constant(0);
    for (ExtentAttr length : rest.take_front(kBlock))
      block = block + length;
    result[joined] = infer.named("joined", result[joined] + block);
  }
  infer.setResult(0, element, result);
  if (valued)
    infer.setValues(0, values);
  return success();
}

namespace {
/// The extents of the pieces of an axis cut evenly: as long as there are enough elements, `chunk`
/// each.
SmallVector<ExtentAttr> cutEvenly(ExtentInference &infer, ExtentAttr extent, int64_t pieces) {
  ExtentAttr chunk = simplify(extent.ceilDiv(pieces), infer.facts());
  bool even = divisibility(extent, infer.facts()) % pieces == 0;
  SmallVector<ExtentAttr> result;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    // The first pieces are whole while those before them leave enough; the first one always is.
    ExtentAttr left = extent - chunk * piece;
    bool whole = even || piece == 0;
    result.push_back(whole ? chunk : chunk.min(left.max(0)));
  }
  // The rest behind one whole piece is never negative and never more than a piece.
  if (pieces == 2 && !even)
    result.back() = simplify(extent - chunk, infer.facts());
  return result;
}
} // namespace

LogicalResult SplitOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  int64_t pieces = getNumResults();
  if (pieces == 0 || (getSplit() != nullptr) == getNumOutputs().has_value())
    return infer.emitError() << "needs results, and either split or num_outputs (C2)";
  if (getNumOutputs() && *getNumOutputs() != pieces)
    return infer.emitError() << "has a num_outputs that is not its number of results (C2) (got "
                             << *getNumOutputs() << ", need " << pieces << ")";
  std::optional<ExtentValues> split = infer.values(getSplit());
  if (split && static_cast<int64_t>(split->size()) != pieces)
    return infer.emitError() << "has a wrong number of results (C2, got " << pieces << ", need "
                             << split->size() << ")";
  ExtentAttr sum = infer.constant(0);
  for (ExtentAttr piece : split.value_or(ExtentValues())) {
    if (piece.isConstant() && *piece.getConstant() < 0)
      return infer.emitError() << "has a negative element in split (C3, got "
                               << *piece.getConstant() << ")";
    sum = sum + piece;
  }
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  if (!input) {
    for (int64_t piece = 0; piece < pieces; ++piece)
      infer.setUnranked(piece, element);
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), input->size(), "axis (C1)");
  if (failed(axis) ||
      (split && failed(infer.requireEqual(sum, (*input)[*axis], "the sum of split (C3)"))))
    return failure();
  SmallVector<ExtentAttr> sizes(pieces, infer.unknown());
  if (split)
    sizes.assign(split->begin(), split->end());
  else if (getNumOutputs())
    sizes = cutEvenly(infer, (*input)[*axis], pieces);
  std::optional<KnownTensor> known = infer.known(getInput());
  ExtentAttr offset = infer.constant(0);
  for (int64_t piece = 0; piece < pieces; ++piece) {
    SmallVector<ExtentAttr> result(*input);
    result[*axis] = sizes[piece];
    infer.setResult(piece, element, result);
    if (!known || !offset.isConstant())
      continue;
    infer.setElements(piece, result, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source(index);
      source[*axis] += *offset.getConstant();
      return source[*axis] < known->shape[*axis] ? known->at(source) : ExtentAttr();
    });
    offset = offset + sizes[piece];
  }
  return success();
}

namespace {

/// The slice of an axis by `starts`, `ends` and `steps`: ONNX counts negative ones from the end,
/// then clamps.
AxisSlice sliceAxis(ExtentInference &infer, ExtentAttr extent, ExtentAttr start, ExtentAttr end,
                    ExtentAttr step) {
  // A longer step than any axis takes the first element only.
  step = simplify(step.max(-kMaxSymbolExtent).min(kMaxSymbolExtent), infer.facts());
  ExtentAttr isBackward = -step.min(0).max(-1);
  auto resolve = [&](ExtentAttr bound, ExtentAttr least, ExtentAttr most) {
    ExtentRange values = range(bound, infer.facts());
    if (values.atMost(-1))
      bound = bound + extent;
    else if (!values.atLeast(0)) // -1 for a negative bound, else 0
      bound = bound - extent * bound.min(0).max(-1);
    return simplify(bound.max(least).min(most), infer.facts());
  };
  // The last element to start from is before the first one when there is none.
  ExtentAttr most = extent - isBackward;
  ExtentAttr first = resolve(start, infer.constant(0), most);
  ExtentAttr stop = resolve(end, -isBackward, most);
  return {first, infer.countSteps(stop - first, step), step};
}

} // namespace

FailureOr<AxisList> SliceOp::getAxisList(ExtentInference &infer) {
  std::optional<ExtentValues> starts = infer.values(getStarts());
  int64_t count = starts ? starts->size() : 0, rank = infer.extents(getData())->size();
  if (!getAxes() && count <= rank)
    return AxisList::first(infer, count, rank);
  return AxisList::ofOperand(infer, getAxes(), rank, "axes (C2)", count);
}

FailureOr<SmallVector<AxisSlice>> SliceOp::getAxisSlices(ExtentInference &infer) {
  ArrayRef<ExtentAttr> data = *infer.extents(getData());
  std::optional<ExtentValues> starts = infer.values(getStarts()), ends = infer.values(getEnds()),
                              steps = infer.values(getSteps());
  SmallVector<AxisSlice> slices;
  if (!starts || !ends) {
    slices.assign(data.size(), {infer.unknown(), infer.unknown(), infer.constant(1)});
    return slices;
  }
  FailureOr<AxisList> axes = getAxisList(infer);
  if (failed(axes))
    return failure();
  if (!steps)
    steps.emplace(starts->size(), getSteps() ? infer.unknown() : infer.constant(1));
  for (auto [axis, extent] : llvm::enumerate(data)) {
    SmallVector<ExtentAttr> firsts, counts, sizes;
    for (auto [number, start, end, step] : llvm::enumerate(*starts, *ends, *steps)) {
      bool isOther = axes->isAt(number, axis).isConstant(0);
      AxisSlice slice = isOther ? AxisSlice{infer.constant(0), extent, infer.constant(1)}
                                : sliceAxis(infer, extent, start, end, step);
      firsts.push_back(slice.first);
      counts.push_back(slice.count);
      sizes.push_back(slice.step);
    }
    slices.push_back({axes->select(axis, firsts, infer.constant(0)),
                      axes->select(axis, counts, extent),
                      axes->select(axis, sizes, infer.constant(1))});
  }
  return slices;
}

LogicalResult SliceOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  for (auto [value, name] : llvm::zip_equal(
           std::array<Value, 4>{getStarts(), getEnds(), getAxes(), getSteps()},
           std::array<StringRef, 4>{"starts (C1)", "ends (C1)", "axes (C1)", "steps (C1)"}))
    if (failed(infer.requireRank(value, name, 1, 1)))
      return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData());
  std::optional<ExtentValues> starts = infer.values(getStarts()), ends = infer.values(getEnds());
  std::optional<ExtentValues> axes = infer.values(getAxes()), steps = infer.values(getSteps());
  for (const std::optional<ExtentValues> &list : {ends, axes, steps})
    if (starts && list && list->size() != starts->size())
      return infer.emitError() << "has lists of different lengths (C1, got " << starts->size()
                               << " and " << list->size() << ")";
  for (ExtentAttr step : steps.value_or(ExtentValues()))
    if (step.isConstant(0))
      return infer.emitError() << "has a step of 0 (C3)";
  if (!data) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<SmallVector<AxisSlice>> slices = getAxisSlices(infer);
  if (failed(slices))
    return failure();
  SmallVector<ExtentAttr> result;
  for (auto [slice, extent] : llvm::zip_equal(*slices, *data))
    result.push_back(slice.count == extent ? extent : infer.bounded("slice", slice.count, extent));
  infer.setResult(0, element, result);
  if (std::optional<KnownTensor> known = infer.known(getData()))
    infer.setElements(0, result, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source;
      for (auto [coordinate, slice] : llvm::zip_equal(index, *slices)) {
        ExtentAttr place = slice.first + slice.step * coordinate;
        if (!place.isConstant())
          return ExtentAttr();
        source.push_back(*place.getConstant());
      }
      return known->at(source);
    });
  return success();
}

//===----------------------------------------------------------------------===//
// More of the same
//===----------------------------------------------------------------------===//

LogicalResult TileOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  std::optional<ExtentValues> repeats = infer.values(getRepeats());
  if (input && repeats && input->size() != repeats->size())
    return infer.emitError() << "has a wrong number of repeats (C1, got " << repeats->size()
                             << ", need " << input->size() << ")";
  if (!input || !repeats) {
    if (input)
      infer.setResult(0, element, SmallVector<ExtentAttr>(input->size(), infer.unknown()));
    else
      infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result;
  for (auto [extent, repeat] : llvm::zip_equal(*input, *repeats)) {
    if (repeat.isConstant() && *repeat.getConstant() < 0)
      return infer.emitError() << "has a negative element in repeats (C2, got "
                               << *repeat.getConstant() << ")";
    result.push_back(extent * repeat);
  }
  infer.setResult(0, element, result);
  if (std::optional<KnownTensor> known = infer.known(getInput()))
    infer.setElements(0, result, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source(index);
      for (auto [coordinate, size] : llvm::zip_equal(source, known->shape))
        coordinate %= size;
      return known->at(source);
    });
  return success();
}

FailureOr<AxisList> PadOp::getAxisList(ExtentInference &infer) {
  int64_t rank = infer.extents(getData())->size();
  if (!getAxes())
    return AxisList::first(infer, rank, rank);
  std::optional<ExtentValues> pads = infer.values(getPads());
  return AxisList::ofOperand(infer, getAxes(), rank, "axes (C2)", pads ? pads->size() / 2 : 1);
}

FailureOr<AxisPads> PadOp::getAxisPads(ExtentInference &infer) {
  FailureOr<AxisList> axes = getAxisList(infer);
  if (failed(axes))
    return failure();
  size_t count = axes->get().size();
  ExtentValues pads = infer.values(getPads()).value_or(ExtentValues(2 * count, infer.unknown()));
  if (pads.size() != 2 * count)
    return infer.emitError() << "has a wrong number of pads (C3, got " << pads.size() << ", need "
                             << 2 * count << ")";
  AxisPads result;
  for (int64_t axis = 0; axis < axes->getRank(); ++axis) {
    result.begin.push_back(axes->select(axis, ArrayRef(pads).take_front(count), infer.constant(0)));
    result.end.push_back(axes->select(axis, ArrayRef(pads).drop_front(count), infer.constant(0)));
  }
  return result;
}

LogicalResult PadOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (!llvm::is_contained({"constant", "reflect", "edge", "wrap"}, getMode()))
    return infer.emitError() << "has an unknown mode (C1) (got " << cameo::quoteText(getMode())
                             << ")";
  if (failed(infer.requireOneElement(getConstantValue(), "constant_value (C5)")))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData());
  if (!data) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<AxisPads> pads = getAxisPads(infer);
  if (failed(pads))
    return failure();
  SmallVector<ExtentAttr> result;
  for (auto [axis, extent] : llvm::enumerate(*data)) {
    ExtentAttr padded = extent + pads->begin[axis] + pads->end[axis];
    if (padded.isConstant() && *padded.getConstant() < 0)
      return infer.emitError() << "has pads that leave a negative extent at axis " << axis
                               << " (C4, got " << *padded.getConstant() << ")";
    result.push_back(padded);
  }
  infer.setResult(0, element, result);
  return success();
}

LogicalResult CenterCropPadOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getInputData());
  if (!data) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<int64_t> given = llvm::to_vector(llvm::seq<int64_t>(0, data->size()));
  if (getAxes())
    given.assign(getAxes()->begin(), getAxes()->end());
  FailureOr<SmallVector<int64_t>> axes = infer.normalizeAxes(given, data->size(), "axes (C1)");
  if (failed(axes))
    return failure();
  ExtentValues shape(axes->size(), infer.unknown());
  if (std::optional<ExtentValues> known = infer.values(getShape()))
    shape = *known;
  if (shape.size() != axes->size())
    return infer.emitError() << "has a wrong number of elements in shape (C2, got " << shape.size()
                             << ", need " << axes->size() << ")";
  SmallVector<ExtentAttr> result(*data);
  for (auto [axis, extent] : llvm::zip_equal(*axes, shape)) {
    if (extent.isConstant() && *extent.getConstant() < 0)
      return infer.emitError() << "has a negative element in shape (C2, got "
                               << *extent.getConstant() << ")";
    result[axis] = extent;
  }
  infer.setResult(0, element, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

LogicalResult TriluOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getInput(), "input (C1)", 2)) ||
      failed(infer.requireOneElement(getK(), "k (C2)")))
    return failure();
  infer.setType(0, getInput().getType());
  return success();
}

namespace {
/// The extents that DepthToSpace and SpaceToDepth start from; unknown ones when the rank is.
FailureOr<SmallVector<ExtentAttr>> getBlocked(ExtentInference &infer, Value input, int64_t block,
                                              StringRef mode) {
  if (failed(infer.requireRank(input, "input (C1)", 4, 4)))
    return failure();
  if (block < 1)
    return infer.emitError() << "has a blocksize that is not positive (C2, got " << block << ")";
  if (mode != "DCR" && mode != "CRD")
    return infer.emitError() << "has an unknown mode (C3) (got " << cameo::quoteText(mode) << ")";
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input);
  return extents ? SmallVector<ExtentAttr>(*extents) : SmallVector<ExtentAttr>(4, infer.unknown());
}

/// `extent / divisor`, which must leave no rest.
FailureOr<ExtentAttr> divideExactly(ExtentInference &infer, ExtentAttr extent, ExtentAttr divisor) {
  // A square beyond int64 divides no extent but 0.
  bool divides = !divisor.isUnknown();
  if (extent.isConstant() && divides)
    divides = *extent.getConstant() % *divisor.getConstant() == 0;
  if (!divides)
    return infer.emitError() << "has a blocksize that does not divide an extent (C2) (got extent "
                             << extent.str() << " and divisor " << divisor.str() << ")";
  return simplify(extent.floorDiv(divisor), infer.facts());
}
} // namespace

LogicalResult DepthToSpaceOp::inferExtents(ExtentInference &infer) {
  FailureOr<SmallVector<ExtentAttr>> extents =
      getBlocked(infer, getInput(), getBlocksize(), getMode());
  if (failed(extents))
    return failure();
  ExtentAttr block = infer.constant(getBlocksize());
  FailureOr<ExtentAttr> channels = divideExactly(infer, (*extents)[1], block * block);
  if (failed(channels))
    return failure();
  infer.setResult(0, infer.elementType(0),
                  {(*extents)[0], *channels, (*extents)[2] * block, (*extents)[3] * block});
  return success();
}

LogicalResult SpaceToDepthOp::inferExtents(ExtentInference &infer) {
  FailureOr<SmallVector<ExtentAttr>> extents =
      getBlocked(infer, getInput(), getBlocksize(), getMode());
  if (failed(extents))
    return failure();
  ExtentAttr block = infer.constant(getBlocksize());
  FailureOr<ExtentAttr> height = divideExactly(infer, (*extents)[2], block);
  if (failed(height))
    return failure();
  FailureOr<ExtentAttr> width = divideExactly(infer, (*extents)[3], block);
  if (failed(width))
    return failure();
  infer.setResult(0, infer.elementType(0),
                  {(*extents)[0], (*extents)[1] * block * block, *height, *width});
  return success();
}

LogicalResult ReverseSequenceOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getInput(), "input (C1)", 2)) ||
      failed(infer.requireRank(getSequenceLens(), "sequence_lens (C3)", 1, 1)))
    return failure();
  int64_t batch = getBatchAxis(), time = getTimeAxis();
  if (!(batch == 0 && time == 1) && !(batch == 1 && time == 0))
    return infer.emitError() << "needs batch_axis and time_axis to be 0 and 1 (C2, got " << batch
                             << " and " << time << ")";
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput()),
                                      lengths = infer.extents(getSequenceLens());
  if (input && lengths &&
      failed(infer.requireEqual(lengths->front(), (*input)[batch], "sequence_lens (C3)")))
    return failure();
  infer.setType(0, getInput().getType());
  return success();
}
