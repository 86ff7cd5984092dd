// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/Selects.h"

#include "Dialect/ONNX/Analysis/Needs.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

/// Whether `Where` on a condition of one element gives this very type.
static bool canChoose(SymTensorType condition, Type wanted, Type then, Type other) {
  auto result = dyn_cast<SymTensorType>(wanted);
  return result && !isHostOnly(result) && then == wanted && other == wanted && result.hasRank() &&
         condition.getRank() <= result.getRank();
}

/// Whether the operator is a scalar function, and its operands are known to fit: it cannot fail
/// then.
static bool isSafeFunction(Operation *op) {
  auto function = dyn_cast<OnnxOp>(op);
  if (!function || !function.hasScalarBody())
    return false;
  auto result = dyn_cast<SymTensorType>(op->getResult(0).getType());
  return result && result.hasRank() && llvm::all_of(op->getOperandTypes(), [&](Type type) {
           auto operand = dyn_cast<SymTensorType>(type);
           if (!operand || !operand.hasRank() || operand.getRank() > result.getRank())
             return false;
           return llvm::all_of(llvm::zip_equal(operand.getExtents(),
                                               result.getExtents().take_back(operand.getRank())),
                               [](auto pair) {
                                 auto [extent, whole] = pair;
                                 return extent == whole || extent.getConstant() == 1;
                               });
         });
}

/// Whether the operator takes time in proportion to its data, of which none decide an extent.
static bool isCheap(Operation *op) {
  return op->hasTrait<LinearTime>() && isSpeculatable(op) && !getRequiredSide(op) &&
         llvm::all_of(op->getOpOperands(), [](OpOperand &operand) {
           return getNeed(operand) != Need::Host || isOnBothSides(operand.get());
         });
}

/// Whether the operator takes time in proportion to its data, and nothing in these makes it fail.
static bool isCheapAndSafe(Operation *op) {
  return isSafeFunction(op) || (isCheap(op) && !op->hasTrait<RaisesInKernel>());
}

/// Whether the operator is cheap, and what makes it fail are integers that only its kernel reads.
static bool raisesInKernel(Operation *op) {
  return isCheap(op) && op->hasTrait<RaisesInKernel>() &&
         llvm::none_of(op->getOperands(), [](Value operand) {
           return elementTypeOf(operand).isInteger() && isOnBothSides(operand);
         });
}

/// Adds what an operator of a branch takes; false where it is not to be computed in vain.
static bool addOperator(Operation *op, Selection &selection) {
  if (isa<ConstantOp, prog::FromExtentsOp>(op))
    return true;
  if (auto inner = dyn_cast<IfOp>(op)) {
    std::optional<Selection> chosen = inner.getSelectsAttr() ? findSelection(inner) : std::nullopt;
    if (chosen)
      selection = {selection.operators + chosen->operators, true};
    return chosen.has_value();
  }
  ++selection.operators;
  selection.mayRaise |= op->hasTrait<RaisesInKernel>();
  return isCheapAndSafe(op) || raisesInKernel(op);
}

std::optional<Selection> cameo::findSelection(IfOp branch) {
  auto condition = cast<SymTensorType>(branch.getCond().getType());
  if (!condition.hasRank() || getConstantCount(branch.getCond()) != 1)
    return std::nullopt;
  Selection selection;
  SmallVector<Operation *, 2> yields;
  for (Region &region : branch->getRegions()) {
    yields.push_back(region.front().getTerminator());
    for (Operation &op : region.front().without_terminator())
      if (!addOperator(&op, selection))
        return std::nullopt;
  }
  bool canAll = llvm::all_of(branch->getResults(), [&](OpResult result) {
    auto yielded = [&](Operation *yield) {
      return yield->getOperand(result.getResultNumber()).getType();
    };
    return canChoose(condition, result.getType(), yielded(yields[0]), yielded(yields[1]));
  });
  return canAll ? std::optional(selection) : std::nullopt;
}
