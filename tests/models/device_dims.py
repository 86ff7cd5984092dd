# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape and Size of what was reshaped by a dim that is computed on the device: told, computed with, and as the operand of what wants
its operand on the host: TopK, Range, Tile, Pad, OneHot, Slice, Split, a Loop's trips and an If's condition. Results have more
elements than the table, and none."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 1}
SIZE = 4


def loop(g, trips):
    body = g.sub("doubling")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    carried = body.input("carried", FLOAT, [])
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Add", body.op("Add", carried, carried), body.const(1.0)), FLOAT, [])
    return g.op("Loop", trips, "", g.const(1.0), body=body.proto(), out="doubled")


def build():
    g = Graph("device_dims")
    g.input("x", FLOAT, ["n", SIZE])
    g.input("ids", INT64, ["m"])
    rows = g.op("ReduceMax", "ids", keepdims=1)
    table = g.op("Reshape", g.op("Neg", "x"), g.op("Concat", rows, g.const([-1, SIZE]), axis=0))
    shape = g.op("Shape", table, out="shape")
    length = g.op("Slice", shape, g.const([1]), g.const([2]))
    scalar = g.op("Squeeze", g.op("Gather", shape, g.const([1])))
    single = g.op("ReduceSum", table, g.const([0, 1, 2]), keepdims=1)
    outputs = [("shape", INT64, 1), ("elements", FLOAT, 0), ("scaled", FLOAT, 3), ("ordered", FLOAT, 3), ("order", INT64, 3),
               ("best", FLOAT, 3), ("best_at", INT64, 3), ("range", INT64, 1), ("tiled", FLOAT, 3), ("expanded", FLOAT, 3),
               ("padded", FLOAT, 3), ("hot", INT64, 2), ("first", FLOAT, 2), ("head", FLOAT, 3), ("tail", FLOAT, 3),
               ("filled", FLOAT, 3), ("grown", FLOAT, 3), ("doubled", FLOAT, 0), ("chosen", FLOAT, 3)]
    g.op("Cast", g.op("Size", table), to=FLOAT, out="elements")
    g.op("Mul", table, g.op("Cast", length, to=FLOAT), out="scaled")
    g.op("TopK", table, length, axis=1, out=["ordered", "order"])
    g.op("TopK", table, g.op("Div", g.op("Add", length, g.const([1])), g.const([2])), axis=1, out=["best", "best_at"])
    g.op("Range", g.const(0), scalar, g.const(1), out="range")
    g.op("Tile", single, shape, out="tiled")
    g.op("Expand", single, shape, out="expanded")
    g.op("Pad", table, g.op("Concat", g.const([0, 0, 0]), length, g.const([0, 0]), axis=0), out="padded")
    g.op("OneHot", g.const([0, 1, 2]), scalar, g.const([0, 1]), out="hot")
    g.op("Slice", "x", g.const([0]), length, g.const([0]), out="first")
    g.op("Split", table, g.op("Concat", g.const([1]), g.op("Sub", length, g.const([1])), axis=0), axis=1, out=["head", "tail"])
    g.op("ConstantOfShape", shape, out="filled")
    g.op("Concat", table, g.op("ReduceMax", table, g.const([0]), keepdims=1), axis=0, out="grown")
    loop(g, scalar)
    g.op("If", g.op("Less", scalar, g.const(4)), out="chosen", then_branch=g.branch("few", FLOAT, "Neg", table),
         else_branch=g.branch("many", FLOAT, "Abs", table))
    for name, dtype, rank in outputs:
        g.output(name, dtype, [None] * rank)
    return g.model()


def cases():
    rng = random("device_dims data")

    def case(n, rows, status=""):
        return Case({"x": normal(rng, n, SIZE), "ids": np.int64([min(rows, 0), rows, rows])}, status)

    for n, rows in [(12, 3), (1, 1), (40, 40), (9, 1), (40, 1)]:
        yield case(n, rows)
    for n, rows in [(12, 5), (12, -2), (12, 1 << 62)]:
        yield case(n, rows, status="INVALID_ARGUMENT")
    yield case(12, 4)
