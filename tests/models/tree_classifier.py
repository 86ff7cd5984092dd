# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TreeEnsembleClassifier: labels that are integers and strings, two classes of which one has weights, positive or not, and
several classes, with base values and post-transforms; features that are floats, doubles and integers."""
import numpy as np
from forest import by_ids, grow, model, weights
from graph import DOUBLE, FLOAT, INT32, INT64, STRING, Case, Graph, normal, random

FEATURES = 7
TYPES = {"f32": FLOAT, "f64": DOUBLE, "i64": INT64, "i32": INT32}
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def build():
    rng = random("tree_classifier")
    g = Graph("tree_classifier")
    for name, dtype in TYPES.items():
        g.input(name, dtype, ["rows", FEATURES])

    def forest(name, source, labels, leaf, dtype=None, **attributes):
        kind = "classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"
        trees = [grow(rng, 4, FEATURES, leaf, modes=["BRANCH_LEQ", "BRANCH_LT"], tracks=True) for _ in range(12)]
        g.op("TreeEnsembleClassifier", source, out=[f"{name}_label", f"{name}_scores"], domain="ai.onnx.ml",
             **{kind: labels}, **by_ids(trees, "class", dtype), **attributes)
        g.output(f"{name}_label", STRING if isinstance(labels[0], str) else INT64, ["rows"])
        g.output(f"{name}_scores", FLOAT, ["rows", len(labels)])

    three, words = [3, -10, 2**40], ["red", "green", "blue", ""]
    for transform in TRANSFORMS:
        name, set_to = transform.lower(), {"post_transform": transform}
        forest(f"signed_{name}", "f32", [7, 5], weights(rng, 1), **set_to)
        forest(f"positive_{name}", "f32", ["no", "yes"], weights(rng, 1, 1, 0.005, 0.05), **set_to)
        forest(f"based_{name}", "f32", [0, 1], weights(rng, 1), base_values=[-0.5], **set_to)
        forest(f"second_{name}", "f32", [0, 1], lambda leaf=weights(rng, 1): moved(leaf(), 1), **set_to)
        forest(f"three_{name}", "f32", three, weights(rng, 3, 3), base_values=[0.5, -0.25, 0.125], **set_to)
        forest(f"words_{name}", "f32", words, weights(rng, 4, 4), **set_to)
    forest("five", "f32", [0, 1, 2, 3, 4], weights(rng, 5, 5))
    forest("to_probit", "f32", three, weights(rng, 3, 3, 0.003, 0.02), post_transform="PROBIT")
    for name in ["f64", "i64", "i32"]:
        dtype = np.float64 if name == "f64" else None
        forest(f"of_{name}", name, [0, 1], weights(rng, 1), dtype, post_transform="LOGISTIC")
        forest(f"three_of_{name}", name, words[:3], weights(rng, 3, 3), dtype)
    forest("of_f64_by_floats", "f64", three, weights(rng, 3, 3))
    return model(g, 3)


def moved(leaf, target):
    leaf.weights = [(target, weight) for _, weight in leaf.weights]
    return leaf


def cases():
    rng = random("tree_classifier data")
    for rows in [20, 1, 0, 100]:
        x = normal(rng, rows, FEATURES)
        x[rng.random(x.shape) < 0.1] = np.nan
        integers = rng.integers(-3, 4, (rows, FEATURES))
        yield Case({"f32": x, "f64": normal(rng, rows, FEATURES, dtype=np.float64), "i64": integers * (2**24 + 1),
                    "i32": integers.astype(np.int32)})
