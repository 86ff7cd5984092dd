# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dims and constants meet device values: as the other branch of an If, and as the first value that a Loop carries. Both go
to the device; only the condition, which a float input decides, is the host's.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def mean(g, name, operator):
    sub = g.sub(name)
    sub.output(sub.op(operator, sub.op("ReduceMean", "x", keepdims=0), "threshold"), FLOAT, None)
    return sub.proto()


def body(g, best):
    sub = g.sub("body")
    sub.input("i", INT64, [])
    sub.input("go", BOOL, [])
    for name in ("from_dim", "from_constant"):
        sub.input(name, INT64, [])
    sub.output(sub.op("Identity", "go"), BOOL, [])
    for name in ("from_dim", "from_constant"):
        sub.output(sub.op("Add", name, best), INT64, [])
    return sub.proto()


def build():
    g = Graph("sides_meet")
    g.input("x", FLOAT, ["n"])
    g.input("threshold", FLOAT, [])
    count = g.op("Squeeze", g.op("Shape", "x"), g.const([0]))
    best = g.op("ArgMax", "x", axis=0, keepdims=0)
    is_high = g.op("Greater", "threshold", g.const(0.5))
    g.output(g.op("If", is_high, out="chosen", then_branch=g.branch("dim", INT64, "Identity", count),
                  else_branch=g.branch("data", INT64, "Identity", best)), INT64, [])
    g.op("Loop", g.const(3), "", count, g.const(7), out=["sum_of_dim", "sum_of_constant"], body=body(g, best))
    g.output("sum_of_dim", INT64, [])
    g.output("sum_of_constant", INT64, [])

    # A scalar of the host is what kernels compute too, and goes to the device under another shape.
    per_item = g.op("Div", "threshold", g.op("Cast", count, to=FLOAT))
    g.output(g.op("If", g.op("Greater", per_item, g.const(0.1)), out="shifted", then_branch=mean(g, "one", "Add"),
                  else_branch=mean(g, "two", "Sub")), FLOAT, [])
    shape = g.op("Concat", g.op("Shape", "x"), g.const([2]), axis=0)
    g.output(g.op("Expand", g.op("Reshape", per_item, g.const([1, 1])), shape, out="spread"), FLOAT, ["n", 2])
    return g.model()


def cases():
    rng = random("sides_meet data")
    for n, threshold in [(4, 1.0), (9, 0.0), (1, 0.75)]:
        yield Case({"x": normal(rng, n), "threshold": np.array(threshold, np.float32)})
