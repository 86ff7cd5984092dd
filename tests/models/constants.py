# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computations on weights alone, which are done once by the compiler: large and small, of several types."""
import numpy as np

from graph import BOOL, FLOAT, FLOAT16, INT64, Case, Graph, normal, random


def build():
    rng = random("constants weights")
    g = Graph("constants")
    g.input("x", FLOAT, ["rows", 24])
    g.input("ids", INT64, ["rows"])

    weights = g.const(normal(rng, 40, 24))  # more than a kilobyte
    g.op("MatMul", "x", g.op("Transpose", weights), out="transposed")
    halves = g.op("Cast", g.const(normal(rng, 24, 16, dtype=np.float16)), to=FLOAT)
    g.op("MatMul", "x", g.op("Mul", halves, g.op("Sqrt", g.const([2.0]))), out="widened")
    thirds = g.op("Split", g.const(normal(rng, 30, 6)), axis=0, out=3, num_outputs=3)
    table = g.op("Concat", g.op("Reshape", thirds[2], g.const([6, 10])), g.op("Transpose", thirds[0]), axis=0)
    g.op("Gather", g.op("Slice", table, g.const([11]), g.const([-99]), g.const([0]), g.const([-1])), "ids", out="picked")
    tiled = g.op("Tile", g.const(normal(rng, 3, 4)), g.const([2, 2]))
    g.op("Mul", g.op("Gather", tiled, g.const([[5, 0], [-1, 2]]), axis=0), g.op("ReduceMean", "x", keepdims=0), out="tiled")

    counts = g.const(np.array([7, -7, 0, 5], np.int32))
    by = g.const(np.array([2, 2, 3, -3], np.int32))
    g.op("Add", g.op("Cast", g.op("Mod", counts, by), to=INT64), g.op("Gather", "ids", g.const([0])), out="counted")
    mask = g.op("And", g.op("Less", g.const([1.0, 2.0, 3.0]), g.const([2.5])), g.const(np.array([True, False, True])))
    g.op("And", g.op("Not", mask), g.op("Greater", g.op("Gather", "ids", g.const([0])), g.const([-1])), out="masked")
    g.op("Cast", g.op("Where", mask, g.op("Div", g.const([1.0]), g.const([3.0])), g.op("ReduceMax", "x", keepdims=0)),
         to=FLOAT16, out="chosen")
    for name, dtype, dims in [("transposed", FLOAT, ["rows", 40]), ("widened", FLOAT, ["rows", 16]),
                              ("picked", FLOAT, ["rows", 10]), ("tiled", FLOAT, [2, 2, 8]), ("counted", INT64, [4]),
                              ("masked", BOOL, [3]), ("chosen", FLOAT16, [3])]:
        g.output(name, dtype, dims)
    return g.model(opset=18, ir_version=8)


def cases():
    rng = random("constants data")
    for rows in (3, 1):
        yield Case({"x": normal(rng, rows, 24), "ids": rng.integers(0, 12, rows)})
