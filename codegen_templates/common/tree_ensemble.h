// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tree_ensemble in parts: a step down a tree, what leaves have, how it is combined.
#pragma once

#include "cameo/common/params.h"
#include "cameo/scalar.h"

namespace cameo {

/// How what leaves have for one target is combined.
enum class tree_aggregate : uint8_t { sum, min, max };

/// A node asks whether an element is at most a number; it may also say where NaN goes, and ask
/// whether the element is equal.
enum class tree_rule : uint8_t { at_most, missing, any };

template <tree_rule RULE, class T> struct tree_nodes {
  const T *splits;
  const int32_t *features, *children;

  /// The node behind `node` for the elements of one row.
  template <class X> CAMEO_DEVICE int32_t step(int32_t node, const X *row) const {
    const int32_t feature = features[node];
    const T split = splits[node];
    if constexpr (RULE == tree_rule::at_most) {
      return children[node] + (cast<T>(row[feature]) <= split ? 1 : 0);
    } else {
      const T x = cast<T>(row[feature >> 2]);
      bool holds = x <= split;
      if constexpr (RULE == tree_rule::any)
        holds = holds & ((x >= split) | ((feature & 2) == 0));
      holds = holds | (is_nan(x) & ((feature & 1) != 0));
      return children[node] + (holds ? 1 : 0);
    }
  }
};

template <class T> struct tree_leaves {
  const T *weights;
  const int32_t *target_ids, *begins, *ends;

  CAMEO_DEVICE int32_t target(int32_t place) const {
    return target_ids == nullptr ? 0 : target_ids[place];
  }
  /// Calls add(target, weight) for all that a leaf has.
  template <class ADD> CAMEO_DEVICE void visit(int32_t leaf, const ADD &add) const {
    if (ends == nullptr) {
      add(target(leaf), weights[leaf]);
      return;
    }
    const int32_t end = ends[leaf];
    for (int32_t place = begins[leaf]; place < end; ++place)
      add(target(place), weights[place]);
  }
  /// Calls add(weight) for what it has for one target.
  template <class ADD>
  CAMEO_DEVICE void visit_target(int32_t leaf, int64_t wanted, const ADD &add) const {
    if (ends == nullptr) {
      if (target(leaf) == wanted)
        add(weights[leaf]);
      return;
    }
    int32_t low = begins[leaf], high = ends[leaf];
    const int32_t end = high;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (target(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < end && target(low) == wanted; ++low)
      add(weights[low]);
  }
};

/// A target's number while leaves are added: NaN is none yet, but for a sum.
template <tree_aggregate AGGREGATE, class T> struct tree_total {
  T value;

  CAMEO_DEVICE tree_total()
      : value(AGGREGATE == tree_aggregate::sum ? T{0} : static_cast<T>(__builtin_nanf(""))) {}
  CAMEO_DEVICE void add(T weight) {
    if constexpr (AGGREGATE == tree_aggregate::sum)
      value += weight;
    else if constexpr (AGGREGATE == tree_aggregate::min)
      value = weight < value || is_nan(value) ? weight : value;
    else
      value = weight > value || is_nan(value) ? weight : value;
  }
  CAMEO_DEVICE T get() const {
    return AGGREGATE != tree_aggregate::sum && is_nan(value) ? T{0} : value;
  }
};

} // namespace cameo
