// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which outputs may be off by more than their type allows although nothing is wrong: the model
// itself rounds in front of them, and a sum that is off by its last bit may round the other way.

#ifndef CAMEO_TOOLS_QUANTISATION_H
#define CAMEO_TOOLS_QUANTISATION_H

#include "mlir/IR/Value.h"

#include <vector>

namespace cameo::cli {

/// How an output is rounded by the model.
struct Rounding {
  /// Whether its elements are steps of a scale that the model has as a constant, or integers that
  /// count such steps.
  bool isQuantised = false;
  /// Scales of floats: the only one, or one for each place along `axis`.
  std::vector<double> scales;
  int64_t axis = 0;
  /// Whether it follows from what a DynamicQuantizeLinear rounds, whose scale follows from the
  /// data.
  bool isBehindDynamic = false;
  /// The relative tolerance of the least exact float that it follows from, of those that have 16
  /// bits or less or are narrower than its own; 0 where there is none.
  double narrowError = 0;
};

/// `output`: a result of the imported model.
Rounding getRounding(mlir::Value output);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_QUANTISATION_H
