# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data movement: Concat, Pad in every mode (pads constant, given, negative), Slice with negative steps, Split by
lengths and evenly, Tile, Expand, Transpose, Reshape, Flatten, DepthToSpace and back."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("concat_pad_transpose")
    g.input("x", FLOAT, ["batch", 4, "height", "width"])
    g.input("y", FLOAT, ["batch", 2, "height", "width"])
    g.input("pads", INT64, [8])
    g.input("repeats", INT64, [4])
    dims = [None] * 4
    joined = g.op("Concat", "x", "y", "x", out="joined", axis=1)
    g.output(joined, FLOAT, ["batch", 10, "height", "width"])
    g.output(g.op("Transpose", joined, out="last", perm=[0, 2, 3, 1]), FLOAT, ["batch", "height", "width", 10])
    for mode in ("constant", "reflect", "edge", "wrap"):
        g.output(g.op("Pad", "x", g.const([0, 0, 1, 2, 0, 0, 2, 1]), out=f"pad_{mode}", mode=mode), FLOAT, dims)
    g.output(g.op("Pad", "x", "pads", g.const(1.5), out="pad_given"), FLOAT, dims)
    g.output(g.op("Slice", "x", g.const([-1, 1]), g.const([-1000, 100]), g.const([3, 2]), g.const([-2, 1]),
                  out="backwards"), FLOAT, dims)
    first, second = g.op("Split", "x", g.const([1, 3]), out=["head", "tail"], axis=1)
    g.output(first, FLOAT, ["batch", 1, "height", "width"])
    g.output(g.op("Mul", second, first, out="scaled_tail"), FLOAT, ["batch", 3, "height", "width"])
    for third in g.op("Split", "y", out=[f"third_{i}" for i in range(3)], axis=3, num_outputs=3):
        g.output(third, FLOAT, dims)
    g.output(g.op("Tile", "y", "repeats", out="tiled"), FLOAT, dims)
    g.output(g.op("Expand", g.op("Unsqueeze", first, g.const([0])), g.const([3, 1, 1, 1, 1]), out="expanded"),
             FLOAT, [3, "batch", 1, "height", "width"])
    g.output(g.op("Flatten", "y", out="flat", axis=2), FLOAT, [None, None])
    g.output(g.op("Reshape", "x", g.const([0, -1, 2]), out="pairs"), FLOAT, ["batch", None, 2])
    wide = g.op("DepthToSpace", "x", out="deep", blocksize=2, mode="CRD")
    g.output(wide, FLOAT, dims)
    g.output(g.op("SpaceToDepth", wide, out="round_trip", blocksize=2), FLOAT, dims)
    return g.model()


def cases():
    rng = random("concat_pad_transpose data")
    for batch, height, width, pads, repeats in [
            (1, 4, 5, [0] * 8, [1, 1, 1, 1]), (3, 5, 8, [0, 1, -1, 2, 0, 0, 3, -4], [2, 1, 3, 1]),
            (2, 9, 7, [1, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0, 1])]:
        yield Case({"x": normal(rng, batch, 4, height, width), "y": normal(rng, batch, 2, height, width),
                    "pads": np.array(pads), "repeats": np.array(repeats)})
