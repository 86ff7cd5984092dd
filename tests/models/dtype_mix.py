# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Half, single, double, integers and bool in one graph: arithmetic in each, conversions between all."""
import numpy as np
from graph import BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT32, INT64, Case, Graph, normal, random


def build():
    g = Graph("dtype_mix")
    g.input("half", FLOAT16, ["rows", "n"])
    g.input("exact", DOUBLE, ["rows", "n"])
    g.input("count", INT64, ["rows", 1])
    g.output(g.op("Add", g.op("Mul", "half", g.const(3.0, np.float16)), "half", out="in_half"), FLOAT16, ["rows", "n"])
    single = g.op("Cast", "half", to=FLOAT)
    g.output(g.op("Cast", g.op("Div", single, g.op("Cast", "count", to=FLOAT)), to=FLOAT16, out="rounded"),
             FLOAT16, ["rows", "n"])
    g.output(g.op("ReduceSum", g.op("Mul", "exact", g.op("Cast", "half", to=DOUBLE)), g.const([1]), keepdims=0,
                  out="dots"), DOUBLE, ["rows"])
    g.output(g.op("Cast", g.op("Mul", single, g.const(20.0)), to=INT8, out="small"), INT8, ["rows", "n"])
    large = g.op("Greater", "exact", g.op("Cast", "half", to=DOUBLE))
    g.output(g.op("Identity", large, out="larger"), BOOL, ["rows", "n"])
    g.output(g.op("ReduceSum", g.op("Cast", large, to=INT32), g.const([0]), keepdims=0, out="per_column"),
             INT32, ["n"])
    g.output(g.op("Where", large, g.op("Cast", "exact", to=FLOAT), single, out="best"), FLOAT, ["rows", "n"])
    g.output(g.op("MatMul", "half", g.op("Transpose", "half", perm=[1, 0]), out="gram"), FLOAT16, ["rows", "rows"])
    return g.model()


def cases():
    rng = random("dtype_mix data")
    for rows, n in [(3, 8), (1, 1), (5, 31)]:
        yield Case({"half": normal(rng, rows, n, dtype=np.float16), "exact": rng.standard_normal((rows, n)),
                    "count": rng.integers(1, 9, (rows, 1))})
