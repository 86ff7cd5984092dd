# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RMSNormalization whose input and scale are of any two of three types: the result is of the scale's. What is normalized in
less than doubles is compared as floats."""
import numpy as np
from graph import DOUBLE, FLOAT, FLOAT16, Case, Graph, normal, random
from onnx import helper

TYPES = {FLOAT16: np.float16, FLOAT: np.float32, DOUBLE: np.float64}


def ORACLE(model):
    """ONNX Runtime expands the operator to a product of two types, which it refuses; by what the operator's text says."""
    def run(inputs):
        outputs = []
        for node in model.graph.node:
            if node.op_type == "Cast":
                outputs[-1] = outputs[-1].astype(np.float32)
                continue
            x, scale = (inputs[name].astype(np.float64) for name in node.input)
            normalized = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)
            outputs.append((normalized * scale).astype(inputs[node.input[1]].dtype))
        return outputs

    return run


def build():
    g = Graph("scale_types")
    for t in TYPES:
        g.input(f"x{t}", t, ["rows", "n"])
        g.input(f"scale{t}", t, ["n"])
    for t in TYPES:
        for s in TYPES:
            y, seen = f"y{t}_{s}", s
            g.op("RMSNormalization", f"x{t}", f"scale{s}", out=y)
            if s == DOUBLE != t:
                y, seen = g.op("Cast", y, to=FLOAT, out=f"{y}_seen"), FLOAT
            g.output(y, seen, ["rows", "n"])
    # ONNX's own inference takes the input's type, against the operator's text: it is not asked.
    return helper.make_model(g.proto(), ir_version=10, producer_name="cameo-tests", opset_imports=[helper.make_opsetid("", 23)])


def cases():
    rng = random("scale_types data")
    for rows, n in [(3, 8), (1, 1), (0, 4), (5, 33)]:
        feeds = {}
        for t, dtype in TYPES.items():
            feeds |= {f"x{t}": normal(rng, rows, n, dtype=dtype), f"scale{t}": normal(rng, n, dtype=dtype)}
        yield Case(feeds)
