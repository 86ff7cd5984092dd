// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents and values of the operators that index: gathers, scatters, and those whose result has as
// many elements as the data say, which are counted extents with a bound.

#include "Support/Diagnostic.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// An index that ONNX may count from the end, in [0, size); nullopt when it is out of range.
std::optional<int64_t> wrapIndex(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    return std::nullopt;
  return index < 0 ? index + size : index;
}

/// Fails when an index that is known is out of [-extent, extent).
LogicalResult verifyIndices(ExtentInference &infer, Value indices, ExtentAttr extent,
                            StringRef tag) {
  std::optional<int64_t> size = extent.getConstant();
  std::optional<ExtentValues> known = size ? infer.values(indices) : std::nullopt;
  for (ExtentAttr index : known.value_or(ExtentValues()))
    if (index.isConstant() && !wrapIndex(*index.getConstant(), *size))
      return infer.emitError() << "has an index out of range (" << tag << ", got "
                               << *index.getConstant() << ", need [" << -*size << ", " << *size
                               << "))";
  return success();
}

/// How a scatter combines the old and the new element.
ExtentAttr combineUpdate(StringRef reduction, ExtentAttr old, ExtentAttr update) {
  if (reduction == "add")
    return old + update;
  if (reduction == "mul")
    return old * update;
  if (reduction == "max")
    return old.max(update);
  if (reduction == "min")
    return old.min(update);
  return update;
}

LogicalResult verifyScatterReduction(ExtentInference &infer, StringRef reduction) {
  if (llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    return success();
  return infer.emitError() << "has an unknown reduction (C4) (got " << cameo::quoteText(reduction)
                           << ")";
}

/// Calls `visit` with every index of a tensor of the given shape, in row-major order.
void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [coordinate, size] : llvm::zip_equal(index, shape))
    position = position * size + coordinate;
  return position;
}

} // namespace

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getData(), "data (C1)", 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData()),
                                      indices = infer.extents(getIndices());
  if (!data) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), data->size(), "axis (C2)");
  if (failed(axis) || failed(verifyIndices(infer, getIndices(), (*data)[*axis], "C3")))
    return failure();
  if (!indices) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result(data->take_front(*axis));
  llvm::append_range(result, *indices);
  llvm::append_range(result, data->drop_front(*axis + 1));
  infer.setResult(0, element, result);
  std::optional<KnownTensor> source = infer.known(getData()), places = infer.known(getIndices());
  if (!source || !places)
    return success();
  infer.setElements(0, result, [&](ArrayRef<int64_t> index) {
    size_t rank = places->shape.size();
    std::optional<int64_t> place = places->at(index.slice(*axis, rank)).getConstant();
    if (!place)
      return ExtentAttr();
    SmallVector<int64_t> from(index.take_front(*axis));
    from.push_back(*wrapIndex(*place, source->shape[*axis])); // in range, by C3
    llvm::append_range(from, index.drop_front(*axis + rank));
    return source->at(from);
  });
  return success();
}

LogicalResult GatherElementsOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getData(), "data (C1)", 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData()),
                                      indices = infer.extents(getIndices());
  if (data) {
    int64_t rank = data->size();
    FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), rank, "axis (C2)");
    if (failed(axis) || failed(infer.requireRank(getIndices(), "indices (C1)", rank, rank)) ||
        failed(verifyIndices(infer, getIndices(), (*data)[*axis], "C3")))
      return failure();
  }
  if (indices)
    infer.setResult(0, element, *indices);
  else
    infer.setUnranked(0, element);
  return success();
}

/// The extents of a tensor whose rank is known.
static std::optional<ArrayRef<ExtentAttr>> getExtentsOf(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type && type.hasRank() ? std::optional(type.getExtents()) : std::nullopt;
}

/// `length`, unless no tuple has so many positions.
static std::optional<int64_t> checkTuple(int64_t length, int64_t least, int64_t most) {
  return length >= least && length <= most ? std::optional(length) : std::nullopt;
}

