// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Place weighs against each other, in nanoseconds: the target's, and what is assumed of
// models.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H

#include "Dialect/Core/IR/CoreDialect.h"

#include <cstdint>

namespace cameo {

/// The costs of a target with a device. Target/Machines.td says what each is.
struct CrossingCosts {
  explicit CrossingCosts(core::TargetAttr target);

  int64_t readback, upload, input, launch, count, select, selectedOperator;
  int64_t hostOperator, hostElement, bytesPerNanosecond;
};

} // namespace cameo

namespace cameo::costs {

/// More weigh no more: sums of costs stay below MinimumCut::kNever.
inline constexpr int64_t kMaxElements = int64_t(1) << 20;
inline constexpr int64_t kMaxBytes = int64_t(1) << 30;
/// Iterations of a loop whose number is not known.
inline constexpr int64_t kUnknownTrips = 8;
/// More iterations weigh no more.
inline constexpr int64_t kMaxTrips = int64_t(1) << 20;

} // namespace cameo::costs

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H
