# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TreeEnsemble: all modes in one forest, sets of a few and of many members, trees that share a leaf, aggregates, in floats
and doubles, and in halves whose sums are exact."""
import numpy as np
from forest import Leaf, Split, by_tables, grow, model
from graph import DOUBLE, FLOAT, FLOAT16, Case, Graph, normal, random
from make import reference_runner

FEATURES = 6
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
TYPES = {"f32": (FLOAT, np.float32), "f64": (DOUBLE, np.float64), "f16": (FLOAT16, np.float16)}


def ORACLE(model):
    """ONNX's evaluator has halves, and members that are no integers; but it ends a set at 0, and takes another leaf for a tree
    that is one."""
    return reference_runner(model)


def build():
    rng = random("tree_ensemble")
    g = Graph("tree_ensemble")
    modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
    for name, (dtype, numpy_type) in TYPES.items():
        g.input(name, dtype, ["rows", FEATURES])

        def forest(kind, trees, targets, **attributes):
            g.op("TreeEnsemble", name, out=f"{kind}_{name}", domain="ai.onnx.ml", n_targets=targets,
                 **by_tables(trees, numpy_type), **attributes)
            g.output(f"{kind}_{name}", dtype, ["rows", targets])

        def trees(count, targets, modes):
            return [grow(rng, 4, FEATURES, lambda: exact(rng, targets), modes=modes, tracks=True,
                         values=lambda: float(rng.integers(-4, 5)) / 2) for _ in range(count)]

        forest("modes", trees(10, 1, modes), 1)
        for aggregate in range(4):
            # The evaluator has no 0 for a target that no leaf is of.
            each = [Split(0, "BRANCH_LT", 0.5, *(Leaf([(target, weight)]) for weight in (-0.5, 0.25))) for target in range(2)]
            forest(f"aggregate_{aggregate}", [*trees(8, 2, modes), *each], 2, aggregate_function=aggregate)
        for count in [1, 2, 3, 31]:
            members = rng.choice(np.append(np.arange(-20, 0), np.arange(1, 21)) / 2, count, replace=False).tolist()
            forest(f"{count}_members", [Split(2, "BRANCH_MEMBER", members, exact(rng, 1), exact(rng, 1), count == 3)], 1)
        shared = exact(rng, 1)
        forest("shared", [Split(0, "BRANCH_LEQ", 0.0, Split(1, "BRANCH_LT", 0.5, shared, exact(rng, 1)), shared)], 1)
    return model(g, 5)


def exact(rng, targets):
    """A leaf whose weight is some eighths."""
    return Leaf([(int(rng.integers(targets)), float(rng.integers(-8, 9)) / 8)])


def cases():
    rng = random("tree_ensemble data")
    for rows in [8, 1, 40]:
        x = np.where(rng.random((rows, FEATURES)) < 0.6, rng.integers(-20, 21, (rows, FEATURES)) / 2, normal(rng, rows, FEATURES))
        x[rng.random(x.shape) < 0.1] = np.nan
        yield Case({name: x.astype(numpy_type) for name, (_, numpy_type) in TYPES.items()})
