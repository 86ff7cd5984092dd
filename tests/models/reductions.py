# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every reduction over first, middle, last and all axes, with axes from a constant or none; ArgMax, ArgMin, CumSum."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

OPERATORS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
             "ReduceSumSquare", "ReduceLogSumExp"]


def build():
    g = Graph("reductions")
    g.input("x", FLOAT, ["a", "b", "c"])
    for operator in OPERATORS:
        g.output(g.op(operator, "x", g.const([-1]), out=operator + "_last", keepdims=0), FLOAT, ["a", "b"])
        g.output(g.op(operator, "x", g.const([0, 2]), out=operator + "_ends"), FLOAT, [1, "b", 1])
        g.output(g.op(operator, "x", out=operator + "_all", keepdims=0), FLOAT, [])
    g.output(g.op("ReduceSum", "x", out="untouched", noop_with_empty_axes=1), FLOAT, ["a", "b", "c"])
    for operator, last in [("ArgMax", 0), ("ArgMin", 0), ("ArgMax", 1)]:
        name = f"{operator}_{last}"
        g.output(g.op(operator, "x", out=name, axis=1, keepdims=0, select_last_index=last), INT64, ["a", "c"])
    for name, attributes in [("running", {}), ("running_back", {"exclusive": 1, "reverse": 1})]:
        g.output(g.op("CumSum", "x", g.const(1), out=name, **attributes), FLOAT, ["a", "b", "c"])
    return g.model()


def cases():
    rng = random("reductions data")
    for shape in [(2, 3, 4), (1, 1, 1), (3, 40, 5)]:
        yield Case({"x": normal(rng, *shape)})
    yield Case({"x": np.round(normal(rng, 2, 6, 3))})
