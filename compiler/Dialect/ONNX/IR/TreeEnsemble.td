// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forests of decision trees. The importer brings all operators of ONNX for them to one form.

#ifndef CAMEO_DIALECT_ONNX_IR_TREEENSEMBLE_TD
#define CAMEO_DIALECT_ONNX_IR_TREEENSEMBLE_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_TreeEnsembleOp : ONNX_Op<"ml.TreeEnsemble", 5, [Pure]> {
  let summary = "What the leaves that a row ends at, one of each tree, have for each target";
  let description = [{
    A tensor of rank 1 is one row. A node is followed to its true branch where
    the row's feature compares so with its split, or is NaN where
    `nodes_missing_value_tracks_true` says so; both branches may be one. A target
    that no leaf has anything for is 0.

    `leaf_ends` is the dialect's own: leaf i has the targets and weights from
    `leaf_ends[i - 1]` to in front of `leaf_ends[i]`; without it, those at i.

    Constraints:
    * C1: `X` has rank 1 or 2, and every feature that a node reads.
    * C2: `n_targets` is positive, `aggregate_function` in [0, 4).
    * C3: all lists of `nodes_*` are as long, at most 2^26.
    * C4: `nodes_modes` are 0 to 6, and features at least 0 and below 2^29.
    * C5: splits, weights and members have the element type of `X`.
    * C6: there are at most 2^26 `membership_values`, lists that end in NaN, one
      for each node of mode 6.
    * C7: branches are nodes or leaves that there are; there are 1 to 2^26 roots,
      nodes of which none is below itself.
    * C8: there are as many targets as weights, at most 2^30, each target in
      [0, n_targets).
    * C9: `leaf_ends` do not decrease, and the last one is how many weights there
      are.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[F16, F32, F64]>>:$X,
                       DefaultValuedAttr<ONNX_Int, "1">:$aggregate_function,
                       OptionalAttr<DenseI64ArrayAttr>:$leaf_ends,
                       DenseI64ArrayAttr:$leaf_targetids, ElementsAttr:$leaf_weights,
                       OptionalAttr<ElementsAttr>:$membership_values,
                       OptionalAttr<ONNX_Int>:$n_targets, DenseI64ArrayAttr:$nodes_falseleafs,
                       DenseI64ArrayAttr:$nodes_falsenodeids, DenseI64ArrayAttr:$nodes_featureids,
                       OptionalAttr<ElementsAttr>:$nodes_hitrates,
                       OptionalAttr<DenseI64ArrayAttr>:$nodes_missing_value_tracks_true,
                       ElementsAttr:$nodes_modes, ElementsAttr:$nodes_splits,
                       DenseI64ArrayAttr:$nodes_trueleafs, DenseI64ArrayAttr:$nodes_truenodeids,
                       DenseI64ArrayAttr:$tree_roots);
  let results = (outs ONNX_TensorOf<[F16, F32, F64]>:$Y);
  let hasVerifier = 1;
  let extraDecls = [{
    /// Where a node's true or false branch leads: to a node or a leaf.
    struct Branch {
      int64_t id;
      bool isLeaf;
    };
    Branch getBranch(int64_t node, bool holds);
    int64_t countNodes() { return static_cast<int64_t>(getNodesFeatureids().size()); }
    /// The greatest feature that a node reads; -1 where there are no nodes.
    int64_t getLastFeature();
    /// The nodes that trees have, each behind those that its branches lead to; nullopt where one is
    /// below itself. Branches are to be nodes or leaves that there are.
    std::optional<std::vector<int32_t>> orderNodes();
  }];
}

#endif // CAMEO_DIALECT_ONNX_IR_TREEENSEMBLE_TD
