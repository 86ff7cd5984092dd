# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Reshape by two dims that are computed on the device, of which one is an output's: no memory has room for the most that an
integer of the device can be, so the output is bound when the host has read it."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

COLUMNS, FEATURES = 4, 5


def build():
    rng = random("read_rows weights")
    g = Graph("read_rows")
    g.input("x", FLOAT, ["n"])
    g.input("rows", INT64, ["k"])
    g.input("columns", INT64, ["m"])
    dims = g.op("Concat", g.op("ReduceMax", "rows", keepdims=1), g.op("ReduceMax", "columns", keepdims=1), axis=0)
    matrix = g.op("Reshape", g.op("Neg", "x"), dims)
    g.op("MatMul", matrix, g.const(normal(rng, COLUMNS, FEATURES)), out="y")
    g.output("y", FLOAT, [None, FEATURES])
    return g.model()


def cases():
    rng = random("read_rows data")

    def case(n, rows, columns=COLUMNS, status=""):
        return Case({"x": normal(rng, n), "rows": np.int64([rows, rows]), "columns": np.int64([columns])}, status)

    for n, rows in [(12, 3), (4, 1), (160, 40), (0, 0)]:
        yield case(n, rows)
    for n, rows, columns in [(12, 5, COLUMNS), (12, 4, 3), (12, 1 << 62, COLUMNS), (12, 3, 1 << 62)]:
        yield case(n, rows, columns, status="INVALID_ARGUMENT")
    yield case(24, 6)