std::optional<int64_t> GatherNDOp::getTupleLength() {
  // The result may have no type yet.
  std::optional<ArrayRef<ExtentAttr>> data = getExtentsOf(getData()),
                                      indices = getExtentsOf(getIndices()),
                                      output = getExtentsOf((*this)->getResult(0));
  if (!indices || indices->back().isConstant() || !data)
    return indices ? indices->back().getConstant() : std::nullopt;
  int64_t most = static_cast<int64_t>(data->size()) - getBatchDims();
  int64_t places = static_cast<int64_t>(indices->size()) - 1;
  if (most == 1)
    return 1;
  return output ? checkTuple(places + most - static_cast<int64_t>(output->size()), 1, most)
                : std::nullopt;
}

LogicalResult GatherNDOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getData(), "data (C1)", 1)) ||
      failed(infer.requireRank(getIndices(), "indices (C1)", 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData()),
                                      indices = infer.extents(getIndices());
  int64_t batch = getBatchDims();
  for (const std::optional<ArrayRef<ExtentAttr>> &extents : {data, indices})
    if (batch < 0 || (extents && batch >= static_cast<int64_t>(extents->size())))
      return infer.emitError() << "has batch_dims out of range (C2, got " << batch << ")";
  std::optional<int64_t> tuple = getTupleLength();
  if (!data || !tuple) {
    infer.setUnranked(0, element);
    return success();
  }
  int64_t most = data->size() - batch;
  if (*tuple < 1 || *tuple > most)
    return infer.emitError() << "has tuples of a wrong length (C3, got " << *tuple << ", need 1 to "
                             << most << ")";
  if (failed(infer.requireEqual(indices->back(), infer.constant(*tuple), "a tuple (C3)")))
    return failure();
  SmallVector<ExtentAttr> result;
  for (auto [got, need] : llvm::zip(indices->take_front(batch), *data)) {
    if (failed(infer.requireEqual(got, need, "the batch axes of data (C4)")))
      return failure();
    result.push_back(got.isConstant() ? got : need);
  }
  llvm::append_range(result, indices->drop_back().drop_front(batch));
  llvm::append_range(result, data->drop_front(batch + *tuple));
  infer.setResult(0, element, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

LogicalResult ScatterElementsOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyScatterReduction(infer, getReduction())) ||
      failed(infer.requireRank(getData(), "data (C1)", 1)))
    return failure();
  infer.setType(0, getData().getType());
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData()),
                                      indices = infer.extents(getIndices()),
                                      updates = infer.extents(getUpdates());
  if (!data)
    return success();
  int64_t rank = data->size();
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), rank, "axis (C2)");
  if (failed(axis) || failed(infer.requireRank(getIndices(), "indices (C1)", rank, rank)) ||
      failed(infer.requireRank(getUpdates(), "updates (C1)", rank, rank)) ||
      failed(verifyIndices(infer, getIndices(), (*data)[*axis], "C5")))
    return failure();
  if (indices && updates)
    for (auto [got, need] : llvm::zip_equal(*updates, *indices))
      if (failed(infer.requireEqual(got, need, "indices (C3)")))
        return failure();
  std::optional<KnownTensor> target = infer.known(getData()), places = infer.known(getIndices()),
                             news = infer.known(getUpdates());
  if (!target || !places || !news)
    return success();
  bool complete = true;
  forEachIndex(places->shape, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> place = places->at(index).getConstant();
    SmallVector<int64_t> to(index);
    to[*axis] = place ? *wrapIndex(*place, target->shape[*axis]) : 0; // in range, by C5
    complete &= place.has_value() &&
                llvm::all_of(llvm::zip_equal(to, target->shape),
                             [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
    if (!complete)
      return;
    ExtentAttr &element = target->elements[linearize(to, target->shape)];
    element = combineUpdate(getReduction(), element, news->at(index));
  });
  if (complete)
    infer.setValues(0, target->elements);
  return success();
}

