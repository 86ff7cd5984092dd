// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a planned program needs of its arenas for given extents: as long as a run makes them, and
// the bytes that are alive at once, which no plan can be below.

#ifndef CAMEO_PLAN_ARENANEED_H
#define CAMEO_PLAN_ARENANEED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace cameo {

struct ArenaNeed {
  int64_t bytes = 0, lowerBound = 0;
};

/// The need of all sides together, without the scratch memory of kernels. None where a row's size
/// depends on more than the symbols that have a value.
std::optional<ArenaNeed> getArenaNeed(mlir::func::FuncOp main,
                                      const std::map<std::string, int64_t> &symbols);

} // namespace cameo

#endif // CAMEO_PLAN_ARENANEED_H
