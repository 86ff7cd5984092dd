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

bool cameo::isSafeFunction(Operation *op) {
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

std::optional<int64_t> cameo::countSelectable(IfOp branch) {
  auto condition = cast<SymTensorType>(branch.getCond().getType());
  if (!condition.hasRank() || getConstantCount(branch.getCond()) != 1)
    return std::nullopt;
  int64_t count = 0;
  SmallVector<Operation *, 2> yields;
  for (Region &region : branch->getRegions()) {
    yields.push_back(region.front().getTerminator());
    for (Operation &op : region.front().without_terminator()) {
      if (isSafeFunction(&op))
        ++count;
      else if (!isa<ConstantOp, prog::FromExtentsOp>(op))
        return std::nullopt;
    }
  }
  bool canAll = llvm::all_of(branch->getResults(), [&](OpResult result) {
    auto yielded = [&](Operation *yield) {
      return yield->getOperand(result.getResultNumber()).getType();
    };
    return canChoose(condition, result.getType(), yielded(yields[0]), yielded(yields[1]));
  });
  return canAll ? std::optional(count) : std::nullopt;
}
