# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TreeEnsembleClassifier of two classes that both have weights: they are two like any other number of classes. Rows with more
features than trees read, and with fewer."""
from forest import by_ids, grow, model, weights
from graph import FLOAT, INT64, STRING, Case, Graph, normal, random

FEATURES = 5
ORACLE = "reference"  # ONNX Runtime has 1 for the label where the second score is positive, and 0, whatever labels there are


def build():
    rng = random("tree_two_classes")
    g = Graph("tree_two_classes")
    g.input("x", FLOAT, ["rows", "features"])
    for name, dtype, labels, others in [("numbers", INT64, [7, -5], {}), ("based", INT64, [0, 1], {"base_values": [0.5, -0.25]}),
                                        ("softmax", INT64, [4, 9], {"post_transform": "SOFTMAX"}),
                                        ("words", STRING, ["no", "yes"], {"post_transform": "LOGISTIC"})]:
        trees = [grow(rng, 3, FEATURES, weights(rng, 2, 2)) for _ in range(6)]
        kind = "classlabels_strings" if dtype == STRING else "classlabels_int64s"
        g.op("TreeEnsembleClassifier", "x", out=[f"{name}_label", f"{name}_scores"], domain="ai.onnx.ml", **{kind: labels},
             **by_ids(trees, "class"), **others)
        g.output(f"{name}_label", dtype, ["rows"])
        g.output(f"{name}_scores", FLOAT, ["rows", 2])
    return model(g, 3)


def cases():
    rng = random("tree_two_classes data")
    for rows, features in [(5, FEATURES), (1, FEATURES + 3), (40, FEATURES)]:
        yield Case({"x": normal(rng, rows, features)})
    yield Case({"x": normal(rng, 3, FEATURES - 1)}, status="INVALID_ARGUMENT")
    yield Case({"x": normal(rng, 2, FEATURES)})
