# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs whose rank a branch decides: a scalar or a matrix of one If, two of one If, four ends of nested Ifs, elements
that the host computes, one that is also read where ranks agree again, and one whose condition the data decide."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 6


def branch(g, name, fill, *dtypes):
    """A graph for an If; `fill` adds its nodes and gives a result for each type."""
    sub = g.sub(name)
    for dtype, result in zip(dtypes, fill(sub)):
        sub.output(sub.op("Identity", result), dtype, None)
    return sub.proto()


def choose(g, condition, then, otherwise, *dtypes, out=1):
    return g.op("If", condition, out=out, then_branch=branch(g, g.fresh("then"), then, *dtypes),
                else_branch=branch(g, g.fresh("else"), otherwise, *dtypes))


def build():
    g = Graph("output_rank")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("counts", INT64, ["n"])
    g.input("flag", BOOL, [])
    g.input("mode", INT64, [])

    # Both results of one If, of other ranks each, and what is computed of the first.
    pair = choose(g, "flag", lambda s: [s.op("ReduceSum", "x", keepdims=0), s.op("Unsqueeze", "x", s.const([0, 3]))],
                  lambda s: [s.op("Exp", "x"), s.op("ReduceMax", "x", s.const([1]), keepdims=0)], FLOAT, FLOAT,
                  out=["sum_or_all", "most"])
    g.output(pair[0], FLOAT, ["any"])
    g.output(pair[1], FLOAT, ["any"])
    g.output(g.op("ReduceMean", g.op("Neg", pair[0]), keepdims=0, out="mean"), FLOAT, [])

    # Four ends, of ranks 0 to 3; the output may be a view of the input.
    is_mode = [g.op("Equal", "mode", g.const(number)) for number in range(3)]
    g.output(choose(g, is_mode[0], lambda s: [s.op("ReduceMin", "x", keepdims=0)], lambda s: [choose(
        s, is_mode[1], lambda t: [t.op("Reshape", "x", t.const([-1]))], lambda t: [choose(
            t, is_mode[2], lambda u: ["x"], lambda u: [u.op("Unsqueeze", "x", u.const([1]))],
            FLOAT)], FLOAT)], FLOAT, out="four"), FLOAT, ["any"])

    # Integers, which lie on the host.
    sizes = g.op("Concat", g.op("Shape", "x"), "counts", axis=0)
    g.output(choose(g, "flag", lambda s: [s.op("ReduceSum", sizes, keepdims=0)], lambda s: [sizes], INT64, out="sizes"),
             INT64, ["any"])

    # The exporter's squeeze where the extent is 1, and a condition that is computed of the data.
    is_one = g.op("Equal", g.op("Gather", g.op("Shape", "x"), g.const(0), axis=0), g.const(1))
    scaled = g.op("Mul", "x", g.const(np.float32(0.5)))
    g.output(choose(g, is_one, lambda s: [s.op("Squeeze", scaled, s.const([0]))], lambda s: [scaled], FLOAT,
                    out="squeezed"), FLOAT, ["any"])
    is_positive = g.op("Greater", g.op("ReduceSum", "x", keepdims=0), g.const(np.float32(0)))
    g.output(choose(g, is_positive, lambda s: [s.op("ReduceMean", "x", s.const([0]), keepdims=0)],
                    lambda s: [s.op("Relu", "x")], FLOAT, out="decided"), FLOAT, ["any"])
    model = g.model()
    # The checker wants a shape where there can be none.
    for output in model.graph.output:
        if output.name != "mean":
            output.type.tensor_type.ClearField("shape")
    return model


def cases():
    rng = random("output_rank data")
    for rows, n, flag, mode in [(1, 2, True, 0), (3, 0, False, 1), (4, 3, True, 2), (2, 1, False, 3), (1, 4, False, 7)]:
        yield Case({"x": normal(rng, rows, WIDTH), "counts": rng.integers(0, 9, n), "flag": np.array(flag),
                    "mode": np.array(mode, np.int64)})
