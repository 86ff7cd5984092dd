// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lookup as a body: a binary search in a sorted table of keys.
#pragma once

#include "cameo/common/params.h"
#include "cameo/scalar.h"

namespace cameo {

/// The order of a table's keys: NaN is behind every number, and equal to itself.
template <class K> CAMEO_DEVICE bool precedes(K a, K b) {
  return is_nan(b) ? !is_nan(a) : less(a, b);
}

/// Where `key` is in `keys`; `count` where it is not.
template <class K> CAMEO_DEVICE int64_t find_key(const K *keys, int64_t count, K key) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (precedes(keys[middle], key))
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && !precedes(key, keys[low]) ? low : count;
}

template <class K, class V, class LOAD, class STORE, int R> struct lookup_body {
  const K *keys;
  const V *values;
  LOAD load;
  STORE store;
  int64_t count;

  CAMEO_DEVICE void operator()(const index<R> &i) const {
    store(i, values[find_key(keys, count, cast<K>(load(i)))]);
  }
};

template <class P, class K, class V, class LOAD, class STORE>
CAMEO_DEVICE auto make_lookup(const P &p, const K *keys, const V *values, LOAD load, STORE store) {
  return lookup_body<K, V, LOAD, STORE, P::outer_rank>{keys, values, load, store, p.count};
}

} // namespace cameo
