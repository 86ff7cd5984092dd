// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tree_ensemble: a panel of rows per tree, so that a tree's nodes stay in the nearest cache, and of
// these some rows at once, or, of rows that are left over, some trees: steps that do not wait for
// one another.
#pragma once

#include "cameo/common/tree_ensemble.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Paths that are followed at once, as many as registers hold, and how many steps before it is
/// asked whether all have ended.
constexpr int tree_lanes = 8;
constexpr int64_t tree_steps = 8;
/// Rows of a panel.
constexpr int64_t tree_panel = 16 * tree_lanes;

template <class NODES> class tree_walker {
public:
  CAMEO_INLINE explicit tree_walker(const NODES &nodes) : nodes_(nodes) {}

  /// Follows all paths to their leaves, which are in `node` afterwards; row_of(lane) is where a
  /// path's row begins.
  template <class ROW>
  CAMEO_INLINE void walk(int32_t (&node)[tree_lanes], int64_t depth, const ROW &row_of) const {
    for (int64_t left = depth; left > 0; left -= tree_steps) {
      const int64_t steps = left < tree_steps ? left : tree_steps;
      for (int64_t step = 0; step < steps; ++step)
        for (int lane = 0; lane < tree_lanes; ++lane)
          node[lane] = nodes_.step(node[lane], row_of(lane));
      if (left > tree_steps && have_ended(node))
        return;
    }
  }

private:
  CAMEO_INLINE bool have_ended(const int32_t (&node)[tree_lanes]) const {
    bool ended = true;
    for (int lane = 0; lane < tree_lanes; ++lane)
      ended = ended & (nodes_.children[node[lane]] == node[lane]);
    return ended;
  }

  NODES nodes_;
};

/// Bytes that tree_ensemble takes from e.scratch, for totals of type T.
template <class T, class P> int64_t tree_ensemble_scratch(const P &p, int threads) {
  return int64_t{threads} * tree_panel * p.targets * static_cast<int64_t>(sizeof(T));
}

template <tree_aggregate AGGREGATE, tree_rule RULE, class P, class X, class T, class STORE>
class tree_panels {
public:
  using total = tree_total<AGGREGATE, T>;

  CAMEO_INLINE tree_panels(const P &p, const X *x, const int32_t *roots, const int32_t *depths,
                           const tree_nodes<RULE, T> &nodes, const tree_leaves<T> &leaves,
                           STORE store, total *totals)
      : p_(p), x_(x), roots_(roots), depths_(depths), walker_(nodes), leaves_(leaves),
        store_(store), totals_(totals) {}

  /// The rows [begin, end), at most tree_panel.
  void run(int64_t begin, int64_t end) {
    const int64_t rows = end - begin, whole = rows / tree_lanes * tree_lanes;
    for (int64_t i = 0; i < rows * p_.targets; ++i)
      totals_[i] = total();
    for (int64_t tree = 0; whole > 0 && tree < p_.trees; ++tree)
      for (int64_t row = 0; row < whole; row += tree_lanes)
        add_rows(tree, begin, row);
    for (int64_t row = whole; row < rows; ++row)
      for (int64_t tree = 0; tree < p_.trees; tree += tree_lanes)
        add_trees(tree, begin, row);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t target = 0; target < p_.targets; ++target)
        store_(index<2>{{begin + row, target}}, totals_[row * p_.targets + target].get());
  }

private:
  CAMEO_INLINE void add(int64_t row, int32_t leaf) {
    total *const totals = totals_ + row * p_.targets;
    leaves_.visit(leaf, [=](int32_t target, T weight) { totals[target].add(weight); });
  }

  CAMEO_INLINE void add_rows(int64_t tree, int64_t begin, int64_t row) {
    int32_t node[tree_lanes];
    for (int lane = 0; lane < tree_lanes; ++lane)
      node[lane] = roots_[tree];
    const X *const first = x_ + (begin + row) * p_.columns;
    walker_.walk(node, depths_[tree], [&](int lane) { return first + lane * p_.columns; });
    for (int lane = 0; lane < tree_lanes; ++lane)
      add(row + lane, node[lane]);
  }

  CAMEO_INLINE void add_trees(int64_t tree, int64_t begin, int64_t row) {
    int32_t node[tree_lanes];
    const int64_t left = p_.trees - tree, trees = left < tree_lanes ? left : tree_lanes;
    int64_t depth = 0;
    for (int64_t lane = 0; lane < tree_lanes; ++lane) {
      const int64_t which = tree + (lane < trees ? lane : 0);
      node[lane] = roots_[which];
      depth = depth > depths_[which] ? depth : depths_[which];
    }
    const X *const first = x_ + (begin + row) * p_.columns;
    walker_.walk(node, depth, [first](int) { return first; });
    for (int64_t lane = 0; lane < trees; ++lane)
      add(row, node[lane]);
  }

  const P &p_;
  const X *x_;
  const int32_t *roots_, *depths_;
  tree_walker<tree_nodes<RULE, T>> walker_;
  tree_leaves<T> leaves_;
  STORE store_;
  total *totals_;
};

template <tree_aggregate AGGREGATE, tree_rule RULE, class P, class X, class T, class STORE>
void tree_ensemble(exec &e, const P &p, const X *x, const int32_t *roots, const int32_t *depths,
                   const T *splits, const int32_t *features, const int32_t *children,
                   const T *weights, const int32_t *target_ids, const int32_t *begins,
                   const int32_t *ends, STORE store) {
  using panels = tree_panels<AGGREGATE, RULE, P, X, T, STORE>;
  if (p.rows <= 0 || p.targets <= 0)
    return;
  auto *totals = static_cast<typename panels::total *>(
      e.scratch(static_cast<size_t>(tree_ensemble_scratch<T>(p, e.threads()))));
  if (totals == nullptr)
    return;
  const bool worth_it = p.rows > tree_lanes && p.rows * (p.trees + 1) >= parallel_threshold / 16;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    const span s = share(p.rows, thread, threads, tree_lanes);
    panels panel(p, x, roots, depths, {splits, features, children},
                 {weights, target_ids, begins, ends}, store,
                 totals + thread * tree_panel * p.targets);
    for (int64_t row = s.begin; row < s.end; row += tree_panel)
      panel.run(row, row + tree_panel < s.end ? row + tree_panel : s.end);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
