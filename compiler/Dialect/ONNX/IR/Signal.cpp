// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of Fourier transforms and their windows.

#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The value of an operand of one element, which is an extent: unknown, or not negative.
FailureOr<ExtentAttr> readExtent(ExtentInference &infer, Value value, StringRef name) {
  if (failed(infer.requireOneElement(value, name)))
    return failure();
  ExtentAttr extent = infer.scalar(value);
  if (extent.isConstant() && *extent.getConstant() < 0)
    return infer.emitError() << "has a negative " << name << " (got " << *extent.getConstant()
                             << ")";
  return extent;
}

/// Fails when the last extent of `value` is neither 1 (real) nor 2 (complex). The lowering checks
/// one that only the run knows.
LogicalResult requireComplex(ExtentInference &infer, Value value, StringRef name) {
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(value);
  if (!extents || !extents->back().isConstant() || extents->back().isConstant(1) ||
      extents->back().isConstant(2))
    return success();
  return infer.emitError() << "has a last extent of " << name << " other than 1 and 2 (got "
                           << *extents->back().getConstant() << ")";
}

ExtentAttr onesidedBins(ExtentInference &infer, ExtentAttr length) {
  return simplify(length.floorDiv(2) + 1, infer.facts());
}

} // namespace

FailureOr<AxisList> DFTOp::getAxisList(ExtentInference &infer) {
  int64_t rank = infer.extents(getInput())->size();
  if (!getAxis())
    return AxisList::get(infer, infer.constant(-2), rank, "axis (C2)");
  return AxisList::ofOperand(infer, getAxis(), rank, "axis (C2)");
}

FailureOr<ExtentAttr> DFTOp::getLength(ExtentInference &infer, const AxisList &axis) {
  if (getDftLength())
    return readExtent(infer, getDftLength(), "dft_length (C3)");
  ExtentAttr extent = axis.at(0, *infer.extents(getInput()));
  return getOnesided() != 0 && getInverse() != 0 ? (extent - 1) * 2 : extent;
}

LogicalResult DFTOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getInput(), "input (C1)", 2)) ||
      failed(requireComplex(infer, getInput(), "input (C1)")) ||
      failed(infer.requireOneElement(getAxis(), "axis (C2)")))
    return failure();
  bool real = getOnesided() != 0 && getInverse() != 0; // what comes out
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  if (!input) {
    infer.setUnranked(0, infer.elementType(0));
    return success();
  }
  if (getOnesided() != 0 && input->back().isConstant(real ? 1 : 2))
    return infer.emitError() << "is onesided and has " << (real ? "real" : "complex")
                             << " input (C4)";
  if (getOnesided() != 0 && failed(infer.requireEqual(input->back(), infer.constant(real ? 2 : 1),
                                                      "the parts of a number (C4)")))
    return failure();
  FailureOr<AxisList> axis = getAxisList(infer);
  if (failed(axis))
    return failure();
  int64_t last = input->size() - 1;
  if (axis->contains(last).isConstant(1))
    return infer.emitError() << "transforms the axis of real and imaginary parts (C2)";
  FailureOr<ExtentAttr> length = getLength(infer, *axis);
  if (failed(length))
    return failure();
  if (getOnesided() != 0 && getInverse() == 0)
    length = onesidedBins(infer, *length);
  SmallVector<ExtentAttr> result;
  for (int64_t number = 0; number < last; ++number)
    result.push_back(axis->select(number, *length, (*input)[number]));
  result.push_back(infer.constant(real ? 1 : 2));
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

bool STFTOp::hasParts() {
  auto type = cast<SymTensorType>(getSignal().getType());
  return type.hasRank() && type.getRank() == 3;
}

LogicalResult STFTOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> signal = infer.extents(getSignal());
  if (failed(infer.requireRank(getSignal(), "signal (C1)", 2, 3)) ||
      (hasParts() && failed(requireComplex(infer, getSignal(), "signal (C1)"))) ||
      failed(infer.requireRank(getWindow(), "window (C3)", 1, 1)))
    return failure();
  FailureOr<ExtentAttr> step = readExtent(infer, getFrameStep(), "frame_step (C2)");
  if (failed(step))
    return failure();
  if (step->isConstant(0))
    return infer.emitError() << "has a frame_step of 0 (C2)";
  std::optional<ArrayRef<ExtentAttr>> window =
      getWindow() ? infer.extents(getWindow()) : std::nullopt;
  ExtentAttr length = signal ? (*signal)[1] : infer.unknown(), frame = length;
  if (getWindow())
    frame = window ? window->front() : infer.unknown();
  if (getFrameLength()) {
    FailureOr<ExtentAttr> read = readExtent(infer, getFrameLength(), "frame_length (C3)");
    if (failed(read))
      return failure();
    if (window && failed(infer.requireEqual(window->front(), *read, "frame_length (C3)")))
      return failure();
    frame = *read;
  }
  std::optional<int64_t> all = length.getConstant(), part = frame.getConstant();
  if (all && part && *part > *all)
    return infer.emitError() << "has frames longer than the signal (C4, got " << *part
                             << ", need at most " << *all << ")";
  ExtentAttr frames = simplify((length - frame).floorDiv(step->max(1)) + 1, infer.facts());
  infer.setResult(0, infer.elementType(0),
                  {signal ? signal->front() : infer.unknown(), frames,
                   getOnesided() != 0 ? onesidedBins(infer, frame) : frame, infer.constant(2)});
  return success();
}

LogicalResult cameo::onnx::inferWindowFunction(ExtentInference &infer, int64_t dtype) {
  FailureOr<ExtentAttr> size = readExtent(infer, infer.getOperation()->getOperand(0), "size (C1)");
  if (failed(size))
    return failure();
  Type element = infer.onnxType(dtype);
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C2, got "
                             << dtype << ")";
  infer.setResult(0, element, {*size});
  return success();
}

LogicalResult MelWeightMatrixOp::inferExtents(ExtentInference &infer) {
  for (Value operand : {getSampleRate(), getLowerEdgeHertz(), getUpperEdgeHertz()})
    if (failed(infer.requireOneElement(operand, "a parameter (C1)")))
      return failure();
  FailureOr<ExtentAttr> bins = readExtent(infer, getNumMelBins(), "num_mel_bins (C1)");
  if (failed(bins))
    return failure();
  FailureOr<ExtentAttr> length = readExtent(infer, getDftLength(), "dft_length (C1)");
  if (failed(length))
    return failure();
  Type element = infer.onnxType(getOutputDatatype());
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C2, got "
                             << getOutputDatatype() << ")";
  infer.setResult(0, element, {onesidedBins(infer, *length), *bins});
  return success();
}
