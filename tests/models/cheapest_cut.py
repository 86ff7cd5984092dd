# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device data decides extents and a branch. Two scalars that meet in one shape are read back where they have met, one from
which a shape and a branch follow where they part: one readback each.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 2, "h2d": 0, "blocking_syncs": 2}


def build():
    g = Graph("cheapest_cut")
    g.input("x", FLOAT, ["n"])
    g.input("y", FLOAT, ["m"])
    extents = []
    for operator in ("ReduceMax", "ReduceMin"):
        extent = g.op("Cast", g.op(operator, "x", keepdims=0), to=INT64)
        extents.append(g.op("Unsqueeze", g.op("Mul", extent, g.const(2)), g.const([0])))
    filled = g.op("ConstantOfShape", g.op("Concat", *extents, axis=0))
    g.output(g.op("Add", filled, g.const(1.5), out="filled"), FLOAT, ["rows", "columns"])

    largest = g.op("Mul", g.op("ReduceMax", "y", keepdims=0), g.const(0.5))
    count = g.op("Cast", g.op("Ceil", g.op("Abs", largest)), to=INT64)
    g.output(g.op("Range", g.const(0), count, g.const(1), out="counted"), INT64, ["count"])
    is_high = g.op("Greater", largest, g.const(1.0))
    g.output(g.op("If", is_high, out="bent", then_branch=g.branch("high", FLOAT, "Tanh", "y"),
                  else_branch=g.branch("low", FLOAT, "Neg", "y")), FLOAT, ["m"])
    return g.model()


def cases():
    rng = random("cheapest_cut data")
    for n, m, scale in [(3, 4, 1.0), (7, 1, 9.0), (1, 20, 4.0)]:
        yield Case({"x": rng.uniform(1, 5, n).astype(np.float32), "y": normal(rng, m) * np.float32(scale)})
