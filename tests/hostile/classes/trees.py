# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forests that are none: nodes that are not there, circles, lists that do not fit, and very deep or very shared ones."""
import numpy as np
from onnx import helper, numpy_helper

from .base import INT64, Table, model, value

table = Table()
FEATURES = 3
DOMAIN = "ai.onnx.ml"


def forest(op_type, version, attributes, outputs=(("y", 1),)):
    def make(folder):
        node = helper.make_node(op_type, ["x"], [name for name, _ in outputs], name="n", domain=DOMAIN, **attributes)
        proto = model([node], inputs=[value("x", dims=(2, FEATURES))], outputs=[value(n, t, None) for n, t in outputs])
        proto.opset_import.append(helper.make_opsetid(DOMAIN, version))
        return proto
    return make


def floats(name, *values):
    return numpy_helper.from_array(np.array(values, np.float32), name)


def old(code, name, op_type="TreeEnsembleRegressor", outputs=(("y", 1),), **changes):
    """A split at node 0 with leaves 1 and 2, after changes."""
    leaf = "class" if op_type == "TreeEnsembleClassifier" else "target"
    attributes = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [1, 0, 0],
                  "nodes_values": [0.5, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
                  "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], f"{leaf}_treeids": [0, 0],
                  f"{leaf}_nodeids": [1, 2], f"{leaf}_ids": [0, 0], f"{leaf}_weights": [1.0, 2.0]}
    if leaf == "target":
        attributes["n_targets"] = 1
    attributes |= changes
    table.row(f"old_{name}", code, forest(op_type, 3, {k: v for k, v in attributes.items() if v is not None}, outputs))


def new(code, name, **changes):
    attributes = {"n_targets": 1, "tree_roots": [0], "nodes_featureids": [1], "nodes_splits": floats("s", 0.5),
                  "nodes_modes": numpy_helper.from_array(np.zeros(1, np.uint8), "m"), "nodes_truenodeids": [0],
                  "nodes_falsenodeids": [1], "nodes_trueleafs": [1], "nodes_falseleafs": [1], "leaf_targetids": [0, 0],
                  "leaf_weights": floats("w", 1, 2)}
    attributes |= changes
    table.row(f"new_{name}", code, forest("TreeEnsemble", 5, {k: v for k, v in attributes.items() if v is not None}))


old(0, "right")
old(4, "branch_to_nowhere", nodes_truenodeids=[9, 0, 0])
old(4, "branch_to_itself", nodes_truenodeids=[0, 0, 0])
old(4, "id_twice", nodes_nodeids=[0, 1, 1])
old(4, "short_list", nodes_featureids=[1, 0])
old(4, "short_values", nodes_values=[0.5])
old(4, "no_modes", nodes_modes=None)
old(4, "unknown_mode", nodes_modes=["BRANCH_LIKE", "LEAF", "LEAF"])
old(4, "negative_feature", nodes_featureids=[-1, 0, 0])
old(4, "feature_beyond", nodes_featureids=[FEATURES, 0, 0])
old(4, "feature_of_2_to_62", nodes_featureids=[2**62, 0, 0])
old(4, "weight_of_no_node", target_nodeids=[1, 7])
old(4, "target_beyond", target_ids=[0, 1])
old(4, "no_targets", n_targets=0)
old(4, "targets_of_2_to_62", n_targets=2**62)
old(4, "two_base_values", base_values=[1.0, 2.0])
old(4, "values_twice", nodes_values_as_tensor=floats("v", 1, 2, 3))
old(4, "values_of_integers", nodes_values=None, nodes_values_as_tensor=numpy_helper.from_array(np.zeros(3, np.int64), "v"))
old(4, "unknown_aggregate", aggregate_function="MEDIAN")
old(4, "unknown_transform", post_transform="SOFTMIN")
old(4, "unknown_attribute", leaf_ends=[1])
LABELS = dict(op_type="TreeEnsembleClassifier", outputs=(("label", INT64), ("y", 1)))
old(4, "no_labels", **LABELS)
old(4, "both_labels", classlabels_int64s=[0, 1], classlabels_strings=["a", "b"], **LABELS)
old(4, "class_beyond", classlabels_int64s=[0, 1, 2], class_ids=[1, 5], **LABELS)
old(5, "one_class", classlabels_int64s=[4], **LABELS)
old(5, "probit_of_one_weighted", classlabels_int64s=[0, 1], post_transform="PROBIT", **LABELS)

new(0, "right")
new(4, "leaf_beyond", nodes_truenodeids=[2])
new(4, "node_beyond", nodes_trueleafs=[0], nodes_truenodeids=[1])
new(4, "negative_leaf", nodes_truenodeids=[-1])
new(4, "circle", nodes_trueleafs=[0])
new(4, "root_beyond", tree_roots=[1])
new(4, "no_roots", tree_roots=None)
new(4, "mode_9", nodes_modes=numpy_helper.from_array(np.full(1, 9, np.uint8), "m"))
new(4, "modes_of_floats", nodes_modes=floats("m", 0))
new(4, "splits_of_doubles", nodes_splits=numpy_helper.from_array(np.zeros(1), "s"))
new(4, "weights_short", leaf_weights=floats("w", 1))
new(4, "no_n_targets", n_targets=None)
new(4, "no_members", nodes_modes=numpy_helper.from_array(np.full(1, 6, np.uint8), "m"))
new(4, "members_without_end", nodes_modes=numpy_helper.from_array(np.full(1, 6, np.uint8), "m"),
    membership_values=floats("v", 1, 2))
new(4, "transform_9", post_transform=9)
new(4, "aggregate_9", aggregate_function=9)
new(4, "own_attribute", leaf_ends=[1, 2])

MANY = 100_000


def many(whole, sides, leaves=(0, 0), ends=None):
    """Nodes of which each leads to two others: `sides` are where, `leaves` whether these are leaves."""
    count = len(sides[0])
    return dict(nodes_featureids=[0] * count, nodes_splits=floats("s", *[0.0] * count),
                nodes_modes=numpy_helper.from_array(np.zeros(count, np.uint8), "m"), nodes_truenodeids=sides[0],
                nodes_falsenodeids=sides[1], nodes_trueleafs=leaves[0], nodes_falseleafs=leaves[1], tree_roots=whole)


NEXT, LAST = list(range(1, MANY)) + [0], [0] * (MANY - 1) + [1]
new(0, "deep", **many([0], (NEXT, [1] * MANY), (LAST, [1] * MANY)))
new(0, "in_two_ways", **many([0], (NEXT, NEXT), (LAST, LAST)))
new(0, "many_roots_of_one", tree_roots=[0] * MANY)
new(4, "long_circle", **many([0], (NEXT, [1] * MANY), ([0] * MANY, [1] * MANY)))
new(0, "members", nodes_modes=numpy_helper.from_array(np.full(1, 6, np.uint8), "m"),
    membership_values=floats("v", *range(MANY), np.nan))
old(0, "leaf_of_many", n_targets=MANY, target_treeids=[0] * MANY, target_nodeids=[1] * MANY, target_ids=list(range(MANY)),
    target_weights=[1.0] * MANY)
