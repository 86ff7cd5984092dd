# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A spatial transformer: places computed from the image itself are sampled with every kernel, and their
neighbours fused around the samples. All extents but the places' coordinates are open."""
import numpy as np
from graph import FLOAT, Case, Graph, random


def build():
    g = Graph("grid_sample")
    g.input("x", FLOAT, ["N", 2, "H", "W"])
    g.input("grid", FLOAT, ["N", "A", "B", 2])
    places = g.op("Mul", "grid", g.const(np.float32(1.5)))
    modes = [("linear", "border", 0), ("cubic", "zeros", 1), ("nearest", "reflection", 0), ("cubic", "border", 0),
             ("cubic", "reflection", 1)]
    samples = [g.op("GridSample", "x", places, mode=mode, padding_mode=padding, align_corners=align)
               for mode, padding, align in modes]
    g.op("Relu", g.op("Sum", *samples), out="y")
    g.output("y", FLOAT, ["N", 2, "A", "B"])
    return g.model(opset=20)


def cases():
    rng = random("grid_sample")
    for n, height, width, rows, columns in ((1, 4, 5, 3, 2), (2, 1, 7, 4, 4), (3, 6, 1, 1, 9), (1, 3, 3, 0, 2)):
        yield Case({"x": rng.uniform(-1, 1, (n, 2, height, width)).astype(np.float32),
                    "grid": rng.uniform(-1, 1, (n, rows, columns, 2)).astype(np.float32)})
