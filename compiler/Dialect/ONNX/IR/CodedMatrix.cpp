// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/CodedMatrix.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

static constexpr StringLiteral kAllowsBytes = "cameo.allows_bytes";

void cameo::onnx::allowBytes(DequantizeLinearOp op) {
  op->setDiscardableAttr(kAllowsBytes, UnitAttr::get(op.getContext()));
}

bool cameo::onnx::allowsBytes(DequantizeLinearOp op) {
  return static_cast<bool>(op->getDiscardableAttr(kAllowsBytes));
}

/// The kernel of a role among those that compute the module's program, if it takes elements of a
/// type; null for none. One that takes over the calls of another sums in an order of its own.
static const prog::KernelTemplate *findKernel(Operation *op, Type type, prog::TemplateRole role) {
  TargetAttr target = TargetAttr::lookup(op);
  const prog::KernelTemplate *kernel =
      target ? prog::findTemplate(role, target.getComputing().getKernels()) : nullptr;
  bool isExact = PrecisionAttr::lookup(op) == Precision::Exact;
  bool takes =
      kernel && kernel->operands.front().takes(type) && !(isExact && !kernel->replaces.empty());
  return takes ? kernel : nullptr;
}

/// Rows that have a scale in common, as bytes too: with more of them, one that is large takes away
/// more of what the others are.
static constexpr int64_t kLongestGroupOfBytes = 256;

/// The kernel of products by a matrix whose groups are so long.
static const prog::KernelTemplate *findKernel(DequantizeLinearOp op, int64_t group) {
  Type type = elementTypeOf(op.getY());
  const prog::KernelTemplate *byBytes = nullptr;
  if (allowsBytes(op) && group <= kLongestGroupOfBytes &&
      PrecisionAttr::lookup(op) <= Precision::Fast)
    byBytes = findKernel(op, type, prog::TemplateRole::ProductOfCodesByBytes);
  return byBytes ? byBytes : findKernel(op, type, prog::TemplateRole::ProductOfCodes);
}

/// The shape of a constant; none where `value` is no constant of numbers.
static std::optional<ArrayRef<int64_t>> getConstantShape(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<ElementsAttr>(constant.getValueAttr()) : ElementsAttr();
  if (!elements || !elements.getElementType().isIntOrFloat())
    return std::nullopt;
  return cast<RankedTensorType>(elements.getType()).getShape();
}

/// How many rows have a scale in common; none where scales are not for groups of rows.
static std::optional<int64_t> getGroup(DequantizeLinearOp op, int64_t columnAxis,
                                       ArrayRef<int64_t> shape, ArrayRef<int64_t> scales) {
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + 2 : op.getAxis();
  int64_t rows = shape[1 - columnAxis], columns = shape[columnAxis];
  if (op.getBlockSize() == 0)
    return axis == columnAxis && scales.size() == 1 && scales[0] == columns && columns > 1
               ? std::optional(std::max<int64_t>(rows, 1))
               : std::nullopt;
  bool isOfRows = axis == 1 - columnAxis && scales.size() == 2 && scales[columnAxis] == columns &&
                  scales[1 - columnAxis] == llvm::divideCeil(rows, op.getBlockSize());
  return isOfRows ? std::optional(op.getBlockSize()) : std::nullopt;
}

std::optional<CodedMatrix> cameo::onnx::matchCodedMatrix(DequantizeLinearOp op,
                                                         int64_t columnAxis) {
  std::optional<ArrayRef<int64_t>> shape = getConstantShape(op.getX()),
                                   scales = getConstantShape(op.getXScale());
  auto codes = dyn_cast<IntegerType>(elementTypeOf(op.getX()));
  if (!shape || shape->size() != 2 || !scales || !codes ||
      !llvm::is_contained({2u, 4u, 8u}, codes.getWidth()) ||
      elementTypeOf(op.getXScale()) != elementTypeOf(op.getY()) ||
      (op.getXZeroPoint() && getConstantShape(op.getXZeroPoint()) != scales))
    return std::nullopt;
  std::optional<int64_t> group = getGroup(op, columnAxis, *shape, *scales);
  int64_t rows = (*shape)[1 - columnAxis], together = 32 / codes.getWidth();
  // A number of codes is of one group.
  if (!group || (*group < rows && *group % together != 0))
    return std::nullopt;
  const prog::KernelTemplate *kernel = findKernel(op, std::min(*group, rows));
  if (!kernel)
    return std::nullopt;
  ConstantOp zeroPoints;
  if (op.getXZeroPoint())
    zeroPoints = op.getXZeroPoint().getDefiningOp<ConstantOp>();
  return CodedMatrix{op.getX().getDefiningOp<ConstantOp>(),
                     op.getXScale().getDefiningOp<ConstantOp>(),
                     zeroPoints,
                     columnAxis,
                     (*shape)[columnAxis],
                     rows,
                     *group,
                     codes.getWidth(),
                     !codes.isUnsigned(),
                     kernel};
}

std::optional<int64_t> cameo::onnx::getColumnAxis(Operation *user, Value matrix) {
  if (auto product = dyn_cast<MatMulOp>(user); product && product.getA() != matrix)
    return 1;
  if (auto product = dyn_cast<GemmOp>(user);
      product && product.getA() != matrix && product.getC() != matrix && product.getTransA() == 0)
    return product.getTransB() != 0 ? 0 : 1;
  return std::nullopt;
}

bool cameo::onnx::isReadAsCodes(DequantizeLinearOp op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    std::optional<int64_t> axis = getColumnAxis(user, op.getY());
    return axis && matchCodedMatrix(op, *axis);
  });
}
