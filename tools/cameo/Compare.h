// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two tensors agree: |a - b| <= atol + rtol |b| for floats, NaN where NaN is, equal
// elsewhere; or what else an output is allowed for a reason that the verdict names.

#ifndef CAMEO_TOOLS_COMPARE_H
#define CAMEO_TOOLS_COMPARE_H

#include "Import/TensorData.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo::cli {

struct Tolerance {
  double relative = 0, absolute = 0;
};

/// The tolerance of a dtype unless the user sets another. Sums may be in another order, functions
/// another approximation: some units in the last place of the result of a chain of them. Integers,
/// and floats of 8 bits and less, come from exact conversions and have none.
Tolerance getDefaultTolerance(int32_t elementType);
/// `float32`; escaped number for one that is unknown.
std::string getDataTypeName(int32_t elementType);

/// The measures by which an output passes.
struct Allowance {
  /// None: those of its type.
  std::optional<double> relative, absolute;
  /// Share of the largest element by which floats may be off wherever that element is below
  /// kLargestBound: sums that cancel keep the error of their largest part. None: a hundredth of the
  /// type's `relative`, or nothing where the user has given either of the above.
  std::optional<double> largest;
  /// Steps by which a quantised output may be off. A step is 1 for integers; for floats it is the
  /// scale for the element's place along `axis`, or the only one.
  double steps = 0;
  std::vector<double> scales = {};
  int64_t axis = 0;
  /// The relative L2 norm of the difference that is enough; 0: none is.
  double norm = 0;
};
inline constexpr double kLargestBound = 1e4;

/// By what an output passed, from the strictest on; what failed was held to all that it is allowed.
enum class Measure { Tolerance, Largest, Steps, Norm };
/// `tolerance`, `largest`, `steps`, `norm`.
llvm::StringRef getMeasureName(Measure measure);

struct Comparison {
  bool passed = true;
  /// Where they differ in more than elements: dtype or shape.
  std::string problem;
  double maxAbsolute = 0, maxRelative = 0;
  Measure measure = Measure::Tolerance;
  /// The allowed tolerance, and the largest share of it that was used: 1 is just allowed.
  Tolerance tolerance;
  double share = 0;
  /// Results of the other measures: the largest expected element, and the difference that it allows
  /// an element; the largest step; the relative L2 norm. 0 where they do not apply.
  double largest = 0, largestAllowed = 0, step = 0, norm = 0;
  /// Index of the element furthest beyond its tolerance, or of the largest difference; empty when
  /// all are equal.
  std::vector<int64_t> worstIndex;
  double worstGot = 0, worstExpected = 0;
};

Comparison compareTensors(const TensorData &got, const TensorData &expected,
                          const Allowance &allowance);

/// Element `index` as a number; integers of 64 bits are rounded. NaN for a dtype without one.
double getElement(const TensorData &tensor, int64_t index);
int64_t getNumElements(const TensorData &tensor);
bool isStrings(const TensorData &tensor);
/// Whether elements may be NaN.
bool hasFloats(const TensorData &tensor);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_COMPARE_H
