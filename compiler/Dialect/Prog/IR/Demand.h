// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prog.assert as a demand of the model: that the condition of an If of which only one branch can be
// run chooses that one. Its location names the operator that says so; an assertion of the user's is
// located at its own text.

#ifndef CAMEO_DIALECT_PROG_IR_DEMAND_H
#define CAMEO_DIALECT_PROG_IR_DEMAND_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Support/NodeLocation.h"

#include "mlir/IR/Builders.h"

namespace cameo::prog {

inline bool isDemand(AssertOp op) {
  llvm::SmallVector<NodeLocation> nodes;
  collectNodes(op.getLoc(), nodes);
  return !nodes.empty() && nodes.front().opType != kAssertionOpType;
}

/// Demands that `condition`, of one element, is `value`, since an operator at `location` cannot be
/// run otherwise.
inline AssertOp demand(mlir::OpBuilder &builder, mlir::Location location, mlir::Value condition,
                       bool value) {
  llvm::SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty())
    location = makeNodeLocation(builder.getContext(), "If", "", {});
  mlir::ArrayAttr wanted =
      builder.getArrayAttr({core::ExtentAttr::constant(builder.getContext(), value)});
  return AssertOp::create(builder, location, condition, wanted, wanted);
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_DEMAND_H
