// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in files without a header, and whether two agree as far as sums in another order do.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

/// Empty when there is no such file, which agrees with nothing.
template <class T> std::vector<T> read_raw(const char *path) {
  std::vector<T> values;
  if (std::FILE *file = std::fopen(path, "rb")) {
    for (T value; std::fread(&value, sizeof value, 1, file) == 1;)
      values.push_back(value);
    std::fclose(file);
  }
  return values;
}

inline bool are_close(const std::vector<float> &got, const std::vector<float> &expected) {
  if (got.size() != expected.size() || got.empty())
    return false;
  for (size_t i = 0; i < got.size(); ++i)
    if (!(std::fabs(got[i] - expected[i]) <= 1e-5f + 1e-4f * std::fabs(expected[i])))
      return false;
  return true;
}
