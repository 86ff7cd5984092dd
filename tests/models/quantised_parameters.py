# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales and zero points whose extents only the run knows: one for all, one for each channel or column, or what fits neither."""
import numpy as np
from graph import FLOAT, INT8, INT32, UINT8, Case, Graph, random

# ONNX Runtime wants parameters that are constants.
ORACLE = "reference"


def build():
    g = Graph("quantised_parameters")
    g.input("image", UINT8, [1, 2, "height", 4])
    g.input("weight", INT8, [3, 2, 1, 1])
    g.input("a", UINT8, ["rows", 4])
    g.input("b", INT8, [4, 5])
    for name, dtype, dims in [("scale", FLOAT, ["one"]), ("zero", UINT8, ["one"]), ("scales", FLOAT, ["channels"]),
                              ("zeros", INT8, ["channels"]), ("b_scales", FLOAT, ["columns"]), ("b_zeros", INT8, ["columns"])]:
        g.input(name, dtype, dims)
    y_scale, y_zero = g.const(np.float32(0.7)), g.const(np.uint8(99))
    g.op("QLinearConv", "image", "scale", "zero", "weight", "scales", "zeros", y_scale, y_zero, out="features")
    g.output("features", UINT8, [1, 3, "height", 4])
    g.op("QLinearMatMul", "a", "scale", "zero", "b", "b_scales", "b_zeros", y_scale, y_zero, out="product")
    g.output("product", UINT8, ["rows", 5])
    g.op("ConvInteger", "image", "weight", "zero", "zeros", out="sums")
    g.output("sums", INT32, [1, 3, "height", 4])
    return g.model(opset=21, ir_version=10)


def cases():
    rng = random("quantised_parameters data")

    def case(height, rows, one=1, channels=3, columns=5, status=""):
        def small(*shape):
            return rng.integers(-9, 9, shape).astype(np.int8)

        def scales(count):
            return (rng.random(count) * 0.1 + 0.01).astype(np.float32)

        return Case({"image": rng.integers(0, 256, (1, 2, height, 4)).astype(np.uint8), "weight": small(3, 2, 1, 1),
                     "a": rng.integers(0, 256, (rows, 4)).astype(np.uint8), "b": small(4, 5), "scale": scales(one),
                     "zero": np.full(one, 120, np.uint8), "scales": scales(channels), "zeros": small(channels),
                     "b_scales": scales(columns), "b_zeros": small(columns)}, status=status)

    yield case(3, 5)
    yield case(2, 1, one=4, status="INVALID_ARGUMENT")
    yield case(2, 2, channels=2, status="INVALID_ARGUMENT")
    yield case(2, 2, columns=4, status="INVALID_ARGUMENT")
    yield case(1, 5, channels=1, columns=1)
