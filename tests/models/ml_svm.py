# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SVMRegressor and SVMClassifier: every kernel, two classes and more, classes without support vectors, probabilities, one
class, models without support vectors, features that are open."""
import numpy as np
from graph import DOUBLE, FLOAT, INT64, STRING, Case, Graph, normal, random

KERNELS = [("LINEAR", [0.0, 0.0, 0.0]), ("POLY", [0.5, 1.0, 2.0]), ("POLY", [0.4, 0.5, 3.0]), ("POLY", [0.1, 3.0, 1.5]),
           ("RBF", [0.5, 0.0, 3.0]), ("SIGMOID", [0.2, 0.1, 3.0])]


def build():
    g = Graph("ml_svm")
    g.input("x", FLOAT, ["n", 3])
    g.input("d", DOUBLE, ["n", 3])
    g.input("l", INT64, ["n", 3])
    g.input("open", FLOAT, ["n", "m"])
    g.input("row", FLOAT, [3])
    rng = random("ml_svm weights")

    def numbers(count, scale=1.0):
        return [float(v) for v in normal(rng, count, scale=scale)]

    def regress(name, vectors, x="x", kernel=KERNELS[4], **attributes):
        machine = {"support_vectors": numbers(3 * vectors)} if vectors else {}
        g.op("SVMRegressor", x, out=name, domain="ai.onnx.ml", n_supports=vectors, coefficients=numbers(vectors or 3),
             rho=numbers(1), kernel_type=kernel[0], kernel_params=kernel[1], **machine, **attributes)
        g.output(name, FLOAT, ["n" if x != "row" else 1, 1])

    def classify(name, per_class, x="x", kernel=KERNELS[4], labels=None, proba=False, **attributes):
        count = len(per_class)
        pairs, vectors = count * (count - 1) // 2, sum(per_class)
        labels = labels or list(range(10, 10 + count))
        kind, dtype = ("classlabels_strings", STRING) if isinstance(labels[0], str) else ("classlabels_ints", INT64)
        machine = {"support_vectors": numbers(3 * vectors), "vectors_per_class": per_class} if vectors else {}
        # A slope is negative: a sum that is larger speaks for the first class of its pair.
        chances = {"prob_a": [-abs(v) - 0.5 for v in numbers(pairs)], "prob_b": numbers(pairs, 0.3)} if proba else {}
        g.op("SVMClassifier", x, out=[f"{name}_label", f"{name}_scores"], domain="ai.onnx.ml",
             coefficients=numbers((count - 1) * vectors or 3 * count), rho=numbers(pairs if vectors else 1, 0.2),
             kernel_type=kernel[0], kernel_params=kernel[1],
             **machine, **chances, **{kind: labels}, **attributes)
        rows = "n" if x != "row" else 1
        g.output(f"{name}_label", dtype, [rows])
        g.output(f"{name}_scores", FLOAT, [rows, pairs if vectors and count > 2 and not proba else count])

    for number, kernel in enumerate(KERNELS):
        regress(f"regressor_{number}", 5, kernel=kernel)
        classify(f"classifier_{number}", [2, 3, 1], kernel=kernel)
    regress("linear_regressor", 0)
    regress("one_class", 6, one_class=1)
    regress("open_regressor", 4, "open")
    regress("row_regressor", 4, "row")
    for post in ("NONE", "LOGISTIC", "SOFTMAX"):
        classify(f"two_{post.lower()}", [2, 2], post_transform=post)
        classify(f"linear_{post.lower()}", [0, 0, 0], post_transform=post)
    classify("linear_two", [0, 0])
    classify("sums", [3, 2, 2, 4], post_transform="SOFTMAX")
    classify("strings", [3, 2, 2], labels=["a", "Größe", ""], x="open")
    classify("empty_class", [2, 0, 3])
    classify("of_doubles", [2, 2, 2], "d", kernel=KERNELS[0])
    classify("of_integers", [2, 2, 2], "l")
    classify("of_row", [2, 2, 2], "row")
    classify("chances_of_two", [3, 3], proba=True)
    classify("chances_of_three", [3, 2, 4], proba=True, labels=["x", "y", "z"])
    classify("chances_of_six", [3, 2, 4, 1, 2, 3], proba=True, x="open")
    classify("chances_of_row", [2, 2, 2], "row", proba=True, post_transform="SOFTMAX")
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_svm data")
    for n in (6, 1, 0, 200):
        yield Case({"x": normal(rng, n, 3), "d": normal(rng, n, 3, dtype=np.float64), "l": rng.integers(-2, 3, (n, 3)),
                    "open": normal(rng, n, 3), "row": normal(rng, 3)})
    x = normal(rng, 2, 3)
    yield Case({"x": x, "d": x.astype(np.float64), "l": np.ones((2, 3), np.int64), "open": normal(rng, 2, 4), "row": x[0]},
               status="INVALID_ARGUMENT")