namespace {
/// Writes the updates of a ScatterND whose operands are known; false when that cannot be followed.
bool scatterTuples(KnownTensor &target, const KnownTensor &tuples, const KnownTensor &updates,
                   StringRef reduction) {
  ArrayRef<int64_t> grid = ArrayRef(tuples.shape).drop_back();
  int64_t length = tuples.shape.back();
  ArrayRef<int64_t> sliceShape = ArrayRef(target.shape).drop_front(length);
  bool followed = true;
  forEachIndex(grid, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> to, tuple(index);
    for (int64_t number = 0; number < length; ++number) {
      tuple.push_back(number);
      std::optional<int64_t> place = tuples.at(tuple).getConstant();
      tuple.pop_back();
      std::optional<int64_t> wrapped =
          place ? wrapIndex(*place, target.shape[number]) : std::nullopt;
      followed &= wrapped.has_value();
      to.push_back(wrapped.value_or(0));
    }
    if (!followed)
      return;
    forEachIndex(sliceShape, [&](ArrayRef<int64_t> inner) {
      SmallVector<int64_t> written(to), from(index);
      llvm::append_range(written, inner);
      llvm::append_range(from, inner);
      ExtentAttr &element = target.elements[linearize(written, target.shape)];
      element = combineUpdate(reduction, element, updates.at(from));
    });
  });
  return followed;
}
} // namespace

std::optional<int64_t> ScatterNDOp::getTupleLength() {
  std::optional<ArrayRef<ExtentAttr>> data = getExtentsOf(getData()),
                                      indices = getExtentsOf(getIndices()),
                                      updates = getExtentsOf(getUpdates());
  if (!indices || indices->back().isConstant() || !data || !updates)
    return indices ? indices->back().getConstant() : std::nullopt;
  auto rank = static_cast<int64_t>(data->size());
  auto places = static_cast<int64_t>(indices->size()) - 1;
  return checkTuple(places + rank - static_cast<int64_t>(updates->size()), 0, rank);
}

LogicalResult ScatterNDOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyScatterReduction(infer, getReduction())) ||
      failed(infer.requireRank(getData(), "data (C1)", 1)) ||
      failed(infer.requireRank(getIndices(), "indices (C1)", 1)))
    return failure();
  infer.setType(0, getData().getType());
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getData()),
                                      indices = infer.extents(getIndices()),
                                      updates = infer.extents(getUpdates());
  std::optional<int64_t> tuple = getTupleLength();
  if (!data || !tuple)
    return success();
  if (*tuple < 0 || *tuple > static_cast<int64_t>(data->size()))
    return infer.emitError() << "has tuples of a wrong length (C2, got " << *tuple
                             << ", need at most " << data->size() << ")";
  if (failed(infer.requireEqual(indices->back(), infer.constant(*tuple), "a tuple (C2)")))
    return failure();
  SmallVector<ExtentAttr> need(indices->drop_back());
  llvm::append_range(need, data->drop_front(*tuple));
  if (failed(infer.requireRank(getUpdates(), "updates (C3)", need.size(), need.size())))
    return failure();
  for (auto [g, n] : llvm::zip(updates.value_or(ArrayRef<ExtentAttr>()), need))
    if (failed(infer.requireEqual(g, n, "the slices that indices name (C3)")))
      return failure();
  std::optional<KnownTensor> target = infer.known(getData()), tuples = infer.known(getIndices()),
                             news = infer.known(getUpdates());
  if (target && tuples && news && scatterTuples(*target, *tuples, *news, getReduction()))
    infer.setValues(0, target->elements);
  return success();
}

