# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize by scales and by sizes, nearest and linear, in every coordinate rule; the sizes of one come from a shape."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("resize")
    g.input("x", FLOAT, ["batch", 2, "height", "width"])

    def resize(name, scales=None, sizes=None, **attributes):
        operands = ["x", "", g.const(scales) if scales else ""] + ([sizes] if sizes else [])
        g.op("Resize", *operands, out=name, **attributes)
        g.output(name, FLOAT, ["batch", 2, None, None])

    double, down = [1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 0.6, 0.7]
    resize("nearest", double, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    resize("nearest_half", down, mode="nearest", coordinate_transformation_mode="half_pixel",
           nearest_mode="round_prefer_floor")
    # align_corners takes the extent before rounding, ONNX Runtime the one behind it: only whole ones here.
    resize("nearest_ceil", double, mode="nearest", coordinate_transformation_mode="align_corners", nearest_mode="ceil")
    resize("linear", double, mode="linear", coordinate_transformation_mode="half_pixel")
    resize("linear_corners", double, mode="linear", coordinate_transformation_mode="align_corners")
    resize("linear_torch", down, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    whole = g.op("Shape", "x")
    kept = g.op("Slice", whole, g.const([0]), g.const([2]))
    larger = g.op("Add", g.op("Mul", g.op("Slice", whole, g.const([2]), g.const([4])), g.const([2])), g.const([1, 3]))
    resize("sized", sizes=g.op("Concat", kept, larger, axis=0), mode="linear",
           coordinate_transformation_mode="half_pixel")
    return g.model(opset=19, ir_version=9)


def cases():
    rng = random("resize data")
    for batch, height, width in [(1, 4, 4), (2, 7, 11), (1, 5, 20)]:
        yield Case({"x": normal(rng, batch, 2, height, width)})
