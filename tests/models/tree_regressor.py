# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TreeEnsembleRegressor: every mode with and without tracks of missing values, aggregates, base values and post-transforms,
leaves of one target, of all, of some and of none, a tree that is a leaf, lopsided trees; rows that are NaN, infinite or equal
to a split, and as many as only the data say."""
import numpy as np
from forest import Leaf, by_ids, grow, model, weights
from graph import BOOL, FLOAT, Case, Graph, normal, random

FEATURES = 12
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}  # how many rows are kept, told behind the run
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
# Splits, and elements of some rows: many are equal.
VALUES = [-np.inf, -1.5, -0.5, -0.0, 0.0, 1e-45, 0.25, 0.5, 1.0, 3e38, np.inf]


def split_values(rng):
    return lambda: float(VALUES[rng.integers(len(VALUES))])


def build():
    rng = random("tree_regressor")
    g = Graph("tree_regressor")
    g.input("x", FLOAT, ["rows", FEATURES])
    kept = g.op("Compress", "x", g.input("keep", BOOL, ["rows"]), axis=0)

    def forest(name, trees, targets, tracks=True, source="x", **attributes):
        g.op("TreeEnsembleRegressor", source, out=name, domain="ai.onnx.ml", n_targets=targets,
             **by_ids(trees, "target", tracks=tracks), **attributes)
        g.output(name, FLOAT, ["rows" if source == "x" else "kept", targets])

    def trees(count, depth, leaf, **grown):
        return [grow(rng, depth, FEATURES, leaf, **grown) for _ in range(count)]

    forest("plain", trees(20, 5, weights(rng, 1)), 1, tracks=False)
    forest("of_kept", trees(7, 4, weights(rng, 1)), 1, source=kept, tracks=False)
    for mode in MODES:
        forest(f"by_{mode.lower()}", trees(7, 4, weights(rng, 1), modes=[mode], tracks=True, values=split_values(rng)), 1)
        forest(f"bare_{mode.lower()}", trees(7, 4, weights(rng, 1), modes=[mode], values=split_values(rng)), 1, tracks=False)
    forest("mixed", trees(9, 6, weights(rng, 1), modes=MODES, tracks=True, values=split_values(rng)), 1)
    forest("lopsided", [*trees(5, 25, weights(rng, 1), leaf_rate=0.35), Leaf([(0, 0.25)])], 1, base_values=[0.5])
    for aggregate in ["SUM", "AVERAGE", "MIN", "MAX"]:
        base = {"base_values": [float(v) for v in normal(rng, 3)]}
        forest(f"one_{aggregate.lower()}", trees(6, 3, weights(rng, 1)), 1, aggregate_function=aggregate, base_values=[0.5])
        forest(f"each_{aggregate.lower()}", trees(6, 3, weights(rng, 3, 3)), 3, aggregate_function=aggregate, **base)
        forest(f"some_{aggregate.lower()}", trees(6, 3, weights(rng, 4, 2)), 4, aggregate_function=aggregate)
    forest("many", trees(3, 3, weights(rng, 150, 140)), 150)
    forest("seldom", [*trees(4, 3, weights(rng, 5, 2)), *trees(2, 3, Leaf)], 5)
    for transform in ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]:
        forest(f"to_{transform.lower()}", trees(8, 3, weights(rng, 3, 3, 0.01, 0.03)), 3, post_transform=transform,
               base_values=[-0.1, 0.05, 0.4])
        forest(f"one_to_{transform.lower()}", trees(8, 3, weights(rng, 1, 1, 0.01, 0.03)), 1, post_transform=transform)
    forest("with_zeros", trees(2, 3, weights(rng, 6, 1)), 6, post_transform="SOFTMAX_ZERO")
    return model(g, 3)


def cases():
    rng = random("tree_regressor data")
    for rows in [16, 1, 0, 3, 150]:
        x = normal(rng, rows, FEATURES)
        special = rng.choice(np.array([*VALUES, np.nan, np.nan], np.float32), (rows, FEATURES))
        yield Case({"x": np.where(rng.random((rows, FEATURES)) < 0.4, special, x), "keep": rng.random(rows) < 0.7})
