// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tree_ensemble: a block per row. Its threads follow a tree each, as many at a time as they are,
// and leave the leaves in shared memory; then each combines what these have for one target.
#pragma once

#include "cameo/common/tree_ensemble.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

constexpr int tree_threads = 128;

template <tree_aggregate AGGREGATE, tree_rule RULE, class P, class X, class T, class STORE>
struct tree_ensemble_body {
  P p;
  const X *x;
  const int32_t *roots;
  tree_nodes<RULE, T> nodes;
  tree_leaves<T> leaves;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }

  CAMEO_DEVICE_ONLY int32_t find_leaf(int32_t node, const X *row) const {
    for (int32_t next = nodes.step(node, row); next != node; next = nodes.step(node, row))
      node = next;
    return node;
  }

  CAMEO_DEVICE_ONLY void operator()(int64_t row) const {
    const int64_t trees = p.trees, targets = p.targets;
    int32_t *const leaf = shared<int32_t>();
    for (int64_t first = 0; first < targets; first += tree_threads) {
      const int64_t target = first + thread();
      tree_total<AGGREGATE, T> total;
      for (int64_t piece = 0; piece < trees; piece += tree_threads) {
        const int64_t left = trees - piece, count = left < tree_threads ? left : tree_threads;
        barrier(); // the leaves of the piece before may still be read
        if (thread() < count)
          leaf[thread()] = find_leaf(roots[piece + thread()], x + row * p.columns);
        barrier();
        for (int64_t tree = 0; target < targets && tree < count; ++tree)
          leaves.visit_target(leaf[tree], target, [&](T weight) { total.add(weight); });
      }
      if (target < targets)
        store(index<2>{{row, target}}, total.get());
    }
  }
};

template <class BODY> CAMEO_KERNEL_BOUNDS(tree_threads, 1) void tree_ensemble_kernel(BODY body) {
  body.load_counts();
  for (int64_t row = block_index().x; row < body.p.rows; row += grid_extent().x)
    body(row);
}

/// Bytes that tree_ensemble takes from e.scratch.
template <class T, class P> int64_t tree_ensemble_scratch(const P &, int) { return 0; }

template <tree_aggregate AGGREGATE, tree_rule RULE, class P, class X, class T, class STORE>
void tree_ensemble(exec &e, const P &p, const X *x, const int32_t *roots, const int32_t *depths,
                   const T *splits, const int32_t *features, const int32_t *children,
                   const T *weights, const int32_t *target_ids, const int32_t *begins,
                   const int32_t *ends, STORE store) {
  using body = tree_ensemble_body<AGGREGATE, RULE, P, X, T, STORE>;
  (void)depths;
  if (p.rows <= 0 || p.targets <= 0)
    return;
  const body b = {p,    x, roots, {splits, features, children}, {weights, target_ids, begins, ends},
                  store};
  e.launch(&tree_ensemble_kernel<body>, grid_for(p.rows, 1), dim3(tree_threads),
           tree_threads * sizeof(int32_t), b);
}

} // namespace cameo::cuda
