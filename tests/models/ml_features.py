# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaler, Imputer and ArrayFeatureExtractor: one value for all features or one for each, tensors of one
axis and of more, every element type, missing values by a number and by NaN."""
import numpy as np
from graph import DOUBLE, FLOAT, INT32, INT64, Case, Graph, normal, random

NAN = float("nan")


def build():
    g = Graph("ml_features")
    for name, dtype in [("x", FLOAT), ("d", DOUBLE), ("i", INT32), ("l", INT64)]:
        g.input(name, dtype, ["n", 3])
    g.input("row", FLOAT, [4])
    g.input("images", FLOAT, ["n", 2, "w"])
    g.input("places", INT64, ["k"])

    def ml(op_type, inputs, dtype, dims, **attributes):
        name = g.op(op_type, *inputs.split(), domain="ai.onnx.ml", **attributes)
        g.output(name, dtype, dims)

    each = {"offset": [0.5, -1.0, 2.0], "scale": [2.0, 0.5, -1.0]}
    for x in "xdil":
        ml("Scaler", x, FLOAT, ["n", 3], **each)
    ml("Scaler", "images", FLOAT, ["n", 2, "w"], offset=[1.5], scale=[0.25])
    ml("Scaler", "row", FLOAT, [4], offset=[1.0, 2.0, 3.0, 4.0], scale=[4.0, 3.0, 2.0, 1.0])
    ml("Imputer", "x", FLOAT, ["n", 3], imputed_value_floats=[0.5, -1.0, 2.0], replaced_value_float=NAN)
    ml("Imputer", "images", FLOAT, ["n", 2, "w"], imputed_value_floats=[9.0], replaced_value_float=NAN)
    ml("Imputer", "x", FLOAT, ["n", 3], imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=0.25)
    ml("Imputer", "l", INT64, ["n", 3], imputed_value_int64s=[5, -6, 7], replaced_value_int64=1)
    ml("ArrayFeatureExtractor", "x places", FLOAT, ["n", "k"])
    ml("ArrayFeatureExtractor", "images some", FLOAT, ["n", 2, 2])
    ml("ArrayFeatureExtractor", "row places", FLOAT, [1, "k"])
    ml("ArrayFeatureExtractor", "i some", INT32, ["n", 2])
    g.const(np.array([[1], [0]]), name="some")
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_features data")
    for n, w, k in [(1, 2, 1), (5, 3, 4), (0, 2, 2), (300, 2, 3)]:
        x = normal(rng, n, 3)
        x[rng.random((n, 3)) < 0.3] = np.nan
        x[rng.random((n, 3)) < 0.2] = 0.25
        images = normal(rng, n, 2, w)
        images[rng.random(images.shape) < 0.2] = np.nan
        yield Case({"x": x, "d": normal(rng, n, 3, dtype=np.float64), "i": rng.integers(-9, 9, (n, 3), np.int32),
                    "l": rng.integers(-3, 3, (n, 3)), "row": normal(rng, 4), "images": images,
                    "places": rng.integers(0, 3, k)})
    yield Case({**_one(rng), "places": np.array([0, 3])}, status="OUT_OF_RANGE")
    yield Case({**_one(rng), "places": np.array([2, 1, 0])})


def _one(rng):
    return {"x": normal(rng, 2, 3), "d": normal(rng, 2, 3, dtype=np.float64), "i": np.ones((2, 3), np.int32),
            "l": np.ones((2, 3), np.int64), "row": normal(rng, 4), "images": normal(rng, 2, 2, 2)}
