# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LinearRegressor and LinearClassifier: every post_transform, labels that are numbers and strings, one row of coefficients
for two classes, one for each class, no intercepts, a tensor of one axis, every element type."""
import numpy as np
from graph import DOUBLE, FLOAT, INT32, INT64, STRING, Case, Graph, normal, random

POSTS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def build():
    g = Graph("ml_linear")
    for name, dtype in [("x", FLOAT), ("d", DOUBLE), ("i", INT32), ("l", INT64)]:
        g.input(name, dtype, ["n", 4])
    g.input("row", FLOAT, [4])
    g.input("open", FLOAT, ["n", "m"])
    rng = random("ml_linear weights")

    def weights(count, scale=0.3):
        return [float(v) for v in normal(rng, count, scale=scale)]

    def regress(name, x="x", targets=1, scale=0.3, **attributes):
        g.op("LinearRegressor", x, out=name, domain="ai.onnx.ml", coefficients=weights(4 * targets, scale), targets=targets,
             **attributes)
        g.output(name, FLOAT, ["n" if x != "row" else 1, targets])

    def classify(name, labels, x="x", sums=None, scale=0.3, intercept=0.0, **attributes):
        count = sums or len(labels)
        rows = "n" if x != "row" else 1
        kind, dtype = ("classlabels_strings", STRING) if isinstance(labels[0], str) else ("classlabels_ints", INT64)
        g.op("LinearClassifier", x, out=[f"{name}_label", f"{name}_scores"], domain="ai.onnx.ml",
             **{"coefficients": weights(4 * count, scale), "intercepts": [intercept + v for v in weights(count, 0.01 if intercept else 0.1)],
                kind: labels, **attributes})
        g.output(f"{name}_label", dtype, [rows])
        g.output(f"{name}_scores", FLOAT, [rows, len(labels)])

    regress("plain", intercepts=[0.25])
    regress("no_intercepts", targets=3)
    regress("other_intercepts", targets=3, intercepts=[1.0])
    regress("open_features", "open", targets=2, intercepts=[1.0, -1.0])
    regress("of_row", "row", targets=2, intercepts=[0.5, 0.0])
    for post in POSTS:
        # ONNX Runtime's PROBIT is noise near a half, and has no number outside of 0 to 1.
        scale = 0.015 if post == "PROBIT" else 0.3
        regress(f"three_{post.lower()}", targets=3, intercepts=[0.3, 0.7, 0.8], scale=scale, post_transform=post)
        regress(f"one_{post.lower()}", intercepts=[0.75], scale=scale, post_transform=post)
        classify(f"of_three_{post.lower()}", [3, 5, 9], scale=scale, intercept=0.75, post_transform=post)
        if post != "PROBIT":
            classify(f"of_two_{post.lower()}", [4, -7], sums=1, post_transform=post)
    for x in "dil":
        classify(f"of_{x}", [1, 0, 2, 3], x, post_transform="SOFTMAX")
    classify("two_rows", ["no", "yes"], post_transform="LOGISTIC", multi_class=1)
    classify("one_row", ["no", "yes"], sums=1, post_transform="LOGISTIC")
    classify("strings", ["Größe", "", "c"], "open", post_transform="SOFTMAX")
    classify("row_of_three", [2, 1, 0], "row")
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_linear data")
    for n in (5, 1, 0, 300):
        x = normal(rng, n, 4)
        yield Case({"x": x, "d": normal(rng, n, 4, dtype=np.float64), "i": rng.integers(-5, 5, (n, 4), np.int32),
                    "l": rng.integers(-5, 5, (n, 4)), "row": normal(rng, 4), "open": normal(rng, n, 4)})
