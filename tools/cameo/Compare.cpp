// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include "Support/Diagnostic.h"
#include "Support/ElementTypes.h"
#include "cameo/scalar.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;

namespace {

bool isFloat(const ElementInfo &info) {
  return info.kind == ElementKind::floating || info.kind == ElementKind::complex;
}

/// Complex numbers are pairs of floats.
int64_t getNumParts(const ElementInfo &info) { return info.kind == ElementKind::complex ? 2 : 1; }

template <class T> T load(const std::vector<char> &bytes, int64_t index) {
  T value;
  if constexpr (is_packed_v<T>)
    value = load_packed<T>(reinterpret_cast<const uint8_t *>(bytes.data()), index);
  else
    std::memcpy(&value, bytes.data() + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

/// Part number `index` of the elements in `bytes`; NaN for those that are no numbers.
double getNumber(const ElementInfo &info, const std::vector<char> &bytes, int64_t index) {
  double number = NAN;
  if (info.kind == ElementKind::complex)
    return info.bits == 64 ? static_cast<double>(load<float>(bytes, index))
                           : load<double>(bytes, index);
  with_element(info.number, [&](auto zero) {
    number = cameo::cast<double>(load<decltype(zero)>(bytes, index));
  });
  return number;
}

/// Whether integers are the same; those of 64 bits have more digits than a double.
bool areSameIntegers(const ElementInfo &info, const std::vector<char> &a,
                     const std::vector<char> &b, int64_t index) {
  bool same = false;
  with_element(info.number, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!is_float_v<T>)
      same = cameo::cast<uint64_t>(load<T>(a, index)) == cameo::cast<uint64_t>(load<T>(b, index));
  });
  return same;
}

/// How strings differ; empty where they do not.
std::string compareStrings(const std::vector<std::string> &got,
                           const std::vector<std::string> &expected) {
  if (got.size() != expected.size())
    return fmt::format("got {} strings, need {}", got.size(), expected.size());
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(got, expected)))
    if (auto &[text, wanted] = pair; text != wanted)
      return fmt::format("element {} is {}, need {}", number, quoteText(text), quoteText(wanted));
  return "";
}

std::string describe(const TensorData &tensor) {
  return fmt::format("{}[{}]", getDataTypeName(tensor.elementType), fmt::join(tensor.dims, ", "));
}

std::vector<int64_t> getIndex(int64_t flat, const std::vector<int64_t> &dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t axis = dims.size(); axis-- > 0; flat /= dims[axis])
    index[axis] = flat % dims[axis];
  return index;
}

} // namespace

Tolerance cameo::cli::getDefaultTolerance(int32_t elementType) {
  const ElementInfo *info = findElementInfo(elementType);
  return info ? Tolerance{info->relativeTolerance, info->absoluteTolerance} : Tolerance();
}

std::string cameo::cli::getDataTypeName(int32_t elementType) {
  const ElementInfo *info = findElementInfo(elementType);
  return info ? info->name.str() : fmt::format("dtype{}", elementType);
}

int64_t cameo::cli::getNumElements(const TensorData &tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.dims)
    count *= dim;
  return count;
}

bool cameo::cli::isStrings(const TensorData &tensor) {
  const ElementInfo *info = findElementInfo(tensor.elementType);
  return info && info->isString();
}

bool cameo::cli::hasFloats(const TensorData &tensor) {
  const ElementInfo *info = findElementInfo(tensor.elementType);
  return info && isFloat(*info);
}

double cameo::cli::getElement(const TensorData &tensor, int64_t index) {
  const ElementInfo *info = findElementInfo(tensor.elementType);
  return info ? getNumber(*info, tensor.bytes, index) : NAN;
}

llvm::StringRef cameo::cli::getMeasureName(Measure measure) {
  constexpr llvm::StringRef names[] = {"tolerance", "largest", "steps", "norm"};
  return names[static_cast<size_t>(measure)];
}

namespace {

/// Compares elements one by one, by all measures at once.
class ElementComparer {
public:
  ElementComparer(const ElementInfo &info, const TensorData &got, const TensorData &expected,
                  const Allowance &allowance, Comparison &result)
      : info(info), got(got), expected(expected), allowance(allowance), result(result),
        isReal(isFloat(info)), count(getNumElements(expected) * getNumParts(info)) {}

  void run();

private:
  void chooseTolerance();
  /// The difference that element `index` may have as steps of its scale.
  double getStep(int64_t index) const;
  void compare(int64_t index);
  void judge();

  const ElementInfo &info;
  const TensorData &got, &expected;
  const Allowance &allowance;
  Comparison &result;
  bool isReal;
  int64_t count;
  /// Whether an element is allowed by a measure and by no stricter one.
  bool needsLargest = false, needsSteps = false, isFinite = true;
  double tolerated = 0, allowed = 0, worst = -1, differences = 0, squares = 0;
};

} // namespace

