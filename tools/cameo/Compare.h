// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two tensors agree: |a - b| <= atol + rtol |b| for floats, NaN where NaN is, equal
// elsewhere.

#ifndef CAMEO_TOOLS_COMPARE_H
#define CAMEO_TOOLS_COMPARE_H

#include "Import/TensorData.h"

#include <optional>
#include <string>

namespace cameo::cli {

struct Tolerance {
  double relative = 0, absolute = 0;
};

/// What a dtype is held to unless the user says otherwise. Sums may be in another order, functions
/// another approximation: some units in the last place of what a chain of them gives. Integers, and
/// floats of 8 bits and less, which are conversions and exact, have none.
Tolerance getDefaultTolerance(int32_t elementType);
/// `float32`; escaped number for one that is unknown.
std::string getDataTypeName(int32_t elementType);

struct Comparison {
  bool passed = true;
  /// Where they differ in more than elements: dtype or shape.
  std::string problem;
  double maxAbsolute = 0, maxRelative = 0;
  /// What was allowed, and the largest share of it that an element uses: 1 is just allowed.
  Tolerance tolerance;
  double share = 0;
  /// Of the element furthest beyond its tolerance, or just the largest difference; empty when all
  /// are equal.
  std::vector<int64_t> worstIndex;
  double worstGot = 0, worstExpected = 0;
};

Comparison compareTensors(const TensorData &got, const TensorData &expected,
                          std::optional<double> relative, std::optional<double> absolute);

/// Element `index` as a number; integers of 64 bits are rounded. NaN for a dtype without one.
double getElement(const TensorData &tensor, int64_t index);
int64_t getNumElements(const TensorData &tensor);
bool isStrings(const TensorData &tensor);
/// Whether elements may be NaN.
bool hasFloats(const TensorData &tensor);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_COMPARE_H
