# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of an image, one an iteration, stacked: that a tile is whole follows from there being one more iteration. Beside them what
has as many rows as there were iterations before, which is no row of nothing where there is none."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "blocking_syncs": 0}
TILE, WIDTH = 4, 6


def build():
    g = Graph("loop_tiles")
    g.input("image", FLOAT, [1, 3, "height", WIDTH])
    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("total", FLOAT, [3])
    first = body.op("Unsqueeze", body.op("Mul", "i", body.const(TILE)), body.const([0]))
    tile = body.op("Slice", "image", first, body.op("Add", first, body.const([TILE])), body.const([2]))
    seen = body.op("Conv", tile, body.const(normal(random("loop_tiles weights"), 2, 3, 3, 3)), pads=[1, 1, 1, 1])
    above = body.op("Slice", "image", body.const([0]), body.op("Unsqueeze", "i", body.const([0])), body.const([2]))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Add", "total", body.op("ReduceSum", above, body.const([0, 2, 3]), keepdims=0)), FLOAT, [3])
    body.output(body.op("Relu", seen), FLOAT, [1, 2, TILE, WIDTH])
    trips = g.op("Div", g.op("Squeeze", g.op("Shape", "image", start=2, end=3), g.const([0])), g.const(TILE))
    g.op("Loop", trips, "", g.const(np.zeros(3, np.float32)), body=body.proto(), out=["total", "tiles"])
    g.output("total", FLOAT, [3])
    g.output("tiles", FLOAT, [None, 1, 2, TILE, WIDTH])
    return g.model()


def cases():
    rng = random("loop_tiles data")
    for height in (13, 4, 3, 40, 0):
        yield Case({"image": normal(rng, 1, 3, height, WIDTH)})
