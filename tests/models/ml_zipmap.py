# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZipMap as exporters write it, with keys that are numbers and strings: the outputs are the tensors of the maps' values."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random
from make import onnxruntime_session
from onnx import TensorProto, helper

KEYS = {"numbers": [7, 4, -1], "words": ["yes", "no", "Größe"]}


def ORACLE(model):
    """The values of ONNX Runtime's maps, which it sorts by key, in the order of the keys."""
    session = onnxruntime_session(model)

    def run(inputs):
        results = dict(zip([o.name for o in model.graph.output], session.run(None, inputs)))
        for name, keys in KEYS.items():
            results[name] = np.array([[row[key] for key in keys] for row in results[name]], np.float32).reshape(-1, len(keys))
        return [results[o.name] for o in model.graph.output]

    return run


def build():
    g = Graph("ml_zipmap")
    g.input("x", FLOAT, ["n", 4])
    rng = random("ml_zipmap weights")
    g.op("LinearClassifier", "x", out=["label", "scores"], domain="ai.onnx.ml", classlabels_ints=KEYS["numbers"],
         coefficients=[float(v) for v in normal(rng, 12)], intercepts=[0.1, 0.0, -0.1], post_transform="SOFTMAX")
    g.output("label", INT64, ["n"])
    for name, keys in KEYS.items():
        kind = TensorProto.INT64 if name == "numbers" else TensorProto.STRING
        g.op("ZipMap", "scores", out=name, domain="ai.onnx.ml",
             **{"classlabels_int64s" if name == "numbers" else "classlabels_strings": keys})
        maps = helper.make_map_type_proto(kind, helper.make_tensor_type_proto(FLOAT, []))
        g.outputs.append(helper.make_value_info(name, helper.make_sequence_type_proto(maps)))
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_zipmap data")
    for n in (3, 1, 0, 40):
        yield Case({"x": normal(rng, n, 4)})
