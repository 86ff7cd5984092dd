# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of tables that are computed from bytes, larger than what is folded: scales for the whole, a column, a row, a block; rows and
columns that are gathered, by indices of rank 0, 1 and 2; a table that two read.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, random

ROWS, COLUMNS = 600, 48


def build():
    rng = random("gather_tables")
    g = Graph("gather_tables")
    g.input("ids", INT64, ["n", "t"])
    g.input("few", INT64, ["k"])
    codes = rng.integers(-128, 128, (ROWS, COLUMNS)).astype(np.int8)

    def table():
        return g.const(codes)

    def numbers(*shape):
        return g.const((0.01 + rng.random(shape)).astype(np.float32))

    def zeros(*shape):
        return g.const(rng.integers(-9, 9, shape).astype(np.int8))

    def rows(data, indices, dims, name, axis=0):
        g.output(g.op("Gather", data, indices, axis=axis, out=name), FLOAT, dims)

    three = ["n", "t", COLUMNS]
    rows(g.op("DequantizeLinear", table(), numbers(), zeros()), "ids", three, "whole")
    rows(g.op("DequantizeLinear", table(), numbers(COLUMNS), zeros(COLUMNS), axis=1), "ids", three, "by_column")
    rows(g.op("DequantizeLinear", table(), numbers(ROWS), zeros(ROWS), axis=0), "ids", three, "by_row")
    rows(g.op("DequantizeLinear", table(), numbers(ROWS, 3), zeros(ROWS, 3), axis=1, block_size=16), "ids", three, "by_block")
    rows(g.op("DequantizeLinear", table(), numbers(ROWS), axis=0), "few", [ROWS, "k"], "columns", axis=1)
    floats = g.op("Cast", table(), to=FLOAT)
    rows(g.op("Mul", g.op("Sub", floats, numbers(COLUMNS)), numbers(ROWS, 1)), "ids", three, "cast")
    rows(g.op("Mul", g.op("Cast", table(), to=FLOAT), numbers(1, 1)), g.const(5), [COLUMNS], "one_row")
    rows(g.op("Mul", numbers(1, COLUMNS), g.op("Cast", table(), to=FLOAT)), "few", [ROWS, "k"], "cast_columns", axis=-1)
    shared = g.op("DequantizeLinear", table(), numbers())
    rows(shared, "few", ["k", COLUMNS], "first")
    rows(shared, "ids", three, "second")
    return g.model(opset=21)


def cases():
    rng = random("gather_tables data")
    for n, t, k in [(1, 3, 1), (2, 5, 4), (1, 0, 2)]:
        yield Case({"ids": rng.integers(-ROWS, ROWS, (n, t)), "few": rng.integers(-COLUMNS, COLUMNS, k)})
