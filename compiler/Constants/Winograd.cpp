// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cameo/pack/winograd.h"
#include "Constants/EvaluateSteps.h"

#include <cstring>

using namespace llvm;
using namespace cameo;

namespace {

/// G, row by row: the powers of each point, scaled.
template <int Size> std::vector<std::vector<double>> getTransform(int numTaps) {
  using Scales = winograd_scales<Size, double>;
  std::vector<std::vector<double>> rows;
  auto addRow = [&](double point, double scale) {
    std::vector<double> &row = rows.emplace_back();
    for (int tap = 0; tap < numTaps; ++tap, scale *= point)
      row.push_back(scale);
  };
  addRow(0, Scales::at_zero);
  for (int pair = 0; pair < Size / 2 - 1; ++pair)
    for (int sign : {1, -1})
      addRow(sign * winograd_power(pair, 1), Scales::at_pair[pair]);
  rows.emplace_back(numTaps).back() = 1; // infinity
  return rows;
}

/// An element of G w G^T.
float transformTaps(ArrayRef<float> taps, ArrayRef<double> left, ArrayRef<double> right) {
  double sum = 0;
  for (size_t row = 0; row < left.size(); ++row)
    for (size_t column = 0; column < right.size(); ++column)
      sum += left[row] * static_cast<double>(taps[left.size() * row + column]) * right[column];
  return static_cast<float>(sum);
}

} // namespace

std::vector<char> cameo::evaluate(prog::PhasesAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  int64_t stride = step.getStride(), kernel = shape.back(), side = divideCeil(kernel, stride);
  patch_channels phases{stride * stride, step.getBlock()};
  int64_t channels = phases.count(shape[1]);
  size_t bytes = elements.elementBytes, from = 0;
  std::vector<char> gathered(static_cast<size_t>(shape[0] * channels * side * side) * bytes);
  for (int64_t out = 0; out < shape[0]; ++out)
    for (int64_t in = 0; in < shape[1]; ++in)
      for (int64_t row = 0; row < kernel; ++row)
        for (int64_t column = 0; column < kernel; ++column, ++from) {
          int64_t channel = phases.number(in, row % stride * stride + column % stride);
          int64_t to = ((out * channels + channel) * side + row / stride) * side + column / stride;
          std::memcpy(&gathered[static_cast<size_t>(to) * bytes], elements.get(from), bytes);
        }
  return gathered;
}

std::vector<char> cameo::evaluate(prog::WinogradAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  // Read at once: few, of which neighbours of an element are written one after the other.
  constexpr size_t kRun = 256;
  auto taps = static_cast<int>(shape.back());
  bool isSmall = step.getTile() + taps - 1 == 4;
  std::vector<std::vector<double>> rows = isSmall ? getTransform<4>(taps) : getTransform<6>(taps);
  auto window = static_cast<size_t>(taps * taps);
  auto count = static_cast<size_t>(shape[0] * shape[1]);
  std::vector<float> run(std::min(kRun, count) * window);
  std::vector<char> transformed(rows.size() * rows.size() * count * sizeof(float));
  for (size_t first = 0; first < count; first += kRun) {
    size_t number = std::min(kRun, count - first);
    for (size_t tap = 0; tap < number * window; ++tap)
      std::memcpy(&run[tap], elements.get(first * window + tap), sizeof(float));
    char *to = transformed.data() + first * sizeof(float);
    for (ArrayRef<double> left : rows)
      for (ArrayRef<double> right : rows) {
        for (size_t channel = 0; channel < number; ++channel) {
          auto slice = ArrayRef(run).slice(channel * window, window);
          float element = transformTaps(slice, left, right);
          std::memcpy(to + channel * sizeof(element), &element, sizeof(element));
        }
        to += count * sizeof(float);
      }
  }
  return transformed;
}