LogicalResult TensorScatterOp::inferExtents(ExtentInference &infer) {
  if (getMode() != "linear" && getMode() != "circular")
    return infer.emitError() << "has an unknown mode (C5) (got " << cameo::quoteText(getMode())
                             << ")";
  if (failed(infer.requireRank(getPastCache(), "past_cache (C1)", 2)) ||
      failed(infer.requireRank(getWriteIndices(), "write_indices (C4)", 1, 1)))
    return failure();
  infer.setType(0, getPastCache().getType());
  std::optional<ArrayRef<ExtentAttr>> cache = infer.extents(getPastCache()),
                                      update = infer.extents(getUpdate());
  if (!cache)
    return success();
  int64_t rank = cache->size();
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), rank, "axis (C2)");
  if (failed(axis) || failed(infer.requireRank(getUpdate(), "update (C1)", rank, rank)))
    return failure();
  if (*axis == 0)
    return infer.emitError() << "writes along the axis of the batch (C2)";
  std::optional<ArrayRef<ExtentAttr>> places =
      getWriteIndices() ? infer.extents(getWriteIndices()) : std::nullopt;
  if (places && failed(infer.requireEqual(places->front(), cache->front(), "the batch (C4)")))
    return failure();
  for (int64_t number = 0; update && number < rank; ++number) {
    ExtentAttr got = (*update)[number], need = (*cache)[number];
    if (number != *axis && failed(infer.requireEqual(got, need, "past_cache (C1)")))
      return failure();
    if (number == *axis && got.isConstant() && need.isConstant() &&
        *got.getConstant() > *need.getConstant())
      return infer.emitError() << "writes more than the cache holds (C3, got " << *got.getConstant()
                               << ", need at most " << *need.getConstant() << ")";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult OneHotOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(2);
  if (failed(infer.requireOneElement(getDepth(), "depth (C1)")))
    return failure();
  if (std::optional<ArrayRef<ExtentAttr>> values = infer.extents(getValues()))
    if (failed(infer.requireRank(getValues(), "values (C2)", 1, 1)) ||
        failed(infer.requireEqual(values->front(), infer.constant(2), "values (C2)")))
      return failure();
  ExtentAttr depth = infer.scalar(getDepth());
  // A float is truncated.
  if (isa<FloatType>(infer.elementType(1))) {
    std::optional<SmallVector<double>> real = infer.floatConstants(getDepth());
    if (real && !(std::abs(real->front()) < 0x1p62))
      return infer.emitError() << "has a depth that is no extent (C1)";
    depth = real ? infer.constant(static_cast<int64_t>(real->front()))
                 : infer.counted("depth", infer.unknown());
  }
  if (depth.isConstant() && *depth.getConstant() < 0)
    return infer.emitError() << "has a negative depth (C1, got " << *depth.getConstant() << ")";
  std::optional<ArrayRef<ExtentAttr>> indices = infer.extents(getIndices());
  if (!indices) {
    infer.setUnranked(0, element);
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), indices->size() + 1, "axis (C3)");
  if (failed(axis))
    return failure();
  SmallVector<ExtentAttr> result(*indices);
  result.insert(result.begin() + *axis, depth);
  infer.setResult(0, element, result);
  return success();
}

LogicalResult TopKOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireOneElement(getK(), "K (C2)")))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX());
  if (!input) {
    infer.setUnranked(0, infer.elementType(0));
    infer.setUnranked(1, infer.int64Type());
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), input->size(), "axis (C1)");
  if (failed(axis))
    return failure();
  ExtentAttr extent = (*input)[*axis], count = infer.scalar(getK());
  std::optional<int64_t> size = extent.getConstant(), k = count.getConstant();
  if (k && (*k < 0 || (size && *k > *size)))
    return infer.emitError() << "has K out of range (C2, got " << *k << ", need at least 0 and at "
                             << "most " << extent.str() << ")";
  // An integer of the device is a count, unless it is made of dims that are within the extent.
  bool isWithin = !count.isUnknown() &&
                  provablyLessEqual(infer.constant(0), count, infer.facts()) &&
                  provablyLessEqual(count, extent, infer.facts());
  if (count.isUnknown() || (infer.isOnDevice(count) && !isWithin))
    count = infer.counted("k", infer.bound(getK(), extent));
  SmallVector<ExtentAttr> result(*input);
  result[*axis] = count;
  infer.setResult(0, infer.elementType(0), result);
  infer.setResult(1, infer.int64Type(), result);
  return success();
}

//===----------------------------------------------------------------------===//
// As many elements as the data say
//===----------------------------------------------------------------------===//

LogicalResult NonZeroOp::inferExtents(ExtentInference &infer) {
  SymTensorType input = infer.type(getX());
  if (!input.hasRank()) {
    infer.setResult(0, infer.int64Type(), {infer.unknown(), infer.unknown()});
    return success();
  }
  ExtentAttr count = infer.counted("nonzero", input.getNumElements(), getX());
  infer.setResult(0, infer.int64Type(), {infer.constant(input.getRank()), count});
  return success();
}

