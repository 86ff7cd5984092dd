// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/WinogradWeights.h"

#include <cassert>
#include <cstring>

using namespace llvm;
using namespace cameo;

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

/// The taps of the phases of an image (WinogradAttr), for a side of `side` of them.
std::vector<float> gatherPhases(ArrayRef<float> taps, ArrayRef<int64_t> shape, int64_t side,
                                prog::WinogradAttr algorithm) {
  int64_t stride = algorithm.getStride(), block = algorithm.getBlock(), kernel = shape.back();
  int64_t channels = static_cast<int64_t>(llvm::alignTo(shape[1], block)) * stride * stride;
  std::vector<float> gathered(static_cast<size_t>(shape[0] * channels * side * side));
  const float *from = taps.data();
  for (int64_t out = 0; out < shape[0]; ++out)
    for (int64_t in = 0; in < shape[1]; ++in)
      for (int64_t row = 0; row < kernel; ++row)
        for (int64_t column = 0; column < kernel; ++column, ++from) {
          int64_t phase = (in / block * stride + row % stride) * stride + column % stride;
          int64_t channel = out * channels + phase * block + in % block;
          gathered[static_cast<size_t>((channel * side + row / stride) * side + column / stride)] =
              *from;
        }
  return gathered;
}

} // namespace

std::vector<char> cameo::transformWinogradWeights(ArrayRef<char> taps, ArrayRef<int64_t> shape,
                                                  prog::WinogradAttr algorithm) {
  std::vector<float> dense(taps.size() / sizeof(float));
  std::memcpy(dense.data(), taps.data(), taps.size());
  int64_t side = llvm::divideCeil(shape.back(), algorithm.getStride());
  if (algorithm.getStride() != 1 || algorithm.getBlock() != 1)
    dense = gatherPhases(dense, shape, side, algorithm);
  std::vector<std::vector<double>> rows =
      getTransform(static_cast<size_t>(algorithm.getTile() + side - 1), static_cast<size_t>(side));
  auto window = static_cast<size_t>(side * side);
  std::vector<char> transformed(rows.size() * rows.size() * dense.size() / window * sizeof(float));
  char *to = transformed.data();
  for (ArrayRef<double> left : rows)
    for (ArrayRef<double> right : rows)
      for (size_t from = 0; from < dense.size(); from += window, to += sizeof(float)) {
        float element = transformTaps(ArrayRef(dense).slice(from, window), left, right);
        std::memcpy(to, &element, sizeof(element));
      }
  return transformed;
}
