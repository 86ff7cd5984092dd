// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a matrix lie whose columns are in blocks, several steps of a column to a
// byte where they are short. For kernels, and for the compiler, which packs constants.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// Columns of a block in programs.
constexpr int64_t column_lanes = 16;

/// [blocks][rows][lanes] numbers, each with the elements of `together` neighbours of a column, the
/// first of them in the lowest bits. Lanes and steps beyond the matrix are 0.
struct column_blocks {
  int64_t columns, depth, lanes, together;

  CAMEO_DEVICE constexpr int64_t blocks() const { return columns / lanes + (columns % lanes != 0); }
  /// Rows of a block.
  CAMEO_DEVICE constexpr int64_t rows() const { return depth / together + (depth % together != 0); }
  /// The number that has an element of a column.
  CAMEO_DEVICE constexpr int64_t number(int64_t column, int64_t step) const {
    return (column / lanes * rows() + step / together) * lanes + column % lanes;
  }
  /// Which of those in the number it is.
  CAMEO_DEVICE constexpr int64_t part(int64_t step) const { return step % together; }
};

} // namespace cameo
