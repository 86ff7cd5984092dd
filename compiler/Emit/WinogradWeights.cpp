// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/WinogradWeights.h"

#include <cassert>
#include <cstring>

using namespace llvm;

namespace {

/// A point where polynomials are multiplied, and by what the taps are multiplied there.
struct Point {
  double at, scale;
};

// Behind these is infinity.
constexpr Point kThreePoints[] = {{0, 1}, {1, 1.0 / 2}, {-1, 1.0 / 2}};
constexpr Point kFivePoints[] = {
    {0, 1.0 / 4}, {1, -1.0 / 6}, {-1, -1.0 / 6}, {2, 1.0 / 24}, {-2, 1.0 / 24}};

/// G, row by row: the powers of each point.
std::vector<std::vector<double>> getTransform(size_t size, size_t numTaps) {
  assert((size == 4 || size == 6) && "a tile without transform");
  std::vector<std::vector<double>> rows;
  for (Point point : size == 4 ? ArrayRef<Point>(kThreePoints) : ArrayRef<Point>(kFivePoints)) {
    std::vector<double> &row = rows.emplace_back();
    double power = point.scale;
    for (size_t tap = 0; tap < numTaps; ++tap, power *= point.at)
      row.push_back(power);
  }
  rows.emplace_back(numTaps).back() = 1;
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

std::vector<char> cameo::transformWinogradWeights(ArrayRef<char> taps, int64_t numTaps,
                                                  int64_t tile) {
  auto side = static_cast<size_t>(numTaps);
  std::vector<std::vector<double>> rows = getTransform(static_cast<size_t>(tile) + side - 1, side);
  std::vector<float> window(side * side);
  size_t bytes = window.size() * sizeof(float), pairs = taps.size() / bytes;
  std::vector<char> transformed(rows.size() * rows.size() * pairs * sizeof(float));
  char *to = transformed.data();
  for (ArrayRef<double> left : rows)
    for (ArrayRef<double> right : rows)
      for (size_t pair = 0; pair < pairs; ++pair, to += sizeof(float)) {
        std::memcpy(window.data(), taps.data() + pair * bytes, bytes);
        float element = transformTaps(window, left, right);
        std::memcpy(to, &element, sizeof(element));
      }
  return transformed;
}
