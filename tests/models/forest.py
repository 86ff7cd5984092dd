# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random forests as the operators of ai.onnx.ml write them: by nodes with ids (TreeEnsembleRegressor and -Classifier), or by
tables of inner nodes and of leaves (TreeEnsemble)."""
from dataclasses import dataclass, field

import numpy as np
from onnx import helper, numpy_helper

MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"]


@dataclass
class Split:
    """An inner node: where `x[feature] mode value` (or NaN, where it tracks true), on to `true`, else to `false`."""

    feature: int
    mode: str
    value: object  # a list of numbers for BRANCH_MEMBER
    true: object
    false: object
    tracks_true: bool = False


@dataclass
class Leaf:
    """Targets and their weights."""

    weights: list = field(default_factory=list)


def grow(rng, depth, features, leaf, *, modes=("BRANCH_LEQ",), tracks=False, values=None, leaf_rate=0.0):
    """A random tree, no node of which lies deeper than `depth`."""
    if depth == 0 or rng.random() < leaf_rate:
        return leaf()
    mode = modes[rng.integers(len(modes))]
    pick = values or (lambda: float(np.float32(rng.standard_normal())))
    value = [pick() for _ in range(rng.integers(1, 6))] if mode == "BRANCH_MEMBER" else pick()
    children = [grow(rng, depth - 1, features, leaf, modes=modes, tracks=tracks, values=values, leaf_rate=leaf_rate)
                for _ in range(2)]
    return Split(int(rng.integers(features)), mode, value, *children, bool(tracks and rng.random() < 0.5))


def walk(tree):
    """The nodes of a tree, parents first."""
    nodes = [tree]
    for node in nodes:
        if isinstance(node, Split):
            nodes += [node.true, node.false]
    return nodes


def by_ids(trees, leaf, dtype=None, tracks=True):
    """The attributes of an older operator; `leaf` is `target` or `class`. With a dtype, numbers are tensors."""
    columns = {key: [] for key in ["nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_values",
                                   "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true"]}
    leaves = {f"{leaf}_{key}": [] for key in ["treeids", "nodeids", "ids", "weights"]}
    for number, tree in enumerate(trees):
        nodes = walk(tree)
        ids = {id(node): position for position, node in enumerate(nodes)}
        for node in nodes:
            inner = isinstance(node, Split)
            row = (number, ids[id(node)], node.feature if inner else 0, node.mode if inner else "LEAF",
                   node.value if inner else 0.0, ids[id(node.true)] if inner else 0,
                   ids[id(node.false)] if inner else 0, int(inner and node.tracks_true))
            for column, value in zip(columns.values(), row):
                column.append(value)
            for target, weight in [] if inner else node.weights:
                for column, value in zip(leaves.values(), (number, ids[id(node)], target, weight)):
                    column.append(value)
    if not tracks:
        del columns["nodes_missing_value_tracks_true"]
    attributes = columns | leaves
    if dtype:
        for key in ["nodes_values", f"{leaf}_weights"]:
            attributes[f"{key}_as_tensor"] = numpy_helper.from_array(np.array(attributes.pop(key), dtype), key)
    return attributes


def by_tables(trees, dtype=np.float32):
    """The attributes of TreeEnsemble. Every leaf has one weight, and every tree an inner node."""
    inner, leaves, roots = [], [], []
    for tree in trees:
        tree = tree if isinstance(tree, Split) else Split(0, "BRANCH_LEQ", 0.0, tree, tree)
        roots.append(len(inner))
        inner += [node for node in walk(tree) if isinstance(node, Split)]
        leaves += {id(node): node for node in walk(tree) if isinstance(node, Leaf)}.values()
    places = {id(node): place for nodes in (inner, leaves) for place, node in enumerate(nodes)}

    def column(function):
        return [int(function(node)) for node in inner]

    def tensor(name, values, kind=dtype):
        return numpy_helper.from_array(np.array(values, kind), name)

    members = [value for node in inner if node.mode == "BRANCH_MEMBER" for value in [*node.value, np.nan]]
    attributes = {
        "tree_roots": roots, "nodes_featureids": column(lambda node: node.feature),
        "nodes_modes": tensor("modes", [MODES.index(node.mode) for node in inner], np.uint8),
        "nodes_splits": tensor("splits", [0 if node.mode == "BRANCH_MEMBER" else node.value for node in inner]),
        "nodes_truenodeids": column(lambda node: places[id(node.true)]),
        "nodes_falsenodeids": column(lambda node: places[id(node.false)]),
        "nodes_trueleafs": column(lambda node: isinstance(node.true, Leaf)),
        "nodes_falseleafs": column(lambda node: isinstance(node.false, Leaf)),
        "nodes_missing_value_tracks_true": column(lambda node: node.tracks_true),
        "leaf_targetids": [leaf.weights[0][0] for leaf in leaves],
        "leaf_weights": tensor("weights", [leaf.weights[0][1] for leaf in leaves]),
    }
    if members:
        attributes["membership_values"] = tensor("members", members)
    return attributes


def weights(rng, targets, count=1, scale=1.0, offset=0.0):
    """A maker of leaves that have `count` of the targets."""
    def leaf():
        chosen = np.sort(rng.choice(targets, count, replace=False))
        return Leaf([(int(target), float(np.float32(offset + scale * rng.standard_normal()))) for target in chosen])

    return leaf


def model(graph, version):
    """The model of a graph with operators of ai.onnx.ml of a version."""
    return helper.make_model(graph.proto(), ir_version=10, producer_name="cameo-tests",
                             opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", version)])
