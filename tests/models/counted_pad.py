# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much Pad adds the device counts, in every mode and in front as well as behind; with it come integers of the host of
which nothing is known, so that what is computed of them may leave 64 bits, but not on the way to what is asked for.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

# Extents of outputs leave in one copy behind the run.
LIMITS = {"d2h": 1, "blocking_syncs": 0}


def build():
    g = Graph("counted_pad")
    g.input("x", FLOAT, ["n", "m"])
    g.input("sizes", INT64, [2])
    found = g.op("Shape", g.op("NonZero", g.op("Greater", "x", g.const(0.0))), start=1, end=2)
    few = g.op("Mod", found, g.const([3]))
    # In [0, 3), though the largest of anything has no negative in 64 bits.
    largest = g.op("ReduceMax", "sizes", keepdims=1)
    little = g.op("Mod", g.op("Max", largest, g.op("Neg", largest)), g.const([3]))
    pads = [g.op("Concat", few, little, g.const([0]), few, axis=0), g.op("Concat", little, few, few, g.const([1]), axis=0)]
    for number, mode in enumerate(["constant", "reflect", "edge", "wrap"]):
        g.output(g.op("Pad", "x", pads[number % 2], mode=mode, out=mode), FLOAT, [None, None])
    # An end that follows from both.
    end = g.op("Add", g.op("Min", few, g.op("Max", largest, g.const([0]))), little)
    g.output(g.op("Slice", "x", little, end, g.const([1]), out="slice"), FLOAT, [None, "m"])
    return g.model(opset=21)


def cases():
    rng = random("counted_pad data")
    limits = np.iinfo(np.int64)
    for n, m, sizes in [(4, 5, [1, 2]), (3, 3, [-7, -8]), (9, 4, [5, 40]), (3, 70, [limits.max, 0]),
                        (5, 6, [limits.min + 1, limits.min])]:
        yield Case({"x": normal(rng, n, m), "sizes": np.int64(sizes)})
    # Its negative leaves 64 bits.
    yield Case({"x": normal(rng, 3, 3), "sizes": np.int64([limits.min, limits.min])}, status="INVALID_ARGUMENT")
