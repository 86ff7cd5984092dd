// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads constants as extents and runs the scalar bodies of elementwise operators over extents.

#include "Dialect/ONNX/IR/KnownValues.h"

#include "Dialect/ONNX/IR/ScalarBody.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

std::optional<int64_t> cameo::getTrackableElements(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  if (!type || !type.hasRank() || !type.getElementType().isIntOrIndex())
    return std::nullopt;
  std::optional<int64_t> count = type.getNumElements().getConstant();
  return count && *count <= kMaxKnownElements ? count : std::nullopt;
}

namespace {

std::optional<ExtentValues> readConstant(ConstantOp constant) {
  if (!getTrackableElements(constant.getOutput()))
    return std::nullopt;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements)
    return std::nullopt;
  ExtentValues values;
  bool isSigned =
      !elements.getElementType().isUnsignedInteger() && !elements.getElementType().isInteger(1);
  for (const APInt &element : elements.getValues<APInt>()) {
    if (!isSigned && element.getActiveBits() > 63)
      return std::nullopt;
    values.push_back(ExtentAttr::constant(constant.getContext(),
                                          isSigned ? element.getSExtValue()
                                                   : static_cast<int64_t>(element.getZExtValue())));
  }
  return values;
}

} // namespace

std::optional<ExtentValues> KnownValues::lookup(Value value) const {
  if (!value)
    return std::nullopt;
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return readConstant(constant);
  if (auto extents = value.getDefiningOp<FromExtentsOp>())
    return llvm::to_vector_of<ExtentAttr, 8>(
        llvm::map_range(extents.getElements(), llvm::CastTo<ExtentAttr>));
  return std::nullopt;
}

bool KnownValues::isComplete(Value value) const {
  std::optional<ExtentValues> known = lookup(value);
  return known && llvm::none_of(*known, [](ExtentAttr extent) { return extent.isUnknown(); });
}

void KnownValues::set(Value value, ArrayRef<ExtentAttr> elements) {
  std::optional<int64_t> count = getTrackableElements(value);
  if (count && *count == static_cast<int64_t>(elements.size()))
    values[value].assign(elements.begin(), elements.end());
}

//===----------------------------------------------------------------------===//
// Elementwise evaluation
//===----------------------------------------------------------------------===//

namespace {

/// The value of one scalar op whose operands are known, or unknown.
ExtentAttr evaluate(Operation &op, const DenseMap<Value, ExtentAttr> &scalars,
                    const ExtentFacts &facts) {
  ExtentAttr unknown = ExtentAttr::unknown(op.getContext());
  // Extents are integers: arithmetic that passes through floats rounds and is not theirs.
  if (!op.getResult(0).getType().isInteger())
    return unknown;
  if (auto constant = dyn_cast<SConstantOp>(op)) {
    APInt bits = cast<IntegerAttr>(constant.getValue()).getValue();
    bool isBool = bits.getBitWidth() == 1;
    return ExtentAttr::constant(op.getContext(),
                                isBool ? bits.getZExtValue() : bits.getSExtValue());
  }
  SmallVector<ExtentAttr> operands;
  for (Value operand : op.getOperands()) {
    ExtentAttr extent = scalars.lookup(operand);
    if (!extent || extent.isUnknown())
      return unknown;
    operands.push_back(extent);
  }
  // A conversion that could wrap, or to bool, is followed only for values that fit.
  if (auto type = cast<IntegerType>(op.getResult(0).getType()); isa<SCastOp>(op)) {
    ExtentRange fits = getIntegerRange(type);
    // 32 bits hold every extent that a 32-bit shape chain may ask for.
    bool wide = type.getWidth() >= 32;
    if (!wide && fits.unite(range(operands[0], facts)) != fits)
      return unknown;
  }
  ExtentAttr result = cast<ScalarOpInterface>(op).evaluateExtents(operands, facts);
  return result ? simplify(result, facts) : unknown;
}

/// Row-major strides of `type`'s (constant) extents, 0 where it is broadcast, aligned to `rank`
/// axes.
SmallVector<int64_t> getBroadcastStrides(SymTensorType type, size_t rank) {
  SmallVector<int64_t> strides(rank, 0);
  int64_t stride = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    int64_t extent = *type.getExtents()[axis].getConstant();
    strides[rank - type.getRank() + axis] = extent == 1 ? 0 : stride;
    stride *= extent; // checked: the tensor has at most kMaxKnownElements elements
  }
  return strides;
}

} // namespace

void cameo::evaluateElementwise(OnnxOp op, KnownValues &known, const ExtentFacts &facts) {
  if (!op.hasScalarBody() || !getTrackableElements(op->getResult(0)))
    return;
  SmallVector<ExtentValues> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<ExtentValues> values;
    if (!readsElements(op, operand.getOperandNumber()))
      values = ExtentValues{ExtentAttr::unknown(op->getContext())};
    else
      values = known.lookup(operand.get());
    if (!values)
      return;
    operands.push_back(std::move(*values));
  }

  DetachedBody body = buildDetachedBody(op);
  auto resultType = cast<SymTensorType>(op->getResult(0).getType());
  size_t rank = resultType.getRank();
  SmallVector<SmallVector<int64_t>> strides;
  for (OpOperand &operand : op->getOpOperands())
    strides.push_back(readsElements(op, operand.getOperandNumber())
                          ? getBroadcastStrides(cast<SymTensorType>(operand.get().getType()), rank)
                          : SmallVector<int64_t>(rank, 0));
  ExtentValues elements;
  int64_t count = *resultType.getNumElements().getConstant();
  for (int64_t linear = 0; linear < count; ++linear) {
    DenseMap<Value, ExtentAttr> scalars;
    for (auto [number, argument] : llvm::enumerate(body.block->getArguments())) {
      int64_t rest = linear, offset = 0;
      for (size_t axis = rank; axis-- > 0;) {
        int64_t extent = *resultType.getExtents()[axis].getConstant();
        offset += rest % extent * strides[number][axis];
        rest /= extent;
      }
      scalars[argument] = operands[number][offset];
    }
    for (Operation &scalar : *body.block)
      scalars[scalar.getResult(0)] = evaluate(scalar, scalars, facts);
    elements.push_back(scalars.lookup(body.result));
  }
  known.set(op->getResult(0), elements);
}
