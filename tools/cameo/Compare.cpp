// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::APFloat;
using llvm::APFloatBase;

namespace {

struct Format {
  int32_t elementType;
  const char *name;
  unsigned bits;
  /// Null for integers.
  const llvm::fltSemantics *(*semantics)();
  bool isSigned;
  Tolerance tolerance;
};

template <const llvm::fltSemantics &(*get)()> const llvm::fltSemantics *at() { return &get(); }

/// Numbers of TensorProto.DataType. Complex numbers are pairs of their parts.
const Format kFormats[] = {
    {1, "float32", 32, at<APFloatBase::IEEEsingle>, true, {1e-4, 1e-5}},
    {2, "uint8", 8, nullptr, false, {}},
    {3, "int8", 8, nullptr, true, {}},
    {4, "uint16", 16, nullptr, false, {}},
    {5, "int16", 16, nullptr, true, {}},
    {6, "int32", 32, nullptr, true, {}},
    {7, "int64", 64, nullptr, true, {}},
    {9, "bool", 8, nullptr, false, {}},
    {10, "float16", 16, at<APFloatBase::IEEEhalf>, true, {2e-3, 1e-3}},
    {11, "float64", 64, at<APFloatBase::IEEEdouble>, true, {1e-9, 1e-11}},
    {12, "uint32", 32, nullptr, false, {}},
    {13, "uint64", 64, nullptr, false, {}},
    {14, "complex64", 32, at<APFloatBase::IEEEsingle>, true, {1e-4, 1e-5}},
    {15, "complex128", 64, at<APFloatBase::IEEEdouble>, true, {1e-9, 1e-11}},
    {16, "bfloat16", 16, at<APFloatBase::BFloat>, true, {1e-2, 1e-2}},
    {17, "float8e4m3fn", 8, at<APFloatBase::Float8E4M3FN>, true, {}},
    {18, "float8e4m3fnuz", 8, at<APFloatBase::Float8E4M3FNUZ>, true, {}},
    {19, "float8e5m2", 8, at<APFloatBase::Float8E5M2>, true, {}},
    {20, "float8e5m2fnuz", 8, at<APFloatBase::Float8E5M2FNUZ>, true, {}},
    {21, "uint4", 4, nullptr, false, {}},
    {22, "int4", 4, nullptr, true, {}},
    {23, "float4e2m1", 4, at<APFloatBase::Float4E2M1FN>, true, {}},
    {24, "float8e8m0", 8, at<APFloatBase::Float8E8M0FNU>, false, {}},
    {25, "uint2", 2, nullptr, false, {}},
    {26, "int2", 2, nullptr, true, {}},
    {27, "float6e2m3", 6, at<APFloatBase::Float6E2M3FN>, true, {}},
    {28, "float6e3m2", 6, at<APFloatBase::Float6E3M2FN>, true, {}},
};

const Format *getFormat(int32_t elementType) {
  for (const Format &format : kFormats)
    if (format.elementType == elementType)
      return &format;
  return nullptr;
}

bool isComplex(int32_t elementType) { return elementType == 14 || elementType == 15; }

/// The bits of number `index` in a dense stream from the low bits on.
uint64_t getBits(const std::vector<char> &bytes, int64_t index, unsigned bits) {
  uint64_t first = static_cast<uint64_t>(index) * bits, value = 0;
  if (bits >= 8) {
    std::memcpy(&value, bytes.data() + first / 8, bits / 8);
    return value;
  }
  for (unsigned bit = 0; bit < bits; ++bit) {
    uint64_t position = first + bit;
    uint64_t set = static_cast<unsigned char>(bytes[position / 8]) >> (position % 8) & 1;
    value |= set << bit;
  }
  return value;
}

double getNumber(const std::vector<char> &bytes, int64_t index, const Format &format) {
  uint64_t bits = getBits(bytes, index, format.bits);
  if (format.bits == 32 && format.semantics) {
    auto narrow = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &narrow, sizeof value);
    return value;
  }
  if (format.bits == 64 && format.semantics) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  llvm::APInt integer(format.bits, bits);
  if (!format.semantics)
    return format.isSigned ? static_cast<double>(integer.getSExtValue())
                           : static_cast<double>(bits);
  APFloat value(*format.semantics(), integer);
  bool losesInfo = false;
  value.convert(APFloatBase::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
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
  const Format *format = getFormat(elementType);
  return format ? format->tolerance : Tolerance();
}

std::string cameo::cli::getDataTypeName(int32_t elementType) {
  const Format *format = getFormat(elementType);
  return format ? format->name : fmt::format("dtype{}", elementType);
}

int64_t cameo::cli::getNumElements(const TensorData &tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.dims)
    count *= dim;
  return count;
}

bool cameo::cli::hasFloats(const TensorData &tensor) {
  const Format *format = getFormat(tensor.elementType);
  return format && format->semantics;
}

double cameo::cli::getElement(const TensorData &tensor, int64_t index) {
  const Format *format = getFormat(tensor.elementType);
  return format ? getNumber(tensor.bytes, index, *format) : NAN;
}

Comparison cameo::cli::compareTensors(const TensorData &got, const TensorData &expected,
                                      std::optional<double> relative,
                                      std::optional<double> absolute) {
  Comparison result;
  const Format *format = getFormat(expected.elementType);
  if (got.elementType != expected.elementType || got.dims != expected.dims || !format) {
    result.passed = false;
    result.problem = fmt::format("got {}, need {}", describe(got), describe(expected));
    return result;
  }
  int64_t parts = isComplex(expected.elementType) ? 2 : 1, count = getNumElements(expected) * parts;
  auto needed = (static_cast<uint64_t>(count) * format->bits + 7) / 8;
  if (got.bytes.size() != needed || expected.bytes.size() != needed) {
    result.passed = false;
    result.problem = fmt::format("got {} bytes, need {}", got.bytes.size(), needed);
    return result;
  }
  Tolerance tolerance = format->tolerance;
  if (format->semantics) {
    tolerance.relative = relative.value_or(tolerance.relative);
    tolerance.absolute = absolute.value_or(tolerance.absolute);
  }
  result.tolerance = tolerance;
  if (got.bytes == expected.bytes)
    return result;

  double worst = -1;
  for (int64_t index = 0; index < count; ++index) {
    // Integers of 64 bits have more digits than a double.
    if (!format->semantics &&
        getBits(got.bytes, index, format->bits) == getBits(expected.bytes, index, format->bits))
      continue;
    double a = getNumber(got.bytes, index, *format), b = getNumber(expected.bytes, index, *format);
    if ((std::isnan(a) && std::isnan(b)) || (format->semantics && a == b))
      continue;
    double difference = std::fabs(a - b);
    bool isClose = format->semantics && std::isfinite(a) && std::isfinite(b) &&
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
      result.worstIndex = getIndex(index / parts, expected.dims);
      result.worstGot = a;
      result.worstExpected = b;
    }
  }
  return result;
}
