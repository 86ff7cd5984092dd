# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NonZero of several types and ranks, with none and with all elements; what follows from the number that was found."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("nonzero")
    g.input("x", FLOAT, ["a", "b", "c"])
    g.input("flags", BOOL, ["n"])
    g.input("numbers", INT64, [2, "b"])
    g.input("limit", FLOAT, [])
    g.op("NonZero", "x", out="of_x")
    g.op("NonZero", "flags", out="of_flags")
    g.op("NonZero", "numbers", out="of_numbers")
    # Computed on the way, and read by what comes behind.
    found = g.op("NonZero", g.op("Greater", "x", "limit"))
    places = g.op("Transpose", found, perm=[1, 0])
    g.op("Mul", g.op("GatherND", "x", places), g.const(np.float32(2)), out="twice")
    g.op("Shape", found, out="shape")
    # Their number matters, not where they are.
    g.op("EyeLike", g.op("NonZero", g.op("Less", "x", "limit")), dtype=FLOAT, out="eye")
    # One found by the other's places.
    g.op("NonZero", g.op("Relu", "twice"), out="positive")
    g.output("of_x", INT64, [3, None])
    g.output("of_flags", INT64, [1, None])
    g.output("of_numbers", INT64, [2, None])
    g.output("twice", FLOAT, [None])
    g.output("shape", INT64, [2])
    g.output("eye", FLOAT, [3, None])
    g.output("positive", INT64, [1, None])
    return g.model()


def cases():
    rng = random("nonzero data")

    def case(shape, n, limit, density):
        x = normal(rng, *shape) * (rng.random(shape) < density)
        return Case({"x": x.astype(np.float32), "flags": rng.random(n) < density,
                     "numbers": rng.integers(-1, 2, (2, shape[1])) * int(density > 0),
                     "limit": np.array(limit, np.float32)})

    yield case((2, 3, 4), 9, 0.3, 0.5)
    yield case((3, 5, 70), 1000, -9, 1)  # all
    yield case((1, 2, 3), 300, 9, 0)  # none
    yield case((0, 2, 3), 0, 0, 1)  # nothing to look at
    yield case((4, 71, 90), 40000, 0.5, 0.1)
    nan = case((1, 1, 4), 1, 0, 1)
    nan.inputs["x"][0, 0, 1:3] = [np.nan, -0.0]
    yield nan
