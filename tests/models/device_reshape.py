# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reshapes by a dim that is computed on the device: beside a -1 on either side, between other dims, copied where it is 0,
alone, where it is what is left; and what follows from them. A dim that does not fit ends the run."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

# The extents of outputs leave in one copy behind the run.
LIMITS = {"d2h": 1, "blocking_syncs": 0}


def build():
    g = Graph("device_reshape")
    g.input("x", FLOAT, ["n"])
    g.input("z", FLOAT, ["n", 6])
    g.input("ids", INT64, ["m"])
    g.input("more", INT64, ["m"])
    g.input("few", INT64, ["m"])
    rows = g.op("ReduceMax", "ids", keepdims=1)
    table = g.op("Reshape", g.op("Neg", "x"), g.op("Concat", rows, g.const([-1]), axis=0))
    g.op("Relu", table, out="table")
    g.op("Transpose", table, perm=[1, 0], out="turned")
    g.op("ReduceSum", table, g.const([1]), keepdims=0, out="sums")
    g.op("Softmax", table, axis=1, out="softmax")
    g.op("Concat", table, "table", axis=0, out="joined")
    g.op("MatMul", "turned", "table", out="product")
    g.op("Add", table, g.op("ReduceMax", table, g.const([0]), keepdims=1), out="shifted")
    depth = g.op("ReduceMax", "more", keepdims=1)
    g.op("Abs", g.op("Reshape", "z", g.op("Concat", g.const([-1]), depth, g.const([3]), axis=0)), out="planes")
    # The only dim that is not known is what the others leave, and only looked at.
    whole = g.op("ReduceMax", "few", keepdims=1)
    g.op("Exp", g.op("Reshape", "z", g.op("Concat", whole, g.const([2, 3]), axis=0)), out="cells")
    for name, shape in [("table", [None, None]), ("turned", [None, None]), ("sums", [None]), ("softmax", [None, None]),
                        ("joined", [None, None]), ("product", [None, None]), ("shifted", [None, None]),
                        ("planes", [None, None, 3]), ("cells", [None, 2, 3])]:
        g.output(name, FLOAT, shape)
    return g.model()


def cases():
    rng = random("device_reshape data")

    def case(n, rows, whole=None, status=""):
        ids = rng.integers(-9, rows + 1, 5) if rows >= -9 else np.full(5, rows)
        ids[3] = rows
        more = ids[::-1].copy()
        few = np.int64([0, n if whole is None else whole, -4, 0, 0])
        return Case({"x": normal(rng, n), "z": normal(rng, n, 6), "ids": ids, "more": more, "few": few}, status)

    for n, rows in [(12, 3), (1, 1), (40, 40), (9, 1), (600, 24), (9, 0)]:
        yield case(n, rows)
    for n, rows in [(12, 5), (12, 24), (12, -1), (12, -2), (12, -5), (12, 1 << 62), (12, -(1 << 62))]:
        yield case(n, rows, status="INVALID_ARGUMENT")
    yield case(12, 3, whole=11, status="INVALID_ARGUMENT")
    yield case(12, 4)
