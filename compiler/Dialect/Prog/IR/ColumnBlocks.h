// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_DIALECT_PROG_IR_COLUMNBLOCKS_H
#define CAMEO_DIALECT_PROG_IR_COLUMNBLOCKS_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "cameo/pack/columns.h"

namespace cameo::prog {

/// Where the step puts the elements of a matrix of this shape.
inline column_blocks getColumnBlocks(ColumnsAttr step, llvm::ArrayRef<int64_t> shape) {
  int64_t together = step.getBits() == 0 ? 1 : 32 / step.getBits();
  return {shape[step.getAxis()], shape[1 - step.getAxis()], step.getLanes(), together};
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_COLUMNBLOCKS_H