void ElementComparer::chooseTolerance() {
  Tolerance &tolerance = result.tolerance;
  tolerance = getDefaultTolerance(info.number);
  if (!isReal)
    return;
  bool isGiven = allowance.relative || allowance.absolute;
  double ofLargest = allowance.largest.value_or(isGiven ? 0 : tolerance.relative / 100);
  tolerance.relative = allowance.relative.value_or(tolerance.relative);
  tolerance.absolute = allowance.absolute.value_or(tolerance.absolute);
  for (int64_t index = 0; index < count; ++index) {
    double element = std::fabs(getNumber(info, expected.bytes, index));
    result.largest = std::isnan(element) ? result.largest : std::max(result.largest, element);
    squares += std::isnan(element) ? 0 : element * element;
  }
  if (result.largest < kLargestBound)
    result.largestAllowed = ofLargest * result.largest;
}

double ElementComparer::getStep(int64_t index) const {
  if (allowance.steps == 0 || (isReal && allowance.scales.empty()))
    return 0;
  if (!isReal)
    return 1;
  if (allowance.scales.size() == 1)
    return allowance.scales.front();
  auto rank = static_cast<int64_t>(expected.dims.size());
  int64_t axis = allowance.axis < 0 ? allowance.axis + rank : allowance.axis;
  if (axis < 0 || axis >= rank)
    return 0;
  auto at = static_cast<size_t>(getIndex(index, expected.dims)[static_cast<size_t>(axis)]);
  return at < allowance.scales.size() ? allowance.scales[at] : 0;
}

void ElementComparer::compare(int64_t index) {
  if (!isReal && areSameIntegers(info, got.bytes, expected.bytes, index))
    return;
  double a = getNumber(info, got.bytes, index), b = getNumber(info, expected.bytes, index);
  if ((std::isnan(a) && std::isnan(b)) || (isReal && a == b))
    return;
  const Tolerance &tolerance = result.tolerance;
  double difference = std::fabs(a - b), step = getStep(index);
  double byTolerance = tolerance.absolute + tolerance.relative * std::fabs(b);
  // A step that is computed in floats is not quite a step.
  double bySteps = allowance.steps * step * (1 + 1e-5) + (isReal ? byTolerance : 0);
  bool isComparable = std::isfinite(a) && std::isfinite(b);
  if (!std::isfinite(difference))
    difference = HUGE_VAL;
  isFinite &= isComparable;
  differences += difference * difference;
  result.step = std::max(result.step, step);
  result.maxAbsolute = std::max(result.maxAbsolute, difference);
  if (b != 0)
    result.maxRelative = std::max(result.maxRelative, difference / std::fabs(b));

  bool isTolerated = isComparable && isReal && difference <= byTolerance;
  bool isOfLargest = isComparable && isReal && difference <= result.largestAllowed;
  bool isOfSteps = isComparable && step > 0 && difference <= bySteps;
  result.passed &= isTolerated || isOfLargest || isOfSteps;
  needsLargest |= !isTolerated && isOfLargest;
  needsSteps |= !isTolerated && !isOfLargest && isOfSteps;
  auto getShare = [&](double limit) {
    return isComparable && limit > 0 ? difference / limit : HUGE_VAL;
  };
  tolerated = std::max(tolerated, getShare(byTolerance));
  allowed = std::max(
      allowed, getShare(std::max({byTolerance, result.largestAllowed, step > 0 ? bySteps : 0})));

  double excess = difference - tolerance.relative * std::fabs(b);
  if (std::isnan(excess))
    excess = HUGE_VAL;
  if (excess > worst) {
    worst = excess;
    result.worstIndex = getIndex(index / getNumParts(info), expected.dims);
    result.worstGot = a;
    result.worstExpected = b;
  }
}

void ElementComparer::judge() {
  result.share = tolerated;
  if (isReal && isFinite && squares > 0)
    result.norm = std::sqrt(differences / squares);
  if (!result.passed && allowance.norm > 0 && result.norm > 0 && result.norm <= allowance.norm) {
    result.passed = true;
    result.measure = Measure::Norm;
    result.share = result.norm / allowance.norm;
  } else if (result.passed && (needsLargest || needsSteps)) {
    result.measure = needsSteps ? Measure::Steps : Measure::Largest;
    result.share = allowed;
  }
}

void ElementComparer::run() {
  chooseTolerance();
  if (got.bytes == expected.bytes)
    return;
  for (int64_t index = 0; index < count; ++index)
    compare(index);
  judge();
}

Comparison cameo::cli::compareTensors(const TensorData &got, const TensorData &expected,
                                      const Allowance &allowance) {
  Comparison result;
  const ElementInfo *info = findElementInfo(expected.elementType);
  if (got.elementType != expected.elementType || got.dims != expected.dims || !info) {
    result.passed = false;
    result.problem = fmt::format("got {}, need {}", describe(got), describe(expected));
    return result;
  }
  if (info->isString()) {
    result.problem = compareStrings(got.strings, expected.strings);
    result.passed = result.problem.empty();
    return result;
  }
  auto needed = (static_cast<uint64_t>(getNumElements(expected)) * info->bits + 7) / 8;
  if (got.bytes.size() != needed || expected.bytes.size() != needed) {
    result.passed = false;
    result.problem = fmt::format("got {} bytes, need {}", got.bytes.size(), needed);
    return result;
  }
  ElementComparer(*info, got, expected, allowance, result).run();
  return result;
}
