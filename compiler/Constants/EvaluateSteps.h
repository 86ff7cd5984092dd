// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// evaluate(step, shape, elements) for each step of ConstantSteps.td (Steps.def is written from it):
// all elements behind it, of those of `shape` in front of it.

#ifndef CAMEO_CONSTANTS_EVALUATESTEPS_H
#define CAMEO_CONSTANTS_EVALUATESTEPS_H

#include "Constants/PackElements.h"
#include "Dialect/Prog/IR/ProgDialect.h"

#include <vector>

namespace cameo {

#define CAMEO_STEP(Attribute)                                                                      \
  std::vector<char> evaluate(prog::Attribute step, llvm::ArrayRef<int64_t> shape,                  \
                             const WeightElements &elements);
#include "Constants/Steps.def"

} // namespace cameo

#endif // CAMEO_CONSTANTS_EVALUATESTEPS_H
