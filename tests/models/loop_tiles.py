# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of an image, one an iteration, stacked: that a tile is whole follows from there being one more iteration. Beside them what
has as many rows as there were iterations before, which is no row of nothing where there is none; and a pyramid, whose image is half
as large in each iteration: never larger than the first."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "blocking_syncs": 0}
TILE, WIDTH = 4, 6


def pyramid(g):
    body = g.sub("level")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("level", FLOAT, [1, 3, None, None])
    half = body.op("AveragePool", "level", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(half, FLOAT, [1, 3, None, None])
    body.output(body.op("ReduceMax", half, body.const([2, 3]), keepdims=0), FLOAT, [1, 3])
    g.op("Loop", g.const(3), "", "photo", body=body.proto(), out=["smallest", "brightest"])
    g.output("smallest", FLOAT, [1, 3, None, None])
    g.output("brightest", FLOAT, [3, 1, 3])


def build():
    g = Graph("loop_tiles")
    g.input("image", FLOAT, [1, 3, "height", WIDTH])
    g.input("photo", FLOAT, [1, 3, "rows", "columns"])
    pyramid(g)
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
    for height, rows, columns in [(13, 16, 9), (4, 1, 1), (3, 2, 31), (40, 33, 8), (0, 5, 5)]:
        yield Case({"image": normal(rng, 1, 3, height, WIDTH), "photo": normal(rng, 1, 3, rows, columns)})
