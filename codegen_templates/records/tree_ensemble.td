// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def tree_ensemble : KernelTemplate<"tree_ensemble.h"> {
  let arguments = (with Enumerated<"tree_aggregate", ["sum", "min", "max"]>:$AGGREGATE,
                           Enumerated<"tree_rule", ["at_most", "missing", "any"]>:$RULE);
  let params = (with Int<>:$rows, Int<>:$columns, Int<>:$trees, Int<>:$targets);
  let operands = (with In<"X", ["half", "float", "double"]>:$x, In<"int32_t">:$roots, In<"int32_t">:$depths,
                          In<"T", ["float", "double"]>:$splits, In<"int32_t">:$features,
                          In<"int32_t">:$children, In<"T">:$weights, OptionalIn<"int32_t">:$target_ids,
                          OptionalIn<"int32_t">:$begins, OptionalIn<"int32_t">:$ends);
  let functors = (with Store<"2", "T">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["splits"];
  let takesCounts = 1;
  let description = [{
    x: rows, columns. store({row, target}) gets what the leaves that a row ends at, one of each tree,
    have for the target: the sum, the least or the greatest (of these NaN is none), or 0 where none
    has any. Order: ascending trees, then as a leaf has them.
    A tree's nodes are followed from roots[tree], depths[tree] steps at most: from node n to
    children[n], or to children[n] + 1 where x[row, features[n]] <= splits[n]. A leaf is its own
    child, and its split NaN. With the rules missing and any, features[n] is 4 * feature + bits:
    1 where NaN goes to children[n] + 1, 2 (any only) where that is x == splits[n].
    A leaf n has weights[n] for target_ids[n], or, with begins and ends, all those from begins[n] to
    in front of ends[n], in ascending order of targets. Without target_ids all are for target 0.
  }];
}
