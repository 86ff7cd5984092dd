// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/WinogradWeights.h"

#include <array>
#include <cassert>
#include <cstring>

using namespace llvm;

namespace {

using Row = std::array<double, 3>;

constexpr std::array<Row, 4> kTile2 = {{{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}};
constexpr std::array<Row, 6> kTile4 = {{{1.0 / 4, 0, 0},
                                        {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                        {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                        {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                        {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                        {0, 0, 1}}};

/// An element of G w G^T.
float transformTaps(const float *taps, const Row &left, const Row &right) {
  double sum = 0;
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column)
      sum += left[row] * static_cast<double>(taps[3 * row + column]) * right[column];
  return static_cast<float>(sum);
}

} // namespace

std::vector<char> cameo::transformWinogradWeights(ArrayRef<char> taps, int64_t tile) {
  assert((tile == 2 || tile == 4) && "a tile without transform");
  ArrayRef<Row> rows = tile == 2 ? ArrayRef<Row>(kTile2) : ArrayRef<Row>(kTile4);
  size_t pairs = taps.size() / (9 * sizeof(float));
  std::vector<char> transformed(rows.size() * rows.size() * pairs * sizeof(float));
  char *to = transformed.data();
  for (const Row &left : rows)
    for (const Row &right : rows)
      for (size_t pair = 0; pair < pairs; ++pair, to += sizeof(float)) {
        float window[9];
        std::memcpy(window, taps.data() + pair * sizeof(window), sizeof(window));
        float element = transformTaps(window, left, right);
        std::memcpy(to, &element, sizeof(element));
      }
  return transformed;
}
