# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Segmentation of instances: boxes above a threshold, masks as sums of prototypes cut to their boxes, the area and the middle
of each, and the points of all outlines, by which polygons are drawn."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
PROTOTYPES = 4


def axis(g, value, number):
    """0, 1, ... along a dim, as floats."""
    extent = g.op("Squeeze", g.op("Shape", value, start=number, end=number + 1))
    return g.op("Cast", g.op("Range", g.const(np.int64(0)), extent, g.const(np.int64(1))), to=FLOAT)


def inside(g, boxes, number, places):
    """Whether places lie between two sides of each box: [n, places]."""
    low, high = (g.op("Slice", boxes, g.const([number + a]), g.const([number + a + 1]), g.const([1])) for a in (0, 2))
    return g.op("And", g.op("GreaterOrEqual", places, low), g.op("Less", places, high))


def build():
    g = Graph("instance_masks")
    g.input("prototypes", FLOAT, [PROTOTYPES, "height", "width"])
    g.input("boxes", FLOAT, ["found", 4])
    g.input("coefficients", FLOAT, ["found", PROTOTYPES])
    g.input("scores", FLOAT, ["found"])
    good = g.op("Greater", "scores", g.const(0.5))
    boxes, coefficients = (g.op("Compress", value, good, axis=0) for value in ("boxes", "coefficients"))
    flat = g.op("Reshape", "prototypes", g.const([PROTOTYPES, -1]))
    size = g.op("Shape", "prototypes", start=1, end=3)
    soft = g.op("Sigmoid", g.op("MatMul", coefficients, flat))
    soft = g.op("Reshape", soft, g.op("Concat", g.const([-1]), size, axis=0))
    rows, columns = axis(g, "prototypes", 1), axis(g, "prototypes", 2)
    cut = g.op("And", g.op("Unsqueeze", inside(g, boxes, 0, rows), g.const([2])),
               g.op("Unsqueeze", inside(g, boxes, 1, columns), g.const([1])))
    mask = g.op("And", g.op("Greater", soft, g.const(0.5)), cut)
    count = g.op("Cast", mask, to=FLOAT)
    area = g.op("ReduceSum", count, g.const([1, 2]), keepdims=0)
    middle = [g.op("Div", g.op("ReduceSum", g.op("Mul", count, g.op("Unsqueeze", places, g.const([1 - number]))), g.const([1, 2]),
                               keepdims=0), g.op("Max", area, g.const(1.0))) for number, places in enumerate((rows, columns))]
    # A point of the outline is in the mask, and one of its neighbours is not.
    outer = g.op("Neg", g.op("MaxPool", g.op("Neg", g.op("Unsqueeze", count, g.const([1]))), kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    outline = g.op("And", mask, g.op("Equal", g.op("Squeeze", outer, g.const([1])), g.const(0.0)))
    g.output(g.op("Identity", mask, out="masks"), BOOL, [None, "height", "width"])
    g.output(g.op("Identity", area, out="areas"), FLOAT, [None])
    g.output(g.op("Concat", *(g.op("Unsqueeze", m, g.const([1])) for m in middle), axis=1, out="middles"), FLOAT, [None, 2])
    g.output(g.op("Transpose", g.op("NonZero", outline), perm=[1, 0], out="points"), INT64, [None, 3])
    return g.model()


def cases():
    rng = random("instance_masks data")
    for found, height, width in [(4, 16, 20), (1, 5, 5), (9, 24, 11)]:
        low = rng.uniform(0, 6, (found, 2))
        boxes = np.concatenate([low, low + rng.uniform(3, 14, (found, 2))], axis=1).astype(np.float32)
        scores = rng.uniform(0, 1, found).astype(np.float32)
        scores[0] = 0.9
        yield Case({"prototypes": normal(rng, PROTOTYPES, height, width), "boxes": boxes,
                    "coefficients": normal(rng, found, PROTOTYPES), "scores": scores})
