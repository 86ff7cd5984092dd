// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unique against a search through what was found so far, then sorted: elements and slices of
// several axes, NaN and both zeros, none, one, and more slices than a block has threads.
#include "rows.h"

#include CAMEO_TEMPLATE(unique.h)

namespace cameo::test {
namespace {

struct unique_params {
  int64_t rows, slices, columns;
  bool sorted;
};

/// The elements of slice s, in the order in which slices are compared.
template <class T>
std::vector<T> slice_of(const std::vector<T> &data, const unique_params &p, int64_t s) {
  std::vector<T> slice;
  for (int64_t row = 0; row < p.rows; ++row)
    for (int64_t column = 0; column < p.columns; ++column)
      slice.push_back(data[static_cast<size_t>((row * p.slices + s) * p.columns + column)]);
  return slice;
}

/// NaN is above every number; 0 and -0 are equal.
template <class T> bool less_slice(const std::vector<T> &a, const std::vector<T> &b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](T x, T y) { return is_nan(y) ? !is_nan(x) : less(x, y); });
}

template <class T> void check(const std::vector<T> &data, unique_params p) {
  INFO(p.rows << " rows " << p.slices << " slices " << p.columns << " columns, sorted "
              << p.sorted);
  struct found {
    std::vector<T> slice;
    int64_t first, count;
  };
  std::vector<found> distinct;
  const auto find = [&](const std::vector<T> &slice) {
    return std::find_if(distinct.begin(), distinct.end(), [&](const found &f) {
      return !less_slice(f.slice, slice) && !less_slice(slice, f.slice);
    });
  };
  for (int64_t s = 0; s < p.slices; ++s) {
    const std::vector<T> slice = slice_of(data, p, s);
    const auto at = find(slice);
    if (at == distinct.end())
      distinct.push_back({slice, s, 1});
    else
      ++at->count;
  }
  if (p.sorted)
    std::sort(distinct.begin(), distinct.end(),
              [](const found &a, const found &b) { return less_slice(a.slice, b.slice); });
  std::vector<int64_t> want_indices, want_inverse, want_counts;
  for (const found &f : distinct) {
    want_indices.push_back(f.first);
    want_counts.push_back(f.count);
  }
  for (int64_t s = 0; s < p.slices; ++s)
    want_inverse.push_back(find(slice_of(data, p, s)) - distinct.begin());
  want_indices.resize(static_cast<size_t>(p.slices), array<int64_t>::unset());
  want_counts.resize(static_cast<size_t>(p.slices), array<int64_t>::unset());
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, data);
    array<int64_t> indices(mach, p.slices), inverse(mach, p.slices), counts(mach, p.slices),
        count(mach, 1);
    mach.run([&](exec &e) {
      unique(e, p, static_cast<const T *>(input.data()), indices.data(), inverse.data(),
             counts.data(), count.data());
    });
    CHECK(count[0] == static_cast<int64_t>(distinct.size()));
    CHECK(indices.values() == want_indices);
    CHECK(inverse.values() == want_inverse);
    CHECK(counts.values() == want_counts);
  }
}

/// A few values, so that many are equal.
template <class T> std::vector<T> few_values(int64_t n, int64_t values) {
  random_values random(static_cast<uint64_t>(n));
  std::vector<T> data;
  for (int64_t at = 0; at < n; ++at)
    data.push_back(cast<T>(static_cast<float>(random.below(values))));
  return data;
}

TEST_CASE("unique") {
  for (bool sorted : {false, true}) {
    check<float>({3, -0.0f, NAN, 1, 0, NAN, 3, -INFINITY}, {1, 8, 1, sorted});
    check<float>({}, {1, 0, 1, sorted});
    check<int64_t>({7}, {1, 1, 1, sorted});
    check(few_values<int8_t>(100, 200), {1, 100, 1, sorted});
    check(few_values<half>(3000, 500), {1, 3000, 1, sorted});
    check(few_values<double>(1200, 1), {1, 1200, 1, sorted});
    check(few_values<float>(9000, 100000), {1, 9000, 1, sorted});
  }
}

TEST_CASE("unique slices") {
  for (bool sorted : {false, true}) {
    check(few_values<float>(2 * 50 * 2, 2), {2, 50, 2, sorted});
    check(few_values<uint8_t>(3 * 1, 2), {3, 1, 1, sorted});
    check(few_values<int32_t>(1500 * 3, 4), {1, 1500, 3, sorted});
    check<float>({}, {2, 3, 0, sorted}); // all equal
    check<float>({}, {0, 3, 2, sorted});
    check<float>({}, {2, 0, 3, sorted});
  }
}

} // namespace
} // namespace cameo::test
