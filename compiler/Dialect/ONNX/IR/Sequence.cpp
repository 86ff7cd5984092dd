// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of sequences and optionals. An extent that the tensors of a sequence do not share is
// unknown in its type, and a counted one in the type of a tensor that is taken out.

#include "Dialect/ONNX/IR/OnnxDialect.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

SequenceType sequenceOf(Type element) { return SequenceType::get(element.getContext(), element); }

/// The tensors of a sequence; null for what is no sequence of tensors.
SymTensorType getTensors(Type type) {
  auto sequence = dyn_cast<SequenceType>(type);
  return sequence ? dyn_cast<SymTensorType>(sequence.getElement()) : SymTensorType();
}

/// `tensor` with a name for every extent that is not known.
SymTensorType nameExtents(ExtentInference &infer, SymTensorType tensor) {
  if (!tensor.hasRank())
    return tensor;
  SmallVector<ExtentAttr> extents(tensor.getExtents());
  for (ExtentAttr &extent : extents)
    if (extent.isUnknown())
      extent = infer.counted("element", extent);
  return tensor.withExtents(extents);
}

} // namespace

//===----------------------------------------------------------------------===//
// Making sequences
//===----------------------------------------------------------------------===//

LogicalResult SequenceConstructOp::inferExtents(ExtentInference &infer) {
  Type joined = getInputs().front().getType();
  for (Value input : getInputs().drop_front()) {
    Type both = infer.join(joined, input.getType());
    if (!both)
      return infer.emitError() << "holds tensors of different element types (got " << joined
                               << " and " << input.getType() << ")";
    joined = both;
  }
  infer.setType(0, sequenceOf(joined));
  return success();
}

LogicalResult SequenceEmptyOp::inferExtents(ExtentInference &infer) {
  Type element = infer.onnxType(getDtype().value_or(1));
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C1, got "
                             << *getDtype() << ")";
  infer.setType(0, sequenceOf(SymTensorType::get(element)));
  return success();
}

LogicalResult SplitToSequenceOp::inferExtents(ExtentInference &infer) {
  SymTensorType input = infer.type(getInput());
  if (failed(infer.requireRank(getSplit(), "split (C2)", 0, 1)))
    return failure();
  if (!input.hasRank()) {
    infer.setType(0, sequenceOf(input));
    return success();
  }
  FailureOr<int64_t> axis = infer.normalizeAxis(getAxis(), input.getRank(), "axis (C1)");
  if (failed(axis))
    return failure();
  SmallVector<ExtentAttr> piece(input.getExtents());
  if (!getSplit()) {
    piece[*axis] = infer.constant(1);
    if (getKeepdims() == 0)
      piece.erase(piece.begin() + *axis);
    infer.setType(0, sequenceOf(input.withExtents(piece)));
    return success();
  }
  std::optional<ArrayRef<ExtentAttr>> shape = infer.extents(getSplit());
  ExtentValues split = infer.values(getSplit()).value_or(ExtentValues());
  bool single = shape && shape->empty();
  ExtentAttr sum = infer.constant(0), whole = piece[*axis];
  for (ExtentAttr size : split) {
    if (size.isConstant() && *size.getConstant() < (single ? 1 : 0))
      return infer.emitError() << "has an element of split out of range (C2, got "
                               << *size.getConstant() << ")";
    sum = sum + size;
  }
  if (!single && !split.empty() && failed(infer.requireEqual(sum, whole, "the sum of split (C3)")))
    return failure();
  bool same = !split.empty() && llvm::all_equal(split);
  if (single && same) // the last piece is smaller unless they fit
    same = split.front().isConstant() &&
           divisibility(whole, infer.facts()) % *split.front().getConstant() == 0;
  piece[*axis] = shape && same ? split.front() : infer.unknown();
  infer.setType(0, sequenceOf(input.withExtents(piece)));
  return success();
}

LogicalResult SequenceInsertOp::inferExtents(ExtentInference &infer) {
  Type joined = infer.join(getInputSequence().getType(), sequenceOf(getTensor().getType()));
  if (!joined)
    return infer.emitError() << "adds a tensor of another element type (C1, got "
                             << getTensor().getType() << " for " << getInputSequence().getType()
                             << ")";
  if (failed(infer.requireOneElement(getPosition(), "position (C2)")))
    return failure();
  // Nothing is known of the tensors of an empty sequence, and nothing needs to be.
  bool wasEmpty = getInputSequence().getDefiningOp<SequenceEmptyOp>() != nullptr;
  infer.setType(0, wasEmpty ? Type(sequenceOf(getTensor().getType())) : joined);
  return success();
}