LogicalResult CompressOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getInput(), "input (C1)", 1)) ||
      failed(infer.requireRank(getCondition(), "condition (C1)", 1, 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput()),
                                      condition = infer.extents(getCondition());
  if (!input) {
    if (getAxis())
      infer.setUnranked(0, element);
    else
      infer.setResult(0, element, {infer.unknown()});
    return success();
  }
  SmallVector<ExtentAttr> result;
  int64_t along = 0;
  if (getAxis()) {
    FailureOr<int64_t> axis = infer.normalizeAxis(*getAxis(), input->size(), "axis (C2)");
    if (failed(axis))
      return failure();
    along = *axis;
    result.assign(input->begin(), input->end());
  } else {
    result.push_back(infer.type(getInput()).getNumElements());
  }
  // Neither more than there are nor more than there are conditions.
  ExtentAttr bound = result[along];
  if (condition)
    bound = simplify(bound.min(condition->front()), infer.facts());
  result[along] = infer.counted("compressed", bound, getCondition());
  infer.setResult(0, element, result);
  return success();
}

LogicalResult UniqueOp::inferExtents(ExtentInference &infer) {
  SymTensorType input = infer.type(getX());
  Type element = input.getElementType();
  ExtentAttr along = infer.unknown();
  SmallVector<ExtentAttr> result;
  if (!input.hasRank()) {
    if (getAxis())
      infer.setUnranked(0, element);
    else
      infer.setResult(0, element, {infer.unknown()});
    for (unsigned number : {1, 2, 3})
      infer.setResult(number, infer.int64Type(), {infer.unknown()});
    return success();
  }
  ExtentAttr count;
  if (getAxis()) {
    FailureOr<int64_t> axis = infer.normalizeAxis(*getAxis(), input.getRank(), "axis (C1)");
    if (failed(axis))
      return failure();
    result.assign(input.getExtents().begin(), input.getExtents().end());
    along = result[*axis];
    count = result[*axis] = infer.counted("unique", along);
  } else {
    along = input.getNumElements();
    count = infer.counted("unique", along);
    result.push_back(count);
  }
  infer.setResult(0, element, result);
  infer.setResult(1, infer.int64Type(), {count});
  infer.setResult(2, infer.int64Type(), {along});
  infer.setResult(3, infer.int64Type(), {count});
  return success();
}

LogicalResult NonMaxSuppressionOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getBoxes(), "boxes (C1)", 3, 3)) ||
      failed(infer.requireRank(getScores(), "scores (C1)", 3, 3)))
    return failure();
  for (auto [value, name] : llvm::zip_equal(
           SmallVector<Value>{getMaxOutputBoxesPerClass(), getIouThreshold(), getScoreThreshold()},
           std::array<StringRef, 3>{"max_output_boxes_per_class (C2)", "iou_threshold (C2)",
                                    "score_threshold (C2)"}))
    if (failed(infer.requireOneElement(value, name)))
      return failure();
  std::optional<ArrayRef<ExtentAttr>> boxes = infer.extents(getBoxes()),
                                      scores = infer.extents(getScores());
  if (boxes && scores &&
      (failed(infer.requireEqual((*boxes)[0], (*scores)[0], "the batches of scores (C1)")) ||
       failed(infer.requireEqual((*boxes)[1], (*scores)[2], "the boxes of scores (C1)"))))
    return failure();
  if (boxes && failed(infer.requireEqual((*boxes)[2], infer.constant(4), "a box (C1)")))
    return failure();
  ExtentAttr count = infer.constant(0); // without a maximum, that is 0
  if (getMaxOutputBoxesPerClass()) {
    ExtentAttr most = infer.scalar(getMaxOutputBoxesPerClass());
    ExtentAttr bound = infer.unknown();
    if (scores) {
      ExtentAttr perClass = (*scores)[2];
      if (!most.isUnknown())
        perClass = perClass.min(most).max(0);
      bound = simplify((*scores)[0] * (*scores)[1] * perClass, infer.facts());
    }
    count = bound.isConstant(0) ? bound : infer.counted("selected", bound);
  }
  infer.setResult(0, infer.int64Type(), {count, infer.constant(3)});
  return success();
}
