# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ScatterElements and ScatterND with each reduction, repeated indices included; the data operand lives on."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("scatter")
    g.input("data", FLOAT, ["rows", "n"])
    g.input("columns", INT64, ["rows", 3])
    g.input("updates", FLOAT, ["rows", 3])
    g.input("points", INT64, ["count", 1])
    g.input("lines", FLOAT, ["count", "n"])
    for reduction in ("none", "add", "mul", "max", "min"):
        if reduction != "none":
            g.op("ScatterElements", "data", "columns", "updates", out=f"elements_{reduction}", axis=1,
                 reduction=reduction)
            g.output(f"elements_{reduction}", FLOAT, ["rows", "n"])
            g.op("ScatterND", "data", "points", "lines", out=f"nd_{reduction}", reduction=reduction)
            g.output(f"nd_{reduction}", FLOAT, ["rows", "n"])
    # Without a reduction the indices must differ.
    once = g.op("ScatterElements", "data", g.const(np.zeros((1, 1), np.int64)), g.const([[7.0]]), axis=1)
    g.output(g.op("Add", once, "data", out="once"), FLOAT, ["rows", "n"])
    first = g.op("Slice", "lines", g.const([0]), g.const([1]))
    g.output(g.op("ScatterND", "data", g.const([[-1]]), first, out="last_line"), FLOAT, ["rows", "n"])
    return g.model(opset=18, ir_version=8)


def cases():
    rng = random("scatter data")

    def data(rows, n, count):
        return {"data": normal(rng, rows, n), "columns": rng.integers(-n, n, (rows, 3)),
                "updates": normal(rng, rows, 3), "points": rng.integers(0, rows, (count, 1)),
                "lines": normal(rng, count, n)}

    for sizes in [(4, 5, 6), (1, 1, 1), (9, 40, 30)]:
        yield Case(data(*sizes))
    bad = data(4, 5, 6)
    bad["columns"][2, 1] = -6
    yield Case(bad, status="OUT_OF_RANGE")
