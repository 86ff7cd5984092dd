// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lookup_strings, strings_at: a table of strings is their characters, one string behind the other,
// and where each of them ends.
#pragma once

#include "cameo/abi.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

struct string_table {
  const uint8_t *chars;
  const int64_t *ends;

  cameo_string at(int64_t place) const {
    const int64_t begin = place > 0 ? ends[place - 1] : 0;
    return {reinterpret_cast<const char *>(chars) + begin,
            static_cast<size_t>(ends[place] - begin)};
  }
};

/// By their bytes; of two that begin alike the shorter one is in front. Negative, 0 or positive.
inline int compare_strings(const cameo_string &a, const cameo_string &b) {
  const size_t common = a.size < b.size ? a.size : b.size;
  const int order = common > 0 ? __builtin_memcmp(a.data, b.data, common) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/// Where `key` is in a table of `count`; `count` where it is not.
inline int64_t find_string(const string_table &table, int64_t count, const cameo_string &key) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (compare_strings(table.at(middle), key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && compare_strings(table.at(low), key) == 0 ? low : count;
}

template <class P, class V>
void lookup_strings(exec &e, const P &p, const cameo_string *x, const uint8_t *chars,
                    const int64_t *ends, const V *values, V *y) {
  const string_table table = {chars, ends};
  parallel_range(e, p.elements, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = values[find_string(table, p.count, x[i])];
  });
}

template <class P>
void strings_at(exec &e, const P &p, const uint8_t *chars, const int64_t *ends,
                const int64_t *places, cameo_string *y) {
  const string_table table = {chars, ends};
  parallel_range(e, p.elements, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = table.at(places[i]);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
