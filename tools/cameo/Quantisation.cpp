// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Quantisation.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cstring>

using namespace cameo;
using namespace cameo::cli;
using namespace mlir;

namespace {

/// The operators between an output and what quantises it that are looked through; there are few.
constexpr unsigned kMostBetween = 64;

/// Whether the operator rounds its result to steps of a scale that it reads: its record calls that
/// so.
bool quantises(Operation *op) {
  if (isa<onnx::DynamicQuantizeLinearOp>(op))
    return true;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    if (onnx::getOperandName(op, number) == "y_scale")
      return true;
  return false;
}

/// The elements of a constant of floats; none of any other value.
std::vector<double> readScales(Value scale) {
  std::vector<double> scales;
  std::optional<ConstantElements> elements = ConstantElements::read(scale);
  auto type = elements ? dyn_cast<FloatType>(elements->getElementType()) : FloatType();
  if (!type)
    return scales;
  for (int64_t number = 0; number < elements->getNumElements(); ++number) {
    uint64_t bits = 0;
    std::memcpy(&bits, elements->getElement(number),
                std::min<size_t>(elements->getElementBytes(), sizeof bits));
    APFloat value(type.getFloatSemantics(), APInt(type.getWidth(), bits));
    scales.push_back(value.convertToDouble());
  }
  return scales;
}

/// Keeps the smallest of all scales of a quantised value on its way to the output, where it is no
/// longer known which scale belongs to which element.
void keepSmallest(std::vector<double> &scales) {
  if (scales.size() > 1)
    scales.assign(1, *std::min_element(scales.begin(), scales.end()));
}

/// Fills in the steps of `value`; false where its elements are none.
bool findSteps(Value value, Rounding &rounding, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto dequantise = dyn_cast<onnx::DequantizeLinearOp>(op)) {
    Rounding codes;
    std::vector<double> scales = readScales(dequantise.getXScale());
    if (scales.empty() || !findSteps(dequantise.getX(), codes, depth - 1))
      return false;
    rounding.axis = dequantise.getAxis();
    if (dequantise.getBlockSize() != 0)
      keepSmallest(scales);
    rounding.scales = std::move(scales);
    return true;
  }
  if (quantises(op))
    return value == op->getResult(0);
  if (!op->hasTrait<onnx::SelectsElements>())
    return false;
  for (unsigned number = 0; number < op->getNumOperands(); ++number) {
    if (onnx::getOperandClass(op, number) != onnx::OperandClass::Data)
      continue;
    Rounding part;
    if (!findSteps(op->getOperand(number), part, depth - 1))
      return false;
    rounding.scales.insert(rounding.scales.end(), part.scales.begin(), part.scales.end());
  }
  keepSmallest(rounding.scales);
  return true;
}

/// The error of a float of 16 bits or less, or narrower than `width`; 0 for any other result.
double getNarrowError(Operation *op, unsigned width) {
  double error = 0;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<core::SymTensorType>(type);
    auto element = tensor ? dyn_cast<FloatType>(tensor.getElementType()) : FloatType();
    if (element && (element.getWidth() <= 16 || element.getWidth() < width))
      error = std::max(error, core::getElementInfo(element)->relativeTolerance);
  }
  return error;
}

/// Looks at all that `output` follows from.
void findOnTheWay(Value output, Rounding &rounding) {
  auto tensor = dyn_cast<core::SymTensorType>(output.getType());
  auto element = tensor ? dyn_cast<FloatType>(tensor.getElementType()) : FloatType();
  unsigned width = element ? element.getWidth() : 0;
  llvm::DenseSet<Operation *> seen;
  std::vector<Value> pending{output};
  while (!pending.empty()) {
    Value value = pending.back();
    pending.pop_back();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    // An operation reads the operands of the graphs in it.
    op->walk([&](Operation *inner) {
      rounding.isBehindDynamic |= isa<onnx::DynamicQuantizeLinearOp>(inner);
      rounding.narrowError = std::max(rounding.narrowError, getNarrowError(inner, width));
      pending.insert(pending.end(), inner->operand_begin(), inner->operand_end());
    });
  }
}

} // namespace

Rounding cameo::cli::getRounding(Value output) {
  Rounding rounding;
  rounding.isQuantised = findSteps(output, rounding, kMostBetween);
  findOnTheWay(output, rounding);
  return rounding;
}
