# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that count what they find, of nothing at all: the count is 0 when the model is compiled, and no operator reads it."""
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

import numpy as np


def build():
    g = Graph("empty_counts")
    g.input("x", FLOAT, [3, "n"])
    g.input("nothing", FLOAT, [2, 0])
    g.input("keep", BOOL, [0])
    g.op("Compress", "x", "keep", axis=-1, out="columns")
    g.op("Compress", "x", "keep", out="elements")
    g.op("NonZero", "nothing", out="places")
    g.op("Unique", "nothing", axis=1, out=["slices", "first", "inverse", "times"])
    g.op("Unique", "nothing", out=["values"])
    g.op("NonMaxSuppression", g.const(np.zeros((1, 0, 4), np.float32)), g.op("Unsqueeze", "nothing", g.const([0])),
         g.const([3]), out="boxes")
    g.output("columns", FLOAT, [3, 0])
    g.output("elements", FLOAT, [0])
    g.output("places", INT64, [2, 0])
    g.output("slices", FLOAT, [2, 0])
    for name in ("first", "inverse", "times"):
        g.output(name, INT64, [0])
    g.output("values", FLOAT, [0])
    g.output("boxes", INT64, [0, 3])
    return g.model()


def cases():
    rng = random("empty_counts data")
    for n in (4, 1, 0):
        yield Case({"x": normal(rng, 3, n), "nothing": np.zeros((2, 0), np.float32), "keep": np.zeros(0, np.bool_)})
