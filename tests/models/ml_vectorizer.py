# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FeatureVectorizer: tensors of one axis and of more, of every element type, whose features are as many as said, more, or
fewer."""
import numpy as np
from graph import DOUBLE, FLOAT, INT32, INT64, Case, Graph, normal, random
from make import onnxruntime_runner

TYPES = {"f": FLOAT, "d": DOUBLE, "i": INT32, "l": INT64}


def ORACLE(model):
    """ONNX Runtime ends the process where there are no rows."""
    run = onnxruntime_runner(model)
    features = {o.name: o.type.tensor_type.shape.dim[1].dim_value for o in model.graph.output}

    def ours(inputs):
        if len(inputs["f"]) == 0:
            return [inputs["row"][None, :6] if name == "of_row" else np.zeros((0, count), np.float32)
                    for name, count in features.items()]
        return run(inputs)

    return ours


def build():
    g = Graph("ml_vectorizer")
    for name, dtype in TYPES.items():
        g.input(name, dtype, ["n", "m"])
    g.input("cube", FLOAT, ["n", 2, "w"])
    g.input("row", FLOAT, [8])

    def vectorize(name, inputs, count, **attributes):
        g.op("FeatureVectorizer", *inputs, out=name, domain="ai.onnx.ml", **attributes)
        g.output(name, FLOAT, ["n" if name != "of_row" else 1, count])

    for name in TYPES:
        vectorize(f"of_{name}", [name], 3, inputdimensions=[3])
    vectorize("cut_and_filled", ["f", "cube", "f"], 12, inputdimensions=[4, 5, 3])
    vectorize("of_row", ["row"], 6, inputdimensions=[6])
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_vectorizer data")
    for n, m, w in [(1, 1, 2), (5, 7, 3), (0, 3, 2), (300, 5, 4)]:
        yield Case({"f": normal(rng, n, m), "d": normal(rng, n, m, dtype=np.float64),
                    "i": rng.integers(-9, 9, (n, m), np.int32), "l": rng.integers(-9, 9, (n, m)),
                    "cube": normal(rng, n, 2, w), "row": normal(rng, 8)})
