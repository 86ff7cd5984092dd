# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements below a byte whose values the host wants: a shape, which is an input with a default, and a count."""
import ml_dtypes
import numpy as np
from graph import FLOAT, INT64, UINT2, UINT4, Case, Graph, normal, random
from onnx import helper

# ONNX Runtime has no kernels for most of these types.
ORACLE = "reference"


def build():
    g = Graph("packed_shape")
    g.input("x", FLOAT, ["n"])
    g.input("shape", UINT4, [2])
    g.input("repeats", UINT2, [1])
    # Of two initializers one is an input as well; where all are, they are taken for constants.
    g.initializers.append(helper.make_tensor("shape", UINT4, [2], [3, 4]))
    g.initializers.append(helper.make_tensor("minus", FLOAT, [], [-1]))
    y = g.op("Reshape", "x", g.op("Cast", "shape", to=INT64))
    g.output(g.op("Mul", y, "minus", out="y"), FLOAT, ["a", "b"])
    g.output(g.op("Tile", "x", g.op("Cast", "repeats", to=INT64), out="tiled"), FLOAT, ["m"])
    g.output(g.op("Cast", "shape", to=FLOAT, out="as_data"), FLOAT, [2])
    return g.model(opset=25, ir_version=13)


def cases():
    rng = random("packed_shape data")
    for n, shape, repeats in [(12, None, 2), (12, [1, 12], 0), (15, [5, 3], 3), (0, [0, 7], 1)]:
        inputs = {"x": normal(rng, n), "repeats": np.array([repeats], ml_dtypes.uint2)}
        if shape:
            inputs["shape"] = np.array(shape, ml_dtypes.uint4)
        yield Case(inputs)
    yield Case({"x": normal(rng, 11), "repeats": np.array([1], ml_dtypes.uint2)}, status="INVALID_ARGUMENT")
