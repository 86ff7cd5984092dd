# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exporter's squeeze idiom: If over a dimension, Squeeze in one branch, Identity in the other. The tested extent is
fixed in one use (the If folds) and symbolic, of equal result ranks, in the other. A number of either rank, by which a Range
counts in both branches."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def branch(g, name, operator, *operands, dtype=FLOAT):
    sub = g.sub(name)
    sub.output(sub.op(operator, *operands), dtype, None)
    return sub.proto()


def is_one(g, x, axis):
    extent = g.op("Gather", g.op("Shape", x), g.const(axis), axis=0)
    return g.op("Equal", extent, g.const(1))


def build():
    g = Graph("if_rank")
    g.input("x", FLOAT, ["batch", 1, "n"])
    axes = g.const([1])
    g.op("If", is_one(g, "x", 1), out="squeezed", then_branch=branch(g, "one", "Squeeze", "x", axes),
         else_branch=branch(g, "many", "Identity", "x"))
    flat = g.op("Squeeze", "x", axes)
    g.op("If", is_one(g, "x", 0), out="chosen", then_branch=branch(g, "single", "Neg", flat),
         else_branch=branch(g, "several", "Relu", flat))
    g.input("count", INT64, [1])
    g.input("ask", BOOL, [])
    number = g.op("If", "ask", then_branch=branch(g, "same", "Identity", "count", dtype=INT64),
                  else_branch=branch(g, "scalar", "Squeeze", "count", g.const([0]), dtype=INT64))
    g.op("Range", g.const(np.array(0)), number, g.const(np.array(1)), out="counted")
    g.output("counted", INT64, ["counted"])
    g.output("squeezed", FLOAT, ["batch", "n"])
    g.output("chosen", FLOAT, ["batch", "n"])
    return g.model()


def cases():
    rng = random("if_rank data")
    for batch, n, count in [(1, 5, 3), (4, 5, 0)]:
        yield Case({"x": normal(rng, batch, 1, n), "count": np.array([count]), "ask": np.array(batch == 1)})
