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

Comparison cameo::cli::compareTensors(const TensorData &got, const TensorData &expected,
                                      std::optional<double> relative,
                                      std::optional<double> absolute) {
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
  bool isReal = isFloat(*info);
  int64_t elements = getNumElements(expected), count = elements * getNumParts(*info);
  auto needed = (static_cast<uint64_t>(elements) * info->bits + 7) / 8;
  if (got.bytes.size() != needed || expected.bytes.size() != needed) {
    result.passed = false;
    result.problem = fmt::format("got {} bytes, need {}", got.bytes.size(), needed);
    return result;
  }
  Tolerance tolerance = getDefaultTolerance(info->number);
  if (isReal) {
    tolerance.relative = relative.value_or(tolerance.relative);
    tolerance.absolute = absolute.value_or(tolerance.absolute);
  }
  result.tolerance = tolerance;
  if (got.bytes == expected.bytes)
    return result;

  double worst = -1;
  for (int64_t index = 0; index < count; ++index) {
    if (!isReal && areSameIntegers(*info, got.bytes, expected.bytes, index))
      continue;
    double a = getNumber(*info, got.bytes, index), b = getNumber(*info, expected.bytes, index);
    if ((std::isnan(a) && std::isnan(b)) || (isReal && a == b))
      continue;
    double difference = std::fabs(a - b);
    bool isClose = isReal && std::isfinite(a) && std::isfinite(b) &&
                   difference <= tolerance.absolute + tolerance.relative * std::fabs(b);
    if (!std::isfinite(difference))
      difference = HUGE_VAL;
    result.passed &= isClose;
    result.maxAbsolute = std::max(result.maxAbsolute, difference);
    if (b != 0)
      result.maxRelative = std::max(result.maxRelative, difference / std::fabs(b));
    double allowed = tolerance.absolute + tolerance.relative * std::fabs(b);
    bool hasShare = std::isfinite(b) && allowed > 0;
    result.share = std::max(result.share, hasShare ? difference / allowed : HUGE_VAL);
    double excess = difference - tolerance.relative * std::fabs(b);
    if (std::isnan(excess))
      excess = HUGE_VAL;
    if (excess > worst) {
      worst = excess;
      result.worstIndex = getIndex(index / getNumParts(*info), expected.dims);
      result.worstGot = a;
      result.worstExpected = b;
    }
  }
  return result;
}
