# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches on a condition of the device that may both be computed, although a bad index in one of them is an error: it is
one where that branch is taken, and nowhere else. One is inside another, one gathers from what is empty."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

WIDTH = 6
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def branch(g, name, make):
    sub = g.sub(name)
    sub.output(make(sub), FLOAT, ["k", WIDTH])
    return sub.proto()


def build():
    g = Graph("masked_branches")
    g.input("x", FLOAT, ["n", WIDTH])
    g.input("y", FLOAT, ["m", WIDTH])
    g.input("rows", INT64, ["k"])
    g.input("other", INT64, ["k"])
    high = g.op("Greater", g.op("ReduceSum", "x", keepdims=0), g.const(0.0))
    deep = g.op("Greater", g.op("ReduceMax", "y", keepdims=0), g.const(4.0))
    warm = g.op("Greater", g.op("ReduceMax", "x", keepdims=0), g.const(0.0))
    g.op("If", high, out="chosen", then_branch=branch(g, "then", lambda s: s.op("Gather", "x", "rows")),
         else_branch=branch(g, "else", lambda s: s.op("Tanh", s.op("Gather", "y", "other"))))

    def inner(s):
        return s.op("If", deep, then_branch=branch(s, "deep", lambda t: t.op("Gather", "y", "rows")),
                    else_branch=branch(s, "shallow", lambda t: t.op("Neg", "chosen")))

    g.op("If", warm, out="nested", then_branch=branch(g, "outer", inner),
         else_branch=branch(g, "flat", lambda s: s.op("Abs", "chosen")))
    g.output("chosen", FLOAT, ["k", WIDTH])
    g.output("nested", FLOAT, ["k", WIDTH])
    return g.model()


def cases():
    rng = random("masked_branches data")

    def case(n, m, shift, peak, rows, other, status=""):
        y = normal(rng, m, WIDTH)
        y[0, 0] = peak
        return Case({"x": normal(rng, n, WIDTH) + np.float32(shift), "y": y, "rows": np.int64(rows),
                     "other": np.int64(other)}, status)

    yield case(4, 3, 3, 0, [0, -1], [1, 2])
    yield case(4, 3, 3, 0, [3, 1], [77, -78])  # bad indices in the branch that is not taken
    yield case(4, 3, -3, 9, [77, 4], [1, -3])
    yield case(4, 3, 3, 0, [3, 77], [0, 0], "OUT_OF_RANGE")
    yield case(4, 3, -3, 0, [0, 0], [0, 3], "OUT_OF_RANGE")
    yield case(0, 2, 0, 9, [0], [1])  # no index is good there
    yield case(5, 3, 3, 0, [4, 4], [9, 9])  # good in x, bad in y: the inner branch is not taken
    yield case(5, 3, 3, 9, [4, 4], [0, 0], "OUT_OF_RANGE")
    yield case(5, 5, 3, 9, [4, 0, 2], [9, 9, 9])
