// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tree_ensemble against a plain walk: every aggregate and rule, NaN, lopsided trees, one weight or
// several a leaf, targets that no leaf has, few rows and many.
#include "machine.h"

#include CAMEO_TEMPLATE(tree_ensemble.h)

#include <limits>

namespace cameo::test {
namespace {

template <class V> auto &at(V &values, int64_t i) { return values[static_cast<size_t>(i)]; }

/// A random forest, its tables as the template has them.
template <class T> struct forest {
  std::vector<int32_t> roots, depths, features, children, target_ids, begins, ends;
  std::vector<T> splits, weights;
  int64_t columns, targets;

  forest(int64_t trees, int64_t columns, int64_t targets, tree_rule rule, bool several)
      : columns(columns), targets(targets), rule_(rule), several_(several), random_(17) {
    for (int64_t tree = 0; tree < trees; ++tree) {
      roots.push_back(node());
      depths.push_back(grow(roots.back(), static_cast<int>(random_.below(21))));
    }
  }

  /// The total of one row, by the record's text.
  template <tree_aggregate AGGREGATE, class X> T total(const X *row, int64_t target) const {
    tree_total<AGGREGATE, T> result;
    for (int32_t n : roots) {
      for (int32_t next = step(n, row); next != n; next = step(n, row))
        n = next;
      for (int32_t k = several_ ? at(begins, n) : n; k < (several_ ? at(ends, n) : n + 1); ++k)
        if (at(target_ids, k) == target)
          result.add(at(weights, k));
    }
    return result.get();
  }

private:
  int32_t node() {
    splits.push_back(std::numeric_limits<T>::quiet_NaN());
    features.push_back(0);
    children.push_back(static_cast<int32_t>(children.size()));
    begins.push_back(0);
    ends.push_back(0);
    if (!several_) {
      weights.push_back(random_.next<T>());
      target_ids.push_back(static_cast<int32_t>(random_.below(targets)));
    }
    return children.back();
  }

  /// The depth of what is below n.
  int32_t grow(int32_t n, int most) {
    if (most == 0 || random_.below(5) == 0) {
      if (several_)
        add_weights(n);
      return 0;
    }
    const auto feature = static_cast<int32_t>(random_.below(columns));
    at(features, n) =
        rule_ == tree_rule::at_most
            ? feature
            : 4 * feature + static_cast<int32_t>(random_.below(2)) +
                  2 * (rule_ == tree_rule::any ? static_cast<int32_t>(random_.below(2)) : 0);
    at(splits, n) = static_cast<T>(random_.below(5)) / 2 - 1;
    const int32_t child = node();
    node();
    at(children, n) = child;
    const int32_t left = grow(child, most - 1), right = grow(child + 1, most / 2);
    return 1 + std::max(left, right);
  }

  void add_weights(int32_t n) {
    at(begins, n) = static_cast<int32_t>(weights.size());
    for (int32_t target = 0; target < targets; ++target)
      for (int64_t count = random_.below(3); count > 0; --count) {
        weights.push_back(random_.next<T>());
        target_ids.push_back(target);
      }
    at(ends, n) = static_cast<int32_t>(weights.size());
  }

  template <class X> int32_t step(int32_t n, const X *row) const {
    const bool plain = rule_ == tree_rule::at_most;
    const T x = cast<T>(row[plain ? at(features, n) : at(features, n) / 4]);
    const bool equal = !plain && at(features, n) / 2 % 2 == 1,
               missing = !plain && at(features, n) % 2 == 1;
    const bool holds = is_nan(x) ? missing : equal ? x == at(splits, n) : x <= at(splits, n);
    return at(children, n) + (holds ? 1 : 0);
  }

  tree_rule rule_;
  bool several_;
  random_values random_;
};

struct forest_params {
  int64_t rows, columns, trees, targets;
};

template <tree_aggregate AGGREGATE, tree_rule RULE, class X, class T>
void check(int64_t trees, int64_t targets, bool several) {
  const forest<T> f(trees, 9, targets, RULE, several);
  random_values random(3);
  for (int64_t rows : {0, 1, 16, 37, 100}) {
    std::vector<X> x(static_cast<size_t>(rows * f.columns));
    for (X &value : x)
      value = cast<X>(random.below(6) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                           : static_cast<float>(random.below(9)) / 4 - 1);
    std::vector<T> want;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t target = 0; target < targets; ++target)
        want.push_back(f.template total<AGGREGATE>(x.data() + row * f.columns, target));
    for (int threads : team_sizes()) {
      machine mach(threads);
      array<X> source(mach, x);
      array<int32_t> roots(mach, f.roots), depths(mach, f.depths), features(mach, f.features),
          children(mach, f.children), target_ids(mach, f.target_ids), begins(mach, f.begins),
          ends(mach, f.ends);
      array<T> splits(mach, f.splits), weights(mach, f.weights), out(mach, rows * targets);
      const forest_params p = {rows, f.columns, trees, targets};
      mach.run([&](exec &e) {
        tree_ensemble<AGGREGATE, RULE>(
            e, p, static_cast<const X *>(source.data()), static_cast<const int32_t *>(roots.data()),
            static_cast<const int32_t *>(depths.data()), static_cast<const T *>(splits.data()),
            static_cast<const int32_t *>(features.data()),
            static_cast<const int32_t *>(children.data()), static_cast<const T *>(weights.data()),
            static_cast<const int32_t *>(targets > 1 || several ? target_ids.data() : nullptr),
            static_cast<const int32_t *>(several ? begins.data() : nullptr),
            static_cast<const int32_t *>(several ? ends.data() : nullptr),
            dense_store<T, 2>{out, index<2>{{rows, targets}}});
      });
      CHECK(mach.code() == CAMEO_OK);
      const std::vector<T> got = out.values();
      REQUIRE(got.size() == want.size());
      for (size_t i = 0; i < got.size(); ++i)
        CHECK(same(got[i], want[i]));
    }
  }
}

} // namespace

TEMPLATE_TEST_CASE("tree_ensemble of one target", "", float, double) {
  using T = TestType;
  check<tree_aggregate::sum, tree_rule::at_most, T, T>(40, 1, false);
  check<tree_aggregate::sum, tree_rule::missing, T, T>(1, 1, false);
  check<tree_aggregate::min, tree_rule::any, T, T>(5, 1, false);
  check<tree_aggregate::max, tree_rule::any, T, T>(150, 1, true);
}

TEMPLATE_TEST_CASE("tree_ensemble of several targets", "", float, double) {
  using T = TestType;
  check<tree_aggregate::sum, tree_rule::any, T, T>(30, 3, false);
  check<tree_aggregate::min, tree_rule::at_most, T, T>(3, 7, false);
  check<tree_aggregate::sum, tree_rule::missing, T, T>(20, 3, true);
  check<tree_aggregate::max, tree_rule::at_most, T, T>(2, 140, true);
}

TEST_CASE("tree_ensemble of halves, and of no trees") {
  check<tree_aggregate::sum, tree_rule::any, half, float>(17, 2, false);
  check<tree_aggregate::min, tree_rule::missing, float, float>(0, 2, false);
}

} // namespace cameo::test
