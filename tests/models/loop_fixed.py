# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Four convolutions over a carried image, the trip count a constant, plus a host scalar carried beside it and used as
a Slice's end: the image stays on the device, the scalar on the host."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    rng = random("loop_fixed weights")
    g = Graph("loop_fixed")
    g.input("image", FLOAT, ["batch", 2, "height", "width"])
    g.const(normal(rng, 2, 2, 3, 3, scale=0.3), name="weight")

    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("picture", FLOAT, ["batch", 2, "height", "width"])
    body.input("end", INT64, [1])
    moved = body.op("Relu", body.op("Conv", "picture", "weight", pads=[1, 1, 1, 1]))
    row = body.op("Slice", moved, body.const([0]), "end", body.const([3]))
    total = body.op("ReduceSum", row, body.const([1, 2, 3]), keepdims=0)
    after = body.op("Add", "end", body.const([1]))
    more = body.op("Identity", "go")
    for value, dtype, dims in [(more, BOOL, []), (moved, FLOAT, ["batch", 2, "height", "width"]), (after, INT64, [1]),
                               (total, FLOAT, ["batch"])]:
        body.output(value, dtype, dims)

    g.op("Loop", g.const(4), g.const(True), "image", g.const([1]), out=["final", "end", "totals"], body=body.proto())
    g.output("final", FLOAT, ["batch", 2, "height", "width"])
    g.output("totals", FLOAT, [4, "batch"])
    return g.model()


def cases():
    rng = random("loop_fixed data")
    for batch, height, width in [(1, 6, 6), (3, 5, 9)]:
        yield Case({"image": normal(rng, batch, 2, height, width)})