LogicalResult SequenceEraseOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireOneElement(getPosition(), "position (C1)")))
    return failure();
  infer.setType(0, getInputSequence().getType());
  return success();
}

void SequenceMapOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getGraphEffects(*this, effects);
}

LogicalResult SequenceMapOp::verify() {
  return verifyGraph(*this, getBody(), "body", getNumOperands(), getNumResults(), "C1", "C2");
}

SmallVector<Type> SequenceMapOp::getBodyArgumentTypes(ExtentInference &infer) {
  SmallVector<Type> types;
  for (Value operand : getOperands()) {
    auto sequence = dyn_cast<SequenceType>(operand.getType());
    types.push_back(sequence ? sequence.getElement() : operand.getType());
  }
  return types;
}

LogicalResult SequenceMapOp::inferExtents(ExtentInference &infer) {
  if (failed(verify()))
    return failure();
  for (auto [number, value] : llvm::enumerate(getBody().front().getTerminator()->getOperands())) {
    if (!infer.type(value))
      return infer.emitError() << "has a body that yields no tensor (C2, got " << value.getType()
                               << ")";
    infer.setType(number, sequenceOf(value.getType()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reading sequences
//===----------------------------------------------------------------------===//

LogicalResult SequenceLengthOp::inferExtents(ExtentInference &infer) {
  infer.setResult(0, infer.int64Type(), {});
  Operation *source = getInputSequence().getDefiningOp();
  if (isa_and_nonnull<SequenceConstructOp>(source))
    infer.setValues(0, infer.constant(source->getNumOperands()));
  else if (isa_and_nonnull<SequenceEmptyOp>(source))
    infer.setValues(0, infer.constant(0));
  return success();
}

LogicalResult SequenceAtOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireOneElement(getPosition(), "position (C1)")))
    return failure();
  infer.setType(0, nameExtents(infer, getTensors(getInputSequence().getType())));
  return success();
}

LogicalResult ConcatFromSequenceOp::inferExtents(ExtentInference &infer) {
  if (getNewAxis() != 0 && getNewAxis() != 1)
    return infer.emitError() << "has new_axis other than 0 and 1 (C2, got " << getNewAxis() << ")";
  SymTensorType tensors = getTensors(getInputSequence().getType());
  if (!tensors.hasRank()) {
    infer.setType(0, tensors);
    return success();
  }
  FailureOr<int64_t> axis =
      infer.normalizeAxis(getAxis(), tensors.getRank() + getNewAxis(), "axis (C1)");
  if (failed(axis))
    return failure();
  SmallVector<ExtentAttr> result(tensors.getExtents());
  if (getNewAxis() == 1)
    result.insert(result.begin() + *axis, infer.unknown());
  else
    result[*axis] = infer.unknown();
  infer.setType(0, nameExtents(infer, tensors.withExtents(result)));
  return success();
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

LogicalResult OptionalOp::inferExtents(ExtentInference &infer) {
  std::optional<Type> declared = getType();
  if (!getInput() && !declared)
    return infer.emitError() << "needs an input or a type (C1)";
  if (getInput() && declared && !haveSameElements(*declared, getInput().getType()))
    return infer.emitError() << "has an input of another type than it says (C2, got "
                             << getInput().getType() << ", need " << *declared << ")";
  Type element = getInput() ? getInput().getType() : *declared;
  if (!isa<SymTensorType, SequenceType>(element))
    return infer.emitError() << "cannot hold " << element << " (C1)";
  infer.setType(0, OptionalType::get(getContext(), element));
  return success();
}

LogicalResult OptionalHasElementOp::inferExtents(ExtentInference &infer) {
  infer.setResult(0, infer.boolType(), {});
  if (!getInput())
    infer.setValues(0, infer.constant(0));
  else if (!isa<OptionalType>(getInput().getType()))
    infer.setValues(0, infer.constant(1));
  else if (auto made = getInput().getDefiningOp<OptionalOp>())
    infer.setValues(0, infer.constant(made.getInput() ? 1 : 0));
  return success();
}

LogicalResult OptionalGetElementOp::inferExtents(ExtentInference &infer) {
  Type type = getInput().getType();
  if (auto optional = dyn_cast<OptionalType>(type))
    type = optional.getElement();
  auto tensor = dyn_cast<SymTensorType>(type);
  infer.setType(0, tensor ? Type(nameExtents(infer, tensor)) : type);
  return success();
}
