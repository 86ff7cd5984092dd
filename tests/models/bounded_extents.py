# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator that sizes its result by integers, of integers that the device computes and of which a range is known: clipped,
divided with rest, counted, chosen. Room for the most, the exact extents behind the run, no wait."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, fill, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}


def one(g, value):
    return g.op("Reshape", value, g.const([1]))


def build():
    g = Graph("bounded_extents")
    g.input("x", FLOAT, ["n", 8])
    g.input("row", FLOAT, [1, 8])
    g.input("image", FLOAT, [1, 2, "height", "width"])
    peak = g.op("ReduceMax", "x", keepdims=0)
    clipped = g.op("Clip", g.op("Cast", g.op("Mul", peak, g.const(2.0)), to=INT64), g.const(1), g.const(9))
    rest = g.op("Add", g.op("Mod", g.op("ArgMax", g.op("ReduceSum", "x", g.const([1]), keepdims=0), axis=0, keepdims=1),
                            g.const([4])), g.const([2]))
    positive = g.op("ReduceSum", g.op("Cast", g.op("Greater", g.op("Slice", "x", g.const([0]), g.const([1]), g.const([1])),
                                                   g.const(0.0)), to=INT64), keepdims=0)
    chosen = g.op("Where", g.op("Greater", peak, g.const(1.0)), g.const(5), g.const(2))

    def told(name, value, dims, weights=None):
        g.output(g.op("Relu", value, out=name), FLOAT, dims)
    told("expanded", g.op("Expand", "row", g.op("Concat", rest, g.const([8]), axis=0)), [None, 8])
    told("tiled", g.op("Tile", "row", g.op("Concat", one(g, clipped), g.const([2]), axis=0)), [None, 16])
    told("filled", g.op("ConstantOfShape", g.op("Concat", rest, g.const([3]), axis=0), value=fill(np.float32(2))), [None, 3])
    told("padded", g.op("Pad", "x", g.op("Concat", g.const([0, 1]), one(g, chosen), g.const([2]), axis=0)), [None, 11])
    told("ranged", g.op("Cast", g.op("Range", g.const(0), positive, g.const(1)), to=FLOAT), [None])
    told("hot", g.op("OneHot", g.op("Range", g.const(0), g.const(4), g.const(1)), clipped, g.const([0.0, 1.0])), [4, None])
    told("resized", g.op("Resize", "image", "", "", g.op("Concat", g.const([1, 2]), rest, one(g, clipped), axis=0), mode="linear",
                         coordinate_transformation_mode="asymmetric"), [1, 2, None, None])
    told("cropped", g.op("CenterCropPad", "image", g.op("Concat", rest, one(g, chosen), axis=0), axes=[2, 3]), [1, 2, None, None])
    told("window", g.op("HannWindow", clipped), [None])
    where = g.op("ArgMax", g.op("ReduceMax", "x", g.const([1]), keepdims=0), axis=0, keepdims=1)
    size = g.op("Shape", "x", start=0, end=1)
    front, back = g.op("Split", "x", g.op("Concat", where, g.op("Sub", size, where), axis=0), axis=0, out=2)
    told("front", front, [None, 8])
    told("back", back, [None, 8])
    return g.model()


def cases():
    rng = random("bounded_extents data")
    for n, height, width in ((6, 5, 7), (1, 9, 4), (30, 12, 12)):
        yield Case({"x": normal(rng, n, 8), "row": normal(rng, 1, 8), "image": normal(rng, 1, 2, height, width)})
    yield Case({"x": np.full((3, 8), -9, np.float32), "row": normal(rng, 1, 8), "image": normal(rng, 1, 2, 3, 3)})
