# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts, each with memory of its own, behind a Reshape by a dim that is computed on the device: the largest along either axis, and
what is distinct. A dim that does not fit ends the run, and nothing is read or written beside a tensor before."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

SIZE = 4
# Memory for sorting is sized by the extents of what was reshaped and of what was sorted; one copy tells extents.
LIMITS = {"d2h": 3, "blocking_syncs": 2}


def build():
    g = Graph("sorted_reshape")
    g.input("x", FLOAT, ["n", SIZE])
    g.input("ids", INT64, ["m"])
    rows = g.op("ReduceMax", "ids", keepdims=1)
    table = g.op("Reshape", g.op("Neg", "x"), g.op("Concat", rows, g.const([-1, SIZE]), axis=0))
    g.op("TopK", table, g.const([1]), axis=1, out=["best", "best_at"])
    g.op("TopK", table, g.const([1]), axis=0, largest=0, out=["least", "least_at"])
    # All of them, in order: as long as the axis is.
    g.op("TopK", table, rows, axis=0, out=["ordered", "order"])
    g.op("Unique", g.op("Round", table), out=["distinct", "first", "inverse", "counts"])
    g.output("best", FLOAT, [None, None, SIZE])
    g.output("best_at", INT64, [None, None, SIZE])
    g.output("least", FLOAT, [None, None, SIZE])
    g.output("least_at", INT64, [None, None, SIZE])
    g.output("ordered", FLOAT, [None, None, SIZE])
    g.output("order", INT64, [None, None, SIZE])
    g.output("distinct", FLOAT, [None])
    g.output("inverse", INT64, [None])
    g.output("counts", INT64, [None])
    return g.model()


def cases():
    rng = random("sorted_reshape data")

    def case(n, rows, status=""):
        return Case({"x": normal(rng, n, SIZE), "ids": np.int64([min(rows, 0), rows, rows])}, status)

    for n, rows in [(12, 3), (1, 1), (40, 40), (9, 1), (3000, 2)]:
        yield case(n, rows)
    for n, rows in [(12, 5), (12, 24), (12, -2), (3000, 1 << 20), (12, 1 << 62)]:
        yield case(n, rows, status="INVALID_ARGUMENT")
    yield case(12, 4)
