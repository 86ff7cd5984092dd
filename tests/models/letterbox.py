# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An image of any size brought into a square with grey borders, a detector on it, and its boxes brought back to the image."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
SIDE = 32


def build():
    g = Graph("letterbox")
    weights = random("letterbox weights")
    g.input("image", FLOAT, [1, 3, "height", "width"])
    size = g.op("Shape", "image", start=2, end=4)
    real = g.op("Cast", size, to=FLOAT)
    scale = g.op("ReduceMin", g.op("Div", g.const([float(SIDE)] * 2), real), keepdims=1)
    fitted = g.op("Min", g.op("Max", g.op("Cast", g.op("Round", g.op("Mul", real, scale)), to=INT64), g.const([1])), g.const([SIDE]))
    small = g.op("Resize", "image", "", "", g.op("Concat", g.const([1, 3]), fitted, axis=0), mode="linear")
    left = g.op("Sub", g.const([SIDE, SIDE]), fitted)
    begin = g.op("Div", left, g.const([2]))
    end = g.op("Sub", left, begin)
    square = g.op("Pad", small, g.op("Concat", g.const([0, 0]), begin, g.const([0, 0]), end, axis=0), g.const(0.5))
    features = g.op("Relu", g.op("Conv", square, g.const(normal(weights, 6, 3, 3, 3, scale=0.3)), strides=[4, 4], pads=[1, 1, 1, 1]))
    heads = g.op("Reshape", g.op("Conv", features, g.const(normal(weights, 4, 6, 1, 1))), g.const([4, -1]))
    boxes = g.op("Mul", g.op("Sigmoid", g.op("Transpose", heads, perm=[1, 0])), g.const(float(SIDE)))
    border = g.op("Cast", begin, to=FLOAT)
    back = g.op("Div", g.op("Sub", boxes, g.op("Concat", border, border, axis=0)), scale)
    most = g.op("Concat", real, real, axis=0)
    g.output(g.op("Max", g.op("Min", back, most), g.const(0.0), out="boxes"), FLOAT, [None, 4])
    return g.model()


def cases():
    rng = random("letterbox data")
    for height, width in [(32, 32), (50, 20), (7, 64), (1, 3), (33, 31)]:
        yield Case({"image": normal(rng, 1, 3, height, width)})
