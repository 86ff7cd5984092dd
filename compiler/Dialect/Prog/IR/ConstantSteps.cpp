// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types behind steps of constants, and the verifier of weights.

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/ColumnBlocks.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "cameo/pack/winograd.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// Replaces `type` by a dense one of `shape`.
static void setShape(SymTensorType &type, ArrayRef<int64_t> shape) {
  SmallVector<ExtentAttr> extents;
  for (int64_t extent : shape)
    extents.push_back(ExtentAttr::constant(type.getContext(), extent));
  type = type.withExtents(extents);
}

/// The extents of a dense tensor whose step is `step`.
static FailureOr<SmallVector<int64_t>> getShape(Attribute step, SymTensorType type,
                                                function_ref<InFlightDiagnostic()> emitError) {
  RankedTensorType dense = type.getLayout() ? RankedTensorType() : type.getStaticType();
  if (!dense)
    return emitError() << step << " does not take " << type << ": need a dense tensor";
  return SmallVector<int64_t>(dense.getShape());
}

/// The same of taps [OC, IC, K, K].
static FailureOr<SmallVector<int64_t>> getTaps(Attribute step, SymTensorType type,
                                               function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<SmallVector<int64_t>> shape = getShape(step, type, emitError);
  if (succeeded(shape) && (shape->size() != 4 || (*shape)[2] != (*shape)[3]))
    return emitError() << step << " does not take " << type << ": need taps [OC, IC, K, K]";
  return shape;
}

LogicalResult PhasesAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stride,
                                 int64_t block) {
  if (stride < 1 || block < 1)
    return emitError() << "needs a stride and a block of 1 or more";
  return success();
}

LogicalResult PhasesAttr::apply(SymTensorType &type,
                                function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> taps = getTaps(*this, type, emitError);
  if (failed(taps))
    return failure();
  int64_t side = llvm::divideCeil((*taps)[3], getStride());
  patch_channels channels{getStride() * getStride(), getBlock()};
  setShape(type, {(*taps)[0], channels.count((*taps)[1]), side, side});
  return success();
}

LogicalResult JoinedGroupsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t groups,
                                       int64_t count) {
  if (groups < 1 || count < 1 || groups % count != 0)
    return emitError() << "needs groups, and a count that divides them";
  return success();
}

LogicalResult JoinedGroupsAttr::apply(SymTensorType &type,
                                      function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape = getShape(*this, type, emitError);
  if (failed(shape))
    return failure();
  if (shape->size() < 2 || shape->front() % getGroups() != 0)
    return emitError() << *this << " does not take " << type
                       << ": need taps [OC, IC, ...] with outputs for each group";
  (*shape)[1] *= getCount(); // checked: by the memory of the elements
  setShape(type, *shape);
  return success();
}

LogicalResult WinogradAttr::apply(SymTensorType &type,
                                  function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> taps = getTaps(*this, type, emitError);
  if (failed(taps))
    return failure();
  if (!type.getElementType().isF32() || !is_winograd(getTile(), (*taps)[3]))
    return emitError() << *this << " does not take " << type
                       << ": need taps of f32 for which there are such tiles";
  int64_t size = getTile() + (*taps)[3] - 1;
  setShape(type, {size * size, (*taps)[0], (*taps)[1]});
  return success();
}

bool WinogradAttr::isMovement() const { return false; }

LogicalResult SumAttr::apply(SymTensorType &type,
                             function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape = getShape(*this, type, emitError);
  if (failed(shape))
    return failure();
  if (shape->empty() || !type.getElementType().isSignlessInteger(8))
    return emitError() << *this << " does not take " << type << ": need i8 along an axis or more";
  setShape(type, shape->front());
  type = type.withElementType(IntegerType::get(getContext(), 32));
  return success();
}

bool SumAttr::isMovement() const { return false; }

LogicalResult ColumnsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t axis,
                                  int64_t lanes, int64_t bits, int64_t origin) {
  if (axis < 0 || axis > 1 || lanes < 1)
    return emitError() << "needs an axis of a matrix and a lane or more";
  if (!llvm::is_contained({0, 2, 4, 8}, bits) || origin < 0 || origin >> bits != 0)
    return emitError() << "needs 2, 4 or 8 bits for each element, and an origin of as many";
  return success();
}

LogicalResult ColumnsAttr::apply(SymTensorType &type,
                                 function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape = getShape(*this, type, emitError);
  if (failed(shape))
    return failure();
  Type element = type.getElementType();
  bool fits = getBits() == 0 ? isa<FloatType>(element) : element.isInteger(getBits());
  if (shape->size() != 2 || !fits)
    return emitError() << *this << " does not take " << type
                       << ": need a matrix of floats, or of integers of `bits` bits";
  column_blocks to = getColumnBlocks(*this, *shape);
  setShape(type, {to.blocks(), to.rows(), to.lanes});
  if (getBits() != 0)
    type = type.withElementType(IntegerType::get(getContext(), 32, IntegerType::Unsigned));
  return success();
}

bool ColumnsAttr::isMovement() const { return false; }

//===----------------------------------------------------------------------===//
// WeightOp
//===----------------------------------------------------------------------===//

void WeightOp::build(OpBuilder &builder, OperationState &state, Type output, ElementsAttr value,
                     ArrayRef<Attribute> steps) {
  ArrayAttr all = makeSteps(builder.getContext(), steps, cast<SymTensorType>(output).getLayout());
  build(builder, state, output, value, StringAttr(), all);
}

LogicalResult WeightOp::verify() {
  SymTensorType type = getTypeOf(getValue(), /*layout=*/{}), result = getType();
  if (failed(applySteps(getStepsAttr(), type, [&] { return emitOpError(); })))
    return failure();
  if (type.withSide(result.getSide()) != result)
    return emitOpError() << "is " << type << " behind its steps, need " << result;
  return success();
}
